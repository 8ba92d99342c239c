/*
 * Scanning, and packs.
 *
 * A row costs SQLite a step through the tree and, with 1,024 bytes, a quarter of its page. A pack of 256
 * vectors costs one step. It has pages of its own, which bypass the page cache. Measured on 1,000,000
 * vectors: docs/search.md.
 *
 * The numbers in `ids` (the low halves) and `scales` are little-endian, as in memory.
 */
#include <stdlib.h>

#include "store/search/vector_private.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packs hold little-endian numbers");

#define PURGE_PACKS 16   /* packs written in one transaction */
#define PURGE_IDS   1000 /* deleted rows that it takes out of them */
#define ERASE_PACKS 4    /* of an erased user, deleted in one transaction; their pages are overwritten */

struct pack {
    int64_t first, last;
    size_t n;
    const void *ids, *scales; /* uint32_t[n], float[n], not aligned */
    const int8_t *v;
    size_t dimension;
};

static int64_t id_at(const struct pack *p, int64_t owner, size_t i)
{
    uint32_t low;
    memcpy(&low, (const char *)p->ids + i * sizeof low, sizeof low);
    return owner_first(owner) | low;
}

static float scale_at(const struct pack *p, size_t i)
{
    float scale;
    memcpy(&scale, (const char *)p->scales + i * sizeof scale, sizeof scale);
    return scale;
}

/* The vectors of the row whose first vector has number i. */
static struct vector_set set_at(const struct pack *p, size_t i)
{
    size_t n = 1;
    while (i + n < p->n && id_at(p, 0, i + n) == id_at(p, 0, i))
        n++;
    return (struct vector_set){p->v + i * p->dimension, n, p->dimension, scale_at(p, i)};
}

/* Reads the blobs of a row as a pack. False: they do not match each other, or `dimension` (0: any). */
static bool open_pack(struct str ids, struct str scales, struct str v, size_t dimension, struct pack *p)
{
    p->n = ids.len / sizeof(uint32_t);
    if (p->n == 0 || ids.len != p->n * sizeof(uint32_t) || scales.len != p->n * sizeof(float) ||
        v.len % p->n != 0 || (dimension && v.len != p->n * dimension))
        return false;
    p->ids = ids.s;
    p->scales = scales.s;
    p->v = (const int8_t *)v.s;
    p->dimension = v.len / p->n;
    return true;
}

/* ---- reading ---- */

struct gone {
    int64_t *ids; /* ascending */
    size_t n;
};

static enum rc read_gone(
    struct db *db, struct arena *a, int64_t from, int64_t to, int limit, struct gone *out, struct err *e)
{
    return row_list_ids(db, a, "SELECT id FROM vector_gone WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
        ARGS(v_int(from), v_int(to), v_int(limit)), &out->ids, &out->n, e);
}

