#include "web/session/batch_routes.h"

#include "app/search/search.h"
#include "app/session/batch.h"
#include "app/transfer/transfer.h"
#include "base/humanize.h"
#include "store/session/workspace.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/session/session_list.h"

#define BATCH_EXPORT_MAX 10000 /* sessions of one export */

/* The filter of an action on all sessions of the list; NULL: the action names its sessions. */
static enum rc selected(
    const struct req *r, struct session_filter *all, const struct session_filter **filter, struct err *e)
{
    *filter = req_int(r, F_ALL) ? all : NULL;
    return *filter ? session_list_filter(r, all, e) : RC_OK;
}

static enum rc begin(struct req *r, struct batch *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct batch_request q = {.owner = r->who.user_id,
        .from = &from,
        .ids = req_str(r, F_IDS),
        .workspace = req_text(r, F_WORKSPACE),
        .tag_id = req_int(r, F_TAG)};
    if (!batch_action_parse(req_str(r, F_ACTION), &q.action))
        return err_say(e, RC_BAD_INPUT, "batch.bad_action");
    struct session_filter all;
    enum rc rc = selected(r, &all, &q.filter, e);
    if (q.filter)
        q.ids = STR("");
    return rc == RC_OK ? session_batch(r->web->store, r->web->config, &q, r->arena, out, e) : rc;
}

static enum rc read_batch(struct req *r, struct batch *out, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_batch_get(db, r->arena, r->who.user_id, req_text(r, F_BATCH), out, e);
    store_read_done(r->web->store, db);
    return rc;
}

static enum rc undo(struct req *r, struct batch *out, struct err *e)
{
    return session_batch_undo(
        r->web->store, r->web->config, r->who.user_id, req_text(r, F_BATCH), r->arena, out, e);
}

/* ---- the export of a selection ---- */

static enum rc add_ids(
    const struct req *r, struct db *db, const struct session_filter *f, struct strbuf *out, struct err *e)
{
    int64_t *ids;
    size_t n;
    enum rc rc = store_session_ids(db, r->arena, r->who.user_id, f, BATCH_EXPORT_MAX + 1, &ids, &n, e);
    if (rc == RC_OK && n > BATCH_EXPORT_MAX)
        return err_say(e, RC_TOO_BIG, "batch.too_many", arg_int("max", BATCH_EXPORT_MAX));
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        const char *pub;
        rc = store_session_pub(db, r->arena, r->who.user_id, ids[i], &pub, e);
        if (rc == RC_OK)
            strbuf_addf(out, "%s ", pub);
    }
    return rc;
}

static enum rc export_selection(struct req *r, struct err *e)
{
    struct transfer t;
    struct session_filter all;
    const struct session_filter *filter;
    struct auth_client from = req_client(r);
    AUTO_STRBUF ids;
    strbuf_init(&ids, (size_t)(BATCH_EXPORT_MAX + 1) * ID_SIZE);
    enum rc rc = selected(r, &all, &filter, e);
    if (!filter)
        strbuf_addstr(&ids, req_str(r, F_IDS));
    if (rc == RC_OK && filter) {
        struct db *db = store_read(r->web->store);
        rc = add_ids(r, db, filter, &ids, e);
        store_read_done(r->web->store, db);
    }
    if (rc == RC_OK && ids.len == 0)
        return err_say(e, RC_BAD_INPUT, "batch.none");
    struct transfer_options options = {.sessions = ids.s};
    return rc == RC_OK ? transfer_export(
                             r->web->store, r->web->config, r->who.user_id, &options, &from, r->arena, &t, e)
                       : rc;
}

static enum rc page_export(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = export_selection(r, e);
    return rc == RC_OK ? page_done(out, "/data", "export_asked") : rc;
}

