#include "web/summary/compaction_resource.h"

#include "app/summary/compact.h"
#include "base/clock.h"
#include "base/log.h"
#include "codec/html.h"
#include "codec/json.h"
#include "codec/markdown/markdown.h"
#include "web/chat/transcript.h"
#include "web/http/web.h"
#include "web/page/humanize.h"

#define COMPACTION_HTML_MAX ((size_t)256 * 1024)
#define FACTS_JSON_MAX      ((size_t)256 * 1024)

static const char *url_of(struct arena *a, const char *session, int64_t id)
{
    return arena_printf(a, "/s/%s/compactions/%lld", session, (long long)id);
}

/* "18,400 → 2,100 tokens" */
static const char *numbers_in_words(struct arena *a, const struct compaction *c)
{
    return arena_printf(
        a, "%s → %s", words_number(a, c->tokens_before), words_count(a, c->tokens_after, "token", "tokens"));
}

static void view_body(struct arena *a, struct view *v, struct str text)
{
    AUTO_STRBUF html;
    strbuf_init(&html, COMPACTION_HTML_MAX);
    struct err e = ERR_INIT;
    if (markdown_html(text, &html, &e) != RC_OK) {
        log_warn("a compaction is shown as plain text: %s", e.text);
        strbuf_clear(&html);
        strbuf_adds(&html, "<pre>");
        html_escape(&html, text);
        strbuf_adds(&html, "</pre>");
    }
    view_html(v, "body_html", (struct markup){str_of(arena_strndup(a, html.s, html.len))});
}

static void view_facts(struct view *v, struct str facts)
{
    AUTO(json_t) all = NULL;
    struct view *list = view_list(v, "facts");
    size_t i, n = 0;
    json_t *one;
    if (json_parse(facts, FACTS_JSON_MAX, &all, NULL) == RC_OK)
        json_array_foreach(all, i, one)
        {
            if (json_is_string(one)) {
                view_item_text(list, json_string_value(one));
                n++;
            }
        }
    view_bool(v, "has_facts", n > 0);
}

void compaction_view(const struct req *r, struct view *v, const struct session *s, const struct compaction *c)
{
    struct arena *a = r->arena;
    const struct provider_choice *choice = providers_by_name(r->web->providers, c->provider, c->model);
    bool by_rule = strcmp(c->provider, "offline") == 0;
    long long first = (long long)c->first_id, last = (long long)c->last_id;
    view_text(v, "id", message_id_text(a, c->id));
    view_text(v, "url", url_of(a, s->pub, c->id));
    view_text(v, "transcript_url", arena_printf(a, "%s/transcript", url_of(a, s->pub, c->id)));
    view_text(v, "first_id", message_id_text(a, c->first_id));
    view_text(v, "last_id", message_id_text(a, c->last_id));
    view_text(
        v, "messages_url", arena_printf(a, "/s/%s?at=%lld&before=%lld#m-%lld", s->pub, last, last, first));
    view_int(v, "messages", c->messages);
    view_text(v, "count_words", words_count(a, c->messages, "message", "messages"));
    view_int(v, "tokens_before", c->tokens_before);
    view_int(v, "tokens_after", c->tokens_after);
    view_text(v, "numbers_words", numbers_in_words(a, c));
    view_str(v, "keep", c->keep);
    view_str(v, "text", c->text);
    view_body(a, v, c->text);
    view_facts(v, c->facts);
    view_bool(v, "by_rule", by_rule);
    view_text(v, "model_label", by_rule ? NULL : choice ? choice->label : c->model);
    view_created(a, v, c->created_at, r->now);
}

void compaction_mark_view(const struct message_frame *f, struct view *v, const struct message *m)
{
    const struct compaction *c = NULL;
    for (size_t i = 0; i < f->compactions_n && !c && m->parent_id; i++)
        if (f->compactions[i].last_id == m->parent_id)
            c = &f->compactions[i];
    if (!c) {
        view_null(v, "compaction");
        return;
    }
    char iso[CLOCK_RFC3339_SIZE];
    clock_rfc3339(c->created_at, iso);
    struct view *mark = view_obj(v, "compaction");
    view_text(mark, "id", message_id_text(f->arena, c->id));
    view_text(mark, "url", url_of(f->arena, f->session, c->id));
    view_int(mark, "messages", c->messages);
    view_text(mark, "count_words", words_count(f->arena, c->messages, "message", "messages"));
    view_int(mark, "tokens_before", c->tokens_before);
    view_int(mark, "tokens_after", c->tokens_after);
    view_text(mark, "numbers_words", numbers_in_words(f->arena, c));
    view_text(mark, "when_iso", iso);
    view_text(mark, "when_words", words_ago(f->arena, c->created_at, f->now));
    view_text(mark, "when_exact", words_exact(f->arena, c->created_at));
}

/* ---- reading ---- */

enum rc compactions_view(struct req *r, struct view *v, struct err *e)
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
    view_session(r->arena, view_obj(v, "session"), &s, r->now);
    struct view *list = view_list(v, "compactions");
    for (size_t i = 0; i < n; i++)
        compaction_view(r, view_item(list), &s, &rows[i]);
    view_text(v, "next", more ? message_id_text(r->arena, rows[n - 1].id) : NULL);
    return RC_OK;
}

enum rc compaction_find(struct req *r, struct session *s, struct compaction *c, struct err *e)
{
    int64_t owner = r->who.user_id;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, owner, req_text(r, F_SESSION), s, e);
    if (rc == RC_OK)
        rc = store_compaction_get(db, r->arena, owner, s->id, req_int(r, F_COMPACTION), c, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc compaction_transcript(struct req *r, struct resp *out, struct err *e)
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
