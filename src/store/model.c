#include "store/model.h"

#include "store/row.h"

enum rc store_models_version(struct db *db, int64_t *out, struct err *e)
{
    return db_one_int(db, "SELECT n FROM model_change", NO_ARGS, out, e);
}

static enum rc count_change(struct db *db, struct err *e)
{
    return db_exec(db, "UPDATE model_change SET n = n + 1", NO_ARGS, NULL, e);
}

/* FNV-1a, https://datatracker.ietf.org/doc/html/draft-eastlake-fnv; 63 bits of it. */
static uint64_t mix(uint64_t h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)p)[i]) * UINT64_C(0x100000001B3); /* NOLINT */
    return h;
}

static uint64_t mix_text(uint64_t h, const char *s)
{
    return mix(h, s ? s : "", s ? strlen(s) + 1 : 1);
}

static int64_t digest_of(const struct model_list_row *l, const struct model_row *models, size_t n)
{
    uint64_t h = mix_text(mix_text(UINT64_C(0xCBF29CE484222325), l->base_url), l->server);
    for (size_t i = 0; i < n; i++) {
        const struct model_row *m = &models[i];
        int64_t numbers[] = {
            m->chat, m->loaded, m->window, m->tools, m->images, m->reasoning, m->created, (int64_t)i};
        h = mix(mix_text(mix_text(h, m->name), m->window_from), numbers, sizeof numbers);
    }
    return (int64_t)(h >> 1);
}

static enum rc insert(
    struct db *db, const struct model_list_row *l, const struct model_row *m, int64_t position, struct err *e)
{
    return db_exec(db,
        "INSERT INTO model (provider, name, position, chat, window, window_from, tools, images, reasoning, "
        "created, loaded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        ARGS(v_text(l->provider), v_text(m->name), v_int(position), v_int(m->chat), v_int(m->window),
            v_text(m->window_from), v_int(m->tools), v_int(m->images), v_int(m->reasoning), v_int(m->created),
            v_int(m->loaded)),
        NULL, e);
}

