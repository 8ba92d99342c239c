/* Vectors. A table's name consists of a layer's constant word and a number, never of input. */
#include <stdio.h>

#include "store/message/message_row.h"
#include "store/search/vector_private.h"
#include "store/session/temporary.h"

/* Not in the trash. */
#define LIVE "NOT EXISTS (SELECT 1 FROM trash x WHERE x.session_id = m.session_id)"

const struct vector_layer_row vector_layers[VECTOR_LAYERS] = {
    /* texts of the built-in model have no content of their own */
    [VECTOR_MESSAGE] = {.word = "message",
        .parent = "message",
        .text = "m.text",
        .wanted = "{B} AND " LIVE,
        .but_trash = "m.status <> 'running' AND m.text <> '' AND (m.role = 'user' OR "
                     "(m.role = 'assistant' AND m.provider IS NOT 'offline')) AND " TEMPORARY_NOT,
        .open = "m.status = 'running'",
        .packs = true},
    [VECTOR_SUMMARY] = {.word = "summary",
        .parent = "summary",
        .text = "m.text",
        .wanted = "m.current = 1 AND m.text <> '' AND " LIVE,
        .open = "0"},
    [VECTOR_MEMORY] = {.word = "memory",
        .parent = "memory",
        .text = "m.text || char(10) || m.tags", /* as in memory_embed() */
        .wanted = "m.deleted_at IS NULL",
        .open = "0"},
};

#define NO_ROW "NOT EXISTS (SELECT 1 FROM {T} v WHERE v.id = m.id)"
/* A pack has a vector of every wanted row between its ends. Packs never overlap. */
#define NO_PACK \
    "coalesce((SELECT k.first FROM {K} k WHERE k.id >= m.id ORDER BY k.id LIMIT 1), m.id + 1) > m.id"
/* A row with a mark and a reason is skipped: it does not lack a vector. A mark without a reason makes the row
 * lack its vector, even between the ends of a pack. Without a mark `lacks` decides. */
#define UNLESS_SKIPPED(lacks)                                                                        \
    "coalesce((SELECT s.reason IS NULL FROM embedding_skip s WHERE s.layer = '{L}' AND s.id = m.id " \
    "AND s.model_id = {M}), " lacks ")"

static const char *meaning(char letter, const struct vector_layer_row *l)
{
    switch (letter) {
    case 'P': return l->parent;
    case 'X': return l->text;
    case 'W': return l->wanted;
    case 'B': return l->but_trash;
    case 'O': return l->open;
    case 'N': return l->packs ? UNLESS_SKIPPED(NO_ROW " AND " NO_PACK) : UNLESS_SKIPPED(NO_ROW);
    case 'L': return l->word;
    default: return NULL;
    }
}

/* Appends. False: it does not fit. */
static bool add_sql(
    char out[VECTOR_SQL_MAX], size_t *n, const char *sql, const struct vector_layer_row *l, long long model)
{
    for (const char *p = sql; *p; p++) {
        if (!(p[0] == '{' && p[1] && p[2] == '}')) {
            if (*n + 1 >= VECTOR_SQL_MAX)
                return false;
            out[(*n)++] = *p;
            continue;
        }
        const char *is = meaning(p[1], l);
        if (is) {
            if (!add_sql(out, n, is, l, model))
                return false;
        } else {
            size_t room = VECTOR_SQL_MAX - *n;
            int more = p[1] == 'M' ? snprintf(out + *n, room, "%lld", model)
                                   : snprintf(out + *n, room, "%s_%s_%lld", p[1] == 'K' ? "pack" : "vector",
                                         l->word, model);
            if (more < 0 || (size_t)more >= room)
                return false;
            *n += (size_t)more;
        }
        p += 2;
    }
    return true;
}

const char *vector_sql(char out[VECTOR_SQL_MAX], const char *sql, struct vector_scope s, struct err *e)
{
    size_t n = 0;
    if (!add_sql(out, &n, sql, &vector_layers[s.layer], (long long)s.model)) {
        err_set(e, RC_INTERNAL, "a statement is too long: %.60s", sql);
        return NULL;
    }
    out[n] = '\0';
    return out;
}

