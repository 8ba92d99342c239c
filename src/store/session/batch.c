#include "store/session/batch.h"

#include "base/clock.h"
#include "store/account/user.h"
#include "store/message/message_row.h"
#include "store/row.h"
#include "store/session/session.h"
#include "store/session/tag.h"
#include "store/session/workspace.h"
#include "store/trash/trash.h"

static const char *const names[] = {[BATCH_PIN] = "pin",
    [BATCH_UNPIN] = "unpin",
    [BATCH_ARCHIVE] = "archive",
    [BATCH_UNARCHIVE] = "unarchive",
    [BATCH_WORKSPACE] = "workspace",
    [BATCH_TAG] = "tag",
    [BATCH_UNTAG] = "untag",
    [BATCH_TRASH] = "trash"};

const char *batch_action_name(enum batch_action a)
{
    return names[a];
}

bool batch_action_parse(struct str s, enum batch_action *a)
{
    for (int i = 0; i < BATCH_ACTIONS; i++)
        if (str_is(s, names[i])) {
            *a = (enum batch_action)i;
            return true;
        }
    return false;
}

/* ---- rows ---- */

#define BATCH_COLUMNS                                                                                 \
    "id, owner, pub, action, workspace, coalesce(tag_id, 0), undoing, total, done, changed, absent, " \
    "created_at, coalesce(ended_at, 0)"

static struct batch read_batch(const struct rows *q, struct arena *a)
{
    struct batch b = {.id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .pub = row_text(q, 2, a),
        .workspace = row_text(q, 4, a),
        .tag_id = rows_int(q, 5),
        .undoing = rows_int(q, 6) != 0,
        .total = rows_int(q, 7),
        .done = rows_int(q, 8),
        .changed = rows_int(q, 9),
        .absent = rows_int(q, 10),
        .created_at = rows_int(q, 11),
        .ended_at = rows_int(q, 12)};
    (void)batch_action_parse(rows_str(q, 3), &b.action);
    return b;
}

DEFINE_ROWS(batch, struct batch, read_batch, "batch")

static enum rc spell_workspace(struct db *db, int64_t batch, struct err *e)
{
    return db_exec(db,
        "UPDATE batch SET workspace = coalesce(" WORKSPACE_SPELLING("(batch.owner)", "(batch.workspace)",
            "s.id NOT IN (SELECT session_id FROM batch_item WHERE batch_id = batch.id)") ", workspace) "
                                                                                         "WHERE id = ?",
        ARGS(v_int(batch)), NULL, e);
}

enum rc store_batch_add(struct db *db, struct batch *b, const int64_t *sessions, size_t n, struct err *e)
{
    enum rc rc = db_insert(db,
        "INSERT INTO batch (pub, owner, action, workspace, tag_id, total, absent, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_text(b->pub), v_int(b->owner), v_text(names[b->action]), v_text(b->workspace), v_id(b->tag_id),
            v_int(b->total), v_int(b->absent), v_int(b->created_at)),
        &b->id, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = db_exec(db, "INSERT OR IGNORE INTO batch_item (batch_id, session_id) VALUES (?, ?)",
            ARGS(v_int(b->id), v_int(sessions[i])), NULL, e);
    return rc == RC_OK && b->workspace ? spell_workspace(db, b->id, e) : rc;
}

enum rc store_batch_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct batch *out, struct err *e)
{
    return get_batch(db, a, "SELECT " BATCH_COLUMNS " FROM batch WHERE pub = ? AND owner = ?",
        ARGS(v_text(pub), v_int(owner)), out, e);
}

enum rc store_batch_by_id(struct db *db, struct arena *a, int64_t id, struct batch *out, struct err *e)
{
    return get_batch(db, a, "SELECT " BATCH_COLUMNS " FROM batch WHERE id = ?", ARGS(v_int(id)), out, e);
}

/* First takes the batches away from their owners: a batch that has lost rows must not be undone. */
enum rc store_batch_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    *removed = 0;
    enum rc rc = db_exec(db, "UPDATE batch SET owner = ? WHERE created_at < ? AND owner <> ?",
        ARGS(v_int(USER_NOBODY), v_int(before), v_int(USER_NOBODY)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "DELETE FROM batch_item WHERE (batch_id, session_id) IN (SELECT i.batch_id, i.session_id FROM "
            "batch b JOIN batch_item i ON i.batch_id = b.id WHERE b.created_at < ? LIMIT ?)",
            ARGS(v_int(before), v_int(limit)), removed, e);
    return rc == RC_OK && *removed < limit
               ? db_exec(db, "DELETE FROM batch WHERE created_at < ?", ARGS(v_int(before)), NULL, e)
               : rc;
}

/* ---- one session ---- */

struct item {
    int64_t session_id;
    const char *pub;
    bool changed;
    int64_t messages;
    bool index;         /* its messages have to leave the text index, or to come back */
    int64_t indexed_to; /* then those above this id */
};

