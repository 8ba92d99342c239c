/* One conversation as a file. It is written into a file without a name first, so that its length is known and
 * memory does not depend on it; a short one is then answered like any page. */
#include "web/transfer/conversation_routes.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/transfer/transfer.h"
#include "codec/url.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"
#include "web/transfer/conversation_page.h"

#define SHORT_MAX ((int64_t)512 * 1024) /* bytes that are sent without holding a thread */
/* That of the file itself (templates/reading-head.mustache), and no frame. */
#define PRINT_POLICY                                                                                      \
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " \
    "frame-ancestors 'none'"

/* ---- the file ---- */

static enum rc write_file(struct req *r, const struct conversation *c,
    const struct conversation_options *options, int fd, struct err *e)
{
    struct export_file out;
    enum rc rc = export_file_open(&out, fd, EXPORT_FILE_PLAIN, e);
    if (rc != RC_OK)
        return rc;
    rc = options->format == CONVERSATION_HTML
             ? conversation_page(r->web, r->who.user_id, c, options, export_file_put, &out, e)
             : conversation_write(r->web->store, r->who.user_id, c, options, export_file_put, &out, e);
    return export_file_close(&out, rc, e);
}

static enum rc send_file(struct req *r, struct resp *out, int *fd, struct err *e)
{
    struct stat st;
    if (fstat(*fd, &st) != 0 || lseek(*fd, 0, SEEK_SET) != 0)
        return err_set(e, RC_IO, "the file of a conversation: %s", strerror(errno));
    if (st.st_size > SHORT_MAX) {
        enum rc rc = upload_enter(r, &r->web->sending, e);
        if (rc != RC_OK)
            return rc;
        out->file = *fd;
        out->file_size = st.st_size;
        *fd = -1;
        return RC_OK;
    }
    char *to = strbuf_reserve(&out->body, (size_t)st.st_size);
    if (!to || pread(*fd, to, (size_t)st.st_size, 0) != st.st_size)
        return err_set(e, RC_IO, "reading the file of a conversation: %s", strerror(errno));
    strbuf_grown(&out->body, (size_t)st.st_size);
    return RC_OK;
}

/* Answers with the conversation of the request in `format`. */
static enum rc answer(
    struct req *r, struct resp *out, enum conversation_format format, struct conversation *c, struct err *e)
{
    struct conversation_options options = {
        .format = format, .reasoning = req_int(r, F_REASONING) != 0, .locale = req_locale(r)};
    enum conversation_branches branches =
        req_int(r, F_ALL) ? CONVERSATION_ALL_BRANCHES : CONVERSATION_SHOWN_BRANCH;
    char dir[FS_PATH_MAX];
    enum rc rc =
        conversation_plan(r->web->store, r->arena, r->who.user_id, req_text(r, F_SESSION), branches, c, e);
    if (rc == RC_OK)
        rc = transfer_folder(r->web->config, dir, e);
    if (rc != RC_OK)
        return rc;
    AUTO_FD fd = fs_open_unnamed(dir);
    if (fd < 0)
        return err_set(e, RC_IO, "%.150s: %s", dir, strerror(errno));
    rc = write_file(r, c, &options, fd, e);
    if (rc == RC_OK)
        rc = send_file(r, out, &fd, e);
    if (rc != RC_OK)
        return rc;
    out->status = 200;
    out->type = conversation_kinds[format].type;
    return RC_OK;
}

static enum rc session_file(struct req *r, struct resp *out, struct err *e)
{
    enum conversation_format format;
    struct conversation c;
    if (!conversation_format_parse(req_str(r, F_FORMAT), &format))
        return err_say(e, RC_BAD_INPUT, "conversation.no_format");
    enum rc rc = answer(r, out, format, &c, e);
    if (rc == RC_OK)
        resp_file_name(out, r->arena,
            conversation_file_name(r->arena, c.session.title, lang_text(r->lang, "chat.new"), format));
    return rc;
}

static enum rc page_print(struct req *r, struct resp *out, struct err *e)
{
    struct conversation c;
    out->policy = PRINT_POLICY;
    return answer(r, out, CONVERSATION_HTML, &c, e);
}

/* ---- the page ---- */

static enum rc page_export_one(struct req *r, struct resp *out, struct err *e)
{
    static const char *const labels[CONVERSATION_FORMATS] = {
        [CONVERSATION_MARKDOWN] = "conversation.markdown",
        [CONVERSATION_HTML] = "conversation.html",
        [CONVERSATION_JSON] = "conversation.json",
        [CONVERSATION_JSONL] = "conversation.jsonl"};
    struct conversation shown, all;
    struct view *v;
    struct store *s = r->web->store;
    int64_t owner = r->who.user_id;
    const char *session = req_text(r, F_SESSION);
    enum rc rc = conversation_plan(s, r->arena, owner, session, CONVERSATION_SHOWN_BRANCH, &shown, e);
    if (rc == RC_OK)
        rc = conversation_plan(s, r->arena, owner, session, CONVERSATION_ALL_BRANCHES, &all, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "conversation.title"), AT_NONE, shown.session.id, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "id", shown.session.pub);
    view_text(v, "url", session_url(r->arena, shown.session.pub));
    view_text(v, "title", session_title(r->lang, shown.session.title));
    view_bool(v, "branches", all.n > shown.n);
    struct view *formats = view_list(v, "formats");
    for (int i = 0; i < CONVERSATION_FORMATS; i++) {
        struct view *item = view_item(formats);
        view_text(item, "value", conversation_kinds[i].word);
        view_text(item, "label", lang_text(r->lang, labels[i]));
        view_bool(item, "checked", i == CONVERSATION_MARKDOWN);
    }
    return resp_page(r, out, 200, "export-one", v, e);
}

/* ---- routes ---- */

static const struct field_rule file_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_FORMAT, .type = FIELD_LINE, .required = true},
    {.field = F_ALL, .type = FIELD_BOOL},
    {.field = F_REASONING, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule print_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_ALL, .type = FIELD_BOOL},
    {.field = F_REASONING, .type = FIELD_BOOL},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET, "/sessions/{session}/export",   page_export_one, PAGE_READ(ACCESS_MEMBER), session_fields},
    {HTTP_GET, "/sessions/{session}/file",     session_file,    PAGE_READ(ACCESS_MEMBER), file_fields},
    {HTTP_GET, "/sessions/{session}/print",    page_print,      PAGE_READ(ACCESS_MEMBER), print_fields},
    {HTTP_GET, "/api/sessions/{session}/file", session_file,    API_READ(ACCESS_MEMBER, SCOPE_READ),  file_fields},
};
/* clang-format on */

const struct route_table conversation_routes = {routes, ARRAY_LEN(routes)};
