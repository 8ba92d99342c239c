/* One conversation into the store, in one transaction: session, messages, what was made of them, the row that
 * says that it is here now, the progress, and the jobs that it leaves to the helper. */
#include "app/transfer/import_private.h"

#include "app/memory/memory.h"
#include "app/summary/summary.h"
#include "app/tasks/tasks.h"
#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "store/job.h"
#include "store/workspace.h"

/* Topics, titles and summaries of what comes in may each be a question to a model that costs money: they are
 * asked one conversation after the other, so slowly that what people do meanwhile is not kept waiting. */
#define WORK_AFTER_MS (2 * MS_PER_MIN)
#define WORK_EVERY_MS (20 * MS_PER_S)

/* ---- who is it ---- */

/* FNV-1a, for a conversation without an id of its own. */
static uint64_t hashed(uint64_t h, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.s[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Asked first before anything is settled: what an answer hangs on must be the file's alone. */
static const char *outer_id(struct import_conversation *c)
{
    if (c->outer_id)
        return c->outer_id;
    uint64_t h = hashed(UINT64_C(0xcbf29ce484222325), str_of(c->title));
    for (size_t i = 0; i < c->order_n; i++)
        h = hashed(h, c->messages[c->order[i]].text);
    return c->outer_id =
               arena_printf(c->a, "hash:%016llx:%lld", (unsigned long long)h, (long long)c->created_at);
}

static enum rc is_known(struct db *db, const struct import_save *s, bool *known, struct err *e)
{
    struct session here;
    struct import_conversation *c = s->c;
    if (c->own_pub && store_session_get(db, c->a, s->t->owner, c->own_pub, &here, NULL) == RC_OK) {
        *known = true;
        return RC_OK;
    }
    return store_imported_known(db, s->t->owner, outer_id(c), known, e);
}

/* ---- messages ---- */

static void settle_times(struct import_conversation *c, int64_t now)
{
    int64_t first = 0, last = 0;
    for (size_t k = 0; k < c->order_n; k++) {
        int64_t at = c->messages[c->order[k]].created_at;
        first = at && (!first || at < first) ? at : first;
        last = at > last ? at : last;
    }
    if (!c->created_at)
        c->created_at = first ? first : c->active_at ? c->active_at : now;
    if (!c->active_at || last > c->active_at)
        c->active_at = last ? last : c->created_at;
}

static enum rc add_messages(struct db *db, const struct import_save *s, int64_t session, struct err *e)
{
    struct import_conversation *c = s->c;
    enum rc rc = RC_OK;
    for (size_t k = 0; rc == RC_OK && k < c->order_n; k++) {
        struct import_message *from = &c->messages[c->order[k]];
        const struct import_message *up =
            from->parent_at == IMPORT_NONE ? NULL : &c->messages[from->parent_at];
        if (!from->created_at)
            from->created_at = up ? up->created_at : c->created_at;
        struct message m = {.session_id = session,
            .parent_id = up ? up->id : 0,
            .role = from->role,
            .status = from->status,
            .channel = IMPORT_CHANNEL,
            .text = from->text,
            .calls = from->calls,
            .call_id = from->call_id,
            .tool = from->tool,
            .error = from->error,
            .provider = from->provider,
            .model = from->model,
            .tokens_in = from->tokens_in,
            .tokens_out = from->tokens_out,
            .created_at = from->created_at,
            .ended_at = from->ended_at};
        rc = store_message_add(db, s->t->owner, &m, e);
        from->id = m.id;
    }
    return rc;
}

static int64_t id_of(const struct import_conversation *c, const char *key)
{
    size_t i = c ? import_find(c, key) : IMPORT_NONE;
    return i == IMPORT_NONE ? 0 : c->messages[i].id;
}

/* The end of the branch that was shown; without it the newest message. */
static int64_t head_of(const struct import_conversation *c)
{
    int64_t head = id_of(c, c->head);
    return head || c->order_n == 0 ? head : c->messages[c->order[c->order_n - 1]].id;
}

/* ---- what was made of them ---- */

static enum rc add_memory(struct db *db, const struct import_save *s, struct import_extra *x, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct memory *all, *m = &x->memory;
    size_t n;
    bool known;
    m->source_id = id_of(s->c, x->first);
    m->created_at = m->created_at ? m->created_at : s->now;
    if (m->expires_at && m->expires_at <= s->now)
        return RC_OK;
    enum rc rc = store_import_fact_known(db, EXPORT_MEMORIES, s->t->owner, m->text, m->created_at, &known, e);
    if (rc == RC_OK && !known)
        rc = store_memory_all(db, a, s->t->owner, s->now, &all, &n, e);
    if (rc != RC_OK || known || n >= MEMORY_OWNER_MAX)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (memory_same(all[i].text, m->text))
            return RC_OK; /* what is here stays as it is */
    memory_embed(a, m);
    rc = store_memory_add(db, s->t->owner, m, e);
    s->t->facts += rc == RC_OK;
    return rc;
}

static enum rc add_task(struct db *db, const struct import_save *s, struct import_extra *x, struct err *e)
{
    struct task *t = &x->task;
    int64_t open = 0;
    bool known;
    t->source_id = id_of(s->c, x->first);
    t->created_at = t->created_at ? t->created_at : s->now;
    enum rc rc = store_import_fact_known(db, EXPORT_TASKS, s->t->owner, t->text, t->created_at, &known, e);
    if (rc == RC_OK && !known)
        rc = store_task_open_count(db, s->t->owner, &open, e);
    if (rc != RC_OK || known || open >= TASKS_OPEN_MAX)
        return rc;
    rc = store_task_add(db, s->t->owner, t, e);
    if (rc == RC_OK && t->done_at)
        rc = store_task_set_done(db, s->t->owner, t->id, t->done_at, e);
    s->t->facts += rc == RC_OK;
    return rc;
}

static enum rc add_summary(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e)
{
    struct summary *y = &x->summary;
    y->session_id = session;
    y->first_id = id_of(s->c, x->first);
    y->last_id = id_of(s->c, x->last);
    if (!y->first_id || !y->last_id || !y->text.len)
        return RC_OK;
    int64_t knows = id_of(s->c, s->c->summary_knows);
    y->known_id = knows ? knows : y->last_id;
    y->created_at = y->created_at ? y->created_at : s->c->active_at;
    return store_summary_add(db, s->t->owner, y, e);
}

static enum rc add_extras(struct db *db, const struct import_save *s, int64_t session, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < s->c->extras_n; i++) {
        struct import_extra *x = &s->c->extras[i];
        switch (x->kind) {
        case EXTRA_SUMMARY: rc = add_summary(db, s, session, x, e); break;
        case EXTRA_MEMORY: rc = add_memory(db, s, x, e); break;
        case EXTRA_TASK: rc = add_task(db, s, x, e); break;
        }
    }
    return rc;
}

/* ---- what is left to do ---- */

static enum rc plan(struct db *db, const struct import_save *s, int64_t session, struct err *e)
{
    const struct transfer *t = s->t;
    struct summary_work w = {0};
    int64_t at = s->now + WORK_AFTER_MS + t->done * WORK_EVERY_MS;
    enum rc rc = store_job_add(db, JOB_EMBED, t->owner, 0, s->now, s->now, e);
    if (rc == RC_OK)
        rc = store_summary_work(db, t->owner, session, SUMMARY_EVERY, &w, e);
    if (rc == RC_OK && w.summary > 0)
        rc = store_job_add(db, JOB_SUMMARISE, t->owner, session, at, s->now, e);
    if (rc == RC_OK && w.topic >= TOPIC_EVERY)
        rc = store_job_add(db, JOB_TOPIC, t->owner, session, at, s->now, e);
    if (rc == RC_OK && !s->c->title)
        rc = store_job_add(db, JOB_TITLE, t->owner, session, at, s->now, e);
    return rc;
}

/* ---- all of it ---- */

static enum rc add_session(struct db *db, const struct import_save *s, struct err *e)
{
    struct import_conversation *c = s->c;
    char pub[ID_SIZE];
    struct session row = {.owner = s->t->owner, .pub = pub};
    settle_times(c, s->now);
    id_new(ID_SESSION, pub);
    enum rc rc = store_session_add(db, row.owner, pub, NULL, NULL, c->created_at, &row.id, e);
    if (rc == RC_OK)
        rc = add_messages(db, s, row.id, e);
    if (rc == RC_OK)
        rc = add_extras(db, s, row.id, e);
    row.title = c->title;
    row.provider = c->provider;
    row.model = c->provider ? c->model : NULL;
    row.head_id = head_of(c);
    row.created_at = c->created_at;
    row.active_at = c->active_at;
    row.seen_at = s->now;
    row.pinned = c->pinned;
    row.archived_at = c->pinned ? 0 : c->archived_at;
    row.topic = c->topic;
    row.keywords = c->keywords;
    int64_t topic_knows = id_of(c, c->topic_knows);
    if (rc == RC_OK)
        rc = store_import_session(
            db, &row, c->title ? c->titled_by : "none", c->topic && topic_knows ? topic_knows : 0, e);
    if (rc == RC_OK && c->workspace)
        rc = store_session_set_workspace(db, row.owner, pub, c->workspace, e);
    if (rc == RC_OK)
        rc = store_imported_add(db, row.owner, outer_id(c), row.id, e);
    return rc == RC_OK ? plan(db, s, row.id, e) : rc;
}

static enum rc save(struct db *db, struct import_save *s, struct err *e)
{
    bool known = false;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < s->facts_n; i++) {
        struct import_extra *x = &s->facts[i];
        rc = x->kind == EXTRA_MEMORY ? add_memory(db, s, x, e) : add_task(db, s, x, e);
    }
    if (!s->c || rc != RC_OK)
        return rc;
    if (s->c->order_n > 0 || s->c->own_pub)
        rc = is_known(db, s, &known, e);
    else
        s->t->skipped++; /* nothing was said in it */
    if (rc != RC_OK || (s->c->order_n == 0 && !s->c->own_pub))
        return rc;
    if (known) {
        s->t->skipped++;
        s->t->known++;
        return RC_OK;
    }
    rc = add_session(db, s, e);
    s->t->done += rc == RC_OK;
    return rc;
}

enum rc import_save_tx(struct db *db, void *arg, struct err *e)
{
    struct import_save *s = arg;
    enum rc rc = save(db, s, e);
    return rc == RC_OK && s->t->id ? store_transfer_progress(db, s->t, e) : rc;
}