static enum rc replace(
    struct db *db, const struct model_list_row *l, const struct model_row *models, size_t n, struct err *e)
{
    enum rc rc = db_exec(db, "DELETE FROM model WHERE provider = ?", ARGS(v_text(l->provider)), NULL, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = insert(db, l, &models[i], (int64_t)i, e);
    return rc;
}

enum rc store_models_put(
    struct db *db, const struct model_list_row *l, const struct model_row *models, size_t n, struct err *e)
{
    int64_t digest = digest_of(l, models, n), same = 0;
    enum rc rc = db_exec(db,
        "UPDATE model_list SET asked_at = ?, listed_at = CASE WHEN ? = 1 THEN ? ELSE listed_at END "
        "WHERE provider = ? AND base_url = ? AND coalesce(failure, '') = coalesce(?, '') "
        "AND (digest = ? OR ? = 0)",
        ARGS(v_int(l->asked_at), v_int(!l->failure), v_int(l->asked_at), v_text(l->provider),
            v_text(l->base_url), v_text(l->failure), v_int(digest), v_int(!l->failure)),
        &same, e);
    if (rc != RC_OK || same)
        return rc;
    rc = db_exec(db,
        "INSERT INTO model_list (provider, base_url, server, digest, asked_at, listed_at, failure) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provider) DO UPDATE SET base_url = excluded.base_url, "
        "server = CASE WHEN excluded.failure IS NULL THEN excluded.server ELSE model_list.server END, "
        "digest = CASE WHEN excluded.failure IS NULL THEN excluded.digest ELSE model_list.digest END, "
        "asked_at = excluded.asked_at, listed_at = CASE WHEN excluded.failure IS NULL THEN "
        "excluded.listed_at WHEN model_list.base_url = excluded.base_url THEN model_list.listed_at ELSE 0 "
        "END, failure = excluded.failure",
        ARGS(v_text(l->provider), v_text(l->base_url), v_text(l->server), v_int(l->failure ? 0 : digest),
            v_int(l->asked_at), v_int(l->failure ? 0 : l->asked_at), v_text(l->failure)),
        NULL, e);
    if (rc == RC_OK && !l->failure)
        rc = replace(db, l, models, n, e);
    return rc == RC_OK ? count_change(db, e) : rc;
}

enum rc store_model_learn(struct db *db, const struct model_learned_row *m, int64_t at, struct err *e)
{
    enum rc rc = db_exec(db, "DELETE FROM model_learned WHERE provider = ? AND name = ? AND base_url <> ?",
        ARGS(v_text(m->provider), v_text(m->name), v_text(m->base_url)), NULL, e);
    if (rc != RC_OK)
        return rc;
    rc = db_exec(db,
        "INSERT INTO model_learned "
        "(provider, name, base_url, window, tools, responses, temperature, reasoning_back, images, form, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (provider, name) DO UPDATE SET "
        "window = CASE WHEN excluded.window > 0 THEN excluded.window ELSE model_learned.window END, "
        "tools = CASE WHEN excluded.tools > 0 THEN excluded.tools ELSE model_learned.tools END, "
        "responses = CASE WHEN excluded.responses > 0 THEN excluded.responses ELSE model_learned.responses "
        "END, "
        "temperature = CASE WHEN excluded.temperature > 0 THEN excluded.temperature ELSE "
        "model_learned.temperature END, "
        "reasoning_back = CASE WHEN excluded.reasoning_back > 0 THEN excluded.reasoning_back ELSE "
        "model_learned.reasoning_back END, "
        "images = CASE WHEN excluded.images > 0 THEN excluded.images ELSE model_learned.images END, "
        "form = CASE WHEN excluded.form > 0 THEN excluded.form ELSE model_learned.form END, "
        "at = excluded.at",
        ARGS(v_text(m->provider), v_text(m->name), v_text(m->base_url), v_int(m->window), v_int(m->tools),
            v_int(m->responses), v_int(m->temperature), v_int(m->reasoning_back), v_int(m->images),
            v_int(m->form), v_int(at)),
        NULL, e);
    return rc == RC_OK ? count_change(db, e) : rc;
}

enum rc store_models_forget(struct db *db, int64_t learned_before, struct err *e)
{
    int64_t removed = 0;
    enum rc rc =
        db_exec(db, "DELETE FROM model_learned WHERE at < ?", ARGS(v_int(learned_before)), &removed, e);
    return rc == RC_OK && removed ? count_change(db, e) : rc;
}

/* ---- reading ---- */

static struct model_row read_model(const struct rows *q, struct arena *a)
{
    return (struct model_row){.provider = row_text(q, 0, a),
        .name = row_text(q, 1, a),
        .chat = rows_int(q, 2) != 0,
        .window = rows_int(q, 3),
        .window_from = row_text(q, 4, a),
        .tools = (int)rows_int(q, 5),
        .images = (int)rows_int(q, 6),
        .reasoning = (int)rows_int(q, 7),
        .created = rows_int(q, 8),
        .loaded = rows_int(q, 9) != 0};
}

DEFINE_ROWS(model, struct model_row, read_model, "model")

static struct model_list_row read_model_list(const struct rows *q, struct arena *a)
{
    return (struct model_list_row){.provider = row_text(q, 0, a),
        .base_url = row_text(q, 1, a),
        .server = row_text(q, 2, a),
        .asked_at = rows_int(q, 3),
        .listed_at = rows_int(q, 4),
        .failure = row_text(q, 5, a)};
}

DEFINE_ROWS(model_list, struct model_list_row, read_model_list, "list of models")

static struct model_learned_row read_learned(const struct rows *q, struct arena *a)
{
    return (struct model_learned_row){.provider = row_text(q, 0, a),
        .name = row_text(q, 1, a),
        .base_url = row_text(q, 2, a),
        .window = rows_int(q, 3),
        .tools = (int)rows_int(q, 4),
        .responses = (int)rows_int(q, 5),
        .temperature = (int)rows_int(q, 6),
        .reasoning_back = (int)rows_int(q, 7),
        .images = (int)rows_int(q, 8),
        .form = (int)rows_int(q, 9)};
}

DEFINE_ROWS(learned, struct model_learned_row, read_learned, "limit of a model")

enum rc store_models_read(
    struct db *db, struct arena *a, const char *provider, struct model_row **out, size_t *n, struct err *e)
{
    return list_model(db, a,
        "SELECT provider, name, chat, window, window_from, tools, images, reasoning, created, loaded "
        "FROM model WHERE provider = ? ORDER BY position",
        ARGS(v_text(provider)), out, n, e);
}

enum rc store_model_list_get(
    struct db *db, struct arena *a, const char *provider, struct model_list_row *out, struct err *e)
{
    return get_model_list(db, a,
        "SELECT provider, base_url, server, asked_at, listed_at, failure FROM model_list WHERE provider = ?",
        ARGS(v_text(provider)), out, e);
}

enum rc store_models_learned(struct db *db, struct arena *a, const char *provider,
    struct model_learned_row **out, size_t *n, struct err *e)
{
    return list_learned(db, a,
        "SELECT provider, name, base_url, window, tools, responses, temperature, reasoning_back, images, "
        "form "
        "FROM model_learned WHERE provider = ?",
        ARGS(v_text(provider)), out, n, e);
}
