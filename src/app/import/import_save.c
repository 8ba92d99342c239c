/*
 * Stores a conversation, as many parts per transaction as its time allows. The parts are the messages
 * in their order, then the summaries, facts, tasks and reminders. A transaction that adds parts also counts
 * them in the draft (store/message/draft.h), so an interrupted run continues after the last committed part.
 * With the last message the session is given to its owner. With the last part the draft ends, and the
 * conversation's jobs for the helper are planned.
 *
 * Two programs may import the same file at once and so add parts to the same draft in turn. Each slice first
 * reads the ids of the messages that this run has not stored itself.
 */
#include "app/import/import_private.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/session/tags.h"
#include "app/summary/summary.h"
#include "base/clock.h"
#include "store/account/library.h"
#include "store/job.h"
#include "store/message/draft.h"
#include "store/session/workspace.h"

/* Topics, titles and summaries are made one conversation after the other, with these pauses, so that jobs of
 * other users do not wait. Only a session with a model asks it for them, and each request may cost money: a
 * session of another service has none until it is continued. */
#define WORK_AFTER_MS  (2 * MS_PER_MIN)
#define MODEL_EVERY_MS (20 * MS_PER_S)
#define RULES_EVERY_MS (1 * MS_PER_S)

/* ---- before the first transaction ---- */

static void complete_times(struct import_conversation *c, int64_t now)
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
    for (size_t k = 0; k < c->order_n; k++) {
        struct import_message *m = &c->messages[c->order[k]];
        if (!m->created_at)
            m->created_at =
                m->parent_at == IMPORT_NONE ? c->created_at : c->messages[m->parent_at].created_at;
    }
}

void import_prepare(struct import_conversation *c, int64_t now)
{
    /* The digest and the id derived from it depend on the file only, so they are computed before defaults
     * are set. */
    c->digest = str_hash(str_of(c->title ? c->title : ""), 0);
    for (size_t k = 0; k < c->order_n; k++) {
        const struct import_message *m = &c->messages[c->order[k]];
        c->digest = str_hash_more(c->digest, m->text);
        bool below_tool = m->parent_at != IMPORT_NONE && c->messages[m->parent_at].role == ROLE_TOOL;
        c->counted += message_counts(m->role, below_tool);
    }
    if (!c->outer_id)
        c->outer_id =
            arena_printf(c->a, "hash:%016llx:%lld", (unsigned long long)c->digest, (long long)c->created_at);
    complete_times(c, now);
}

static enum rc was_shown(
    struct db *db, int64_t owner, struct import_conversation *c, bool *known, struct err *e)
{
    struct session here;
    if (c->own_pub && store_session_get(db, c->a, owner, c->own_pub, &here, NULL) == RC_OK) {
        *known = true;
        return RC_OK;
    }
    return store_imported_known(db, owner, c->outer_id, known, e);
}

enum rc import_is_whole(
    struct db *db, int64_t owner, struct import_conversation *c, bool *known, struct err *e)
{
    struct draft d;
    *known = false;
    if (store_draft_find(db, c->a, owner, c->outer_id, &d, NULL) == RC_OK)
        return RC_OK; /* a slice finds the missing parts */
    return was_shown(db, owner, c, known, e);
}

/* ---- messages ---- */

enum rc import_save_message(
    struct db *db, const struct import_save *s, size_t k, const struct draft *d, struct err *e)
{
    struct import_conversation *c = s->c;
    struct import_message *from = &c->messages[c->order[k]];
    AUTO(arena) a = from->pictures_n ? arena_new() : NULL;
    struct picture *pictures;
    size_t pictures_n;
    enum rc rc = import_pictures_store(db, a, d->owner, c, from, clock_wall_ms(), &pictures, &pictures_n, e);
    if (rc != RC_OK)
        return rc;
    const struct import_message *up = from->parent_at == IMPORT_NONE ? NULL : &c->messages[from->parent_at];
    struct message m = {.parent_id = up ? up->id : 0,
        .role = from->role,
        .status = from->status,
        .channel = IMPORT_CHANNEL,
        .text = import_text_with_pictures(c, from, pictures_n),
        .calls = from->calls,
        .call_id = from->call_id,
        .tool = from->tool,
        .error = from->error,
        .provider = from->provider,
        .model = from->model,
        .edited = from->edited,
        .tokens_in = from->tokens_in,
        .tokens_out = from->tokens_out,
        .tokens_cached = from->tokens_cached,
        .tokens_reasoning = from->tokens_reasoning,
        .reasoning = from->reasoning,
        .reasoning_ms = from->reasoning_ms,
        .stop = from->stop,
        .created_at = from->created_at,
        .ended_at = from->ended_at,
        .pictures = pictures,
        .pictures_n = pictures_n};
    rc = store_draft_message(db, d, &m, e);
    s->t->pictures_left_out += (int64_t)(from->pictures_n - pictures_n);
    from->id = m.id;
    c->ids_of = d->session_id;
    c->ids_n = k + 1;
    return rc;
}

