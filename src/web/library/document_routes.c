#include "web/library/document_routes.h"

#include "app/document/file_text.h"
#include "app/session/workspace.h"
#include "app/session/workspace_file.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "web/fcgi/fcgi.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/library/workspace_file_view.h"

#define NAME_MAX_SENT 500
#define BUSY_RETRY_S  5

/* A browser sends the whole path of a file only in odd cases, such as a dropped folder. */
static struct str last_part(struct str name)
{
    for (struct str rest = name; rest.s;)
        name = str_cut(&rest, '/');
    return name;
}

/* For the sentence of a failure. */
static const char *shown(struct arena *a, struct str name)
{
    struct str cut = utf8_head(name, NAME_MAX_SENT);
    char *copy = arena_strndup(a, cut.len ? cut.s : "", cut.len);
    utf8_drop_directional(copy, cut.len);
    return copy;
}

/* A PDF file holds a thread while a program reads it. */
static enum rc read_text(
    struct req *r, struct str name, struct str bytes, size_t max, struct str *text, struct err *e)
{
    struct file_text_source s = {.name = name,
        .shown = shown(r->arena, name),
        .media_type = STR(""),
        .bytes = bytes,
        .max = max,
        .stop_fd = -1};
    bool long_lasting = file_text_takes_time(&s);
    struct err why = ERR_INIT;
    enum rc rc = long_lasting
                     ? places_enter(&r->web->documents, r->who.user_id, "document.busy", BUSY_RETRY_S, e)
                     : RC_OK;
    if (rc != RC_OK)
        return rc;
    AUTO_FD end = long_lasting ? fcgi_end_fd(r->fcgi) : -1;
    s.stop_fd = end;
    rc = file_text_read(r->arena, &s, text, &why);
    if (long_lasting)
        places_leave(&r->web->documents, r->who.user_id);
    if (rc == RC_UNAVAILABLE)
        return err_say(e, rc, "document.busy");
    if (rc != RC_OK && e)
        *e = why;
    return rc;
}

enum rc document_save(
    struct req *r, struct str name, struct str bytes, int64_t *id, bool *added, struct err *e)
{
    name = last_part(name);
    struct workspace_text x = {
        .workspace = req_str(r, F_WORKSPACE), .name = utf8_valid_text(name) ? name : STR("?"), .now = r->now};
    enum rc rc = read_text(r, x.name, bytes, WORKSPACE_FILE_BYTES_MAX, &x.text, e);
    return rc == RC_OK ? workspace_file_save(r->web->store, r->who.user_id, &x, id, added, e) : rc;
}

static enum rc script_text(struct req *r, struct resp *out, struct err *e)
{
    int64_t most = r->web->config->limits.message_bytes;
    struct str text = STR("");
    enum rc rc = read_text(r, req_str(r, F_NAME), r->body,
        (size_t)(most > WORKSPACE_FILE_BYTES_MAX ? most : WORKSPACE_FILE_BYTES_MAX), &text, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_str(v, "text", text);
    return resp_json(out, 200, v, e);
}

static enum rc api_document_put(struct req *r, struct resp *out, struct err *e)
{
    int64_t id;
    bool added;
    enum rc rc = document_save(r, req_str(r, F_NAME), r->body, &id, &added, e);
    return rc == RC_OK ? workspace_file_saved(r, out, id, added, e) : rc;
}

static const struct field_rule text_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true, .max = NAME_MAX_SENT},
    {.field = F_NONE},
};

static const struct field_rule put_fields[] = {
    {.field = F_WORKSPACE, .type = FIELD_LINE, .required = true, .max = WORKSPACE_CHARS_MAX},
    {.field = F_NAME, .type = FIELD_LINE, .required = true, .max = NAME_MAX_SENT},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/page/documents",          script_text,      SCRIPT_DOCUMENT(ACCESS_MEMBER),           text_fields},
    {HTTP_POST, "/api/workspace/documents", api_document_put, API_DOCUMENT(ACCESS_MEMBER, SCOPE_WRITE), put_fields},
};
/* clang-format on */

const struct route_table document_routes = {routes, ARRAY_LEN(routes)};
