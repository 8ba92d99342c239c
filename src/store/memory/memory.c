#include "store/memory/memory.h"

#include "store/job.h"
#include "store/row.h"
#include "store/search/vector.h"

/* The columns of a struct memory, and their tables. */
#define SELECT_MEMORY                                                                                     \
    "SELECT m.id, m.text, m.tags, coalesce(m.source_id, 0), s.pub, m.embedder, m.scale, m.vector, "       \
    "m.created_at, coalesce(m.used_at, 0), coalesce(m.expires_at, 0), x.owner IS NOT NULL FROM memory m " \
    "LEFT JOIN message src ON src.id = m.source_id " JOIN_SOURCE_SESSION
#define ALIVE "m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?) "

static struct memory read_memory(const struct rows *q, struct arena *a)
{
    struct str vector = rows_blob(q, 7);
    return (struct memory){
        .id = rows_int(q, 0),
        .text = row_str(q, 1, a),
        .tags = row_text(q, 2, a),
        .source_id = rows_int(q, 3),
        .source_session = row_text(q, 4, a),
        .embedder = row_text(q, 5, a),
        .scale = (float)rows_real(q, 6),
        .vector = arena_str(a, vector),
        .created_at = rows_int(q, 8),
        .used_at = rows_int(q, 9),
        .expires_at = rows_int(q, 10),
        .source_in_trash = rows_int(q, 11) != 0,
    };
}

DEFINE_ROWS(memory, struct memory, read_memory, "memory")

/* ---- the text index: external content, so deletions need the old text ---- */

static enum rc index_add(struct db *db, int64_t id, struct err *e)
{
    return db_exec(db,
        "INSERT INTO memory_text (rowid, text, tags) SELECT id, text, tags FROM memory WHERE id = ?",
        ARGS(v_int(id)), NULL, e);
}

static enum rc index_drop(struct db *db, int64_t id, struct err *e)
{
    return db_exec(db,
        "INSERT INTO memory_text (memory_text, rowid, text, tags) "
        "SELECT 'delete', id, text, tags FROM memory WHERE id = ?",
        ARGS(v_int(id)), NULL, e);
}

/* ---- one ---- */

enum rc store_memory_add(struct db *db, int64_t owner, struct memory *m, struct err *e)
{
    enum rc rc = row_check_source(db, owner, m->source_id, e);
    if (rc == RC_OK)
        rc = row_next_id(db, owner, ROW_SEQUENCE("memory_seq", "memory"), &m->id, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "INSERT INTO memory (id, owner, text, tags, source_id, embedder, scale, vector, created_at, "
            "used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ARGS(v_int(m->id), v_int(owner), v_str(m->text), v_text(m->tags), v_id(m->source_id),
                v_text(m->embedder), v_real((double)m->scale), v_blob(m->vector.s, m->vector.len),
                v_int(m->created_at), v_id(m->used_at), v_id(m->expires_at)),
            NULL, e);
    return rc == RC_OK ? index_add(db, m->id, e) : rc;
}

enum rc store_memory_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, int64_t now, struct memory *out, struct err *e)
{
    return get_memory(db, a, SELECT_MEMORY "WHERE m.owner = ? AND m.id = ? AND " ALIVE,
        ARGS(v_int(owner), v_int(id), v_int(now)), out, e);
}

/* RC_NOT_FOUND unless the fact exists, is valid and is the owner's. */
static enum rc must_live(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    int64_t one;
    return db_one_int(db, "SELECT 1 FROM memory m WHERE m.owner = ? AND m.id = ? AND " ALIVE,
        ARGS(v_int(owner), v_int(id), v_int(now)), &one, e);
}

