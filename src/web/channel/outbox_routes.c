#include "web/channel/outbox_routes.h"

#include "app/delivery/outbox_admin.h"
#include "web/channel/outbox_view.h"
#include "web/http/web.h"
#include "web/page/pages.h"

#define PATH "/admin/outbox"

typedef enum rc outbox_fn(const struct outbox_action *a, struct err *e);

static enum rc act(struct req *r, outbox_fn *fn, int64_t id, struct err *e)
{
    struct auth_client from = req_client(r);
    struct outbox_action a = {
        .store = r->web->store, .config = r->web->config, .admin = r->who.user_id, .from = &from, .id = id};
    return fn(&a, e);
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "outbox.title"), AT_OUTBOX, 0, &v, e);
    if (rc == RC_OK)
        rc = outbox_view(r, v, e);
    if (rc != RC_OK)
        return rc;
    return why ? page_problem(r, out, "outbox", v, why, e) : resp_page(r, out, 200, "outbox", v, e);
}

static enum rc page_outbox(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_retry(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = act(r, outbox_retry, req_int(r, F_OUTGOING), &why);
    return rc == RC_OK ? page_done(out, PATH, "outbox_retried") : page_again(r, out, show, &why, e);
}

static enum rc page_drop(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = act(r, outbox_drop, req_int(r, F_OUTGOING), &why);
    return rc == RC_OK ? page_done(out, PATH, "outbox_dropped") : page_again(r, out, show, &why, e);
}

static enum rc page_resume(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = act(r, outbox_resume, 0, e);
    return rc == RC_OK ? page_done(out, PATH, "outbox_resumed") : rc;
}

static enum rc api_outbox(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = outbox_resource(r, v, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static enum rc api_done(struct req *r, struct resp *out, enum rc rc, struct err *e)
{
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

static enum rc api_retry(struct req *r, struct resp *out, struct err *e)
{
    return api_done(r, out, act(r, outbox_retry, req_int(r, F_OUTGOING), e), e);
}

static enum rc api_drop(struct req *r, struct resp *out, struct err *e)
{
    return api_done(r, out, act(r, outbox_drop, req_int(r, F_OUTGOING), e), e);
}

static enum rc api_resume(struct req *r, struct resp *out, struct err *e)
{
    return api_done(r, out, act(r, outbox_resume, 0, e), e);
}

static const struct field_rule outgoing_fields[] = {
    {.field = F_OUTGOING, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    PATH,                         page_outbox, PAGE_READ(ACCESS_ADMIN),   notice_fields},
    {HTTP_POST,   PATH "/{outgoing}/retry",     page_retry,  PAGE_CHANGE(ACCESS_ADMIN), outgoing_fields},
    {HTTP_POST,   PATH "/{outgoing}/drop",      page_drop,   PAGE_CHANGE(ACCESS_ADMIN), outgoing_fields},
    {HTTP_POST,   PATH "/resume",               page_resume, PAGE_CHANGE(ACCESS_ADMIN), no_fields},

    {HTTP_GET,    "/api/outbox",                  api_outbox,  API_READ(ACCESS_ADMIN, SCOPE_READ),    no_fields},
    {HTTP_POST,   "/api/outbox/{outgoing}/retry", api_retry,   API_CHANGE(ACCESS_ADMIN, SCOPE_WRITE), outgoing_fields},
    {HTTP_DELETE, "/api/outbox/{outgoing}",       api_drop,    API_CHANGE(ACCESS_ADMIN, SCOPE_WRITE), outgoing_fields},
    {HTTP_POST,   "/api/outbox/resume",           api_resume,  API_CHANGE(ACCESS_ADMIN, SCOPE_WRITE), no_fields},
};
/* clang-format on */

const struct route_table outbox_routes = {routes, ARRAY_LEN(routes)};
