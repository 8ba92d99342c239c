/* Vectors. The tables' names are made of a layer's constant word and a number, never of text from outside. */
#include "store/vector.h"

#include <stdio.h>

#include "store/row.h"

#define SQL_MAX 1024

/* `wanted`: which rows of the layer are embedded. `open`: which will be, but are not finished yet. The text
 * of the built-in model says nothing of its own. */
static const struct {
    const char *word, *parent, *wanted, *open;
} layers[VECTOR_LAYERS] = {
    [VECTOR_MESSAGE] = {"message", "message",
        "m.status <> 'running' AND m.text <> '' AND (m.role = 'user' OR "
        "(m.role = 'assistant' AND m.provider IS NOT 'offline'))",
        "m.status = 'running'"},
};

/* SQL with {T}: the vector table, {P}: the parent table, {W}: wanted, {O}: open. The result lives in `out`;
 * the driver compares a statement's text, not only its address. */
static const char *with_names(
    char out[SQL_MAX], const char *sql, enum vector_layer layer, int64_t model, struct err *e)
{
    size_t n = 0;
    for (const char *p = sql; *p; p++) {
        int more = 1;
        if (*p == '{' && p[2] == '}') {
            size_t room = SQL_MAX - n;
            switch (p[1]) {
            case 'T':
                more = snprintf(out + n, room, "vector_%s_%lld", layers[layer].word, (long long)model);
                break;
            case 'P': more = snprintf(out + n, room, "%s", layers[layer].parent); break;
            case 'W': more = snprintf(out + n, room, "(%s)", layers[layer].wanted); break;
            default: more = snprintf(out + n, room, "(%s)", layers[layer].open); break;
            }
            p += 2;
        } else {
            out[n] = *p;
        }
        n += (size_t)more;
        if (n >= SQL_MAX) {
            err_set(e, RC_INTERNAL, "a statement is too long: %.60s", sql);
            return NULL;
        }
    }
    out[n] = '\0';
    return out;
}

static enum rc exec_named(struct db *db, const char *sql, enum vector_layer layer, int64_t model,
    struct db_args args, struct err *e)
{
    char room[SQL_MAX];
    return with_names(room, sql, layer, model, e) ? db_exec(db, room, args, NULL, e) : RC_INTERNAL;
}

/* ---- models ---- */

#define MODEL_COLUMNS "id, provider, model, prefix, dimension, state = 'serving'"

static enum rc one_model(struct db *db, struct arena *a, const char *sql, struct db_args args,
    struct embedding_model *out, struct err *e)
{
    bool found = false;
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    if (rc == RC_OK && (found = rows_next(&q)))
        *out = (struct embedding_model){
            .id = rows_int(&q, 0),
            .provider = row_text(&q, 1, a),
            .model = row_text(&q, 2, a),
            .prefix = row_text(&q, 3, a),
            .dimension = rows_int(&q, 4),
            .serving = rows_int(&q, 5) != 0,
        };
    rc = rows_done(&q, rc, e);
    return must_exist(rc, found, "embedding model", e);
}

enum rc store_embedding_model_find(struct db *db, struct arena *a, const char *provider, const char *model,
    const char *prefix, int64_t dimension, struct embedding_model *out, struct err *e)
{
    return one_model(db, a,
        "SELECT " MODEL_COLUMNS " FROM embedding_model WHERE provider = ? AND model = ? AND prefix = ? "
        "AND dimension = coalesce(?, dimension) ORDER BY id DESC LIMIT 1",
        ARGS(v_text(provider), v_text(model), v_text(prefix), v_id(dimension)), out, e);
}

enum rc store_embedding_model_serving(
    struct db *db, struct arena *a, struct embedding_model *out, struct err *e)
{
    return one_model(
        db, a, "SELECT " MODEL_COLUMNS " FROM embedding_model WHERE state = 'serving'", NO_ARGS, out, e);
}