enum rc vector_exec(struct db *db, const char *sql, struct vector_scope s, struct db_args args, struct err *e)
{
    char room[VECTOR_SQL_MAX];
    return vector_sql(room, sql, s, e) ? db_exec(db, room, args, NULL, e) : RC_INTERNAL;
}

enum rc vector_one_int(
    struct db *db, const char *sql, struct vector_scope s, struct db_args args, int64_t *out, struct err *e)
{
    char room[VECTOR_SQL_MAX];
    return vector_sql(room, sql, s, e) ? db_one_int(db, room, args, out, e) : RC_INTERNAL;
}

/* ---- rows without a vector ---- */

enum rc vector_progress(struct db *db, struct vector_scope s, int64_t *done_to, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce((SELECT done_to FROM embedding_progress WHERE model_id = ? AND layer = ? "
        "AND owner = ?), ?)",
        ARGS(
            v_int(s.model), v_text(vector_layers[s.layer].word), v_int(s.owner), v_int(owner_first(s.owner))),
        done_to, e);
}

enum rc store_vector_lacking(struct db *db, struct arena *a, struct vector_scope s, int limit, size_t bytes,
    struct vector_lack **out, size_t *n, struct err *e)
{
    char sql[VECTOR_SQL_MAX];
    struct list l = LIST(a, struct vector_lack);
    int64_t done_to;
    size_t sum = 0;
    enum rc rc = vector_progress(db, s, &done_to, e);
    if (rc != RC_OK)
        return rc;
    if (!vector_sql(sql,
            "SELECT m.id, {X} FROM {P} m WHERE m.id > ? AND m.id <= ? AND ({W}) AND {N} ORDER BY m.id LIMIT "
            "?",
            s, e))
        return RC_INTERNAL;
    struct rows q;
    rc = db_query(db, &q, sql, ARGS(v_int(done_to), v_int(owner_last(s.owner)), v_int(limit)), e);
    while (rc == RC_OK && rows_next(&q)) {
        sum += rows_str(&q, 1).len;
        if (l.n && sum > bytes)
            break;
        struct vector_lack *lack = list_add(&l);
        lack->id = rows_int(&q, 0);
        lack->text = row_str(&q, 1, a);
    }
    *out = l.items;
    *n = l.n;
    return rows_done(&q, rc, e);
}

enum rc store_vector_put(struct db *db, struct vector_scope s, const struct vector_lack *row,
    const struct vector_set *set, struct err *e)
{
    if (row->id <= owner_first(s.owner) || row->id > owner_last(s.owner))
        return err_set(e, RC_NOT_FOUND, "the row of a vector is not the owner's");
    if (set->n < 1 || set->n > VECTOR_PASSAGES_MAX)
        return err_set(e, RC_INTERNAL, "a row cannot have %zu vectors", set->n);
    enum rc rc = vector_unpack(db, s, row->id, e);
    if (rc == RC_OK)
        rc = vector_unskip(db, s, row->id, e);
    if (rc != RC_OK)
        return rc;
    return vector_exec(db,
        "INSERT INTO {T} (id, scale, v) SELECT m.id, ?, ? FROM {P} m WHERE m.id = ? AND {X} = ? "
        "AND ({W}) ON CONFLICT (id) DO UPDATE SET scale = excluded.scale, v = excluded.v",
        s,
        ARGS(v_real((double)set->scale), v_blob(set->v, set->n * set->dimension), v_int(row->id),
            v_str(row->text)),
        e);
}

enum rc store_vector_advance(struct db *db, struct vector_scope s, struct err *e)
{
    int64_t done_to, next;
    enum rc rc = vector_progress(db, s, &done_to, e);
    if (rc != RC_OK)
        return rc;
    rc = vector_one_int(db,
        "SELECT coalesce((SELECT m.id - 1 FROM {P} m WHERE m.id > ? AND m.id <= ? AND ({O} OR {W}) "
        "AND {N} ORDER BY m.id LIMIT 1), "
        "(SELECT max(m.id) FROM {P} m WHERE m.id > ? AND m.id <= ?), ?)",
        s,
        ARGS(v_int(done_to), v_int(owner_last(s.owner)), v_int(done_to), v_int(owner_last(s.owner)),
            v_int(done_to)),
        &next, e);
    if (rc != RC_OK || next <= done_to)
        return rc;
    return db_exec(db,
        "INSERT INTO embedding_progress (model_id, layer, owner, done_to) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (model_id, layer, owner) DO UPDATE SET done_to = excluded.done_to",
        ARGS(v_int(s.model), v_text(vector_layers[s.layer].word), v_int(s.owner), v_int(next)), NULL, e);
}

enum rc store_vector_forget(struct db *db, enum vector_layer layer, int64_t owner, int64_t id, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *models;
    size_t n;
    if (id <= owner_first(owner) || id > owner_last(owner))
        return err_set(e, RC_NOT_FOUND, "the row of a vector is not the owner's");
    enum rc rc = embedding_model_ids(db, a, &models, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct vector_scope s = {layer, models[i], owner};
        rc = vector_unpack(db, s, id, e);
        if (rc == RC_OK)
            rc = vector_exec(db, "DELETE FROM {T} WHERE id = ?", s, ARGS(v_int(id)), e);
        if (rc == RC_OK)
            rc = vector_unskip(db, s, id, e);
    }
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE embedding_progress SET done_to = ? WHERE layer = ? AND owner = ? AND done_to >= ?",
            ARGS(v_int(id - 1), v_text(vector_layers[layer].word), v_int(owner), v_int(id)), NULL, e);
    return rc;
}

