/*
 * The text index (FTS5, external content) and the index of pairs of characters (FTS5, without content). A
 * trigger deletes the pairs of a deleted message. The helper merges their segments
 * (store/search/text_merge.h).
 */
#include "codec/words/tokenizer.h"
#include "store/message/message_row.h"
#include "store/row.h"
#include "store/session/temporary.h"

#define PAIRS_STEP     100 /* messages that one step reads */
#define PAIRS_PER_BYTE 8   /* bytes of names per byte of text, at most */

/* Replaces existing pairs of the message. */
static enum rc add_pairs(struct db *db, int64_t id, struct str text, struct err *e)
{
    AUTO_STRBUF pairs;
    strbuf_init(&pairs, PAIRS_PER_BYTE * text.len + 1);
    term_add_pairs(&pairs, text);
    if (pairs.len == 0)
        return RC_OK;
    return db_exec(db, "INSERT OR REPLACE INTO message_pair (rowid, pairs) VALUES (?, ?)",
        ARGS(v_int(id), v_str(strbuf_str(&pairs))), NULL, e);
}

enum rc message_index_add(struct db *db, int64_t id, struct str text, struct err *e)
{
    int64_t added = 0;
    enum rc rc = db_exec(db,
        "INSERT INTO message_text (rowid, text) SELECT ?, ? WHERE EXISTS "
        "(SELECT 1 FROM message m WHERE m.id = ? AND " TEMPORARY_NOT ")",
        ARGS(v_int(id), v_str(text), v_int(id)), &added, e);
    return rc == RC_OK && added ? add_pairs(db, id, text, e) : rc;
}

