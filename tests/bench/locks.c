/*
 * Measures how long mass jobs hold the database's write lock (docs/performance.md):
 *
 *     locks DATABASE
 *
 * DATABASE is one that `sessions` has made; the user "many" gets a vector for each message, and loses its
 * sessions. Runs each job's steps as the helper does and prints, per job, the number of transactions, the
 * processor time of all of them, and that of the longest, the 99th percentile and the median. It measures
 * processor time, which other load of the machine does not change. This includes the commit, and checkpoints,
 * which hold no lock.
 */
#include "texts.h"

#include <time.h>

#include "app/session/batch.h"
#include "app/trash/trash.h"
#include "base/clock.h"
#include "base/id.h"
#include "store/account/user.h"
#include "store/message/message.h"
#include "store/search/text_merge.h"
#include "store/search/vector.h"
#include "store/session/session_filter.h"
#include "store/session/suggestion.h"
#include "store/session/tag.h"

#define SESSIONS  10000
#define STEPS_MAX 1000000

struct bench {
    struct store *store;
    int64_t owner, tag;
    double *took; /* ms */
    size_t n;
};

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void timed(struct bench *b, store_fn *fn, void *arg)
{
    struct err e = ERR_INIT;
    double begun = processor_ms();
    must(store_write_lazy(b->store, fn, arg, &e), &e);
    if (b->n < STEPS_MAX)
        b->took[b->n++] = processor_ms() - begun;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(struct bench *b, const char *job)
{
    double sum = 0;
    qsort(b->took, b->n, sizeof *b->took, by_size);
    for (size_t i = 0; i < b->n; i++)
        sum += b->took[i];
    if (b->n)
        printf("%-32s %6zu transactions %9.0f ms, longest %7.1f, p99 %7.1f, median %6.1f\n", job, b->n, sum,
            b->took[b->n - 1], b->took[b->n * 99 / 100], b->took[b->n / 2]);
    fflush(stdout);
    b->n = 0;
}

/* ---- actions on many sessions ---- */

struct action {
    struct batch batch;
    struct arena *arena;
    int64_t *ids;
    size_t n;
    bool more;
};

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct action *t = arg;
    return store_batch_add(db, &t->batch, t->ids, t->n, e);
}

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    struct action *t = arg;
    AUTO(arena) a = arena_new();
    struct batch_step did;
    enum rc rc =
        store_batch_step(db, a, t->batch.id, BATCH_STEP_MOST, MASS_STEP_MS, clock_wall_ms(), &did, e);
    t->more = did.more;
    return rc;
}

static enum rc merge_tx(struct db *db, void *arg, struct err *e)
{
    return store_text_merge(db, arg, e);
}

static void steps(struct bench *b, struct action *t, const char *job)
{
    static double took[STEPS_MAX];
    struct bench m = {.store = b->store, .took = took};
    bool merges;
    for (t->more = true; t->more;) {
        timed(b, step_tx, t);
        for (merges = true; merges;)
            timed(&m, merge_tx, &merges);
    }
    report(b, job);
    report(&m, "  merges");
}

static enum rc undo_tx(struct db *db, void *arg, struct err *e)
{
    struct action *t = arg;
    return store_batch_undo(db, t->batch.owner, t->batch.pub, e);
}

static void act(struct bench *b, enum batch_action action, bool undo)
{
    AUTO(arena) a = arena_new();
    char pub[ID_SIZE], name[64];
    struct err e = ERR_INIT;
    struct action t = {.arena = a};
    id_new(ID_BATCH, pub);
    t.batch = (struct batch){.owner = b->owner,
        .pub = pub,
        .action = action,
        .workspace = action == BATCH_WORKSPACE ? "Bench" : NULL,
        .tag_id = action == BATCH_TAG || action == BATCH_UNTAG ? b->tag : 0,
        .created_at = clock_wall_ms()};
    struct db *db = store_read(b->store);
    struct session_filter all = {0};
    must(store_session_ids(db, a, b->owner, &all, SESSIONS, &t.ids, &t.n, &e), &e);
    store_read_done(b->store, db);
    t.batch.total = (int64_t)t.n;
    timed(b, begin_tx, &t);
    snprintf(name, sizeof name, "%s: begin", batch_action_name(action));
    report(b, name);
    steps(b, &t, batch_action_name(action));
    if (!undo)
        return;
    timed(b, undo_tx, &t);
    b->n = 0;
    snprintf(name, sizeof name, "%s: undo", batch_action_name(action));
    steps(b, &t, name);
}

