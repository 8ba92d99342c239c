/*
 * Vectors for what was said, summarised and remembered. One job per owner embeds all of the owner's rows that
 * lack one, a batch per transaction, then packs what has settled (store/vector.h), so that a helper that dies
 * in between has lost one batch and done nothing twice. After EMBED_SLICE_MS the rest becomes a job of its
 * own, and others get their turn.
 *
 * The job without an owner comes at every start: it makes sure that the model of [embedding] is known and
 * gives every owner a job. So a new model fills itself in the background, while the one before serves; when
 * nobody lacks anything any more it is promoted, and the older vectors go.
 */
#include "helper/ask.h"

#include "app/models/embedder.h"
#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/user.h"

#define EMBED_SLICE_MS 5000
#define PROBE          "dimension"

struct work {
    struct helper *h;
    const struct job *job;
    struct arena *a;
    struct embedder embedder;
    struct embedding_model model;
    enum vector_layer layer;
    struct vector_lack *rows;
    struct embedded *vectors;
    size_t n, dimension;
    bool packed; /* one more */
    int64_t now;
};

/* ---- the model ---- */

static enum rc embed(struct work *w, const struct str *texts, size_t n, struct embedded **out, struct err *e)
{
    const struct provider_choice *c = w->embedder.choice; /* NULL: it is made here */
    struct err why = ERR_INIT;
    enum rc rc = c ? helper_may_ask(w->h, c, &why) : RC_OK;
    if (rc == RC_OK) {
        rc = embedder_documents(&w->embedder, w->a, texts, n, out, &w->dimension, &why);
        if (c)
            helper_heard(w->h, c, &why);
    }
    if (rc != RC_OK && e)
        *e = why;
    return rc;
}

static enum rc add_model_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    return store_embedding_model_add(db, &w->model, clock_wall_ms(), &w->model.id, e);
}

static enum rc find_model(struct work *w, struct err *e)
{
    const struct embedder *m = &w->embedder;
    struct db *db = store_read(w->h->store);
    enum rc rc =
        store_embedding_model_find(db, w->a, m->provider, m->model, m->prefix, m->dimension, &w->model, e);
    store_read_done(w->h->store, db);
    return rc;
}

/* A model that nobody knows yet says itself how long its vectors are. */
static enum rc ensure_model(struct work *w, struct err *e)
{
    struct embedder *m = &w->embedder;
    enum rc rc = embedder_configured(w->h->config, w->h->providers, m, e);
    m->stop_fd = w->h->signal_fd;
    if (rc == RC_OK && (rc = find_model(w, e)) == RC_NOT_FOUND) {
        struct embedded *probe;
        struct str text = STR(PROBE);
        rc = embed(w, &text, 1, &probe, e);
        if (rc != RC_OK)
            return rc;
        w->model = (struct embedding_model){.provider = m->provider,
            .model = m->model,
            .prefix = m->prefix,
            .dimension = (int64_t)w->dimension};
        rc = store_write(w->h->store, add_model_tx, w, e);
        if (rc == RC_OK)
            log_info("embedding model %s/%s with %lld numbers", m->provider, m->model,
                (long long)w->model.dimension);
        if (rc == RC_OK)
            rc = find_model(w, e);
    }
    m->dimension = w->model.dimension; /* from now on another length is a failure */
    return rc;
}

static enum rc everybody_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    struct user *users;
    size_t n;
    enum rc rc = store_user_list(db, w->a, &users, &n, e);
    if (rc == RC_OK) /* one that was begun and is not wanted any more goes */
        rc = store_embedding_model_build_only(db, w->model.id, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = store_job_add(db, JOB_EMBED, users[i].id, 0, w->now, w->now, e);
    return rc;
}

/* ---- promotion ---- */