enum rc store_memory_change(struct db *db, int64_t owner, const struct memory *m, int64_t now, struct err *e)
{
    enum rc rc = must_live(db, owner, m->id, now, e);
    if (rc == RC_OK)
        rc = index_drop(db, m->id, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE memory SET text = ?, tags = ?, embedder = ?, scale = ?, vector = ?, created_at = ?, "
            "expires_at = ? WHERE id = ? AND owner = ?",
            ARGS(v_str(m->text), v_text(m->tags), v_text(m->embedder), v_real((double)m->scale),
                v_blob(m->vector.s, m->vector.len), v_int(m->created_at), v_id(m->expires_at), v_int(m->id),
                v_int(owner)),
            NULL, e);
    if (rc == RC_OK)
        rc = store_vector_forget(db, VECTOR_MEMORY, owner, m->id, e);
    return rc == RC_OK ? index_add(db, m->id, e) : rc;
}

/* ---- many ---- */

#define HAS_PARTS                                                                                      \
    "AND (? IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(?) p WHERE instr(m.text || ' ' || m.tags, " \
    "p.value) = 0)) "

enum rc store_memory_list(struct db *db, struct arena *a, int64_t owner, int64_t now,
    const struct memory_filter *f, struct memory **out, size_t *n, struct err *e)
{
    int64_t before = f->before ? f->before : INT64_MAX, first = owner << 32, last = first | OWNER_SEQ_MAX;
    if (f->match)
        return list_memory(db, a,
            SELECT_MEMORY
            "WHERE m.owner = ? AND m.id < ? AND " ALIVE
            "AND (? IS NULL OR instr(' ' || m.tags || ' ', ' ' || ? || ' ') > 0) " HAS_PARTS
            "AND m.id IN (SELECT rowid FROM memory_text WHERE memory_text MATCH ? AND rowid > ? "
            "AND rowid <= ?) ORDER BY m.id DESC LIMIT ?",
            ARGS(v_int(owner), v_int(before), v_int(now), v_text(f->tag), v_text(f->tag), v_text(f->parts),
                v_text(f->parts), v_text(f->match), v_int(first), v_int(last), v_int(f->limit)),
            out, n, e);
    return list_memory(db, a,
        SELECT_MEMORY "WHERE m.owner = ? AND m.id < ? AND " ALIVE
                      "AND (? IS NULL OR instr(' ' || m.tags || ' ', ' ' || ? || ' ') > 0) " HAS_PARTS
                      "ORDER BY m.id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(before), v_int(now), v_text(f->tag), v_text(f->tag), v_text(f->parts),
            v_text(f->parts), v_int(f->limit)),
        out, n, e);
}

enum rc store_memory_all(
    struct db *db, struct arena *a, int64_t owner, int64_t now, struct memory **out, size_t *n, struct err *e)
{
    return list_memory(db, a, SELECT_MEMORY "WHERE m.owner = ? AND " ALIVE "ORDER BY m.id",
        ARGS(v_int(owner), v_int(now)), out, n, e);
}

enum rc store_memory_tags(
    struct db *db, struct arena *a, int64_t owner, int64_t now, const char ***out, size_t *n, struct err *e)
{
    return row_list_texts(db, a, "SELECT m.tags FROM memory m WHERE m.owner = ? AND m.tags <> '' AND " ALIVE,
        ARGS(v_int(owner), v_int(now)), out, n, e);
}

/* ---- deletion ---- */

enum rc store_memory_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    enum rc rc = must_live(db, owner, id, now, e);
    if (rc == RC_OK)
        rc = index_drop(db, id, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE memory SET deleted_at = ? WHERE id = ? AND owner = ?",
            ARGS(v_int(now), v_int(id), v_int(owner)), NULL, e);
    return rc == RC_OK ? store_vector_forget(db, VECTOR_MEMORY, owner, id, e) : rc;
}

enum rc store_memory_restore(
    struct db *db, int64_t owner, int64_t id, int64_t now, int64_t expires_at, struct err *e)
{
    enum rc rc = row_change(db, "memory",
        "UPDATE memory SET deleted_at = NULL, "
        "expires_at = CASE WHEN expires_at <= ? THEN ? ELSE expires_at END "
        "WHERE id = ? AND owner = ? AND deleted_at IS NOT NULL",
        ARGS(v_int(now), v_id(expires_at), v_int(id), v_int(owner)), e);
    if (rc == RC_OK)
        rc = store_vector_forget(db, VECTOR_MEMORY, owner, id, e);
    return rc == RC_OK ? index_add(db, id, e) : rc;
}

