/* Moves entries to the trash and restores them. The order matters: the text index is changed while it has the
 * rows. */
#include "store/trash/trash_private.h"

#include <stdio.h>

#include "base/clock.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/memory/compaction.h"
#include "store/memory/summary.h"
#include "store/message/message_row.h"
#include "store/search/vector.h"

struct entry {
    int64_t session_id, from_id, message_id, head_id, indexed_to;
};

/* ---- into it ---- */

static enum rc add_entry(struct db *db, int64_t owner, const struct entry *t, int64_t now, struct err *e)
{
    enum rc rc = db_exec(db,
        "INSERT INTO trash (session_id, owner, from_id, message_id, head_id, trashed_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ARGS(v_int(t->session_id), v_int(owner), v_id(t->from_id), v_id(t->message_id), v_id(t->head_id),
            v_int(now)),
        NULL, e);
    return rc == RC_OK ? store_job_purge_later(db, e) : rc;
}

/* Nothing of a temporary chat can be restored: its entry is erased from the beginning. `is`: it is one. */
static enum rc erase_temporary(struct db *db, int64_t session_id, int64_t now, bool *is, struct err *e)
{
    int64_t temporary = 0;
    enum rc rc =
        db_exec(db, "DELETE FROM temporary WHERE session_id = ?", ARGS(v_int(session_id)), &temporary, e);
    *is = temporary > 0;
    if (rc == RC_OK && temporary)
        rc =
            db_exec(db, "UPDATE trash SET erased = 1 WHERE session_id = ?", ARGS(v_int(session_id)), NULL, e);
    return rc == RC_OK && temporary ? store_job_add(db, JOB_PURGE_TRASH, 0, 0, now, now, e) : rc;
}

enum rc store_trash_session(struct db *db, int64_t owner, const char *pub, int64_t now, struct err *e)
{
    int64_t id;
    enum rc rc = db_one_int(
        db, "SELECT id FROM session WHERE pub = ? AND owner = ?", ARGS(v_text(pub), v_int(owner)), &id, e);
    if (rc == RC_NOT_FOUND)
        return db_one_int(db,
            "SELECT 1 FROM session s JOIN trash t ON t.session_id = s.id "
            "WHERE s.pub = ? AND t.owner = ? AND t.from_id IS NULL AND t.erased = 0",
            ARGS(v_text(pub), v_int(owner)), &id, e);
    if (rc != RC_OK)
        return rc;
    bool indexed;
    rc = store_trash_mark(db, owner, id, now, &indexed, e);
    return rc == RC_OK && indexed ? store_trash_unindex(db, id, TRASH_STEP, e) : rc;
}

enum rc store_trash_mark(struct db *db, int64_t owner, int64_t id, int64_t now, bool *indexed, struct err *e)
{
    bool temporary = false;
    enum rc rc = store_job_forget_session(db, id, e);
    if (rc == RC_OK)
        rc = store_summary_index_drop(db, owner, id, e);
    if (rc == RC_OK)
        rc = row_change(db, "session", "UPDATE session SET owner = ? WHERE id = ? AND owner = ?",
            ARGS(v_int(USER_NOBODY), v_int(id), v_int(owner)), e);
    if (rc == RC_OK)
        rc = add_entry(db, owner, &(struct entry){.session_id = id}, now, e);
    if (rc == RC_OK)
        rc = erase_temporary(db, id, now, &temporary, e);
    *indexed = !temporary;
    return rc;
}

/* The hidden session keeps what the deletion changes in the session: its head, topic and last summary. */
static enum rc add_hidden(
    struct db *db, int64_t owner, int64_t session_id, const char *pub, int64_t *id, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO session (pub, owner, title, titled_by, head_id, topic, keywords, topic_id, "
        "summarised_id, created_at, active_at) SELECT ?, ?, title, titled_by, head_id, topic, keywords, "
        "topic_id, summarised_id, created_at, active_at FROM session WHERE id = ? AND owner = ? RETURNING id",
        ARGS(v_text(pub), v_int(USER_NOBODY), v_int(session_id), v_int(owner)), id, e);
}

/* Neither is in an index. */
static enum rc add_temporary(struct db *db, int64_t session_id, int64_t hidden, struct err *e)
{
    return db_exec(db,
        "INSERT INTO temporary (session_id, lives_ms, ends_at) SELECT ?, lives_ms, ends_at FROM temporary "
        "WHERE session_id = ?",
        ARGS(v_int(hidden), v_int(session_id)), NULL, e);
}