int64_t import_id_of(const struct import_conversation *c, const char *key)
{
    size_t i = c ? import_find(c, key) : IMPORT_NONE;
    return i == IMPORT_NONE ? 0 : c->messages[i].id;
}

int64_t import_head(const struct import_conversation *c)
{
    int64_t head = import_id_of(c, c->head);
    return head || c->order_n == 0 ? head : c->messages[c->order[c->order_n - 1]].id;
}

/* ---- the session ---- */

/* The persona is that of the same name. */
static enum rc set_answers(
    struct db *db, const struct import_conversation *c, const struct draft *d, struct err *e)
{
    struct library_entry *list = NULL;
    size_t n = 0;
    bool effort = c->effort && (strcmp(c->effort, "low") == 0 || strcmp(c->effort, "medium") == 0 ||
                                   strcmp(c->effort, "high") == 0);
    enum rc rc = effort ? store_session_set_effort(db, d->owner, d->pub, c->effort, e) : RC_OK;
    if (rc == RC_OK && c->temperature != TEMPERATURE_NONE)
        rc = store_session_set_temperature(db, d->owner, d->pub, c->temperature, e);
    if (rc == RC_OK && c->answer_tokens)
        rc = store_session_set_answer_tokens(db, d->owner, d->pub, c->answer_tokens, e);
    if (rc == RC_OK && c->persona)
        rc = store_library_own(db, c->a, d->owner, LIBRARY_PERSONA, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        if (strcasecmp(list[i].name, c->persona) == 0)
            return store_session_set_persona(db, d->owner, d->pub, list[i].id, e);
    return rc;
}

/* A name that is refused, or one too many, is left out. */
static enum rc set_tags(struct db *db, const struct import_save *s, const struct draft *d, struct err *e)
{
    for (size_t i = 0; i < s->c->tags_n; i++) {
        enum rc rc = tags_add(db, d->owner, d->session_id, str_of(s->c->tags[i]), s->now, e);
        if (rc != RC_OK && rc != RC_BAD_INPUT && rc != RC_CONFLICT)
            return rc;
    }
    return RC_OK;
}

static enum rc show(struct db *db, struct import_save *s, struct draft *d, struct err *e)
{
    const struct import_conversation *c = s->c;
    int64_t topic_knows = import_id_of(c, c->topic_knows);
    struct session row = {.id = d->session_id,
        .owner = d->owner,
        .title = c->title,
        .provider = c->provider,
        .model = c->provider ? c->model : NULL,
        .head_id = import_head(c),
        .message_count = c->counted,
        .created_at = c->created_at,
        .active_at = c->active_at,
        .seen_at = s->now,
        .pinned = c->pinned,
        .archived_at = c->pinned ? 0 : c->archived_at,
        .archived_by_user = !c->pinned && c->archived_at && c->archived_by_user,
        .topic = c->topic,
        .keywords = c->keywords,
        .channel = IMPORT_CHANNEL};
    enum rc rc = store_draft_show(db, d, e);
    if (rc == RC_OK)
        rc = store_import_session(
            db, &row, c->title ? c->titled_by : "none", c->topic && topic_knows ? topic_knows : 0, e);
    if (rc == RC_OK && c->workspace)
        rc = store_session_set_workspace(db, d->owner, d->pub, c->workspace, e);
    if (rc == RC_OK && c->own_pub)
        rc = set_answers(db, c, d, e);
    if (rc == RC_OK)
        rc = set_tags(db, s, d, e);
    if (rc == RC_OK)
        rc = store_imported_add(db, d->owner, c->outer_id, d->session_id, (int64_t)c->order_n, e);
    d->hidden = false;
    s->shown = true;
    return rc;
}

enum rc import_plan(struct db *db, const struct import_save *s, int64_t session, struct err *e)
{
    const struct transfer *t = s->t;
    struct summary_work w = {0};
    int64_t every = s->c->provider ? MODEL_EVERY_MS : RULES_EVERY_MS;
    int64_t at = s->now + WORK_AFTER_MS + t->done * every;
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

/* ---- one slice ---- */

static enum rc begin(struct db *db, const struct import_save *s, struct draft *d, struct err *e)
{
    char pub[ID_SIZE];
    bool free = false;
    enum rc rc = s->c->own_pub ? store_import_pub_free(db, s->c->own_pub, &free, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    if (free)
        snprintf(pub, sizeof pub, "%s", s->c->own_pub);
    else
        id_new(ID_SESSION, pub);
    *d = (struct draft){.owner = s->t->owner,
        .transfer_id = s->t->id,
        .pub = arena_strdup(s->c->a, pub),
        .outer_id = s->c->outer_id,
        .digest = (int64_t)s->c->digest,
        .created_at = s->now};
    return store_draft_begin(db, d, e);
}

/* The draft to continue. `*over`: there is nothing left to add. */
static enum rc find_or_begin(
    struct db *db, const struct import_save *s, struct draft *d, bool *over, struct err *e)
{
    struct import_conversation *c = s->c;
    enum rc rc = store_draft_find(db, c->a, s->t->owner, c->outer_id, d, e);
    if (rc == RC_OK && d->digest == (int64_t)c->digest)
        return RC_OK;
    if (rc == RC_OK) /* the draft is of another version of the conversation */
        rc = store_draft_abandon(db, d->session_id, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if (s->shown) { /* and its owner has deleted it since */
        s->t->done++;
        *over = true;
        return RC_OK;
    }
    bool empty = c->order_n == 0 && !c->own_pub, known = false;
    rc = was_shown(db, s->t->owner, c, &known, e);
    *over = known || empty;
    if (rc != RC_OK || !*over)
        return rc == RC_OK ? begin(db, s, d, e) : rc;
    s->t->skipped++;
    s->t->known += known;
    return RC_OK;
}

/* Reads the ids of messages that an earlier run or another program stored. `*all` false: the session was
 * shown and messages were deleted from it. */
static enum rc read_ids(
    struct db *db, struct import_conversation *c, const struct draft *d, bool *all, struct err *e)
{
    int64_t *ids;
    size_t n, want = (size_t)d->done < c->order_n ? (size_t)d->done : c->order_n;
    size_t have = c->ids_of == d->session_id && c->ids_n <= want ? c->ids_n : 0;
    *all = true;
    if (have == want)
        return RC_OK;
    int64_t last = have ? c->messages[c->order[have - 1]].id : 0;
    enum rc rc = store_draft_messages(db, c->a, d, last, &ids, &n, e);
    *all = rc == RC_OK && have + n == want;
    for (size_t k = 0; *all && k < n; k++)
        c->messages[c->order[have + k]].id = ids[k];
    c->ids_of = d->session_id;
    c->ids_n = *all ? want : 0;
    return rc;
}

bool import_time_is_up(const struct import_save *s)
{
    return clock_mono_ms() >= s->until;
}

static enum rc add_parts(struct db *db, struct import_save *s, struct draft *d, struct err *e)
{
    struct import_conversation *c = s->c;
    size_t parts = c->order_n + c->extras_n;
    enum rc rc = RC_OK;
    do {
        if ((size_t)d->done < c->order_n)
            rc = import_save_message(db, s, (size_t)d->done, d, e);
        else if ((size_t)d->done < parts)
            rc = import_save_extra(db, s, d->session_id, &c->extras[(size_t)d->done - c->order_n], e);
        d->done += (size_t)d->done < parts;
        if (rc == RC_OK && d->hidden && (size_t)d->done >= c->order_n)
            rc = show(db, s, d, e);
    } while (rc == RC_OK && (size_t)d->done < parts && !import_time_is_up(s));
    s->more = (size_t)d->done < parts;
    return rc;
}

static enum rc add_conversation(struct db *db, struct import_save *s, struct err *e)
{
    struct draft d;
    bool over = false, all = true;
    enum rc rc = find_or_begin(db, s, &d, &over, e);
    if (rc != RC_OK || over)
        return rc;
    rc = read_ids(db, s->c, &d, &all, e);
    if (rc == RC_OK && all)
        rc = add_parts(db, s, &d, e);
    if (rc != RC_OK)
        return rc;
    if (s->more)
        return store_draft_done(db, &d, e);
    rc = store_draft_end(db, &d, e);
    if (rc == RC_OK)
        rc = import_plan(db, s, d.session_id, e);
    s->t->done += rc == RC_OK;
    return rc;
}

static enum rc add_facts(struct db *db, struct import_save *s, struct err *e)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && s->facts_done < s->facts_n &&
           (s->facts_done == s->facts_from || !import_time_is_up(s)))
        rc = import_save_extra(db, s, 0, &s->facts[s->facts_done++], e);
    s->more = s->facts_done < s->facts_n;
    if (!s->more) /* together with the position, because a run that was ended begins with the first again */
        s->t->loose_facts += (int64_t)s->facts_n;
    return rc;
}

enum rc import_save_tx(struct db *db, void *arg, struct err *e)
{
    struct import_save *s = arg;
    s->more = false;
    s->facts_done = s->facts_from;
    s->until = clock_mono_ms() + s->write_ms;
    enum rc rc = !s->c ? add_facts(db, s, e) : s->grows ? import_grow(db, s, e) : add_conversation(db, s, e);
    if (rc == RC_OK && !s->more) {
        s->t->position = s->position;
        s->t->in_list = s->in_list;
    }
    return rc == RC_OK && s->t->id ? store_transfer_progress(db, s->t, e) : rc;
}
