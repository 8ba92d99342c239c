/* Compactions of a conversation: the summary of the older part, and the transcript of that part. */
#include "web/summary/compaction_routes.h"

#include "app/session/session_actions.h"
#include "app/summary/compact.h"
#include "web/chat/chat_page.h"
#include "web/chat/compaction_mark.h"
#include "web/chat/transcript.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/markdown_view.h"
#include "web/page/pages.h"
#include "web/page/views.h"
#include "web/session/session_resource.h"
#include "web/session/session_view.h"
#include "web/summary/compaction_resource.h"

#define COMPACTIONS_SHOWN 20 /* per page */

/* ---- the page ---- */

static void view_compaction(
    const struct req *r, struct view *v, const struct session *s, const struct compaction *c)
{
    struct arena *a = r->arena;
    const struct locale l = req_locale(r);
    compaction_resource(r, v, s, c);
    view_bool(v, "has_facts", view_first(view_get(v, STR("facts"))) != NULL);
    view_markdown(a, v, r->lang, c->text);
    view_text(v, "count_words", lang_count(a, r->lang, "count.messages", c->messages, NULL));
    view_text(v, "numbers_words", compaction_numbers(a, r->lang, c));
    view_created_words(a, v, &l, c->created_at);
}

/* Keeps those of the read messages that this compaction itself replaced. */
static void keep_replaced(struct transcript *t, const struct compaction *c)
{
    while (t->n && t->messages[0].id < c->first_id) {
        t->messages++;
        t->n--;
        t->older = 0;
    }
    if (t->older && t->older < c->first_id)
        t->older = 0;
}

static enum rc page_compaction(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct compaction c;
    struct transcript t;
    struct view *v;
    int64_t before = req_int(r, F_BEFORE);
    enum rc rc = compaction_find(r, &s, &c, e);
    if (rc == RC_OK && before && (before < c.first_id || before > c.last_id))
        return err_set(e, RC_NOT_FOUND, "message %lld was not replaced there", (long long)before);
    struct transcript_part part = {.session = s.pub, .before = before ? before : c.last_id};
    if (rc == RC_OK)
        rc = transcript_read(r, &part, &t, e);
    if (rc == RC_OK)
        rc = page_about(r, "chat.compaction_of", &s, &v, e);
    if (rc != RC_OK)
        return rc;
    keep_replaced(&t, &c);
    const struct locale locale = req_locale(r);
    session_view(r->arena, view_obj(v, "session"), &locale, &s);
    struct view *shown = view_obj(v, "compaction");
    view_compaction(r, shown, &s, &c);
    transcript_view(r, &t, v);
    const char *url = compaction_url(r->arena, s.pub, c.id);
    view_text(v, "older_url",
        t.older ? arena_printf(r->arena, "%s?before=%lld#messages", url, (long long)t.older) : NULL);
    view_text(v, "newer_url", before ? arena_printf(r->arena, "%s#messages", url) : NULL);
    return resp_page(r, out, 200, "compaction", v, e);
}

static enum rc page_compact(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc = session_compact(
        r->web->store, r->web->config, r->who.user_id, session, req_text(r, F_KEEP), r->now, &why);
    return rc == RC_OK ? page_done(out, session_url(r->arena, session), "compact_asked")
                       : page_again(r, out, page_chat_again, &why, e);
}

/* Sends the transcript of the path's compaction as a file. */
static enum rc transcript_file(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct compaction c;
    enum rc rc = compaction_find(r, &s, &c, e);
    if (rc == RC_OK)
        rc = compact_transcript_read(r->web->config->server.data_dir, c.transcript, &out->body, e);
    if (rc != RC_OK)
        return rc;
    out->status = 200;
    out->type = "application/x-ndjson";
    resp_header(out, "Content-Disposition", "attachment; filename=\"%s-%lld.jsonl\"", s.pub, (long long)c.id);
    return RC_OK;
}

/* ---- the API ---- */

static enum rc api_compact(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = session_compact(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION),
        req_text(r, F_KEEP), r->now, e);
    return rc == RC_OK ? session_answer(r, out, 202, e) : rc;
}

static enum rc api_compactions(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct compaction *rows;
    size_t n;
    int64_t owner = r->who.user_id;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, owner, req_text(r, F_SESSION), &s, e);
    if (rc == RC_OK)
        rc = store_compaction_list(
            db, r->arena, owner, s.id, req_int(r, F_BEFORE), COMPACTIONS_SHOWN + 1, &rows, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    bool more = n > COMPACTIONS_SHOWN;
    n -= more;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    struct view *list = view_list(v, "compactions");
    for (size_t i = 0; i < n; i++)
        compaction_resource(r, view_item(list), &s, &rows[i]);
    view_id(r->arena, v, "next", more ? rows[n - 1].id : 0);
    return resp_json(out, 200, v, e);
}

static enum rc api_compaction(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct compaction c;
    enum rc rc = compaction_find(r, &s, &c, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    compaction_resource(r, view_obj(v, "compaction"), &s, &c);
    return resp_json(out, 200, v, e);
}

/* ---- routes ---- */

static const struct field_rule compact_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_KEEP, .type = FIELD_LINES, .max = COMPACT_KEEP_MAX},
    {.field = F_NONE},
};

static const struct field_rule page_compaction_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_COMPACTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

static const struct field_rule compactions_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

static const struct field_rule compaction_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_COMPACTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/sessions/{session}/compact",                                 page_compact,    PAGE_CHANGE(ACCESS_MEMBER), compact_fields},
    {HTTP_GET,  "/s/{session}/compactions/{compaction}",                       page_compaction, PAGE_READ(ACCESS_MEMBER),   page_compaction_fields},
    {HTTP_GET,  "/s/{session}/compactions/{compaction}/transcript",            transcript_file, PAGE_READ(ACCESS_MEMBER),   compaction_fields},

    {HTTP_POST, "/api/sessions/{session}/compact",                             api_compact,     API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  compact_fields},
    {HTTP_GET,  "/api/sessions/{session}/compactions",                         api_compactions, API_READ(ACCESS_MEMBER, SCOPE_READ),    compactions_fields},
    {HTTP_GET,  "/api/sessions/{session}/compactions/{compaction}",            api_compaction,  API_READ(ACCESS_MEMBER, SCOPE_READ),    compaction_fields},
    {HTTP_GET,  "/api/sessions/{session}/compactions/{compaction}/transcript", transcript_file, API_READ(ACCESS_MEMBER, SCOPE_READ),    compaction_fields},
};
/* clang-format on */

const struct route_table compaction_routes = {routes, ARRAY_LEN(routes)};