static struct item read_item(const struct rows *q, struct arena *a)
{
    return (struct item){.session_id = rows_int(q, 0),
        .changed = rows_int(q, 1) != 0,
        .messages = rows_int(q, 2),
        .pub = row_text(q, 3, a)};
}

DEFINE_ROWS(item, struct item, read_item, "session")

/* The session as it is. RC_NOT_FOUND: not the owner's any more. */
static enum rc note_before(struct db *db, const struct batch *b, int64_t session, struct err *e)
{
    return row_change(db, "session",
        "UPDATE batch_item SET (pinned, archived_at, archived_by_user, workspace) = (SELECT pinned, "
        "archived_at, archived_by_user, workspace FROM session WHERE id = ?2 AND owner = ?3) "
        "WHERE batch_id = ?1 AND session_id = ?2 "
        "AND EXISTS (SELECT 1 FROM session WHERE id = ?2 AND owner = ?3)",
        ARGS(v_int(b->id), v_int(session), v_int(b->owner)), e);
}

/* A session that has too many tags stays as it is. So do all when the tag was deleted meanwhile. */
static enum rc apply_tag(struct db *db, const struct batch *b, int64_t session, bool *changed, struct err *e)
{
    int64_t had;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM session_tag WHERE session_id = ? AND tag_id = ?",
        ARGS(v_int(session), v_int(b->tag_id)), &had, e);
    if (rc != RC_OK || (had > 0) == (b->action == BATCH_TAG))
        return rc;
    rc = had ? store_session_untag(db, b->owner, session, b->tag_id, e)
             : store_session_tag(db, b->owner, session, b->tag_id, e);
    *changed = rc == RC_OK;
    return rc == RC_CONFLICT || rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* `changed` stays false when the session is as wanted already, or when it cannot be so. `index`: its messages
 * have to leave the text index. */
static enum rc apply(struct db *db, const struct batch *b, int64_t session, int64_t now, bool *changed,
    bool *index, struct err *e)
{
    int64_t n = 0, owner = b->owner;
    enum rc rc = note_before(db, b, session, e);
    if (rc != RC_OK)
        return rc;
    switch (b->action) {
    case BATCH_PIN: return store_session_set_place(db, owner, session, SESSION_PIN, now, changed, e);
    case BATCH_UNPIN: return store_session_set_place(db, owner, session, SESSION_UNPIN, now, changed, e);
    case BATCH_ARCHIVE: return store_session_set_place(db, owner, session, SESSION_ARCHIVE, now, changed, e);
    case BATCH_UNARCHIVE:
        return store_session_set_place(db, owner, session, SESSION_UNARCHIVE, now, changed, e);
    case BATCH_WORKSPACE:
        rc = db_exec(db,
            "UPDATE session SET workspace = ?1 WHERE id = ?2 AND owner = ?3 AND workspace IS NOT ?1",
            ARGS(v_text(b->workspace), v_int(session), v_int(owner)), &n, e);
        *changed = n > 0;
        return rc;
    case BATCH_TAG:
    case BATCH_UNTAG: return apply_tag(db, b, session, changed, e);
    case BATCH_TRASH: *changed = true; return store_trash_mark(db, owner, session, now, index, e);
    case BATCH_ACTIONS: break;
    }
    return err_set(e, RC_INTERNAL, "there is no such action on sessions");
}

/* `index`: the session's messages have to come back into the text index, those above `indexed_to`. */
static enum rc revert(
    struct db *db, const struct batch *b, int64_t session, bool *index, int64_t *indexed_to, struct err *e)
{
    struct db_args both = ARGS(v_int(b->id), v_int(session), v_int(b->owner));
    switch (b->action) {
    case BATCH_PIN:
    case BATCH_UNPIN:
    case BATCH_ARCHIVE:
    case BATCH_UNARCHIVE:
        return row_change(db, "session",
            "UPDATE session SET (pinned, archived_at, archived_by_user) = (SELECT pinned, archived_at, "
            "archived_by_user FROM batch_item WHERE batch_id = ?1 AND session_id = ?2) "
            "WHERE id = ?2 AND owner = ?3",
            both, e);
    case BATCH_WORKSPACE:
        return row_change(db, "session",
            "UPDATE session SET workspace = (SELECT workspace FROM batch_item WHERE batch_id = ?1 "
            "AND session_id = ?2) WHERE id = ?2 AND owner = ?3",
            both, e);
    case BATCH_TAG: return store_session_untag(db, b->owner, session, b->tag_id, e);
    case BATCH_UNTAG: /* also of a session that has TAGS_OF_SESSION_MAX others by now */
        return db_exec(db,
            "INSERT OR IGNORE INTO session_tag (session_id, tag_id) SELECT s.id, t.id FROM session s, tag t "
            "WHERE s.id = ?1 AND s.owner = ?2 AND t.id = ?3 AND t.owner = ?2",
            ARGS(v_int(session), v_int(b->owner), v_int(b->tag_id)), NULL, e);
    case BATCH_TRASH: *index = true; return store_trash_unmark(db, b->owner, session, indexed_to, e);
    case BATCH_ACTIONS: break;
    }
    return err_set(e, RC_INTERNAL, "there is no such action on sessions");
}