enum rc message_index_forget(struct db *db, int64_t id, const char *text, struct err *e)
{
    enum rc rc = db_exec(db,
        "INSERT INTO message_text (message_text, rowid, text) SELECT 'delete', ?, ? WHERE EXISTS "
        "(SELECT 1 FROM message m WHERE m.id = ? AND " TEMPORARY_NOT ")",
        ARGS(v_int(id), v_text(text), v_int(id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM message_pair WHERE rowid = ?", ARGS(v_int(id)), NULL, e);
    return rc;
}

struct paired {
    int64_t id;
    struct str text;
};

static struct paired read_paired(const struct rows *q, struct arena *a)
{
    return (struct paired){.id = rows_int(q, 0), .text = row_str(q, 1, a)};
}

DEFINE_ROWS(paired, struct paired, read_paired, "message")

enum rc store_message_index_pairs(struct db *db, int64_t *after, bool *more, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct paired *some;
    size_t n = 0;
    enum rc rc = list_paired(db, a,
        "SELECT id, text FROM message WHERE id > ? AND status <> 'running' ORDER BY id LIMIT ?",
        ARGS(v_int(*after), v_int(PAIRS_STEP)), &some, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        rc = add_pairs(db, some[i].id, some[i].text, e);
        *after = some[i].id;
    }
    *more = n == PAIRS_STEP;
    return rc;
}

/* ---- the messages of a session, for the trash ---- */

/* A running answer enters the index when it ends, and so may its question. */
#define INDEXED                                                                                          \
    TEMPORARY_NOT                                                                                        \
    " AND m.status <> 'running' AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.session_id = m.session_id " \
    "AND t.asked_id = m.id AND t.status = 'running' AND t.indexes_asked) "

/* The first `most` messages of the range that belong into the index. */
static enum rc list_indexed(struct db *db, struct arena *a, struct message_range range, int most,
    struct paired **out, size_t *n, struct err *e)
{
    return list_paired(db, a,
        "SELECT m.id, m.text FROM message m WHERE m.session_id = ? AND m.id BETWEEN ? AND ? AND " INDEXED
        "ORDER BY m.id LIMIT ?",
        ARGS(v_int(range.session_id), v_int(range.first), v_int(range.last), v_int(most)), out, n, e);
}

/* One row per statement: FTS5 would write a segment before a statement of several rows. */
static enum rc drop_indexed(struct db *db, int64_t id, struct str text, struct err *e)
{
    enum rc rc = db_exec(db, "INSERT INTO message_text (message_text, rowid, text) VALUES ('delete', ?, ?)",
        ARGS(v_int(id), v_str(text)), NULL, e);
    return rc == RC_OK ? db_exec(db, "DELETE FROM message_pair WHERE rowid = ?", ARGS(v_int(id)), NULL, e)
                       : rc;
}

/* In ascending order: FTS5 writes a segment before each row whose id is below that of the row before. */
enum rc message_index_drop_some(
    struct db *db, int64_t session_id, int64_t upto, int most, int64_t *left, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct paired *some;
    size_t n = 0;
    enum rc rc = list_paired(db, a,
        "SELECT m.id, m.text FROM message m WHERE m.session_id = ? AND m.id <= ? AND " INDEXED
        "ORDER BY m.id DESC LIMIT ?",
        ARGS(v_int(session_id), v_int(upto), v_int(most + 1)), &some, &n, e);
    bool all = n <= (size_t)most;
    *left = rc != RC_OK || all ? 0 : some[--n].id;
    while (rc == RC_OK && n-- > 0)
        rc = drop_indexed(db, some[n].id, some[n].text, e);
    return rc;
}

enum rc message_index_drop_below(struct db *db, int64_t id, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct paired *some;
    size_t n = 0;
    enum rc rc = list_paired(db, a,
        MESSAGE_BELOW "SELECT m.id, m.text FROM message m WHERE m.id IN (SELECT id FROM below) AND " INDEXED
                      "ORDER BY m.id",
        ARGS(v_int(id)), &some, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = drop_indexed(db, some[i].id, some[i].text, e);
    return rc;
}

static enum rc add_indexed(struct db *db, int64_t id, struct str text, struct err *e)
{
    enum rc rc = db_exec(
        db, "INSERT INTO message_text (rowid, text) VALUES (?, ?)", ARGS(v_int(id), v_str(text)), NULL, e);
    return rc == RC_OK ? add_pairs(db, id, text, e) : rc;
}

/* Not by INSERT ... SELECT, before which FTS5 would write a segment. */
enum rc store_message_index_ended(struct db *db, int64_t id, struct str text, struct err *e)
{
    int64_t found;
    enum rc rc = db_one_int(db,
        "SELECT EXISTS (SELECT 1 FROM message m WHERE m.id = ? AND " TEMPORARY_NOT
        " AND NOT EXISTS (SELECT 1 FROM trash x WHERE x.session_id = m.session_id))",
        ARGS(v_int(id)), &found, e);
    return rc == RC_OK && found ? add_indexed(db, id, text, e) : rc;
}

enum rc message_index_add_session(struct db *db, int64_t session_id, int64_t after, struct err *e)
{
    enum rc rc = RC_OK;
    size_t n = PAIRS_STEP;
    while (rc == RC_OK && n == PAIRS_STEP) {
        AUTO(arena) a = arena_new();
        struct paired *some;
        rc = list_indexed(
            db, a, (struct message_range){session_id, after + 1, INT64_MAX}, PAIRS_STEP, &some, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++) {
            after = some[i].id;
            rc = add_indexed(db, after, some[i].text, e);
        }
    }
    return rc;
}

enum rc message_index_add_some(
    struct db *db, int64_t session_id, int64_t *after, int64_t before, int most, bool *more, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct paired *some;
    size_t n = 0;
    enum rc rc = list_indexed(
        db, a, (struct message_range){session_id, *after + 1, before - 1}, most + 1, &some, &n, e);
    *more = rc == RC_OK && n > (size_t)most;
    for (size_t i = 0; rc == RC_OK && *more && i < (size_t)most; i++) {
        *after = some[i].id;
        rc = add_indexed(db, *after, some[i].text, e);
    }
    return rc;
}
