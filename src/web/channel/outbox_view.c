#include "web/channel/outbox_view.h"

#include "base/humanize.h"
#include "store/account/user.h"
#include "store/channel/outbox.h"
#include "web/channel/refused_view.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/views.h"

#define OUTBOX_SHOWN 100 /* messages of each state */

static const struct {
    const char *state, *heading, *none, *lead; /* heading, none, lead: keys of texts; lead NULL: none */
} parts[] = {
    {OUTBOX_DOUBTFUL, "outbox.doubtful", NULL, "outbox.doubtful_lead"},
    {OUTBOX_FAILED, "outbox.failed", "outbox.none_failed", NULL},
    {OUTBOX_READY, "outbox.waiting", "outbox.none_waits", NULL},
    {OUTBOX_SENT, "outbox.sent", "outbox.none_sent", "outbox.sent_lead"},
};

static bool can_retry(const struct outbox_row *m)
{
    return strcmp(m->state, OUTBOX_FAILED) == 0 || strcmp(m->state, OUTBOX_DOUBTFUL) == 0;
}

static const char *owner_name(struct req *r, struct db *db, int64_t owner)
{
    struct user u;
    return store_user_by_id(db, r->arena, owner, &u, NULL) == RC_OK ? u.name : NULL;
}

static const char *chat_words(struct req *r, const struct outbox_row *m)
{
    const struct lang_arg *args = LANG_ARGS({"channel", channel_label(r, m->channel)}, {"id", m->chat});
    return m->grouped ? lang_fill(r->arena, r->lang, "outbox.group", args)
                      : lang_fill(r->arena, r->lang, "outbox.chat", args);
}

/* For a waiting message the time of its next attempt, for any other the time at which it ended. */
static const char *when_words(struct req *r, const struct outbox_row *m)
{
    const struct locale l = req_locale(r);
    if (m->ended_at)
        return humanize_ago(r->arena, &l, m->ended_at);
    if (m->paused)
        return lang_text(r->lang, "outbox.paused");
    if (m->run_at < r->now + MS_PER_S)
        return lang_text(r->lang, "job.due_now");
    return humanize_until(r->arena, &l, m->run_at);
}

static void view_row(struct req *r, struct db *db, struct view *v, const struct outbox_row *m)
{
    const struct locale l = req_locale(r);
    const char *id = id_text(r->arena, m->id);
    bool sent = strcmp(m->state, OUTBOX_SENT) == 0;
    view_text(v, "id", id);
    view_text(v, "label", chat_words(r, m));
    view_text(v, "owner_name", owner_name(r, db, m->owner));
    view_text(v, "size_words", humanize_bytes(r->arena, r->lang, m->size, LANG_ROUND_UP));
    view_text(v, "attempts_words",
        m->attempts > 1 ? lang_count(r->arena, r->lang, "count.attempts", m->attempts, NULL) : NULL);
    view_text(v, "reason", sent ? NULL : said_words(r->arena, r->lang, m->error));
    view_text(v, "when", when_words(r, m));
    view_text(v, "when_exact", humanize_exact(r->arena, &l, m->ended_at ? m->ended_at : m->run_at));
    view_text(v, "retry_url", can_retry(m) ? arena_printf(r->arena, "/admin/outbox/%s/retry", id) : NULL);
    view_text(v, "drop_url", sent ? NULL : arena_printf(r->arena, "/admin/outbox/%s/drop", id));
}

static enum rc view_part(struct req *r, struct db *db, struct view *list, size_t p, struct err *e)
{
    struct outbox_row *rows;
    size_t n = 0;
    enum rc rc = store_outbox_list(db, r->arena, parts[p].state, OUTBOX_SHOWN + 1, &rows, &n, e);
    if (rc != RC_OK || (n == 0 && !parts[p].none))
        return rc;
    struct view *part = view_item(list);
    view_text(part, "key", parts[p].state);
    view_text(part, "heading", lang_text(r->lang, parts[p].heading));
    view_text(part, "lead", n && parts[p].lead ? lang_text(r->lang, parts[p].lead) : NULL);
    view_text(part, "none", n ? NULL : lang_text(r->lang, parts[p].none));
    view_bool(part, "more", n > OUTBOX_SHOWN);
    struct view *out = view_list(part, "messages");
    for (size_t i = 0; i < n && i < OUTBOX_SHOWN; i++)
        view_row(r, db, view_item(out), &rows[i]);
    return RC_OK;
}

enum rc outbox_view(struct req *r, struct view *v, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = refused_view(r, db, v, e);
    struct view *list = view_list(v, "parts");
    for (size_t p = 0; rc == RC_OK && p < ARRAY_LEN(parts); p++)
        rc = view_part(r, db, list, p, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* ---- API ---- */

static void row_resource(struct req *r, struct db *db, struct view *v, const struct outbox_row *m)
{
    view_id(r->arena, v, "id", m->id);
    view_text(v, "state", m->state);
    view_text(v, "channel", m->channel);
    view_text(v, "chat", m->chat);
    view_text(v, "thread", *m->thread ? m->thread : NULL);
    view_bool(v, "group", m->grouped);
    view_bool(v, "paused", m->paused);
    view_text(v, "user", owner_name(r, db, m->owner));
    view_int(v, "bytes", m->size);
    view_int(v, "attempts", m->attempts);
    view_text(v, "reason", said_words(r->arena, r->lang, m->error));
    view_at(v, "created_at", m->created_at);
    view_at(v, "next_at", m->ended_at ? 0 : m->run_at);
    view_at(v, "ended_at", m->ended_at);
}

static enum rc counts_resource(struct db *db, struct view *v, struct err *e)
{
    struct outbox_counts c;
    enum rc rc = store_outbox_counts(db, &c, e);
    struct view *counts = view_obj(v, "counts");
    view_int(counts, "waiting", c.waiting);
    view_int(counts, "sending", c.sending);
    view_int(counts, "sent", c.sent);
    view_int(counts, "failed", c.failed);
    view_int(counts, "doubtful", c.doubtful);
    return rc;
}

enum rc outbox_resource(struct req *r, struct view *v, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = refused_resource(r, db, v, e);
    if (rc == RC_OK)
        rc = counts_resource(db, v, e);
    struct view *list = view_list(v, "messages");
    for (size_t p = 0; rc == RC_OK && p < ARRAY_LEN(parts); p++) {
        struct outbox_row *rows;
        size_t n;
        rc = store_outbox_list(db, r->arena, parts[p].state, OUTBOX_SHOWN, &rows, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            row_resource(r, db, view_item(list), &rows[i]);
    }
    store_read_done(r->web->store, db);
    return rc;
}
