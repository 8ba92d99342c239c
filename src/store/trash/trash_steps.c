/*
 * Branches of many messages go to the trash in parts and come back in slices. Each is a transaction of its
 * own, and after each of them the session is a tree: the ends of the branch go first, and its beginning comes
 * back first. If the work is broken off, the user has a part of the branch, and the trash has the rest, until
 * the helper puts it back.
 */
#include <stdlib.h>

#include "store/message/message_row.h"
#include "store/search/vector.h"
#include "store/trash/trash_private.h"

/* ---- parts of a deletion ---- */

struct node {
    int64_t id, parent_id;
    bool asked;
    int n; /* messages of its part */
};

static struct node read_node(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct node){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2) != 0, 1};
}

DEFINE_ROWS(node, struct node, read_node, "message")

static int by_id(const void *key, const void *element)
{
    int64_t id = *(const int64_t *)key, other = ((const struct node *)element)->id;
    return (id > other) - (id < other);
}

/* Parts begin with a question where that is possible, because a model cannot use a part of an answer. */
enum rc store_trash_parts(struct db *db, struct arena *a, int64_t session_id, int64_t message_id,
    int64_t **parts, size_t *n, struct err *e)
{
    struct node *all;
    size_t all_n = 0;
    *n = 0;
    enum rc rc = list_node(db, a,
        MESSAGE_BELOW "SELECT m.id, coalesce(m.parent_id, 0), m.role = 'user' FROM message m "
                      "WHERE m.id IN (SELECT id FROM below) AND m.session_id = ? ORDER BY m.id",
        ARGS(v_int(message_id), v_int(session_id)), &all, &all_n, e);
    if (rc != RC_OK)
        return rc;
    *parts = ARENA_ARRAY(a, int64_t, all_n + 1);
    for (size_t i = all_n; i-- > 1;) { /* children come after their parents */
        struct node *t = &all[i], *parent = bsearch(&t->parent_id, all, i, sizeof *all, by_id);
        bool full = t->n >= TRASH_PART || (t->asked && t->n >= TRASH_PART / 2);
        if (full || !parent || parent->n + t->n > TRASH_PART)
            (*parts)[(*n)++] = t->id;
        else
            parent->n += t->n;
    }
    if (all_n)
        (*parts)[(*n)++] = message_id;
    return RC_OK;
}

static struct trash_broken read_broken(const struct rows *q, struct arena *a)
{
    return (struct trash_broken){rows_int(q, 0), row_text(q, 1, a)};
}

DEFINE_ROWS(broken, struct trash_broken, read_broken, "entry of the trash")

#define SELECT_BROKEN                                                                            \
    "SELECT t.owner, s.pub FROM trash t JOIN session s ON s.id = t.session_id "                  \
    "JOIN session f ON f.id = t.from_id AND f.owner = t.owner "                                  \
    "JOIN message m ON m.id = t.message_id AND m.session_id = t.from_id WHERE t.erased = 0 AND " \
    "t.from_id IS NOT NULL "

/* A return has put messages into the index, so a deletion cannot go on with its entry. */
enum rc store_trash_broken_of(struct db *db, struct arena *a, int64_t owner, int64_t message_id,
    struct trash_broken *out, struct err *e)
{
    return get_broken(db, a, SELECT_BROKEN "AND t.owner = ? AND t.message_id = ? AND t.restoring = 0 LIMIT 1",
        ARGS(v_int(owner), v_int(message_id)), out, e);
}

enum rc store_trash_broken_before(
    struct db *db, struct arena *a, int64_t before, struct trash_broken **out, size_t *n, struct err *e)
{
    return list_broken(db, a, SELECT_BROKEN "AND t.trashed_at <= ?", ARGS(v_int(before)), out, n, e);
}

/* ---- slices of a return ---- */

enum rc trash_above(struct db *db, int64_t owner, int64_t session_id, int64_t *above, struct err *e)
{
    enum rc rc = db_one_int(db,
        "SELECT f.session_id FROM trash t JOIN trash f ON f.session_id = t.from_id "
        "WHERE t.session_id = ?1 AND t.owner = ?2 AND f.owner = ?2 AND f.erased = 0 "
        "UNION ALL SELECT p.session_id FROM trash t JOIN message m ON m.session_id = t.session_id "
        "JOIN message p ON p.id = m.parent_id "
        "WHERE t.session_id = ?1 AND t.owner = ?2 AND t.from_id IS NOT NULL "
        "AND p.session_id <> t.session_id AND p.session_id <> t.from_id LIMIT 1",
        ARGS(v_int(session_id), v_int(owner)), above, e);
    *above = rc == RC_OK ? *above : 0;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

struct slice {
    int64_t session_id, from_id, last;
};

static struct slice read_slice(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct slice){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2)};
}

DEFINE_ROWS(slice, struct slice, read_slice, "entry of the trash")

/* The oldest messages of an entry that are in the indexes, when they can move back. */
static enum rc next_slice(
    struct db *db, int64_t owner, const char *pub, struct slice *out, bool *any, struct err *e)
{
    int64_t above = 0;
    enum rc rc = get_slice(db, NULL,
        "SELECT t.session_id, coalesce(t.from_id, 0), coalesce((SELECT max(id) FROM (SELECT m.id FROM "
        "message m WHERE m.session_id = t.session_id AND m.id <= t.indexed_to ORDER BY m.id LIMIT ?)), 0) "
        "FROM trash t JOIN session s ON s.id = t.session_id WHERE s.pub = ? AND t.owner = ? AND t.erased = 0",
        ARGS(v_int(TRASH_PART), v_text(pub), v_int(owner)), out, e);
    bool messages = rc == RC_OK && out->from_id && out->last;
    if (messages)
        rc = trash_above(db, owner, out->session_id, &above, e);
    *any = messages && rc == RC_OK && !above;
    return rc;
}

static enum rc move_slice(struct db *db, int64_t owner, const struct slice *s, struct err *e)
{
    static const char *const moves[] = {
        "UPDATE session SET message_count = message_count + iif(id = ?1, -1, 1) * (SELECT count(*) FROM "
        "message WHERE session_id = ?1 AND id <= ?3 AND " MESSAGE_COUNTS ") WHERE id IN (?1, ?2)",
        "UPDATE message SET session_id = ?2, compared = NULL WHERE session_id = ?1 AND id <= ?3",
    };
    enum rc rc = store_vector_wanted(db, owner, s->session_id, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(moves); i++)
        rc = db_exec(db, moves[i], ARGS(v_int(s->session_id), v_int(s->from_id), v_int(s->last)), NULL, e);
    return rc;
}

enum rc store_trash_return_step(struct db *db, int64_t owner, const char *pub, bool *more, struct err *e)
{
    struct slice s;
    enum rc rc = trash_index_step(db, owner, pub, more, e);
    if (rc != RC_OK || *more)
        return rc;
    rc = next_slice(db, owner, pub, &s, more, e);
    return rc == RC_OK && *more ? move_slice(db, owner, &s, e) : rc;
}
