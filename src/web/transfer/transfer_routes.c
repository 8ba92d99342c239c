/* The page "Your data": exports of all data of a user, and imports of conversations. */
#include "web/transfer/transfer_routes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "app/export/export.h"
#include "base/humanize.h"
#include "web/http/upload.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/transfer/transfer_resource.h"
#include "web/transfer/transfer_view.h"

/* The upload of this request becomes an import. */
static enum rc take_upload(struct req *r, struct transfer *out, struct err *e)
{
    struct auth_client from = req_client(r);
    *out = (struct transfer){0};
    if (!*r->upload.id || r->upload.bytes == 0)
        return err_say(e, RC_BAD_INPUT, "upload.choose_first");
    enum rc rc = transfer_import(r->web->store, r->web->config, r->who.user_id, r->upload.id, r->upload.bytes,
        &from, r->arena, out, e);
    if (rc == RC_OK)
        upload_taken(r);
    return rc;
}

/* Another tab or the sweep may have removed the file: RC_NOT_FOUND. */
static enum rc open_file(struct req *r, struct resp *out, const struct transfer *t, struct err *e)
{
    char path[FS_PATH_MAX];
    struct stat st;
    enum rc rc = transfer_path(r->web->config, t->pub, path, e);
    if (rc != RC_OK)
        return rc;
    out->file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (out->file < 0 || fstat(out->file, &st) != 0 || st.st_size == 0)
        return err_set(e, errno == ENOENT ? RC_NOT_FOUND : RC_IO, "%.150s: %s", path, strerror(errno));
    out->file_size = st.st_size;
    return RC_OK;
}

static enum rc transfer_file(struct req *r, struct resp *out, struct err *e)
{
    struct transfer t;
    struct auth_client from = req_client(r);
    char day[CLOCK_RFC3339_SIZE];
    struct db *db = store_read(r->web->store);
    enum rc rc = store_transfer_get(db, r->arena, r->who.user_id, req_text(r, F_TRANSFER), &t, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK && (t.kind != TRANSFER_EXPORT || t.state != TRANSFER_DONE))
        return err_set(e, RC_NOT_FOUND, "there is no file of %s", t.pub);
    if (rc == RC_OK)
        rc = upload_enter(r, &r->web->sending, e);
    if (rc == RC_OK)
        rc = open_file(r, out, &t, e);
    if (rc == RC_OK && !r->head_only)
        rc = transfer_note_download(r->web->store, &t, &from, e);
    if (rc != RC_OK)
        return rc;
    clock_rfc3339(t.created_at, day);
    out->status = 200;
    bool zip = strcmp(t.format, EXPORT_ZIP_FORMAT) == 0; /* others are from earlier versions */
    out->type = zip ? "application/zip" : "application/gzip";
    resp_header(out, "Content-Disposition", "attachment; filename=\"alfred-%.10s.%s\"", day,
        zip ? "zip" : "jsonl.gz");
    return RC_OK;
}

typedef void transfer_fn(
    const struct req *r, struct view *v, const struct transfer *t, enum transfer_phase p);

/* Calls `each` for every transfer, with its item of the list. *going (may be NULL): one waits or runs. */
static enum rc view_transfers(struct req *r, struct view *list, transfer_fn *each, bool *going, struct err *e)
{
    struct transfer *rows;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_transfer_list(db, r->arena, r->who.user_id, TRANSFER_LIST_MAX, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        enum transfer_phase p;
        rc = transfer_phase(db, r->arena, &rows[i], &p, e);
        if (rc == RC_OK)
            each(r, view_item(list), &rows[i], p);
        if (rc == RC_OK && going)
            *going = *going || transfer_is_going(p);
    }
    store_read_done(r->web->store, db);
    return rc;
}

static void put_resource(const struct req *r, struct view *v, const struct transfer *t, enum transfer_phase p)
{
    transfer_resource(r->arena, r->lang, v, t, p);
}

/* ---- the page ---- */

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    bool going = false;
    enum rc rc = page_view(r, lang_text(r->lang, "data.title"), AT_DATA, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(v, "transfers");
    if ((rc = view_transfers(r, list, transfer_view, &going, e)) != RC_OK)
        return rc;
    view_bool(v, "any", view_truthy(list));
    view_bool(v, "any_going", going);
    view_text(v, "most_size",
        humanize_bytes(r->arena, r->lang, r->web->config->limits.import_bytes, LANG_ROUND_DOWN));
    view_int(v, "most_bytes", r->web->config->limits.import_bytes);
    return why ? page_problem(r, out, "data", v, why, e) : resp_page(r, out, 200, "data", v, e);
}