/* Deleted rows have left the index already. The purge empties the write-ahead log. */
enum rc store_memory_clear(struct db *db, int64_t owner, int64_t *removed, struct err *e)
{
    enum rc rc = db_exec(db,
        "INSERT INTO memory_text (memory_text, rowid, text, tags) "
        "SELECT 'delete', id, text, tags FROM memory WHERE owner = ? AND deleted_at IS NULL",
        ARGS(v_int(owner)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM memory WHERE owner = ?", ARGS(v_int(owner)), removed, e);
    return rc == RC_OK && *removed ? store_job_purge_later(db, e) : rc;
}

enum rc store_memory_sweep(
    struct db *db, int64_t now, int64_t deleted_before, int64_t *removed, struct err *e)
{
    int64_t expired = 0, deleted = 0;
    enum rc rc = db_exec(db,
        "INSERT INTO memory_text (memory_text, rowid, text, tags) "
        "SELECT 'delete', id, text, tags FROM memory WHERE expires_at <= ? AND deleted_at IS NULL",
        ARGS(v_int(now)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM memory WHERE expires_at <= ? AND deleted_at IS NULL", ARGS(v_int(now)),
            &expired, e);
    if (rc == RC_OK)
        rc =
            db_exec(db, "DELETE FROM memory WHERE deleted_at <= ?", ARGS(v_int(deleted_before)), &deleted, e);
    *removed = expired + deleted;
    return rc;
}

/* ---- the setting ---- */

enum rc store_memory_paused(struct db *db, int64_t owner, bool *paused, struct err *e)
{
    int64_t is = 0;
    enum rc rc = db_one_int(
        db, "SELECT memory_paused_at IS NOT NULL FROM user WHERE id = ?", ARGS(v_int(owner)), &is, e);
    *paused = is != 0;
    return rc;
}

enum rc store_memory_set_paused(struct db *db, int64_t owner, int64_t paused_at, struct err *e)
{
    return row_change(db, "user", "UPDATE user SET memory_paused_at = ? WHERE id = ?",
        ARGS(v_id(paused_at), v_int(owner)), e);
}

/* ---- use ---- */

enum rc store_memory_used(struct db *db, int64_t owner, int64_t message_id, const int64_t *ids, size_t n,
    int64_t now, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        int64_t changed = 0;
        rc = db_exec(db, "UPDATE memory SET used_at = ? WHERE id = ? AND owner = ? AND deleted_at IS NULL",
            ARGS(v_int(now), v_int(ids[i]), v_int(owner)), &changed, e);
        if (rc == RC_OK && changed)
            rc = db_exec(db,
                "INSERT INTO memory_use (message_id, memory_id) SELECT id, ? FROM message "
                "WHERE id = ? AND id >> 32 = ? ON CONFLICT DO NOTHING",
                ARGS(v_int(ids[i]), v_int(message_id), v_int(owner)), NULL, e);
    }
    return rc;
}

enum rc store_memory_use_move(struct db *db, int64_t owner, int64_t from, int64_t to, struct err *e)
{
    return db_exec(db, "UPDATE memory_use SET message_id = ? WHERE message_id = ? AND message_id >> 32 = ?",
        ARGS(v_int(to), v_int(from), v_int(owner)), NULL, e);
}

enum rc store_memory_of_message(struct db *db, struct arena *a, int64_t owner, int64_t message_id,
    int64_t now, struct memory **out, size_t *n, struct err *e)
{
    return list_memory(db, a,
        SELECT_MEMORY
        "JOIN memory_use u ON u.memory_id = m.id WHERE u.message_id = ? AND m.owner = ? AND " ALIVE
        "ORDER BY m.id",
        ARGS(v_int(message_id), v_int(owner), v_int(now)), out, n, e);
}
