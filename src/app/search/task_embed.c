/*
 * Vectors for messages, summaries and facts. One job per owner embeds all of the owner's rows without a
 * vector, one batch per transaction, then packs older vectors (store/search/vector.h). A helper that dies in
 * between loses one batch and repeats none. A row that the provider refuses is marked with the reason
 * (store/search/vector_skip.h). After EMBED_SLICE_MS the rest becomes a new job, so other jobs can run.
 *
 * The job without an owner runs at every start. It registers the model of [embedding] and gives every owner a
 * job. A new model is thereby filled in the background while the old one serves. When no row lacks a vector,
 * the new model is promoted, and the older vectors are deleted in steps.
 */
#include "app/search/search_tasks.h"

#include "app/jobs/ask.h"
#include "app/jobs/jobs.h"
#include "app/jobs/mass.h"
#include "app/models/embedder.h"
#include "app/search/document_vectors.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/account/user.h"

#define EMBED_SLICE_MS 5000
#define BATCH_ROWS     64
#define BATCH_BYTES    ((size_t)256 * 1024)

/* A query matches a few sentences of a message, so a passage is about 400 tokens, which even the smallest
 * models accept. The lexical embedder counts words: in more than 1,600 bytes a single word has too little
 * weight to be found by similarity. */
#define MESSAGE_PASSAGE         ((size_t)1600)
#define MESSAGE_PASSAGE_LEXICAL ((size_t)800)

struct work {
    struct helper *h;
    const struct job *job;
    struct arena *a;
    struct embedder embedder;
    struct embedding_model model;
    enum vector_layer layer;
    struct vector_lack *rows;
    struct document *docs;
    size_t n;
    bool learned; /* a limit of the model */
    bool packed;  /* a pack was written, and there may be more */
    bool retired; /* older vectors may be left */
    int64_t now;
};

/* ---- the model ---- */

static enum rc request(void *arg, struct arena *a, const struct str *texts, size_t n, float **out,
    size_t *dimension, struct err *e)
{
    struct work *w = arg;
    const struct provider_source *c = w->embedder.source; /* NULL: the built-in embedder */
    struct err why = ERR_INIT;
    bool harmless = n == 1 && str_is(texts[0], DOCUMENT_HARMLESS);
    enum rc rc = c ? helper_may_ask(w->h, c, &why) : RC_OK;
    if (rc == RC_OK) {
        rc = embedder_documents(&w->embedder, a, texts, n, out, dimension, &why);
        /* The texts may be too many or too hard for it: only a silence after the harmless one begins a pause,
         * in which that one could not be asked. */
        if (c && (rc != RC_TIMEOUT || harmless))
            rc = helper_heard(w->h, c, harmless ? HARMLESS_REQUEST : ANY_REQUEST, &why);
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

/* The dimension of a new model is that of its first answer. */
static enum rc ensure_model(struct work *w, struct err *e)
{
    struct embedder *m = &w->embedder;
    enum rc rc = embedder_configured(w->h->config, w->h->providers, m, e);
    m->stop_fd = w->h->signal_fd;
    if (rc == RC_OK && (rc = find_model(w, e)) == RC_NOT_FOUND) {
        struct str text = STR(DOCUMENT_HARMLESS);
        float *ignored;
        size_t dimension;
        rc = request(w, w->a, &text, 1, &ignored, &dimension, e);
        if (rc != RC_OK)
            return rc;
        w->model = (struct embedding_model){
            .provider = m->provider, .model = m->model, .prefix = m->prefix, .dimension = (int64_t)dimension};
        rc = store_write_lazy(w->h->store, add_model_tx, w, e);
        if (rc == RC_OK)
            log_info("embedding model %s/%s with %lld numbers", m->provider, m->model,
                (long long)w->model.dimension);
        if (rc == RC_OK)
            rc = find_model(w, e);
    }
    m->dimension = w->model.dimension; /* from now on another dimension is a failure */
    return rc;
}

static enum rc everybody_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    struct user *users;
    size_t n;
    enum rc rc = store_user_list(db, w->a, &users, &n, e);
    if (rc == RC_OK) /* another model that was begun and is no longer wanted is removed */
        rc = store_embedding_model_build_only(db, w->model.id, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = store_job_add(db, JOB_EMBED, users[i].id, 0, w->now, w->now, e);
    return rc;
}

/* ---- promotion ---- */

static enum rc any_user_lacks(struct db *db, struct work *w, bool *out, struct err *e)
{
    struct user *users;
    size_t n;
    enum rc rc = store_user_list(db, w->a, &users, &n, e);
    *out = false;
    for (size_t i = 0; rc == RC_OK && i < n && !*out; i++)
        for (enum vector_layer l = 0; rc == RC_OK && l < VECTOR_LAYERS && !*out; l++) {
            struct vector_lack *rows;
            size_t lack;
            rc = store_vector_lacking(
                db, w->a, (struct vector_scope){l, w->model.id, users[i].id}, 1, 1, &rows, &lack, e);
            *out = lack > 0;
        }
    return rc;
}

static enum rc promote_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    bool lacks;
    enum rc rc = any_user_lacks(db, w, &lacks, e);
    if (rc != RC_OK || lacks)
        return rc;
    log_info("embedding model %s/%s is now in use", w->model.provider, w->model.model);
    return store_embedding_model_promote(db, w->model.id, e);
}

static enum rc drop_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    int64_t until = clock_mono_ms() + MASS_STEP_MS;
    enum rc rc;
    do
        rc = store_embedding_model_drop_some(db, &w->retired, e);
    while (rc == RC_OK && w->retired && clock_mono_ms() < until);
    return rc;
}