static enum rc page_data(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static struct transfer_options wanted(const struct req *r)
{
    return (struct transfer_options){
        .reasoning = req_int(r, F_REASONING) != 0, .sessions = req_text(r, F_IDS)};
}

static enum rc page_data_export(struct req *r, struct resp *out, struct err *e)
{
    struct transfer_options options = wanted(r);
    struct auth_client from = req_client(r);
    struct transfer t;
    struct err why = ERR_INIT;
    enum rc rc =
        transfer_export(r->web->store, r->web->config, r->who.user_id, &options, &from, r->arena, &t, &why);
    return rc == RC_OK ? page_done(out, "/data", "export_asked") : page_again(r, out, show, &why, e);
}

static enum rc page_data_import(struct req *r, struct resp *out, struct err *e)
{
    struct transfer t;
    struct err why = ERR_INIT;
    enum rc rc = take_upload(r, &t, &why);
    return rc == RC_OK ? page_done(out, "/data", "import_asked") : page_again(r, out, show, &why, e);
}

static enum rc page_data_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc =
        transfer_delete(r->web->store, r->web->config, r->who.user_id, req_text(r, F_TRANSFER), &from, e);
    return rc == RC_OK ? page_done(out, "/data", "transfer_deleted") : rc;
}

/* ---- the API ---- */

static enum rc answer(struct req *r, struct resp *out, int status, const char *pub, struct err *e)
{
    struct transfer t;
    enum transfer_phase p;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_transfer_get(db, r->arena, r->who.user_id, pub, &t, e);
    if (rc == RC_OK)
        rc = transfer_phase(db, r->arena, &t, &p, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transfer_resource(r->arena, r->lang, view_obj(v, "transfer"), &t, p);
    return resp_json(out, status, v, e);
}

static enum rc api_exports(struct req *r, struct resp *out, struct err *e)
{
    struct transfer_options options = wanted(r);
    struct auth_client from = req_client(r);
    struct transfer t;
    if (req_has(r, F_IDS) && req_str(r, F_IDS).len == 0)
        return err_say(e, RC_BAD_INPUT, "batch.none"); /* not everything */
    enum rc rc =
        transfer_export(r->web->store, r->web->config, r->who.user_id, &options, &from, r->arena, &t, e);
    return rc == RC_OK ? answer(r, out, 202, t.pub, e) : rc;
}

static enum rc api_imports(struct req *r, struct resp *out, struct err *e)
{
    struct transfer t;
    enum rc rc = take_upload(r, &t, e);
    return rc == RC_OK ? answer(r, out, 202, t.pub, e) : rc;
}

static enum rc api_transfers(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = view_transfers(r, view_list(v, "transfers"), put_resource, NULL, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static enum rc api_transfer(struct req *r, struct resp *out, struct err *e)
{
    return answer(r, out, 200, req_text(r, F_TRANSFER), e);
}

static enum rc api_transfer_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc =
        transfer_delete(r->web->store, r->web->config, r->who.user_id, req_text(r, F_TRANSFER), &from, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule transfer_fields[] = {
    {.field = F_TRANSFER, .type = FIELD_ID_TRANSFER, .required = true},
    {.field = F_NONE},
};

static const struct field_rule export_fields[] = {
    {.field = F_REASONING, .type = FIELD_BOOL},
    {.field = F_IDS, .type = FIELD_IDS_SESSION},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/data",                          page_data,           PAGE_READ(ACCESS_MEMBER),   notice_fields},
    {HTTP_POST,   "/data/export",                   page_data_export,    PAGE_CHANGE(ACCESS_MEMBER), export_fields},
    {HTTP_POST,   "/data/import",                   page_data_import,    PAGE_FILE(ACCESS_MEMBER),   no_fields},
    {HTTP_GET,    "/data/{transfer}/file",          transfer_file,       PAGE_READ(ACCESS_MEMBER),   transfer_fields},
    {HTTP_POST,   "/data/{transfer}/delete",        page_data_delete,    PAGE_CHANGE(ACCESS_MEMBER), transfer_fields},

    {HTTP_POST,   "/api/exports",                   api_exports,         API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  export_fields},
    {HTTP_POST,   "/api/imports",                   api_imports,         API_FILE(ACCESS_MEMBER, SCOPE_WRITE),    no_fields},
    {HTTP_GET,    "/api/transfers",                 api_transfers,       API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_GET,    "/api/transfers/{transfer}",      api_transfer,        API_READ(ACCESS_MEMBER, SCOPE_READ),    transfer_fields},
    {HTTP_GET,    "/api/transfers/{transfer}/file", transfer_file,       API_READ(ACCESS_MEMBER, SCOPE_READ),    transfer_fields},
    {HTTP_DELETE, "/api/transfers/{transfer}",      api_transfer_delete, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  transfer_fields},
};
/* clang-format on */

const struct route_table transfer_routes = {routes, ARRAY_LEN(routes)};
