#include "web/session/batch_routes.h"

#include "app/session/batch.h"
#include "store/session/workspace.h"
#include "web/http/web.h"
#include "web/page/humanize.h"
#include "web/page/pages.h"

static enum rc begin(struct req *r, struct batch *out, struct err *e)
{
    struct batch_request q = {
        .ids = req_str(r, F_IDS), .workspace = req_text(r, F_WORKSPACE), .tag_id = req_int(r, F_TAG)};
    struct auth_client from = req_client(r);
    if (!batch_action_parse(req_str(r, F_ACTION), &q.action))
        return err_say(e, RC_BAD_INPUT, "batch.bad_action");
    return session_batch(r->web->store, r->web->config, r->who.user_id, &q, &from, r->arena, out, e);
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
    struct batch b;
    enum rc rc = begin(r, &b, e);
    return rc == RC_OK ? answer(r, out, &b, e) : rc;
}

static enum rc api_show(struct req *r, struct resp *out, struct err *e)
{
    struct batch b;
    enum rc rc = read_batch(r, &b, e);
    return rc == RC_OK ? answer(r, out, &b, e) : rc;
}

static enum rc api_undo(struct req *r, struct resp *out, struct err *e)
{
    struct batch b;
    enum rc rc = undo(r, &b, e);
    return rc == RC_OK ? answer(r, out, &b, e) : rc;
}

/* ---- the page ---- */

/* "12 chats are in the trash.", or what has happened so far. */
static const char *words(const struct req *r, const struct batch *b)
{
    const char *what = b->undoing ? "undone_now" : batch_action_name(b->action);
    return lang_count(r->arena, r->lang, arena_printf(r->arena, "batch.did_%s", what), b->changed, NULL);
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct batch b;
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
    struct batch b;
    enum rc rc = begin(r, &b, e);
    if (rc == RC_OK)
        resp_redirect(out, "/batches/%s", b.pub);
    return rc;
}

static enum rc page_undo(struct req *r, struct resp *out, struct err *e)
{
    struct batch b;
    struct err why = ERR_INIT;
    enum rc rc = undo(r, &b, &why);
    if (rc != RC_OK)
        return page_again(r, out, show, &why, e);
    resp_redirect(out, "/batches/%s", b.pub);
    return RC_OK;
}

#define BATCH_FIELDS                                                                                        \
    {.field = F_IDS, .type = FIELD_IDS_SESSION}, {.field = F_ACTION, .type = FIELD_LINE, .required = true}, \
        {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},                             \
    {                                                                                                       \
        .field = F_TAG, .type = FIELD_ID_ROW                                                                \
    }

static const struct field_rule begin_fields[] = {
    BATCH_FIELDS,
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

    {HTTP_POST, "/api/sessions/batch",      api_begin,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  begin_fields},
    {HTTP_GET,  "/api/batches/{batch}",     api_show,   API_READ(ACCESS_MEMBER, SCOPE_READ),     batch_fields},
    {HTTP_POST, "/api/batches/{batch}/undo", api_undo,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  batch_fields},
};
/* clang-format on */

const struct route_table batch_routes = {routes, ARRAY_LEN(routes)};
