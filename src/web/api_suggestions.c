#include "app/memory/facts.h"
#include "app/jobs/helper_notify.h"
#include "web/api.h"
#include "web/memory/memories.h"
#include "web/suggestion/suggestion_view.h"

enum rc api_suggestions(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = suggestions_view(r, v, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

enum rc api_suggestion_keep(struct req *r, struct resp *out, struct err *e)
{
    struct memory m;
    bool known;
    struct view *v = view_new(r->arena);
    enum rc rc =
        facts_keep(r->web->store, r->who.user_id, req_int(r, F_SUGGESTION), r->now, r->arena, &m, &known, e);
    if (rc != RC_OK)
        return rc;
    helper_wake(r->web->config->server.data_dir); /* its vector is to be made */
    memory_view(r, view_obj(v, "memory"), &m);
    view_bool(v, "known_before", known);
    return resp_json(out, known ? 200 : 201, v, e);
}

enum rc api_suggestions_keep(struct req *r, struct resp *out, struct err *e)
{
    size_t kept;
    struct view *v = view_new(r->arena);
    enum rc rc = facts_keep_all(r->web->store, r->who.user_id, req_int(r, F_TO), r->now, &kept, e);
    if (rc != RC_OK)
        return rc;
    helper_wake(r->web->config->server.data_dir);
    view_int(v, "kept", (int64_t)kept);
    return resp_json(out, 200, v, e);
}

enum rc api_suggestion_dismiss(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = facts_dismiss(r->web->store, r->who.user_id, req_int(r, F_SUGGESTION), r->now, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}
