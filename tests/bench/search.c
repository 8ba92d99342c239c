/*
 * Measures the cost of search: the product's own store, search and helper tasks on made-up texts, in a
 * database that is filled directly.
 *
 *     search DIR MESSAGES MANY
 *
 * MESSAGES have text and vectors and are searched. MANY have vectors only and are packed at once, because
 * storing them as rows first would need a third more disk. The output is one JSON object. Times are medians
 * in milliseconds of processor time, so a busy machine does not change them. The file is in the system's page
 * cache. Scans take turns with their reference, the same dot product over vectors in memory; the ratio of
 * both is computed within a round, per vector.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "texts.h"

#include "app/models/embedder.h"
#include "app/search/search.h"
#include "app/search/search_tasks.h"
#include "app/summary/summary_tasks.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/memory/summary.h"
#include "store/session/session.h"

#define TEXT_WORDS    25
#define PER_SESSION   40
#define PER_WRITE     5000
#define IN_MEMORY     50000 /* vectors of the reference scan: more than the processor's caches hold */
#define SCANS         9
#define QUERIES       25
#define QUERY_WORDS   6
#define EMBED_BATCHES 60
#define EMBED_TEXTS   64 /* texts of a batch */
#define TURNS         60
#define NOW           INT64_C(1700000000000)
#define PACKS_A_WRITE 50

struct bench {
    struct store *store;
    struct config *config;
    struct providers *providers;
    struct arena *a;
    int64_t model;
    long from, to; /* parameters of transactions */
    int64_t owner, session, parent;
    bool more;
};

static double seconds(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

/* ---- filling ---- */

static enum rc user_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    char name[32];
    snprintf(name, sizeof name, "user%ld", b->from);
    return store_user_add(db, name, USER_MEMBER, "-", NOW, &b->owner, e);
}

static enum rc session_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    char pub[ID_SIZE];
    id_new(ID_SESSION, pub);
    b->parent = 0;
    return store_session_add(db, b->owner, pub, NULL, NULL, NOW, &b->session, e);
}

static enum rc say(struct db *db, struct bench *b, const char *text, bool user, struct err *e)
{
    struct message m = {.session_id = b->session,
        .parent_id = b->parent,
        .role = user ? ROLE_USER : ROLE_ASSISTANT,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = str_of(text),
        .created_at = NOW};
    enum rc rc = store_message_add(db, b->owner, &m, e);
    b->parent = m.id;
    return rc;
}

static enum rc summary(struct db *db, struct bench *b, struct arena *a, struct err *e)
{
    struct summary s = {.session_id = b->session,
        .whole = true,
        .first_id = b->parent,
        .last_id = b->parent,
        .known_id = b->parent,
        .messages = PER_SESSION,
        .text = str_of(make_text(a, 3 * TEXT_WORDS)),
        .provider = "one",
        .model = "m",
        .created_at = NOW};
    return store_summary_add(db, b->owner, &s, e);
}

static enum rc texts_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    enum rc rc = RC_OK;
    for (long i = b->from; rc == RC_OK && i < b->to; i++) {
        AUTO(arena) a = arena_new();
        if (i % PER_SESSION == 0)
            rc = session_tx(db, b, e);
        if (rc == RC_OK)
            rc = say(db, b, make_text(a, TEXT_WORDS), i % 2 == 0, e);
        if (rc == RC_OK && i % PER_SESSION == PER_SESSION - 1)
            rc = summary(db, b, a, e);
    }
    return rc;
}

static void fill_texts(struct bench *b, long n)
{
    struct err e = ERR_INIT;
    for (long i = 0; i < n; i += PER_WRITE) {
        b->from = i;
        b->to = i + PER_WRITE < n ? i + PER_WRITE : n;
        must(store_write(b->store, texts_tx, b, &e), &e);
    }
}

/* Rows without an index entry: only their vectors are used. */
static enum rc bare_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    enum rc rc = session_tx(db, b, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT INTO message (id, session_id, role, status, channel, text, created_at) "
            "SELECT (? << 32) | i, ?, 'user', 'done', 'web', 'x', ? FROM n",
            ARGS(v_int(b->to), v_int(b->owner), v_int(b->session), v_int(NOW)), NULL, e);
    return rc == RC_OK ? db_exec(db, "UPDATE user SET message_seq = ? WHERE id = ?",
                             ARGS(v_int(b->to), v_int(b->owner)), NULL, e)
                       : rc;
}