/* The hidden session of the entry, which is new or was begun by an earlier part of the same deletion. */
static enum rc hidden_of(struct db *db, int64_t owner, int64_t session_id, const char *pub, int64_t *hidden,
    bool *begun, struct err *e)
{
    enum rc rc = db_one_int(db,
        "SELECT t.session_id FROM trash t JOIN session s ON s.id = t.session_id "
        "WHERE s.pub = ? AND t.owner = ? AND t.from_id = ?",
        ARGS(v_text(pub), v_int(owner), v_int(session_id)), hidden, e);
    *begun = rc == RC_OK;
    if (rc != RC_NOT_FOUND)
        return rc;
    rc = add_hidden(db, owner, session_id, pub, hidden, e);
    return rc == RC_OK ? add_temporary(db, session_id, *hidden, e) : rc;
}

enum rc store_trash_part(struct db *db, const struct trash_part *p, struct err *e)
{
    struct message_taken taken = {0};
    int64_t hidden;
    bool begun, temporary;
    enum rc rc = hidden_of(db, p->owner, p->session_id, p->pub, &hidden, &begun, e);
    if (rc == RC_OK)
        rc = store_message_take(db, p->owner, p->session_id, p->message_id, hidden, &taken, e);
    if (rc == RC_OK)
        rc = store_summary_index_drop(db, p->owner, p->session_id, e);
    if (rc == RC_OK)
        rc = store_summary_move(db, p->session_id, p->message_id, hidden, e);
    if (rc == RC_OK)
        rc = store_summary_index_add(db, p->owner, p->session_id, e); /* it may have stayed */
    if (rc == RC_OK)
        rc = store_compaction_move(db, p->owner, p->session_id, p->message_id, hidden, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET message_count = message_count + ? WHERE id = ?",
            ARGS(v_int(taken.messages), v_int(hidden)), NULL, e);
    if (rc != RC_OK)
        return rc;
    if (begun)
        return db_exec(db, "UPDATE trash SET head_id = ?, trashed_at = ? WHERE session_id = ?",
            ARGS(v_id(taken.head_id), v_int(p->now), v_int(hidden)), NULL, e);
    const struct entry entry = {
        .session_id = hidden, .from_id = p->session_id, .message_id = p->whole_id, .head_id = taken.head_id};
    rc = add_entry(db, p->owner, &entry, p->now, e);
    if (rc == RC_OK && p->message_id != p->whole_id)
        rc = store_job_add(db, JOB_PURGE_TRASH, 0, 0, p->now + TRASH_BROKEN_MS, p->now, e);
    return rc == RC_OK ? erase_temporary(db, hidden, p->now, &temporary, e) : rc;
}

enum rc store_trash_message(struct db *db, int64_t owner, int64_t session_id, int64_t message_id,
    const char *pub, int64_t now, struct err *e)
{
    const struct trash_part all = {owner, session_id, message_id, message_id, pub, now};
    return store_trash_part(db, &all, e);
}

/* ---- out of it ---- */

static struct entry read_entry(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct entry){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2), rows_int(q, 3), rows_int(q, 4)};
}

DEFINE_ROWS(trashed, struct entry, read_entry, "entry of the trash")

#define ENTRY                                                                                          \
    "SELECT t.session_id, coalesce(t.from_id, 0), coalesce(t.message_id, 0), coalesce(t.head_id, 0), " \
    "t.indexed_to FROM "                                                                               \
    "trash t "

static enum rc entry_of(struct db *db, int64_t owner, int64_t session_id, struct entry *out, struct err *e)
{
    return get_trashed(db, NULL, ENTRY "WHERE t.session_id = ? AND t.owner = ? AND t.erased = 0",
        ARGS(v_int(session_id), v_int(owner)), out, e);
}

static enum rc remove_entry(struct db *db, int64_t session_id, struct err *e)
{
    return db_exec(db, "DELETE FROM trash WHERE session_id = ?", ARGS(v_int(session_id)), NULL, e);
}

/* The session and its summary and vectors; its messages are not in the index yet. */
static enum rc unmark(struct db *db, int64_t owner, const struct entry *t, struct err *e)
{
    enum rc rc = remove_entry(db, t->session_id, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET owner = ? WHERE id = ? AND owner = ?",
            ARGS(v_int(owner), v_int(t->session_id), v_int(USER_NOBODY)), NULL, e);
    if (rc == RC_OK)
        rc = store_summary_index_add(db, owner, t->session_id, e);
    return rc == RC_OK ? store_vector_show(db, owner, t->session_id, t->indexed_to, INT64_MAX, e) : rc;
}

static enum rc embed_soon(struct db *db, int64_t owner, struct err *e)
{
    int64_t now = clock_wall_ms();
    return store_job_add(db, JOB_EMBED, owner, 0, now, now, e);
}

