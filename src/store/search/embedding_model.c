/* Embedding models and their tables. */
#include "store/search/vector_private.h"

#define DROP_ROWS "64" /* deleted at once; a pack is about as many bytes */

#define MODEL_COLUMNS "id, provider, model, prefix, dimension, state = 'serving', passage_bytes, batch_texts"

static struct embedding_model read_model(const struct rows *q, struct arena *a)
{
    return (struct embedding_model){
        .id = rows_int(q, 0),
        .provider = row_text(q, 1, a),
        .model = row_text(q, 2, a),
        .prefix = row_text(q, 3, a),
        .dimension = rows_int(q, 4),
        .serving = rows_int(q, 5) != 0,
        .passage_bytes = rows_int(q, 6),
        .batch_texts = rows_int(q, 7),
    };
}

DEFINE_ROWS(model, struct embedding_model, read_model, "embedding model")

enum rc store_embedding_model_find(struct db *db, struct arena *a, const char *provider, const char *model,
    const char *prefix, int64_t dimension, struct embedding_model *out, struct err *e)
{
    return get_model(db, a,
        "SELECT " MODEL_COLUMNS " FROM embedding_model WHERE provider = ? AND model = ? AND prefix = ? "
        "AND dimension = coalesce(?, dimension) ORDER BY id DESC LIMIT 1",
        ARGS(v_text(provider), v_text(model), v_text(prefix), v_id(dimension)), out, e);
}

enum rc store_embedding_model_serving(
    struct db *db, struct arena *a, struct embedding_model *out, struct err *e)
{
    return get_model(
        db, a, "SELECT " MODEL_COLUMNS " FROM embedding_model WHERE state = 'serving'", NO_ARGS, out, e);
}

static enum rc make_tables(struct db *db, int64_t model, struct err *e)
{
    static const char rows[] =
        "CREATE TABLE IF NOT EXISTS {T} (id INTEGER PRIMARY KEY REFERENCES {P} (id) ON DELETE CASCADE, "
        "scale REAL NOT NULL, v BLOB NOT NULL)";
    static const char packs[] =
        "CREATE TABLE IF NOT EXISTS {K} (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, "
        "owner INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE CHECK (owner = id >> 32), "
        "ids BLOB NOT NULL, scales BLOB NOT NULL, v BLOB NOT NULL)";
    enum rc rc = RC_OK;
    for (enum vector_layer l = 0; rc == RC_OK && l < VECTOR_LAYERS; l++) {
        struct vector_scope s = {l, model, 0};
        rc = vector_exec(db, rows, s, NO_ARGS, e);
        if (rc == RC_OK && vector_layers[l].packs)
            rc = vector_exec(db, packs, s, NO_ARGS, e);
    }
    return rc;
}