/* ---- the trash ---- */

/* Runs a statement of vector_sql() once per model. */
static enum rc for_each_model(struct db *db, const char *sql, struct db_args args, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *models;
    size_t n;
    enum rc rc = embedding_model_ids(db, a, &models, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = vector_exec(db, sql, (struct vector_scope){VECTOR_MESSAGE, models[i], 0}, args, e);
    return rc;
}

#define SOME "m.session_id = ? AND m.id > ? AND m.id <= ? "

enum rc store_vector_hide(struct db *db, int64_t session_id, int64_t after, int64_t upto, struct err *e)
{
    return for_each_model(db,
        "INSERT OR IGNORE INTO vector_gone (id) SELECT m.id FROM message m WHERE " SOME
        "AND ({B}) AND NOT ({N})",
        ARGS(v_int(session_id), v_int(after), v_int(upto)), e);
}

/* The owner's progress goes back to the first mark in the session, also to one of an earlier call: while the
 * session was in the trash its rows were not wanted, and the progress went past them. */
enum rc store_vector_wanted(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    return db_exec(db,
        "UPDATE embedding_progress SET done_to = coalesce((SELECT s.id - 1 FROM embedding_skip s "
        "WHERE s.layer = 'message' AND s.id >= (SELECT min(m.id) FROM message m WHERE m.session_id = ?) "
        "AND s.id <= done_to AND s.model_id = embedding_progress.model_id AND s.reason IS NULL "
        "ORDER BY s.id LIMIT 1), done_to) WHERE layer = 'message' AND owner = ?",
        ARGS(v_int(session_id), v_int(owner)), NULL, e);
}

enum rc store_vector_hide_below(struct db *db, int64_t message_id, struct err *e)
{
    return for_each_model(db,
        "INSERT OR IGNORE INTO vector_gone (id) " MESSAGE_BELOW
        "SELECT m.id FROM message m WHERE m.id IN (SELECT id FROM below) AND ({B}) AND NOT ({N})",
        ARGS(v_int(message_id)), e);
}

/* A mark without a reason makes a row lack its vector, also between the ends of a pack. */
enum rc store_vector_show(
    struct db *db, int64_t owner, int64_t session_id, int64_t after, int64_t upto, struct err *e)
{
    struct db_args some = ARGS(v_int(session_id), v_int(after), v_int(upto));
    enum rc rc = for_each_model(db,
        "INSERT INTO embedding_skip (layer, id, model_id, reason) SELECT '{L}', m.id, {M}, NULL "
        "FROM {P} m WHERE " SOME "AND ({B}) AND (NOT EXISTS "
        "(SELECT 1 FROM vector_gone g WHERE g.id = m.id) OR {N}) ON CONFLICT DO NOTHING",
        some, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM vector_gone WHERE id IN (SELECT m.id FROM message m WHERE " SOME ")",
            some, NULL, e);
    return rc == RC_OK ? store_vector_wanted(db, owner, session_id, e) : rc;
}
