#include "web/library/workspace_file_routes.h"

#include "app/session/workspace.h"
#include "app/session/workspace_file.h"
#include "base/humanize.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/library/document_routes.h"
#include "web/library/workspace_file_view.h"
#include "web/library/workspace_page.h"
#include "web/page/pages.h"

static enum rc read_file(const struct req *r, struct workspace_file *out, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_workspace_file_get(db, r->arena, r->who.user_id, req_int(r, F_FILE), out, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* ---- the pages ---- */

/* All that can be stored are. `e`: about the first that cannot. */
static enum rc save_all(struct req *r, struct err *e)
{
    enum rc all = RC_OK;
    if (!r->files || !r->files->n)
        return err_say(e, RC_BAD_INPUT, "upload.choose_first");
    for (size_t i = 0; i < r->files->n; i++) {
        struct err why = ERR_INIT;
        int64_t id;
        enum rc rc = document_save(r, r->files->list[i].name, r->files->list[i].bytes, &id, NULL, &why);
        if (rc != RC_OK && all == RC_OK)
            *e = why;
        all = all == RC_OK ? rc : all;
    }
    return all;
}

static enum rc page_files_add(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = save_all(r, &why);
    return rc == RC_OK ? page_done(out, workspace_page_url(r->arena, req_str(r, F_WORKSPACE)), "files_added")
                       : page_again(r, out, workspace_page, &why, e);
}

static enum rc page_file(struct req *r, struct resp *out, struct err *e)
{
    struct workspace_file x;
    struct view *v;
    enum rc rc = read_file(r, &x, e);
    if (rc == RC_OK)
        rc = page_view(r, humanize_isolated(r->arena, x.name), AT_SESSIONS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    workspace_file_view(r, v, &x);
    view_text(v, "workspace", x.workspace);
    view_text(v, "workspace_url", workspace_page_url(r->arena, str_of(x.workspace)));
    view_str(v, "text", x.text);
    return resp_page(r, out, 200, "workspace-file", v, e);
}

/* The text of a document is no document: its name gets another extension. */
static const char *text_name(struct arena *a, const char *name)
{
    static const char *const others[] = {
        ".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".docm", ".xlsm", ".pptm"};
    const char *dot = strrchr(name, '.');
    return dot && STR_IN_NOCASE(str_of(dot), others) ? arena_printf(a, "%s.txt", name) : name;
}

static enum rc file_text(struct req *r, struct resp *out, struct err *e)
{
    struct workspace_file x;
    enum rc rc = read_file(r, &x, e);
    if (rc != RC_OK)
        return rc;
    out->status = 200;
    out->type = "text/plain; charset=utf-8";
    resp_file_name(out, r->arena, text_name(r->arena, x.name));
    strbuf_addstr(&out->body, x.text);
    return RC_OK;
}

static enum rc page_file_delete_ask(struct req *r, struct resp *out, struct err *e)
{
    struct workspace_file x;
    enum rc rc = read_file(r, &x, e);
    if (rc != RC_OK)
        return rc;
    struct page_question q = {
        .title = lang_fill(
            r->arena, r->lang, "file.delete_title", LANG_ARGS({"name", humanize_isolated(r->arena, x.name)})),
        .text = lang_text(r->lang, "file.delete_text"),
        .action = arena_printf(r->arena, "/workspace/files/%lld/delete", (long long)x.id),
        .cancel_url = workspace_page_url(r->arena, str_of(x.workspace)),
    };
    return page_question(r, out, &q, NULL, e);
}

static enum rc page_file_delete(struct req *r, struct resp *out, struct err *e)
{
    struct workspace_file x;
    enum rc rc = read_file(r, &x, e);
    if (rc == RC_OK)
        rc = workspace_file_delete(r->web->store, r->who.user_id, x.id, e);
    return rc == RC_OK ? page_done(out, workspace_page_url(r->arena, str_of(x.workspace)), "file_deleted")
                       : rc;
}

/* ---- the API ---- */

static enum rc api_files(struct req *r, struct resp *out, struct err *e)
{
    const char *name;
    struct workspace_file *list = NULL;
    size_t n = 0;
    enum rc rc = workspace_name(r->arena, req_str(r, F_WORKSPACE), &name, e);
    struct db *db = store_read(r->web->store);
    if (rc == RC_OK)
        rc = store_workspace_files(db, r->arena, r->who.user_id, name, &list, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *files = view_list(v, "files");
    for (size_t i = 0; i < n; i++)
        workspace_file_resource(r->arena, view_item(files), &list[i]);
    return resp_json(out, 200, v, e);
}

static enum rc answer(
    struct req *r, struct resp *out, int status, const struct workspace_file *x, struct err *e)
{
    struct view *v = view_new(r->arena), *file = view_obj(v, "file");
    workspace_file_resource(r->arena, file, x);
    view_str(file, "text", x->text);
    return resp_json(out, status, v, e);
}

static enum rc api_file_put(struct req *r, struct resp *out, struct err *e)
{
    struct workspace_text text = {.workspace = req_str(r, F_WORKSPACE),
        .name = req_str(r, F_NAME),
        .text = req_str(r, F_TEXT),
        .now = r->now};
    int64_t id;
    bool added;
    enum rc rc = workspace_file_save(r->web->store, r->who.user_id, &text, &id, &added, e);
    return rc == RC_OK ? workspace_file_saved(r, out, id, added, e) : rc;
}

static enum rc api_file(struct req *r, struct resp *out, struct err *e)
{
    struct workspace_file x;
    enum rc rc = read_file(r, &x, e);
    return rc == RC_OK ? answer(r, out, 200, &x, e) : rc;
}

static enum rc api_file_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = workspace_file_delete(r->web->store, r->who.user_id, req_int(r, F_FILE), e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule workspace_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_NONE},
};

/* A text above WORKSPACE_FILE_BYTES_MAX gets the sentence of app. */
static const struct field_rule put_fields[] = {
    WORKSPACE_FIELD,
    {.field = F_NAME, .type = FIELD_LINE, .required = true, .max = 2 * WORKSPACE_FILE_NAME_CHARS_MAX},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = WORKSPACE_FILES_BYTES_MAX},
    {.field = F_NONE},
};

static const struct field_rule file_fields[] = {
    {.field = F_FILE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule delete_fields[] = {
    {.field = F_FILE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST,   "/workspace/files",               page_files_add,       PAGE_FORM_FILES(ACCESS_MEMBER), workspace_fields},
    {HTTP_GET,    "/workspace/files/{file}",        page_file,            PAGE_READ(ACCESS_MEMBER),       file_fields},
    {HTTP_GET,    "/workspace/files/{file}/text",   file_text,            PAGE_READ(ACCESS_MEMBER),       file_fields},
    {HTTP_GET,    "/workspace/files/{file}/delete", page_file_delete_ask, PAGE_READ(ACCESS_MEMBER),       delete_fields},
    {HTTP_POST,   "/workspace/files/{file}/delete", page_file_delete,     PAGE_CHANGE(ACCESS_MEMBER),     delete_fields},

    {HTTP_GET,    "/api/workspace/files",           api_files,       API_READ(ACCESS_MEMBER, SCOPE_READ),    workspace_fields},
    {HTTP_POST,   "/api/workspace/files",           api_file_put,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), put_fields},
    {HTTP_GET,    "/api/workspace/files/{file}",    api_file,        API_READ(ACCESS_MEMBER, SCOPE_READ),    file_fields},
    {HTTP_DELETE, "/api/workspace/files/{file}",    api_file_delete, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), file_fields},
};
/* clang-format on */

const struct route_table workspace_file_routes = {routes, ARRAY_LEN(routes)};
