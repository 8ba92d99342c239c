#include "web/api.h"
#include "web/chat/message_view.h"

enum rc api_me(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    view_text(v, "name", r->who.name);
    view_text(v, "role", user_role_name(r->who.role));
    view_text(v, "csrf", r->csrf);
    view_choices(v, r->web->providers, NULL);
    return resp_json(out, 200, v, e);
}