enum rc store_embedding_model_add(
    struct db *db, const struct embedding_model *m, int64_t now, int64_t *id, struct err *e)
{
    if (m->dimension < 1 || m->dimension > VEC8_DIMS_MAX)
        return err_say(e, RC_BAD_INPUT, "Vectors of %lld numbers cannot be stored; 1 to %d can.",
            (long long)m->dimension, VEC8_DIMS_MAX);
    enum rc rc = db_exec(db,
        "INSERT INTO embedding_model (provider, model, prefix, dimension, state, created_at) "
        "VALUES (?, ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM embedding_model WHERE state = 'serving') "
        "THEN 'building' ELSE 'serving' END, ?) ON CONFLICT (provider, model, prefix, dimension) DO NOTHING",
        ARGS(v_text(m->provider), v_text(m->model), v_text(m->prefix), v_int(m->dimension), v_int(now)), NULL,
        e);
    if (rc == RC_OK)
        rc = db_one_int(db,
            "SELECT id FROM embedding_model WHERE provider = ? AND model = ? AND prefix = ? AND dimension = "
            "?",
            ARGS(v_text(m->provider), v_text(m->model), v_text(m->prefix), v_int(m->dimension)), id, e);
    for (enum vector_layer l = 0; rc == RC_OK && l < VECTOR_LAYERS; l++)
        rc = exec_named(db,
            "CREATE TABLE IF NOT EXISTS {T} (id INTEGER PRIMARY KEY REFERENCES {P} (id) ON DELETE CASCADE, "
            "scale REAL NOT NULL, v BLOB NOT NULL)",
            l, *id, NO_ARGS, e);
    return rc;
}

static enum rc model_ids(
    struct db *db, struct arena *a, int64_t except, int64_t **out, size_t *n, struct err *e)
{
    struct list l = LIST(a, int64_t);
    struct rows q;
    enum rc rc =
        db_query(db, &q, "SELECT id FROM embedding_model WHERE id <> ? ORDER BY id", ARGS(v_int(except)), e);
    while (rc == RC_OK && rows_next(&q))
        *(int64_t *)list_add(&l) = rows_int(&q, 0);
    *out = l.items;
    *n = l.n;
    return rows_done(&q, rc, e);
}

enum rc store_embedding_model_promote(struct db *db, int64_t id, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *others, one;
    size_t n;
    enum rc rc = db_one_int(db, "SELECT 1 FROM embedding_model WHERE id = ?", ARGS(v_int(id)), &one, e);
    if (rc == RC_OK)
        rc = model_ids(db, a, id, &others, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        for (enum vector_layer l = 0; rc == RC_OK && l < VECTOR_LAYERS; l++)
            rc = exec_named(db, "DROP TABLE IF EXISTS {T}", l, others[i], NO_ARGS, e);
        if (rc == RC_OK)
            rc = db_exec(db, "DELETE FROM embedding_model WHERE id = ?", ARGS(v_int(others[i])), NULL, e);
    }
    if (rc == RC_OK)
        rc = db_exec(
            db, "UPDATE embedding_model SET state = 'serving' WHERE id = ?", ARGS(v_int(id)), NULL, e);
    return rc;
}

/* ---- what lacks a vector ---- */

static int64_t first_id(int64_t owner)
{
    return owner << 32;
}

static int64_t last_id(int64_t owner)
{
    return owner << 32 | INT64_C(0xFFFFFFFF);
}