static enum rc vectors_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    char sql[256];
    snprintf(sql, sizeof sql,
        "INSERT INTO vector_message_%lld (id, scale, v) SELECT id, 0.0005, randomblob(%d) FROM message "
        "WHERE id > ? AND id <= ?",
        (long long)b->model, LEXICAL_DIMS);
    enum rc rc =
        db_exec(db, sql, ARGS(v_int((b->owner << 32) + b->from), v_int((b->owner << 32) + b->to)), NULL, e);
    return rc == RC_OK
               ? store_vector_advance(db, (struct vector_scope){VECTOR_MESSAGE, b->model, b->owner}, e)
               : rc;
}

static enum rc pack_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    enum rc rc = RC_OK;
    b->more = true;
    for (int i = 0; rc == RC_OK && b->more && i < PACKS_A_WRITE; i++)
        rc = store_vector_pack(db, (struct vector_scope){VECTOR_MESSAGE, b->model, b->owner}, &b->more, e);
    return rc;
}

static double pack(struct bench *b)
{
    struct err e = ERR_INIT;
    double start = seconds(CLOCK_MONOTONIC);
    for (b->more = true; b->more;)
        must(store_write(b->store, pack_tx, b, &e), &e);
    return seconds(CLOCK_MONOTONIC) - start;
}

/* `packs`: as in the helper, older rows are packed from batch to batch. Returns the seconds spent on
 * packing. */
static double fill_vectors(struct bench *b, long n, bool packs)
{
    struct err e = ERR_INIT;
    double took = 0;
    for (long i = 0; i < n; i += 10L * PER_WRITE) {
        b->from = i;
        b->to = i + 10L * PER_WRITE;
        must(store_write(b->store, vectors_tx, b, &e), &e);
        if (packs)
            took += pack(b);
    }
    return took;
}

static void new_user(struct bench *b, long n)
{
    struct err e = ERR_INIT;
    b->from = n;
    must(store_write(b->store, user_tx, b, &e), &e);
}

/* ---- measuring ---- */

static void on_vector(void *arg, int64_t id, float score)
{
    float *most = arg;
    (void)id;
    *most = fmaxf(*most, score);
}

struct scanned {
    double ms, ratio;
};

/* Milliseconds per vector. */
static double in_memory_ms(const int8_t *all, const int8_t *query)
{
    static volatile int64_t sum; /* keeps the compiler from removing the loop */
    vec8_dot_fn *dot = vec8_dot();
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < IN_MEMORY; i++)
        sum += dot(all + i * LEXICAL_DIMS, query, LEXICAL_DIMS);
    return 1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start) / IN_MEMORY;
}

static struct scanned scan(struct bench *b, long n)
{
    struct err e = ERR_INIT;
    int8_t query[LEXICAL_DIMS];
    double took[SCANS], ratio[SCANS];
    float most = 0;
    AUTO_FREE int8_t *all = xmalloc((size_t)IN_MEMORY * LEXICAL_DIMS);
    memset(all, 3, (size_t)IN_MEMORY * LEXICAL_DIMS);
    for (size_t i = 0; i < sizeof query; i++)
        query[i] = (int8_t)draw();
    for (size_t i = 0; i < SCANS; i++) {
        double reference = in_memory_ms(all, query), start = seconds(CLOCK_THREAD_CPUTIME_ID);
        struct db *db = store_read(b->store);
        must(store_vector_scan(db, (struct vector_scope){VECTOR_MESSAGE, b->model, b->owner},
                 &(struct vector_set){query, 1, sizeof query, 0.01F}, on_vector, &most, &e),
            &e);
        store_read_done(b->store, db);
        took[i] = 1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start);
        ratio[i] = took[i] / (double)n / reference;
    }
    return (struct scanned){median(took, SCANS), median(ratio, SCANS)};
}

static void print_scan(struct bench *b, const char *name, long n)
{
    struct scanned s = scan(b, n);
    printf(", \"%s_ms\": %.2f, \"%s_ratio\": %.2f", name, s.ms, name, s.ratio);
}

static double search_ms(struct bench *b, enum search_by by)
{
    struct search_where where = {b->store, b->config, b->providers};
    double took[QUERIES];
    state = 4711;
    for (size_t i = 0; i < QUERIES; i++) {
        AUTO(arena) a = arena_new();
        struct err e = ERR_INIT;
        char text[TEXT_MAX] = "";
        for (int w = 0; w < QUERY_WORDS; w++) {
            strcat(text, draw_word(3));
            strcat(text, " ");
        }
        struct search_request want = {.owner = b->owner, .text = str_of(text), .by = by};
        struct search_hits found;
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        must(search_run(&where, &want, a, &found, &e), &e);
        took[i] = 1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start);
    }
    return median(took, QUERIES);
}

/* Peak memory of a search in KiB. */
static long memory_of(const char *field)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;
    size_t n = strlen(field);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, field, n) == 0)
            kib = atol(line + n + 1);
    if (f)
        fclose(f);
    return kib;
}