static enum rc somebody_lacks(struct db *db, struct work *w, bool *out, struct err *e)
{
    struct user *users;
    size_t n;
    enum rc rc = store_user_list(db, w->a, &users, &n, e);
    *out = false;
    for (size_t i = 0; rc == RC_OK && i < n && !*out; i++)
        for (enum vector_layer l = 0; rc == RC_OK && l < VECTOR_LAYERS && !*out; l++) {
            struct vector_lack *rows;
            size_t lack;
            rc = store_vector_lacking(db, w->a, l, w->model.id, users[i].id, 1, 1, &rows, &lack, e);
            *out = lack > 0;
        }
    return rc;
}

static enum rc promote_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    bool lacks;
    enum rc rc = somebody_lacks(db, w, &lacks, e);
    if (rc != RC_OK || lacks)
        return rc;
    log_info("embedding model %s/%s serves from now on", w->model.provider, w->model.model);
    return store_embedding_model_promote(db, w->model.id, e);
}

/* ---- batches ---- */

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < w->n; i++)
        rc = store_vector_put(db, w->layer, w->model.id, w->job->owner, &w->rows[i], w->vectors[i].v,
            w->dimension, w->vectors[i].scale, e);
    return rc == RC_OK ? store_vector_advance(db, w->layer, w->model.id, w->job->owner, e) : rc;
}

/* w->n is 0 when there is nothing left. */
static enum rc one_batch(struct work *w, struct err *e)
{
    struct db *db = store_read(w->h->store);
    enum rc rc = store_vector_lacking(db, w->a, w->layer, w->model.id, w->job->owner, EMBEDDER_BATCH,
        EMBEDDER_BATCH_BYTES, &w->rows, &w->n, e);
    store_read_done(w->h->store, db);
    if (rc != RC_OK || w->n == 0)
        return rc;
    struct str texts[EMBEDDER_BATCH];
    for (size_t i = 0; i < w->n; i++)
        texts[i] = w->rows[i].text;
    rc = embed(w, texts, w->n, &w->vectors, e);
    return rc == RC_OK ? store_write(w->h->store, save_tx, w, e) : rc;
}

static enum rc go_on_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    return store_job_add(db, JOB_EMBED, w->job->owner, 0, w->now, w->now, e);
}

static enum rc embed_layer(struct work *w, int64_t until, struct err *e)
{
    struct arena *outer = w->a;
    enum rc rc;
    do {
        AUTO(arena) batch = arena_new();
        w->a = batch;
        rc = one_batch(w, e);
        w->a = outer;
    } while (rc == RC_OK && w->n > 0 && clock_mono_ms() < until);
    return rc;
}

static enum rc pack_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    return store_vector_pack(db, w->layer, w->model.id, w->job->owner, &w->packed, e);
}

/* What has settled moves into packs, one in a transaction. */
static enum rc pack_layer(struct work *w, int64_t until, struct err *e)
{
    enum rc rc = RC_OK;
    for (w->packed = true; rc == RC_OK && w->packed && clock_mono_ms() < until;)
        rc = store_write(w->h->store, pack_tx, w, e);
    return rc;
}

static enum rc embed_owner(struct work *w, struct err *e)
{
    int64_t until = clock_mono_ms() + EMBED_SLICE_MS;
    enum rc rc = RC_OK;
    bool more = false;
    for (w->layer = 0; rc == RC_OK && !more && w->layer < VECTOR_LAYERS; w->layer++) {
        rc = embed_layer(w, until, e);
        more = w->n > 0;
        if (rc == RC_OK && !more) {
            rc = pack_layer(w, until, e);
            more = w->packed;
        }
    }
    if (rc != RC_OK)
        return rc;
    w->now = clock_wall_ms();
    if (more)
        return store_write(w->h->store, go_on_tx, w, e);
    return w->model.serving ? RC_OK : store_write(w->h->store, promote_tx, w, e);
}

enum rc task_embed(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct work w = {.h = h, .job = job, .a = a, .now = clock_wall_ms()};
    enum rc rc = ensure_model(&w, e);
    if (rc != RC_OK)
        return rc;
    return job->owner ? embed_owner(&w, e) : store_write(h->store, everybody_tx, &w, e);
}