static int by_id(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static bool is_gone(const struct gone *g, int64_t id)
{
    return g->n && bsearch(&id, g->ids, g->n, sizeof id, by_id);
}

struct scan {
    const struct vector_set *query;
    vec8_dot_fn *dot;
    vector_seen_fn *seen;
    void *arg;
    struct gone gone;
};

/* The vectors of a row as stored; n 0: they have another dimension. */
static struct vector_set set_of(struct str v, double scale, size_t dimension)
{
    size_t n = v.len % dimension == 0 ? v.len / dimension : 0;
    n = n > VECTOR_PASSAGES_MAX ? 0 : n;
    return (struct vector_set){(const int8_t *)v.s, n, dimension, (float)scale};
}

static float score(const struct scan *s, const int8_t *v, float scale)
{
    return (float)s->dot(v, s->query->v, s->query->dimension) * s->query->scale * scale;
}

static void scan_row(const struct scan *s, const struct rows *q)
{
    struct vector_set set = set_of(rows_blob(q, 4), rows_real(q, 1), s->query->dimension);
    if (is_gone(&s->gone, rows_int(q, 0)))
        return;
    for (size_t i = 0; i < set.n; i++)
        s->seen(s->arg, rows_int(q, 0), score(s, set.v + i * set.dimension, set.scale));
}

static void scan_pack(const struct scan *s, const struct rows *q, int64_t owner)
{
    struct pack p = {0};
    if (!open_pack(rows_blob(q, 2), rows_blob(q, 3), rows_blob(q, 4), s->query->dimension, &p))
        return;
    for (size_t i = 0; i < p.n; i++) {
        int64_t id = id_at(&p, owner, i);
        if (!is_gone(&s->gone, id))
            s->seen(s->arg, id, score(s, p.v + i * p.dimension, scale_at(&p, i)));
    }
}

/* One statement, so one snapshot: a vector that is moved meanwhile is seen once. */
#define ROWS  "SELECT id, scale, NULL, NULL, v FROM {T} WHERE id > ? AND id <= ?"
#define PACKS "SELECT id, 0, ids, scales, v FROM {K} WHERE id > ? AND id <= ?"

enum rc store_vector_scan(struct db *db, struct vector_scope s, const struct vector_set *query,
    vector_seen_fn *seen, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    char sql[VECTOR_SQL_MAX];
    struct rows q;
    struct scan scan = {query, vec8_dot(), seen, arg, {0}};
    struct db_value from = v_int(owner_first(s.owner)), to = v_int(owner_last(s.owner));
    bool packs = vector_layers[s.layer].packs;
    enum rc rc = packs ? read_gone(db, a, from.i, to.i, -1, &scan.gone, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    if (!vector_sql(sql, packs ? PACKS " UNION ALL " ROWS : ROWS, s, e))
        return RC_INTERNAL;
    rc =
        packs ? db_query(db, &q, sql, ARGS(from, to, from, to), e) : db_query(db, &q, sql, ARGS(from, to), e);
    while (rc == RC_OK && rows_next(&q)) {
        if (rows_is_null(&q, 2))
            scan_row(&scan, &q);
        else
            scan_pack(&scan, &q, s.owner);
    }
    return rows_done(&q, rc, e);
}

/* Reads the pack around an id into the arena. RC_NOT_FOUND: none. A damaged one has n 0. */
static enum rc read_pack(
    struct db *db, struct arena *a, struct vector_scope s, int64_t id, struct pack *out, struct err *e)
{
    char sql[VECTOR_SQL_MAX];
    struct rows q;
    bool found = false;
    if (!vector_layers[s.layer].packs)
        return err_set(e, RC_NOT_FOUND, "vectors of this kind have no packs");
    if (!vector_sql(sql, "SELECT first, id, ids, scales, v FROM {K} WHERE id >= ? ORDER BY id LIMIT 1", s, e))
        return RC_INTERNAL;
    enum rc rc = db_query(db, &q, sql, ARGS(v_int(id)), e);
    if (rc == RC_OK && rows_next(&q) && rows_int(&q, 0) <= id) {
        *out = (struct pack){.first = rows_int(&q, 0), .last = rows_int(&q, 1)};
        found = true;
        if (!open_pack(row_str(&q, 2, a), row_str(&q, 3, a), row_str(&q, 4, a), 0, out))
            out->n = 0;
    }
    rc = rows_done(&q, rc, e);
    return must_exist(rc, found, "pack", e);
}

enum rc store_vector_get(struct db *db, struct arena *a, struct vector_scope s, int64_t id, size_t dimension,
    struct vector_set *out, struct err *e)
{
    char sql[VECTOR_SQL_MAX];
    struct rows q;
    bool found = false;
    if (id <= owner_first(s.owner) || id > owner_last(s.owner))
        return err_set(e, RC_NOT_FOUND, "the vector is not the owner's");
    if (!vector_sql(sql, "SELECT scale, v FROM {T} WHERE id = ?", s, e))
        return RC_INTERNAL;
    enum rc rc = db_query(db, &q, sql, ARGS(v_int(id)), e);
    if (rc == RC_OK && rows_next(&q)) {
        *out = set_of(row_str(&q, 1, a), rows_real(&q, 0), dimension);
        found = out->n > 0;
    }
    rc = rows_done(&q, rc, e);
    struct pack p = {0};
    if (rc != RC_OK || found)
        return rc;
    rc = read_pack(db, a, s, id, &p, e);
    for (size_t i = 0; rc == RC_OK && i < p.n && p.dimension == dimension; i++)
        if (id_at(&p, s.owner, i) == id) {
            *out = set_at(&p, i);
            return RC_OK;
        }
    return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "the row has no vector") : rc;
}

/* ---- changing ---- */

/* A damaged pack cannot be restored: its rows are embedded again. */
static enum rc drop_pack(struct db *db, struct vector_scope s, const struct pack *p, struct err *e)
{
    enum rc rc = vector_exec(db, "DELETE FROM {K} WHERE id = ?", s, ARGS(v_int(p->last)), e);
    if (rc == RC_OK && p->n == 0)
        rc = db_exec(db,
            "UPDATE embedding_progress SET done_to = min(done_to, ?) "
            "WHERE model_id = ? AND layer = ? AND owner = ?",
            ARGS(v_int(p->first - 1), v_int(s.model), v_text(vector_layers[s.layer].word),
                v_int(p->last >> 32)),
            NULL, e);
    return rc;
}

enum rc vector_unpack(struct db *db, struct vector_scope s, int64_t id, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct pack p = {0};
    enum rc rc = read_pack(db, a, s, id, &p, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    struct vector_set set;
    for (size_t i = 0; rc == RC_OK && i < p.n; i += set.n) {
        set = set_at(&p, i);
        rc = vector_exec(db,
            "INSERT INTO {T} (id, scale, v) SELECT m.id, ?, ? FROM {P} m WHERE m.id = ? "
            "ON CONFLICT (id) DO NOTHING",
            s,
            ARGS(v_real((double)set.scale), v_blob(set.v, set.n * set.dimension),
                v_int(id_at(&p, p.last >> 32, i))),
            e);
    }
    return rc == RC_OK ? drop_pack(db, s, &p, e) : rc;
}

static enum rc write_pack(struct db *db, struct vector_scope s, const struct pack *p, struct err *e)
{
    return vector_exec(db,
        "INSERT INTO {K} (id, first, owner, ids, scales, v) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO "
        "UPDATE SET ids = excluded.ids, scales = excluded.scales, v = excluded.v",
        s,
        ARGS(v_int(p->last), v_int(p->first), v_int(p->last >> 32), v_blob(p->ids, p->n * sizeof(uint32_t)),
            v_blob(p->scales, p->n * sizeof(float)), v_blob(p->v, p->n * p->dimension)),
        e);
}

/* The range of the owner's rows that may go into the next pack. */
struct span {
    int64_t first, last; /* ids */
    int64_t dimension;
    bool closed; /* a pack follows: the span will not grow */
};

/* RC_NOT_FOUND: no rows are old enough. */
static enum rc find_span(struct db *db, struct vector_scope s, struct span *out, struct err *e)
{
    int64_t done_to, next;
    struct db_value from = v_int(owner_first(s.owner)), to = v_int(owner_last(s.owner));
    enum rc rc = db_one_int(
        db, "SELECT dimension FROM embedding_model WHERE id = ?", ARGS(v_int(s.model)), &out->dimension, e);
    if (rc == RC_OK)
        rc = vector_progress(db, s, &done_to, e);
    if (rc != RC_OK)
        return rc;
    struct db_value size = v_int(out->dimension);
    rc = vector_one_int(db,
        "SELECT id FROM {T} WHERE id > ? AND id <= ? AND length(v) % ? = 0 ORDER BY id DESC LIMIT 1 "
        "OFFSET ?",
        s, ARGS(from, v_int(done_to), size, v_int(VECTOR_PACK_LEAVE)), &out->last, e);
    if (rc != RC_OK)
        return rc;
    rc = vector_one_int(db,
        "SELECT id FROM {T} WHERE id > ? AND id <= ? AND length(v) % ? = 0 ORDER BY id LIMIT 1", s,
        ARGS(from, to, size), &out->first, e);
    if (rc != RC_OK)
        return rc;
    rc = vector_one_int(db,
        "SELECT coalesce((SELECT first FROM {K} WHERE id > ? AND id <= ? ORDER BY id LIMIT 1), 0)", s,
        ARGS(v_int(out->first), to), &next, e);
    out->closed = next && next <= out->last;
    if (out->closed)
        out->last = next - 1;
    return rc;
}

/* The first rows of the span with at most `most` vectors, but at least one row, in the arena. `full`: the
 * next row does not fit. */
static enum rc gather(struct db *db, struct arena *a, struct vector_scope s, const struct span *span,
    size_t most, struct pack *p, bool *full, struct err *e)
{
    char sql[VECTOR_SQL_MAX];
    struct rows q;
    size_t dimension = (size_t)span->dimension,
           room = most > VECTOR_PASSAGES_MAX ? most : VECTOR_PASSAGES_MAX;
    uint32_t *ids = ARENA_ARRAY(a, uint32_t, room);
    float *scales = ARENA_ARRAY(a, float, room);
    int8_t *v = arena_alloc(a, room * dimension);
    *full = false;
    *p = (struct pack){.first = span->first, .ids = ids, .scales = scales, .v = v, .dimension = dimension};
    if (!vector_sql(sql,
            "SELECT id, scale, v FROM {T} WHERE id >= ? AND id <= ? AND length(v) % ? = 0 ORDER BY id LIMIT "
            "?",
            s, e))
        return RC_INTERNAL;
    enum rc rc = db_query(db, &q, sql,
        ARGS(v_int(span->first), v_int(span->last), v_int(span->dimension), v_int((int64_t)most)), e);
    while (rc == RC_OK && !*full && rows_next(&q)) {
        struct vector_set set = set_of(rows_blob(&q, 2), rows_real(&q, 1), dimension);
        if (p->n + set.n > (p->n ? most : room)) {
            *full = true;
            break;
        }
        p->last = rows_int(&q, 0);
        memcpy(v + p->n * dimension, set.v, set.n * dimension);
        for (size_t i = 0; i < set.n; i++, p->n++) {
            ids[p->n] = (uint32_t)p->last;
            scales[p->n] = set.scale;
        }
        *full = p->n >= most;
    }
    return rows_done(&q, rc, e);
}

enum rc store_vector_pack(struct db *db, struct vector_scope s, bool *more, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct span span;
    struct pack p = {0};
    *more = false;
    if (!vector_layers[s.layer].packs)
        return RC_OK;
    enum rc rc = find_span(db, s, &span, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    size_t most = VECTOR_PACK_BYTES / (size_t)span.dimension;
    bool full;
    rc = gather(db, a, s, &span, most, &p, &full, e);
    if (rc != RC_OK || p.n == 0 || (!full && !span.closed))
        return rc;
    rc = write_pack(db, s, &p, e);
    if (rc == RC_OK)
        rc = vector_exec(db, "DELETE FROM {T} WHERE id >= ? AND id <= ? AND length(v) % ? = 0", s,
            ARGS(v_int(p.first), v_int(p.last), v_int(span.dimension)), e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE embedding_progress SET packed_to = max(packed_to, ?) "
            "WHERE model_id = ? AND layer = ? AND owner = ?",
            ARGS(v_int(p.last), v_int(s.model), v_text(vector_layers[s.layer].word), v_int(s.owner)), NULL,
            e);
    *more = rc == RC_OK;
    return rc;
}

/* The pack around an id without deleted rows. */
static enum rc clean_pack(
    struct db *db, struct vector_scope s, int64_t id, int64_t *cleaned_to, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct pack p = {0};
    struct gone gone = {0};
    enum rc rc = read_pack(db, a, s, id, &p, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    *cleaned_to = p.last;
    rc = read_gone(db, a, p.first - 1, p.last, -1, &gone, e);
    uint32_t *ids = ARENA_ARRAY(a, uint32_t, p.n + 1);
    float *scales = ARENA_ARRAY(a, float, p.n + 1);
    int8_t *v = arena_alloc(a, p.n * p.dimension + 1);
    size_t n = 0;
    for (size_t i = 0; rc == RC_OK && i < p.n; i++) {
        if (is_gone(&gone, id_at(&p, p.last >> 32, i)))
            continue;
        ids[n] = (uint32_t)id_at(&p, p.last >> 32, i);
        scales[n] = scale_at(&p, i);
        memcpy(v + n++ * p.dimension, p.v + i * p.dimension, p.dimension);
    }
    if (rc != RC_OK || (n && n == p.n))
        return rc;
    if (n == 0)
        return vector_exec(db, "DELETE FROM {K} WHERE id = ?", s, ARGS(v_int(p.last)), e);
    p = (struct pack){p.first, p.last, n, ids, scales, v, p.dimension};
    return write_pack(db, s, &p, e);
}

/* Removes the vectors with these ids from a model, until enough packs were written. `upto`: the last id that
 * is done. */
static enum rc purge_model(
    struct db *db, int64_t model, const struct gone *gone, int64_t *upto, struct err *e)
{
    const struct vector_scope s = {VECTOR_MESSAGE, model, 0};
    int64_t cleaned_to = 0, packs = 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < gone->n && gone->ids[i] <= *upto; i++) {
        bool another = gone->ids[i] > cleaned_to;
        if (another && packs++ == PURGE_PACKS) {
            *upto = gone->ids[i - 1];
            break;
        }
        if (another)
            rc = clean_pack(db, s, gone->ids[i], &cleaned_to, e);
        /* a row of the trash is still there, so its vector is too */
        if (rc == RC_OK)
            rc = vector_exec(db, "DELETE FROM {T} WHERE id = ?", s, ARGS(v_int(gone->ids[i])), e);
    }
    return rc;
}

enum rc store_vector_purge(struct db *db, bool *more, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct gone gone = {0};
    int64_t *models = NULL;
    size_t models_n = 0;
    *more = false;
    enum rc rc = read_gone(db, a, 0, INT64_MAX, PURGE_IDS, &gone, e);
    if (rc != RC_OK || gone.n == 0)
        return rc;
    int64_t last = gone.ids[gone.n - 1], upto = last;
    rc = embedding_model_ids(db, a, &models, &models_n, e);
    for (size_t m = 0; rc == RC_OK && m < models_n; m++)
        rc = purge_model(db, models[m], &gone, &upto, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM vector_gone WHERE id <= ?", ARGS(v_int(upto)), NULL, e);
    *more = rc == RC_OK && (upto < last || gone.n == PURGE_IDS);
    return rc;
}

enum rc store_vector_erase_some(struct db *db, int64_t owner, bool *more, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *models = NULL;
    size_t n = 0;
    *more = false;
    enum rc rc = embedding_model_ids(db, a, &models, &n, e);
    for (size_t m = 0; rc == RC_OK && !*more && m < n; m++) {
        const struct vector_scope s = {VECTOR_MESSAGE, models[m], owner};
        int64_t upto = 0;
        rc = vector_one_int(db,
            "SELECT coalesce(max(id), 0) FROM (SELECT id FROM {K} WHERE id BETWEEN ? AND ? ORDER BY id LIMIT "
            "?)",
            s, ARGS(v_int(owner_first(owner)), v_int(owner_last(owner)), v_int(ERASE_PACKS)), &upto, e);
        *more = rc == RC_OK && upto > 0;
        if (*more)
            rc = vector_exec(db, "DELETE FROM {K} WHERE id BETWEEN ? AND ?", s,
                ARGS(v_int(owner_first(owner)), v_int(upto)), e);
    }
    return rc;
}
