/* The page of a workspace: the user's instructions for it, and its files. The API of instructions. */
#include "web/library/instruction_routes.h"

#include "app/session/workspace.h"
#include "codec/url.h"
#include "store/session/workspace.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/library/workspace_file_view.h"
#include "web/library/workspace_page.h"
#include "web/page/pages.h"

#define TEXT_CHARS_POSTED \
    (4 * WORKSPACE_INSTRUCTION_CHARS_MAX) /* a longer text gets its form again up to this */

static enum rc save(struct req *r, struct err *e)
{
    return workspace_set_instruction(
        r->web->store, r->who.user_id, req_str(r, F_WORKSPACE), req_str(r, F_TEXT), e);
}

/* `exists` may be NULL. */
static enum rc read_text(struct req *r, const char **name, struct str *text, bool *exists, struct err *e)
{
    enum rc rc = workspace_name(r->arena, req_str(r, F_WORKSPACE), name, e);
    struct db *db = store_read(r->web->store);
    if (rc == RC_OK)
        rc = store_workspace_instruction(db, r->arena, r->who.user_id, *name, text, e);
    if (rc == RC_OK && exists)
        rc = store_workspace_exists(db, r->who.user_id, *name, exists, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc workspace_page(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    const char *name;
    struct str text;
    struct view *v;
    bool exists = false;
    enum rc rc = read_text(r, &name, &text, &exists, e);
    if (rc == RC_OK && !*name)
        return err_say(e, RC_BAD_INPUT, "library.needs_name");
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "instructions.title"), AT_SESSIONS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "workspace", name);
    view_text(v, "list_url", URL_WITH(r->arena, "/sessions", {field_name(F_WORKSPACE), str_of(name)}));
    view_str(v, "text", text);
    view_bool(v, "exists", exists);
    view_str(v, "name", req_has(r, F_NAME) ? req_str(r, F_NAME) : str_of(name));
    view_text(
        v, "delete_url", URL_WITH(r->arena, "/workspace/delete", {field_name(F_WORKSPACE), str_of(name)}));
    if ((rc = workspace_files_view(r, v, name, e)) != RC_OK)
        return rc;
    return why ? page_problem(r, out, "instructions", v, why, e)
               : resp_page(r, out, 200, "instructions", v, e);
}

static enum rc page_instructions(struct req *r, struct resp *out, struct err *e)
{
    return workspace_page(r, out, NULL, e);
}

static enum rc page_instructions_save(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = save(r, &why);
    return rc == RC_OK
               ? page_done(out, workspace_page_url(r->arena, req_str(r, F_WORKSPACE)), "library_saved")
               : page_again(r, out, workspace_page, &why, e);
}

static enum rc api_instructions(struct req *r, struct resp *out, struct err *e)
{
    const char *name;
    struct str text;
    enum rc rc = read_text(r, &name, &text, NULL, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_text(v, "workspace", name);
    view_str(v, "text", text);
    return resp_json(out, 200, v, e);
}

static enum rc api_instructions_change(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = save(r, e);
    return rc == RC_OK ? api_instructions(r, out, e) : rc;
}

/* ---- routes ---- */

static const struct field_rule read_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule save_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = TEXT_CHARS_POSTED},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,   "/workspace/instructions",     page_instructions,       PAGE_READ(ACCESS_MEMBER),   read_fields},
    {HTTP_POST,  "/workspace/instructions",     page_instructions_save,  PAGE_CHANGE(ACCESS_MEMBER), save_fields},
    {HTTP_GET,   "/api/workspace/instructions", api_instructions,        API_READ(ACCESS_MEMBER, SCOPE_READ),    read_fields},
    {HTTP_PATCH, "/api/workspace/instructions", api_instructions_change, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  save_fields},
};
/* clang-format on */

const struct route_table instruction_routes = {routes, ARRAY_LEN(routes)};