static long search_kib(struct bench *b)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f); /* resets the peak */
        fclose(f);
    }
    long before = memory_of("VmRSS");
    search_ms(b, SEARCH_ALL);
    return memory_of("VmHWM") - before;
}

static double embeddings_per_second(struct bench *b)
{
    struct err e = ERR_INIT;
    struct embedder m;
    must(embedder_configured(b->config, b->providers, &m, &e), &e);
    double took = 0;
    for (int i = 0; i < EMBED_BATCHES; i++) {
        AUTO(arena) a = arena_new();
        struct str texts[EMBED_TEXTS];
        float *out;
        size_t dimension;
        for (size_t k = 0; k < EMBED_TEXTS; k++)
            texts[k] = str_of(make_text(a, TEXT_WORDS));
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        must(embedder_documents(&m, a, texts, EMBED_TEXTS, &out, &dimension, &e), &e);
        took += seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    return EMBED_BATCHES * EMBED_TEXTS / took;
}

static enum rc turn_tx(struct db *db, void *arg, struct err *e)
{
    struct bench *b = arg;
    enum rc rc = b->from % PER_SESSION == 0 ? session_tx(db, b, e) : RC_OK;
    AUTO(arena) a = arena_new();
    if (rc == RC_OK)
        rc = say(db, b, make_text(a, TEXT_WORDS), true, e);
    return rc == RC_OK ? say(db, b, make_text(a, 3 * TEXT_WORDS), false, e) : rc;
}

/* Processor time of the helper's work for a turn, with its share of the commits. */
static double work_ms(struct bench *b)
{
    struct err e = ERR_INIT;
    struct helper h = {.config = b->config, .providers = b->providers, .store = b->store, .signal_fd = -1};
    double took = 0;
    for (b->from = 0; b->from < TURNS; b->from++) {
        must(store_write(b->store, turn_tx, b, &e), &e);
        struct job embed = {.owner = b->owner, .kind = JOB_EMBED, .attempts = 1};
        struct job topic = {.owner = b->owner, .subject = b->session, .kind = JOB_TOPIC, .attempts = 1};
        struct job sum = {.owner = b->owner, .subject = b->session, .kind = JOB_SUMMARISE, .attempts = 1};
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        must(task_embed(&h, &embed, &e), &e);
        must(task_topic(&h, &topic, &e), &e);
        if (b->from % 10 == 9)
            must(task_summarise(&h, &sum, &e), &e);
        took += seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    return 1000 * took / TURNS;
}

static void prepare(struct bench *b, const char *dir)
{
    struct err e = ERR_INIT;
    struct embedding_model m;
    must(config_parse("bench", dir, STR(""), &b->config, &e), &e);
    must(providers_new(b->config, &b->providers, &e), &e);
    must(store_open(arena_printf(b->a, "%s/search.db", dir), 1, &b->store, &e), &e);
    struct helper h = {.config = b->config, .providers = b->providers, .store = b->store, .signal_fd = -1};
    must(task_embed(&h, &(struct job){.kind = JOB_EMBED}, &e), &e); /* creates the model */
    struct db *db = store_read(b->store);
    must(store_embedding_model_serving(db, b->a, &m, &e), &e);
    store_read_done(b->store, db);
    b->model = m.id;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long n = atol(argv[2]), many = atol(argv[3]);
    AUTO(arena) a = arena_new();
    struct bench b = {.a = a};
    make_words();
    log_init("bench", LOG_WARN); /* the tasks' messages are not needed here */
    prepare(&b, argv[1]);
    printf("{\"embeddings_s\": %.0f", embeddings_per_second(&b));
    new_user(&b, 1);
    printf(", \"work_ms\": %.3f", work_ms(&b));
    new_user(&b, 2);
    fill_texts(&b, n);
    fill_vectors(&b, n, false);
    print_scan(&b, "rows", n);
    printf(", \"pack_s\": %.2f", pack(&b));
    print_scan(&b, "packed", n);
    printf(", \"words_ms\": %.2f", search_ms(&b, SEARCH_BY_WORDS));
    printf(", \"search_ms\": %.2f, \"search_kib\": %ld", search_ms(&b, SEARCH_ALL), search_kib(&b));
    if (many) {
        struct err e = ERR_INIT;
        new_user(&b, 3);
        b.to = many;
        must(store_write(b.store, bare_tx, &b, &e), &e);
        printf(", \"many_pack_s\": %.1f", fill_vectors(&b, many, true));
        print_scan(&b, "many_packed", many);
    }
    printf("}\n");
    store_free(b.store);
    providers_free(b.providers);
    config_free(b.config);
    return 0;
}