/* ---- erasing ---- */

static enum rc erase_tx(struct db *db, void *arg, struct err *e)
{
    const struct bench *b = arg;
    return store_trash_erase(db, b->owner, NULL, e);
}

struct purge {
    bool begin, more;
};

static enum rc index_tx(struct db *db, void *arg, struct err *e)
{
    struct purge *p = arg;
    enum rc rc = store_text_purge(db, p->begin, &p->more, e);
    p->begin = false;
    return rc;
}

static void erase(struct bench *b)
{
    bool more = true;
    timed(b, erase_tx, b);
    report(b, "empty the trash");
    while (more)
        timed(b, trash_purge_tx, &more);
    report(b, "purge of the trash");
    for (struct purge p = {true, true}; p.more;)
        timed(b, index_tx, &p);
    report(b, "purge of the text index");
}

/* ---- a long branch ---- */

struct branch {
    int64_t owner, session_id, message_id, *parts;
    size_t n, done;
    const char *pub;
    bool more;
};

static enum rc find_branch_tx(struct db *db, void *arg, struct err *e)
{
    struct branch *t = arg;
    return db_one_int(db, "SELECT max(s.id) FROM session s WHERE s.owner = ? AND s.title = '5000 messages'",
               ARGS(v_int(t->owner)), &t->session_id, e) == RC_OK
               ? db_one_int(db, "SELECT min(id) + 1 FROM message WHERE session_id = ?",
                     ARGS(v_int(t->session_id)), &t->message_id, e)
               : RC_INTERNAL;
}

static enum rc part_tx(struct db *db, void *arg, struct err *e)
{
    struct branch *t = arg;
    int64_t until = clock_mono_ms() + MASS_STEP_MS;
    enum rc rc;
    do {
        const struct trash_part part = {
            t->owner, t->session_id, t->parts[t->done++], t->message_id, t->pub, clock_wall_ms()};
        rc = store_trash_part(db, &part, e);
    } while (rc == RC_OK && t->done < t->n && clock_mono_ms() < until);
    return rc;
}

static enum rc return_step_tx(struct db *db, void *arg, struct err *e)
{
    struct branch *t = arg;
    return store_trash_return_step(db, t->owner, t->pub, &t->more, e);
}

static enum rc return_tx(struct db *db, void *arg, struct err *e)
{
    struct branch *t = arg;
    struct trash_restored back;
    return store_trash_restore(db, t->owner, t->pub, &back, e);
}

/* As in app/trash/trash.c. */
static void branch(struct bench *b)
{
    AUTO(arena) a = arena_new();
    char pub[ID_SIZE];
    struct err e = ERR_INIT;
    struct branch t = {.owner = b->owner, .pub = pub};
    id_new(ID_SESSION, pub);
    must(store_write(b->store, find_branch_tx, &t, &e), &e);
    struct db *db = store_read(b->store);
    must(store_trash_parts(db, a, t.session_id, t.message_id, &t.parts, &t.n, &e), &e);
    store_read_done(b->store, db);
    while (t.done < t.n)
        timed(b, part_tx, &t);
    report(b, "deletion of a long branch");
    for (t.more = true; t.more;)
        timed(b, return_step_tx, &t);
    timed(b, return_tx, &t);
    report(b, "  its return");
}

/* ---- vectors, and the pause of the memory ---- */

#define DIMENSION 1024
#define BATCH     64

struct vectors {
    const struct bench *bench;
    const char *name;
    int64_t model;
    bool more;
};