static enum rc script_export(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = export_selection(r, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_text(v, "url", "/data?done=export_asked");
    return resp_json(out, 200, v, e);
}

/* ---- the API ---- */

static enum rc answer(struct req *r, struct resp *out, const struct batch *b, struct err *e)
{
    struct view *v = view_new(r->arena), *o = view_obj(v, "batch");
    view_text(o, "id", b->pub);
    view_text(o, "action", batch_action_name(b->action));
    view_bool(o, "running", b->ended_at == 0);
    view_bool(o, "undone", b->undoing);
    view_int(o, "total", b->total);
    view_int(o, "done", b->done);
    view_int(o, "changed", b->changed);
    view_int(o, "not_found", b->absent);
    return resp_json(out, b->ended_at ? 200 : 202, v, e);
}

static enum rc api_begin(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    enum rc rc = begin(r, &b, e);
    return rc == RC_OK ? answer(r, out, &b, e) : rc;
}

static enum rc api_show(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    enum rc rc = read_batch(r, &b, e);
    return rc == RC_OK ? answer(r, out, &b, e) : rc;
}

static enum rc api_undo(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    enum rc rc = undo(r, &b, e);
    return rc == RC_OK ? answer(r, out, &b, e) : rc;
}

/* ---- the page and its scripts ---- */

/* "12 sessions are in the trash.", or what has happened so far. */
static const char *words(const struct req *r, const struct batch *b)
{
    const char *what = b->undoing ? "undone_now" : batch_action_name(b->action);
    return lang_count(r->arena, r->lang, arena_printf(r->arena, "batch.did_%s", what), b->changed, NULL);
}

static enum rc script_answer(struct req *r, struct resp *out, const struct batch *b, struct err *e)
{
    struct arena *a = r->arena;
    struct view *v = view_new(a);
    const char *absent = b->absent ? lang_count(a, r->lang, "batch.absent", b->absent, NULL) : NULL;
    bool can_undo = !b->undoing && b->changed;
    view_text(v, "url", arena_printf(a, "/batches/%s", b->pub));
    view_text(v, "undo_url", can_undo ? arena_printf(a, "/page/batches/%s/undo", b->pub) : NULL);
    view_bool(v, "running", b->ended_at == 0);
    view_text(v, "words", absent ? arena_printf(a, "%s %s", words(r, b), absent) : words(r, b));
    return resp_json(out, 200, v, e);
}

static enum rc script_begin(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    enum rc rc = begin(r, &b, e);
    return rc == RC_OK ? script_answer(r, out, &b, e) : rc;
}

static enum rc script_undo(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    enum rc rc = undo(r, &b, e);
    return rc == RC_OK ? script_answer(r, out, &b, e) : rc;
}

/* Counts the sessions that match, for scripts. Pages do not count them, because the cost grows with their
 * number. */
static enum rc script_count(struct req *r, struct resp *out, struct err *e)
{
    struct session_filter f;
    int64_t n = 0;
    enum rc rc = session_list_filter(r, &f, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    rc = store_session_count(db, r->who.user_id, &f, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_int(v, "n", n);
    view_text(v, "words", lang_count(r->arena, r->lang, "batch.everything", n, NULL));
    return resp_json(out, 200, v, e);
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct batch b = {0};
    struct view *v;
    enum rc rc = read_batch(r, &b, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "batch.title"), AT_SESSIONS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "words", words(r, &b));
    view_bool(v, "running", b.ended_at == 0);
    view_text(v, "progress",
        lang_fill(r->arena, r->lang, "batch.progress",
            LANG_ARGS({"done", humanize_number(r->arena, r->lang, b.done)},
                {"total", humanize_number(r->arena, r->lang, b.total)})));
    view_text(v, "absent", b.absent ? lang_count(r->arena, r->lang, "batch.absent", b.absent, NULL) : NULL);
    view_text(v, "undo_url",
        b.undoing || b.changed == 0 ? NULL : arena_printf(r->arena, "/batches/%s/undo", b.pub));
    view_text(v, "trash_url", b.action == BATCH_TRASH && !b.undoing ? "/trash" : NULL);
    return why ? page_problem(r, out, "batch", v, why, e) : resp_page(r, out, 200, "batch", v, e);
}

static enum rc page_show(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_begin(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    enum rc rc = begin(r, &b, e);
    if (rc == RC_OK)
        resp_redirect(out, "/batches/%s", b.pub);
    return rc;
}

static enum rc page_undo(struct req *r, struct resp *out, struct err *e)
{
    struct batch b = {0};
    struct err why = ERR_INIT;
    enum rc rc = undo(r, &b, &why);
    if (rc != RC_OK)
        return page_again(r, out, show, &why, e);
    resp_redirect(out, "/batches/%s", b.pub);
    return RC_OK;
}

/* The fields that session_list_filter() reads. */
#define LIST_FILTER                                                          \
    {.field = F_Q, .type = FIELD_LINE, .max = SEARCH_QUERY_BYTES_MAX},       \
        {.field = F_WITHIN, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX}, \
    {                                                                        \
        .field = F_SHOW, .type = FIELD_LINE                                  \
    }

static const struct field_rule begin_fields[] = {
    {.field = F_IDS, .type = FIELD_IDS_SESSION},
    {.field = F_ALL, .type = FIELD_BOOL},
    LIST_FILTER,
    {.field = F_ACTION, .type = FIELD_LINE},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_TAG, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};
static const struct field_rule count_fields[] = {
    LIST_FILTER,
    {.field = F_NONE},
};
static const struct field_rule batch_fields[] = {
    {.field = F_BATCH, .type = FIELD_ID_BATCH, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/sessions/batch",          page_begin, PAGE_CHANGE(ACCESS_MEMBER),              begin_fields},
    {HTTP_GET,  "/batches/{batch}",         page_show,  PAGE_READ(ACCESS_MEMBER),                batch_fields},
    {HTTP_POST, "/batches/{batch}/undo",    page_undo,  PAGE_CHANGE(ACCESS_MEMBER),              batch_fields},

    {HTTP_POST, "/sessions/export",         page_export, PAGE_CHANGE(ACCESS_MEMBER),             begin_fields},
    {HTTP_POST, "/page/sessions/export",    script_export, SCRIPT_CHANGE(ACCESS_MEMBER),          begin_fields},
    {HTTP_GET,  "/page/sessions/count",     script_count, SCRIPT_READ(ACCESS_MEMBER),             count_fields},
    {HTTP_POST, "/page/sessions/batch",      script_begin, SCRIPT_CHANGE(ACCESS_MEMBER),         begin_fields},
    {HTTP_POST, "/page/batches/{batch}/undo", script_undo, SCRIPT_CHANGE(ACCESS_MEMBER),        batch_fields},

    {HTTP_POST, "/api/sessions/batch",      api_begin,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  begin_fields},
    {HTTP_GET,  "/api/batches/{batch}",     api_show,   API_READ(ACCESS_MEMBER, SCOPE_READ),     batch_fields},
    {HTTP_POST, "/api/batches/{batch}/undo", api_undo,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  batch_fields},
};
/* clang-format on */

const struct route_table batch_routes = {routes, ARRAY_LEN(routes)};