/* RC_NOT_FOUND is counted in `absent`. */
static enum rc handle(struct db *db, struct batch *b, struct item *item, int64_t now, struct err *e)
{
    bool changed = false;
    enum rc rc = RC_OK;
    if (!b->undoing)
        rc = apply(db, b, item->session_id, now, &changed, &item->index, e);
    else if (item->changed)
        rc = revert(db, b, item->session_id, &item->index, &item->indexed_to, e);
    if (rc == RC_NOT_FOUND) {
        item->index = false;
        b->absent++;
        return RC_OK;
    }
    if (rc != RC_OK)
        return rc;
    b->changed += b->undoing ? item->changed : changed;
    if (b->undoing || !changed)
        return RC_OK;
    return db_exec(db, "UPDATE batch_item SET changed = 1 WHERE batch_id = ? AND session_id = ?",
        ARGS(v_int(b->id), v_int(item->session_id)), NULL, e);
}

/* ---- steps ---- */

/* A step takes no further session once it has so many messages to index: 5 ms of processor time. */
#define INDEXED_MAX 300

/* Messages of a long session come back into the index in steps of their own before the session does. `more`:
 * this was one. */
static enum rc index_long(
    struct db *db, const struct batch *b, const struct item *item, bool *more, struct err *e)
{
    *more = false;
    if (b->action != BATCH_TRASH || !b->undoing || !item->changed)
        return RC_OK;
    enum rc rc = store_trash_return_step(db, b->owner, item->pub, more, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* revert() sees it again */
}

/* The messages of the first `n` items leave the text index, or come back. */
static enum rc index_items(struct db *db, const struct batch *b, const struct item *items, size_t n,
    struct batch_step *out, struct err *e)
{
    enum rc rc = RC_OK;
    out->owner = b->owner;
    out->trashed = b->action == BATCH_TRASH && !b->undoing && n > 0;
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        if (!items[i].index)
            continue;
        if (b->undoing)
            out->restored[out->restored_n++] = items[i].session_id;
        rc = b->undoing ? message_index_add_session(db, items[i].session_id, items[i].indexed_to, e)
                        : store_trash_unindex(db, items[i].session_id, INDEXED_MAX, e);
    }
    return rc;
}

enum rc store_batch_step(struct db *db, struct arena *a, int64_t id, int most, int64_t ms, int64_t now,
    struct batch_step *out, struct err *e)
{
    struct batch b;
    struct item *items;
    size_t n = 0, i = 0;
    int64_t upto = 0, messages = 0, until = clock_mono_ms() + ms;
    bool indexing = false;
    *out = (struct batch_step){.restored = ARENA_ARRAY(a, int64_t, (size_t)most)};
    enum rc rc = store_batch_by_id(db, a, id, &b, e);
    if (rc == RC_OK && b.ended_at)
        return RC_OK;
    if (rc == RC_OK)
        rc = list_item(db, a,
            "SELECT i.session_id, i.changed, coalesce(s.message_count, 0), coalesce(s.pub, '') "
            "FROM batch_item i LEFT JOIN session s ON s.id = i.session_id WHERE i.batch_id = ?1 "
            "AND i.session_id > (SELECT upto FROM batch WHERE id = ?1) ORDER BY i.session_id LIMIT ?2",
            ARGS(v_int(id), v_int(most)), &items, &n, e);
    for (; rc == RC_OK && i < n && messages < INDEXED_MAX && (i == 0 || clock_mono_ms() < until); i++) {
        rc = index_long(db, &b, &items[i], &indexing, e);
        if (indexing)
            break;
        if (rc == RC_OK)
            rc = handle(db, &b, &items[i], now, e);
        messages += items[i].index ? items[i].messages : 0;
        upto = items[i].session_id;
        b.done++;
    }
    if (rc == RC_OK)
        rc = index_items(db, &b, items, i, out, e);
    if (rc != RC_OK)
        return rc;
    out->more = i < n || (i > 0 && n == (size_t)most);
    return db_exec(db,
        "UPDATE batch SET done = ?, changed = ?, absent = ?, upto = max(upto, ?), ended_at = ? WHERE id = ?",
        ARGS(v_int(b.done), v_int(b.changed), v_int(b.absent), v_int(upto), out->more ? v_null() : v_int(now),
            v_int(id)),
        NULL, e);
}

enum rc store_batch_undo(struct db *db, int64_t owner, const char *pub, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct batch b;
    enum rc rc = store_batch_get(db, a, owner, pub, &b, e);
    if (rc == RC_OK && b.undoing)
        return err_say(e, RC_CONFLICT, "batch.undone");
    return rc == RC_OK ? db_exec(db,
                             "UPDATE batch SET undoing = 1, upto = 0, done = 0, changed = 0, absent = 0, "
                             "ended_at = NULL WHERE id = ?",
                             ARGS(v_int(b.id)), NULL, e)
                       : rc;
}