enum rc store_embedding_model_add(
    struct db *db, const struct embedding_model *m, int64_t now, int64_t *id, struct err *e)
{
    if (m->dimension < 1 || m->dimension > VEC8_DIMS_MAX)
        return err_tell(e, RC_BAD_INPUT, "Vectors of dimension %lld cannot be stored. It must be 1 to %d.",
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
    return rc == RC_OK ? make_tables(db, *id, e) : rc;
}

/* Another program may replace a model at the same time. The later one must not create its tables again. */
enum rc store_embedding_model_tables(struct db *db, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *models;
    size_t n;
    enum rc rc = db_begin(db, e);
    if (rc != RC_OK)
        return rc;
    rc = embedding_model_ids(db, a, &models, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = make_tables(db, models[i], e);
    if (rc == RC_OK)
        return db_commit(db, e);
    db_rollback(db);
    return rc;
}

enum rc embedding_model_ids(struct db *db, struct arena *a, int64_t **out, size_t *n, struct err *e)
{
    return row_list_ids(db, a, "SELECT id FROM embedding_model ORDER BY id", NO_ARGS, out, n, e);
}

/* The rows of the models' tables are deleted later: store_embedding_model_drop_some(). */
enum retired { RETIRE_BUILDING, RETIRE_ALL };
static enum rc retire(struct db *db, enum retired which, int64_t but, struct err *e)
{
    static const char *const statements[] = {
        "INSERT INTO embedding_retired (model_id) SELECT id FROM embedding_model "
        "WHERE id <> ? AND (? OR state = 'building')",
        "DELETE FROM embedding_model WHERE id <> ? AND (? OR state = 'building')",
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(statements); i++)
        rc = db_exec(db, statements[i], ARGS(v_int(but), v_int(which == RETIRE_ALL)), NULL, e);
    return rc;
}

enum rc store_embedding_model_build_only(struct db *db, int64_t id, struct err *e)
{
    return retire(db, RETIRE_BUILDING, id, e);
}

enum rc store_embedding_model_learn(struct db *db, const struct embedding_model *m, struct err *e)
{
    return db_exec(db, "UPDATE embedding_model SET passage_bytes = ?, batch_texts = ? WHERE id = ?",
        ARGS(v_int(m->passage_bytes), v_int(m->batch_texts), v_int(m->id)), NULL, e);
}

enum rc store_embedding_model_promote(struct db *db, int64_t id, struct err *e)
{
    int64_t one;
    enum rc rc = db_one_int(db, "SELECT 1 FROM embedding_model WHERE id = ?", ARGS(v_int(id)), &one, e);
    if (rc == RC_OK)
        rc = retire(db, RETIRE_ALL, id, e);
    if (rc == RC_OK)
        rc = db_exec(
            db, "UPDATE embedding_model SET state = 'serving' WHERE id = ?", ARGS(v_int(id)), NULL, e);
    return rc;
}

/* ---- the tables of models that are no longer used ---- */

enum rc store_embedding_model_retired(struct db *db, bool *any, struct err *e)
{
    int64_t is = 0;
    enum rc rc = db_one_int(db, "SELECT EXISTS (SELECT 1 FROM embedding_retired)", NO_ARGS, &is, e);
    *any = is != 0;
    return rc;
}

static enum rc drop_tables(struct db *db, int64_t model, struct err *e)
{
    enum rc rc = RC_OK;
    for (enum vector_layer l = 0; rc == RC_OK && l < VECTOR_LAYERS; l++) {
        struct vector_scope s = {l, model, 0};
        rc = vector_exec(db, "DROP TABLE IF EXISTS {T}", s, NO_ARGS, e);
        if (rc == RC_OK && vector_layers[l].packs)
            rc = vector_exec(db, "DROP TABLE IF EXISTS {K}", s, NO_ARGS, e);
    }
    return rc == RC_OK
               ? db_exec(db, "DELETE FROM embedding_retired WHERE model_id = ?", ARGS(v_int(model)), NULL, e)
               : rc;
}

static const struct {
    const char *sql;
    bool packs; /* only for layers with packs */
} clears[] = {
    {"DELETE FROM {K} WHERE id = (SELECT id FROM {K} ORDER BY id LIMIT 1)", true},
    {"DELETE FROM {T} WHERE id IN (SELECT id FROM {T} ORDER BY id LIMIT " DROP_ROWS ")", false},
    {"DELETE FROM embedding_skip WHERE model_id = {M} AND (layer, id) IN "
     "(SELECT layer, id FROM embedding_skip WHERE model_id = {M} LIMIT " DROP_ROWS ")",
        false},
};

enum rc store_embedding_model_drop_some(struct db *db, bool *more, struct err *e)
{
    char room[VECTOR_SQL_MAX];
    int64_t model, removed = 0;
    enum rc rc = db_one_int(
        db, "SELECT model_id FROM embedding_retired ORDER BY model_id LIMIT 1", NO_ARGS, &model, e);
    *more = rc == RC_OK;
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    for (size_t i = 0; rc == RC_OK && !removed && i < ARRAY_LEN(clears); i++)
        for (enum vector_layer l = 0; rc == RC_OK && !removed && l < VECTOR_LAYERS; l++) {
            if (clears[i].packs && !vector_layers[l].packs)
                continue;
            struct vector_scope s = {l, model, 0};
            rc =
                vector_sql(room, clears[i].sql, s, e) ? db_exec(db, room, NO_ARGS, &removed, e) : RC_INTERNAL;
        }
    return rc == RC_OK && !removed ? drop_tables(db, model, e) : rc;
}
