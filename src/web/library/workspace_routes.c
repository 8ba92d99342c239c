/* Another name for a workspace, and its end. */
#include "web/library/workspace_routes.h"

#include "app/session/workspace.h"
#include "base/humanize.h"
#include "codec/url.h"
#include "store/session/workspace.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/library/workspace_page.h"
#include "web/page/pages.h"

static enum rc rename_it(struct req *r, struct err *e)
{
    return workspace_rename(r->web->store, r->who.user_id, req_str(r, F_WORKSPACE), req_str(r, F_NAME), e);
}

static enum rc delete_it(struct req *r, struct err *e)
{
    return workspace_delete(r->web->store, r->who.user_id, req_str(r, F_WORKSPACE), e);
}

static enum rc page_rename(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = rename_it(r, &why);
    return rc == RC_OK ? page_done(out, workspace_page_url(r->arena, req_str(r, F_NAME)), "workspace_renamed")
                       : page_again(r, out, workspace_page, &why, e);
}

static enum rc page_delete_ask(struct req *r, struct resp *out, struct err *e)
{
    struct str raw = req_str(r, F_WORKSPACE);
    const char *name;
    enum rc rc = workspace_name(r->arena, raw, &name, e);
    if (rc != RC_OK)
        return rc;
    struct page_question q = {
        .title = lang_fill(r->arena, r->lang, "workspace.delete_title",
            LANG_ARGS({"name", humanize_isolated(r->arena, name)})),
        .text = lang_text(r->lang, "workspace.delete_text"),
        .action = URL_WITH(r->arena, "/workspace/delete", {field_name(F_WORKSPACE), raw}),
        .cancel_url = workspace_page_url(r->arena, raw),
    };
    return page_question(r, out, &q, NULL, e);
}

static enum rc page_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = delete_it(r, e);
    return rc == RC_OK ? page_done(out, "/sessions", "workspace_deleted") : rc;
}

/* ---- the API ---- */

static enum rc api_rename(struct req *r, struct resp *out, struct err *e)
{
    const char *name;
    enum rc rc = rename_it(r, e);
    if (rc == RC_OK)
        rc = workspace_name(r->arena, req_str(r, F_NAME), &name, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_text(v, "workspace", name);
    return resp_json(out, 200, v, e);
}

static enum rc api_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = delete_it(r, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule rename_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_NAME, .type = FIELD_LINE, .required = true, .max = 2 * WORKSPACE_CHARS_MAX},
    {.field = F_NONE},
};

static const struct field_rule delete_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule workspace_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST,   "/workspace/rename", page_rename,     PAGE_CHANGE(ACCESS_MEMBER),             rename_fields},
    {HTTP_GET,    "/workspace/delete", page_delete_ask, PAGE_READ(ACCESS_MEMBER),               delete_fields},
    {HTTP_POST,   "/workspace/delete", page_delete,     PAGE_CHANGE(ACCESS_MEMBER),             delete_fields},

    {HTTP_PATCH,  "/api/workspace",    api_rename,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), rename_fields},
    {HTTP_DELETE, "/api/workspace",    api_delete,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), workspace_fields},
};
/* clang-format on */

const struct route_table workspace_routes = {routes, ARRAY_LEN(routes)};
