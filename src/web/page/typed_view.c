#include "web/page/typed_view.h"

#include <string.h>
#include <strings.h>

#include "codec/form.h"
#include "web/fcgi/fcgi.h"

/* Fields in which users write. A list of those to leave out would show the secrets of a form that is added
 * later. */
static const enum field shown[] = {
    F_NAME, F_TITLE, F_DISPLAY_NAME, F_TEXT, F_ABOUT_ME, F_ANSWER_STYLE, F_KEEP, F_TAGS};

static bool is_post_of(const struct req *r, const char *type)
{
    const char *sent = req_param(r, "CONTENT_TYPE");
    return r->method == HTTP_POST && sent && strncasecmp(sent, type, strlen(type)) == 0;
}

static bool is_shown(const struct form_field *f)
{
    enum field field = field_by_name(f->name);
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        if (field == shown[i])
            return str_trim(f->value).len > 0;
    return false;
}

void sent_file_view(const struct req *r, struct view *v)
{
    view_bool(v, "sent_file", is_post_of(r, "multipart/form-data"));
}

bool typed_view(const struct req *r, struct view *v)
{
    struct str body;
    struct form form;
    bool any = false;
    if (!is_post_of(r, "application/x-www-form-urlencoded") || fcgi_body(r->fcgi, &body, NULL) != RC_OK ||
        form_parse(r->arena, body, &form, NULL) != RC_OK)
        return false;
    struct view *list = view_list(v, "typed");
    for (size_t i = 0; i < form.n; i++) {
        if (!is_shown(&form.fields[i]))
            continue;
        view_str(view_item(list), "typed_text", form.fields[i].value);
        any = true;
    }
    view_bool(v, "any_typed", any);
    return any;
}