/* Deletes the vectors of models that are no longer used. */
static enum rc drop_retired(struct work *w, int64_t until, struct err *e)
{
    struct mass m = {.store = w->h->store, .stop_fd = w->h->signal_fd};
    struct db *db = store_read(w->h->store);
    enum rc rc = store_embedding_model_retired(db, &w->retired, e);
    store_read_done(w->h->store, db);
    while (rc == RC_OK && w->retired && clock_mono_ms() < until)
        rc = mass_step(&m, drop_tx, w, e);
    return rc;
}

/* ---- batches ---- */

static struct vector_scope scope_of(const struct work *w)
{
    return (struct vector_scope){w->layer, w->model.id, w->job->owner};
}

static enum rc save_row(struct db *db, const struct work *w, size_t i, struct err *e)
{
    const struct document *doc = &w->docs[i];
    switch (doc->state) {
    case DOCUMENT_EMBEDDED: return store_vector_put(db, scope_of(w), &w->rows[i], &doc->set, e);
    case DOCUMENT_SKIPPED: return store_vector_skip(db, scope_of(w), &w->rows[i], doc->why, e);
    case DOCUMENT_OPEN: break;
    }
    return RC_OK;
}

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    enum rc rc = w->learned ? store_embedding_model_learn(db, &w->model, e) : RC_OK;
    for (size_t i = 0; rc == RC_OK && i < w->n; i++)
        rc = save_row(db, w, i, e);
    return rc == RC_OK ? store_vector_advance(db, scope_of(w), e) : rc;
}

/* Summaries and facts are one passage each: they have one subject. */
static size_t passage_bytes(const struct work *w)
{
    if (w->layer != VECTOR_MESSAGE)
        return EMBEDDER_TEXT_MAX;
    return w->embedder.offline ? MESSAGE_PASSAGE_LEXICAL : MESSAGE_PASSAGE;
}

/* Makes the vectors of w->rows. After a failure w->docs still has those that were made. */
static enum rc embed_rows(struct work *w, struct err *e)
{
    struct document_embedder m = {.request = request,
        .arg = w,
        .passage_bytes = passage_bytes(w),
        .text_bytes_max = w->embedder.offline ? SIZE_MAX : EMBEDDER_TEXT_MAX,
        .limits = {(size_t)w->model.passage_bytes, (size_t)w->model.batch_texts}};
    w->docs = ARENA_ARRAY(w->a, struct document, w->n);
    for (size_t i = 0; i < w->n; i++)
        w->docs[i].text = w->rows[i].text;
    enum rc rc = document_vectors(&m, w->a, w->docs, w->n, e);
    int64_t bytes = (int64_t)m.limits.passage_bytes, texts = (int64_t)m.limits.request_texts;
    w->learned = bytes != w->model.passage_bytes || texts != w->model.batch_texts;
    if (w->learned)
        log_info("embedding model %s/%s accepts passages of %lld bytes, %lld in a request (0: as many as "
                 "were sent)",
            w->model.provider, w->model.model, (long long)bytes, (long long)texts);
    w->model.passage_bytes = bytes;
    w->model.batch_texts = texts;
    for (size_t i = 0; i < w->n; i++)
        if (w->docs[i].state == DOCUMENT_SKIPPED && w->docs[i].why != SKIP_EMPTY)
            log_warn("no vector for row %lld: %s", (long long)w->rows[i].id,
                lang_text(lang_english(), job_skip_label(w->docs[i].why)));
    return rc;
}

/* w->n is 0 when there is nothing left. */
static enum rc one_batch(struct work *w, struct err *e)
{
    struct db *db = store_read(w->h->store);
    enum rc rc = store_vector_lacking(db, w->a, scope_of(w), BATCH_ROWS, BATCH_BYTES, &w->rows, &w->n, e);
    store_read_done(w->h->store, db);
    if (rc != RC_OK || w->n == 0)
        return rc;
    rc = embed_rows(w, e);
    enum rc saved = store_write_lazy(w->h->store, save_tx, w, rc == RC_OK ? e : NULL);
    return rc == RC_OK ? saved : rc;
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
    return store_vector_pack(db, scope_of(w), &w->packed, e);
}

/* Moves the older vectors into packs, one pack per transaction. */
static enum rc pack_layer(struct work *w, int64_t until, struct err *e)
{
    enum rc rc = RC_OK;
    for (w->packed = true; rc == RC_OK && w->packed && clock_mono_ms() < until;)
        rc = store_write_lazy(w->h->store, pack_tx, w, e);
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
    if (!more && !w->model.serving)
        rc = store_write_lazy(w->h->store, promote_tx, w, e);
    if (rc == RC_OK && !more) {
        rc = drop_retired(w, until, e);
        more = w->retired;
    }
    return rc == RC_OK && more ? store_write_lazy(w->h->store, go_on_tx, w, e) : rc;
}

enum rc task_embed(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct work w = {.h = h, .job = job, .a = a, .now = clock_wall_ms()};
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    enum rc rc = mass_merge(&m, e); /* the texts have entered the text index, too */
    if (rc == RC_OK)
        rc = ensure_model(&w, e);
    if (rc != RC_OK)
        return rc;
    return job->owner ? embed_owner(&w, e) : store_write_lazy(h->store, everybody_tx, &w, e);
}