static enum rc progress(
    struct db *db, enum vector_layer layer, int64_t model, int64_t owner, int64_t *done_to, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce((SELECT done_to FROM embedding_progress WHERE model_id = ? AND layer = ? "
        "AND owner = ?), ?)",
        ARGS(v_int(model), v_text(layers[layer].word), v_int(owner), v_int(first_id(owner))), done_to, e);
}

enum rc store_vector_lacking(struct db *db, struct arena *a, enum vector_layer layer, int64_t model,
    int64_t owner, int limit, size_t bytes, struct vector_lack **out, size_t *n, struct err *e)
{
    char sql[SQL_MAX];
    struct list l = LIST(a, struct vector_lack);
    int64_t done_to;
    size_t sum = 0;
    enum rc rc = progress(db, layer, model, owner, &done_to, e);
    if (rc != RC_OK)
        return rc;
    if (!with_names(sql,
            "SELECT m.id, m.text FROM {P} m WHERE m.id > ? AND m.id <= ? AND {W} "
            "AND NOT EXISTS (SELECT 1 FROM {T} v WHERE v.id = m.id) ORDER BY m.id LIMIT ?",
            layer, model, e))
        return RC_INTERNAL;
    struct rows q;
    rc = db_query(db, &q, sql, ARGS(v_int(done_to), v_int(last_id(owner)), v_int(limit)), e);
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

enum rc store_vector_put(struct db *db, enum vector_layer layer, int64_t model, int64_t owner,
    const struct vector_lack *row, const int8_t *v, size_t dimension, float scale, struct err *e)
{
    if (row->id <= first_id(owner) || row->id > last_id(owner))
        return err_set(e, RC_NOT_FOUND, "a vector for a row of somebody else");
    return exec_named(db,
        "INSERT INTO {T} (id, scale, v) SELECT m.id, ?, ? FROM {P} m WHERE m.id = ? AND m.text = ? "
        "ON CONFLICT (id) DO UPDATE SET scale = excluded.scale, v = excluded.v",
        layer, model, ARGS(v_real((double)scale), v_blob(v, dimension), v_int(row->id), v_str(row->text)), e);
}

enum rc store_vector_advance(
    struct db *db, enum vector_layer layer, int64_t model, int64_t owner, struct err *e)
{
    char sql[SQL_MAX];
    int64_t done_to, next;
    enum rc rc = progress(db, layer, model, owner, &done_to, e);
    if (rc != RC_OK)
        return rc;
    if (!with_names(sql,
            "SELECT coalesce((SELECT m.id - 1 FROM {P} m WHERE m.id > ? AND m.id <= ? AND ({O} OR {W}) "
            "AND NOT EXISTS (SELECT 1 FROM {T} v WHERE v.id = m.id) ORDER BY m.id LIMIT 1), "
            "(SELECT max(m.id) FROM {P} m WHERE m.id > ? AND m.id <= ?), ?)",
            layer, model, e))
        return RC_INTERNAL;
    rc = db_one_int(db, sql,
        ARGS(v_int(done_to), v_int(last_id(owner)), v_int(done_to), v_int(last_id(owner)), v_int(done_to)),
        &next, e);
    if (rc != RC_OK || next <= done_to)
        return rc;
    return db_exec(db,
        "INSERT INTO embedding_progress (model_id, layer, owner, done_to) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (model_id, layer, owner) DO UPDATE SET done_to = excluded.done_to",
        ARGS(v_int(model), v_text(layers[layer].word), v_int(owner), v_int(next)), NULL, e);
}

enum rc store_vector_forget(struct db *db, enum vector_layer layer, int64_t owner, int64_t id, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *models;
    size_t n;
    if (id <= first_id(owner) || id > last_id(owner))
        return err_set(e, RC_NOT_FOUND, "a vector of a row of somebody else");
    enum rc rc = model_ids(db, a, 0, &models, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = exec_named(db, "DELETE FROM {T} WHERE id = ?", layer, models[i], ARGS(v_int(id)), e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE embedding_progress SET done_to = ? WHERE layer = ? AND owner = ? AND done_to >= ?",
            ARGS(v_int(id - 1), v_text(layers[layer].word), v_int(owner), v_int(id)), NULL, e);
    return rc;
}

enum rc store_vector_count(struct db *db, enum vector_layer layer, int64_t model, int64_t owner,
    int64_t *have, int64_t *lack, struct err *e)
{
    char sql[SQL_MAX];
    struct rows q;
    if (!with_names(sql,
            "SELECT count(v.id), count(*) - count(v.id) FROM {P} m LEFT JOIN {T} v ON v.id = m.id "
            "WHERE m.id > ? AND m.id <= ? AND {W}",
            layer, model, e))
        return RC_INTERNAL;
    *have = *lack = 0;
    enum rc rc = db_query(db, &q, sql, ARGS(v_int(first_id(owner)), v_int(last_id(owner))), e);
    if (rc == RC_OK && rows_next(&q)) {
        *have = rows_int(&q, 0);
        *lack = rows_int(&q, 1);
    }
    return rows_done(&q, rc, e);
}

enum rc store_vector_scan(struct db *db, enum vector_layer layer, int64_t model, int64_t owner,
    const int8_t *query, size_t dimension, float scale, vector_seen_fn *seen, void *arg, struct err *e)
{
    char sql[SQL_MAX];
    struct rows q;
    vec8_dot_fn *dot = vec8_dot();
    if (!with_names(sql, "SELECT id, scale, v FROM {T} WHERE id > ? AND id <= ?", layer, model, e))
        return RC_INTERNAL;
    enum rc rc = db_query(db, &q, sql, ARGS(v_int(first_id(owner)), v_int(last_id(owner))), e);
    while (rc == RC_OK && rows_next(&q)) {
        struct str v = rows_blob(&q, 2);
        if (v.len != dimension)
            continue;
        int32_t product = dot((const int8_t *)v.s, query, dimension);
        seen(arg, rows_int(&q, 0), (float)product * scale * (float)rows_real(&q, 1));
    }
    return rows_done(&q, rc, e);
}