enum rc store_trash_unmark(
    struct db *db, int64_t owner, int64_t session_id, int64_t *indexed_to, struct err *e)
{
    struct entry t;
    enum rc rc = entry_of(db, owner, session_id, &t, e);
    if (rc == RC_OK && t.from_id)
        return err_set(e, RC_NOT_FOUND, "the entry is not a session");
    *indexed_to = rc == RC_OK ? t.indexed_to : 0;
    if (rc == RC_OK)
        rc = unmark(db, owner, &t, e);
    return rc == RC_OK ? embed_soon(db, owner, e) : rc;
}

static enum rc restore_session(struct db *db, int64_t owner, const struct entry *t, struct err *e)
{
    enum rc rc = unmark(db, owner, t, e);
    return rc == RC_OK ? message_index_add_session(db, t->session_id, t->indexed_to, e) : rc;
}

/* While the messages are alone in their hidden session they enter the indexes, then they move. */
static enum rc restore_messages(struct db *db, int64_t owner, const struct entry *t, struct err *e)
{
    static const char *const moves[] = {
        "UPDATE message SET session_id = ?2, compared = NULL WHERE session_id = ?1", /* no longer side by side
                                                                                      */
        "UPDATE compaction SET session_id = ?2 WHERE session_id = ?1",
        "UPDATE session SET message_count = session.message_count + h.message_count, "
        "topic = coalesce(session.topic, h.topic), keywords = coalesce(session.keywords, h.keywords), "
        "topic_id = CASE WHEN session.topic IS NULL THEN h.topic_id ELSE session.topic_id END "
        "FROM (SELECT * FROM session WHERE id = ?1) AS h WHERE session.id = ?2",
    };
    enum rc rc = remove_entry(db, t->session_id, e);
    if (rc == RC_OK)
        rc = message_index_add_session(db, t->session_id, t->indexed_to, e);
    if (rc == RC_OK)
        rc = store_vector_show(db, owner, t->session_id, t->indexed_to, INT64_MAX, e);
    if (rc == RC_OK)
        rc = store_summary_index_drop(db, owner, t->from_id, e);
    if (rc == RC_OK)
        rc = store_summary_move_back(db, t->session_id, t->from_id, e);
    if (rc == RC_OK)
        rc = store_summary_index_add(db, owner, t->from_id, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(moves); i++)
        rc = db_exec(db, moves[i], ARGS(v_int(t->session_id), v_int(t->from_id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE session SET head_id = (SELECT head_id FROM session WHERE id = ?) "
            "WHERE id = ? AND coalesce(head_id, 0) = ? AND owner = ?",
            ARGS(v_int(t->session_id), v_int(t->from_id), v_int(t->head_id), v_int(owner)), NULL, e);
    return rc == RC_OK ? db_exec(db, "DELETE FROM session WHERE id = ? AND owner = ?",
                             ARGS(v_int(t->session_id), v_int(USER_NOBODY)), NULL, e)
                       : rc;
}

/* Restores an entry, and first the entries that its messages need: their session, and the messages above
 * them. After a deletion that was broken off these can be several. Each call removes an entry, so the
 * recursion ends. */
static enum rc restore(struct db *db, int64_t owner, struct entry t, struct err *e)
{
    struct entry above;
    int64_t id;
    if (!t.from_id)
        return restore_session(db, owner, &t, e);
    enum rc rc;
    while ((rc = trash_above(db, owner, t.session_id, &id, e)) == RC_OK && id) {
        rc = entry_of(db, owner, id, &above, e);
        if (rc == RC_OK)
            rc = restore(db, owner, above, e);
        if (rc != RC_OK)
            return rc;
    }
    return rc == RC_OK ? restore_messages(db, owner, &t, e) : rc;
}

static void fill_restored(void *arg, struct str pub)
{
    struct trash_restored *out = arg;
    snprintf(out->pub, sizeof out->pub, "%.*s", (int)pub.len, pub.s);
}

enum rc store_trash_restore(
    struct db *db, int64_t owner, const char *pub, struct trash_restored *out, struct err *e)
{
    struct entry t;
    struct rows q;
    enum rc rc = get_trashed(db, NULL,
        ENTRY "JOIN session s ON s.id = t.session_id WHERE s.pub = ? AND t.owner = ? AND t.erased = 0",
        ARGS(v_text(pub), v_int(owner)), &t, e);
    if (rc == RC_OK)
        rc = restore(db, owner, t, e);
    if (rc != RC_OK)
        return rc;
    *out = (struct trash_restored){
        .session_id = t.from_id ? t.from_id : t.session_id, .message_id = t.message_id};
    rc = db_query(db, &q, "SELECT pub FROM session WHERE id = ?", ARGS(v_int(out->session_id)), e);
    if (rc == RC_OK && rows_next(&q))
        fill_restored(out, rows_str(&q, 0));
    rc = rows_done(&q, rc, e);
    return rc == RC_OK ? embed_soon(db, owner, e) : rc;
}