static enum rc model_tx(struct db *db, void *arg, struct err *e)
{
    struct vectors *v = arg;
    struct embedding_model m = {.provider = "bench", .model = v->name, .prefix = "", .dimension = DIMENSION};
    return store_embedding_model_add(db, &m, clock_wall_ms(), &v->model, e);
}

static enum rc embed_tx(struct db *db, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct vectors *v = arg;
    int64_t owner = v->bench->owner;
    struct vector_lack *rows;
    size_t n;
    int8_t numbers[DIMENSION];
    enum rc rc = store_vector_lacking(
        db, a, (struct vector_scope){VECTOR_MESSAGE, v->model, owner}, BATCH, (size_t)1 << 20, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        for (size_t k = 0; k < DIMENSION; k++)
            numbers[k] = (int8_t)(draw() >> 56);
        rc = store_vector_put(db, (struct vector_scope){VECTOR_MESSAGE, v->model, owner}, &rows[i],
            &(struct vector_set){numbers, 1, DIMENSION, 1.0F / 127}, e);
    }
    v->more = n > 0;
    return rc == RC_OK ? store_vector_advance(db, (struct vector_scope){VECTOR_MESSAGE, v->model, owner}, e)
                       : rc;
}

static enum rc pack_tx(struct db *db, void *arg, struct err *e)
{
    struct vectors *v = arg;
    return store_vector_pack(
        db, (struct vector_scope){VECTOR_MESSAGE, v->model, v->bench->owner}, &v->more, e);
}

static struct vectors make_vectors(struct bench *b, const char *name)
{
    struct vectors v = {.bench = b, .name = name};
    timed(b, model_tx, &v);
    for (v.more = true; v.more;)
        timed(b, embed_tx, &v);
    for (v.more = true; v.more;)
        timed(b, pack_tx, &v);
    b->n = 0;
    return v;
}

static enum rc promote_tx(struct db *db, void *arg, struct err *e)
{
    const struct vectors *v = arg;
    return store_embedding_model_promote(db, v->model, e);
}

/* As in app/search/task_embed.c. */
static enum rc drop_tx(struct db *db, void *more, struct err *e)
{
    int64_t until = clock_mono_ms() + MASS_STEP_MS;
    bool *again = more;
    enum rc rc;
    do
        rc = store_embedding_model_drop_some(db, again, e);
    while (rc == RC_OK && *again && clock_mono_ms() < until);
    return rc;
}

static void change_model(struct bench *b)
{
    struct vectors v = make_vectors(b, "new");
    bool more = true;
    timed(b, promote_tx, &v);
    report(b, "another embedding model");
    while (more)
        timed(b, drop_tx, &more);
    report(b, "  deletion of the old vectors");
}

static enum rc resume_tx(struct db *db, void *arg, struct err *e)
{
    const struct bench *b = arg;
    return store_suggestion_skip(db, b->owner, e);
}

/* ---- all ---- */

static enum rc user_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    enum rc rc = db_one_int(db, "SELECT id FROM user WHERE name = 'many'", NO_ARGS, &b->owner, e);
    return rc == RC_OK ? store_tag_add(db, b->owner, "bench", 0, clock_wall_ms(), &b->tag, e) : rc;
}

int main(int argc, char **argv)
{
    struct err e = ERR_INIT;
    static double took[STEPS_MAX];
    struct bench b = {.took = took};
    if (argc != 2) {
        fprintf(stderr, "usage: locks DATABASE\n");
        return 2;
    }
    must(store_open(argv[1], 1, &b.store, &e), &e);
    must(store_write(b.store, user_tx, &b, &e), &e);
    timed(&b, resume_tx, &b);
    report(&b, "end of a pause of the memory");
    make_vectors(&b, "old");
    change_model(&b);
    branch(&b);
    act(&b, BATCH_PIN, true);
    act(&b, BATCH_ARCHIVE, true);
    act(&b, BATCH_TAG, true);
    act(&b, BATCH_WORKSPACE, true);
    act(&b, BATCH_TRASH, true);
    act(&b, BATCH_TRASH, false);
    erase(&b);
    store_free(b.store);
    return 0;
}
