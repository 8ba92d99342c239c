/*
 * make recall: measures how well search finds messages, on conversations with questions whose answers are
 * known.
 *
 * It goes through the product: a conversation becomes a user, its sessions sessions, its dated turns messages
 * of the store; the helper's own task embeds them; app/search answers. Evidence recall at k: the share of a
 * question's evidence turns among the first k hits, averaged over the questions. Session Hit@1: the first hit
 * lies in a session that holds evidence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "locomo.h"

#include "app/search/search.h"
#include "app/search/search_tasks.h"
#include "app/summary/summary_tasks.h"
#include "base/clock.h"
#include "base/id.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/memory/summary.h"
#include "store/session/session.h"

#define LEASE_MS (5 * MS_PER_MIN)
#define TURN_MS  (20 * MS_PER_S)
#define DEPTH    20

static void must(enum rc rc, const struct err *e)
{
    if (rc == RC_OK)
        return;
    fprintf(stderr, "recall: %s: %s\n", rc_name(rc), e->text);
    exit(1);
}

/* The message that each turn became. */
struct known {
    const struct locomo_turn *turn;
    int64_t message, session;
};

struct loaded {
    const struct locomo_conversation *c;
    int64_t owner;
    struct known *known;
    size_t n;
};

/* The source of the sessions' summaries. */
enum summaries { NO_SUMMARIES, OWN_SUMMARIES, DATA_SUMMARIES };

struct load {
    struct arena *a;
    struct loaded *into;
    enum summaries summaries;
};

static enum rc add_summary(struct db *db, const struct load *load, const struct locomo_session *s,
    int64_t session, int64_t last, struct err *e)
{
    int64_t owner = load->into->owner;
    struct summary sum = {.session_id = session,
        .whole = true,
        .first_id = last,
        .last_id = last,
        .known_id = last,
        .messages = (int64_t)s->n,
        .text = str_of(s->summary),
        .provider = "data",
        .model = "",
        .created_at = s->at};
    if (load->summaries == OWN_SUMMARIES)
        return store_job_add(db, JOB_SUMMARISE, owner, session, 1, 1, e);
    return load->summaries == DATA_SUMMARIES ? store_summary_add(db, owner, &sum, e) : RC_OK;
}

static enum rc load_tx(struct db *db, void *arg, struct err *e)
{
    const struct load *load = arg;
    struct loaded *l = load->into;
    const struct locomo_conversation *c = l->c;
    enum rc rc = store_user_add(db, c->name, USER_MEMBER, "-", c->sessions[0].at, &l->owner, e);
    for (size_t i = 0; rc == RC_OK && i < c->sessions_n; i++) {
        const struct locomo_session *s = &c->sessions[i];
        char pub[ID_SIZE];
        int64_t session, parent = 0;
        id_new(ID_SESSION, pub);
        rc = store_session_add(db, l->owner, pub, NULL, NULL, s->at, &session, e);
        for (size_t t = 0; rc == RC_OK && t < s->n; t++) {
            struct message m = {.session_id = session,
                .parent_id = parent,
                .role = s->turns[t].first_speaker ? ROLE_USER : ROLE_ASSISTANT,
                .status = MESSAGE_DONE,
                .channel = "web",
                .text = str_of(s->turns[t].text),
                .created_at = s->at + (int64_t)t * TURN_MS};
            rc = store_message_add(db, l->owner, &m, e);
            parent = m.id;
            l->known[l->n++] = (struct known){&s->turns[t], m.id, session};
        }
        if (rc == RC_OK)
            rc = add_summary(db, load, s, session, parent, e);
    }
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, l->owner, 0, 1, 1, e) : rc;
}

static void load(struct store *store, struct arena *a, const struct locomo_conversation *c,
    enum summaries summaries, struct loaded *out)
{
    struct err e = ERR_INIT;
    size_t n = 0;
    for (size_t i = 0; i < c->sessions_n; i++)
        n += c->sessions[i].n;
    *out = (struct loaded){.c = c, .known = ARENA_ARRAY(a, struct known, n)};
    must(store_write(store, load_tx, &(struct load){a, out, summaries}, &e), &e);
}

struct claim {
    struct arena *a;
    struct job job;
};

static enum rc claim_tx(struct db *db, void *arg, struct err *e)
{
    struct claim *c = arg;
    int64_t now = clock_wall_ms();
    enum rc rc = store_job_claim(db, c->a, LANE_EMBED, now, now + LEASE_MS, &c->job, e);
    return rc == RC_NOT_FOUND ? store_job_claim(db, c->a, LANE_SESSIONS, now, now + LEASE_MS, &c->job, e)
                              : rc;
}

static enum rc done_tx(struct db *db, void *arg, struct err *e)
{
    return store_job_done(db, ((struct claim *)arg)->job.id, clock_wall_ms(), e);
}

static void run_jobs(struct helper *h)
{
    static const struct {
        const char *kind;
        task_fn *run;
    } tasks[] = {{JOB_EMBED, task_embed}, {JOB_SUMMARISE, task_summarise}};
    struct err e = ERR_INIT;
    for (;;) {
        AUTO(arena) a = arena_new();
        struct claim c = {.a = a};
        enum rc rc = store_write(h->store, claim_tx, &c, &e);
        if (rc == RC_NOT_FOUND)
            return;
        must(rc, &e);
        for (size_t i = 0; i < ARRAY_LEN(tasks); i++)
            if (strcmp(tasks[i].kind, c.job.kind) == 0)
                must(tasks[i].run(h, &c.job, &e), &e);
        must(store_write(h->store, done_tx, &c, &e), &e);
    }
}

struct sums {
    double at5, at10, at20, session1, ms;
    size_t n;
};

static const struct known *find(const struct loaded *l, const char *turn)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->known[i].turn->id, turn) == 0)
            return &l->known[i];
    return NULL;
}

static void ask(const struct search_where *w, const struct loaded *l, const struct locomo_question *q,
    enum search_by by, struct sums *sums)
{
    AUTO(arena) a = arena_new();
    struct err e = ERR_INIT;
    struct search_request want = {.owner = l->owner, .text = str_of(q->text), .limit = DEPTH, .by = by};
    struct search_hits found;
    int64_t start = clock_mono_us();
    must(search_run(w, &want, a, &found, &e), &e);
    sums->ms += (double)(clock_mono_us() - start) / 1000;
    size_t at5 = 0, at10 = 0, at20 = 0;
    bool session1 = false;
    for (size_t i = 0; i < q->evidence_n; i++) {
        const struct known *k = find(l, q->evidence[i]);
        for (size_t h = 0; h < found.n; h++)
            if (found.hits[h].message.id == k->message) {
                at5 += h < 5;
                at10 += h < 10;
                at20 += h < 20;
            }
        session1 |= found.n && found.hits[0].message.session_id == k->session;
    }
    double all = (double)q->evidence_n;
    sums->at5 += (double)at5 / all;
    sums->at10 += (double)at10 / all;
    sums->at20 += (double)at20 / all;
    sums->session1 += session1;
    sums->n++;
}

static void print_sums(const char *name, const struct sums *s)
{
    double n = s->n ? (double)s->n : 1;
    printf("%-22s %6.1f %6.1f %6.1f %10.1f %9zu %8.2f\n", name, 100 * s->at5 / n, 100 * s->at10 / n,
        100 * s->at20 / n, 100 * s->session1 / n, s->n, s->ms / n);
}

static void add_sums(struct sums *to, const struct sums *s)
{
    to->at5 += s->at5;
    to->at10 += s->at10;
    to->at20 += s->at20;
    to->session1 += s->session1;
    to->ms += s->ms;
    to->n += s->n;
}

static void measure(const struct search_where *w, const struct loaded *all, size_t n)
{
    static const struct {
        const char *name;
        enum search_by by;
    } ways[] = {{"text only", SEARCH_BY_WORDS}, {"vectors only", SEARCH_BY_VECTORS}, {"all", SEARCH_ALL}};
    static const char *const categories[] = {
        NULL, "  several turns", "  time", "  world knowledge", "  one turn", "  adversarial"};
    printf("%-22s %6s %6s %6s %10s %9s %8s\n", "evidence recall (%)", "@5", "@10", "@20", "session@1",
        "questions", "ms");
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        struct sums total = {0}, by_category[ARRAY_LEN(categories)] = {{0}}, *each = xcalloc(n, sizeof *each);
        for (size_t c = 0; c < n; c++)
            for (size_t q = 0; q < all[c].c->questions_n; q++) {
                struct sums one = {0};
                const struct locomo_question *asked = &all[c].c->questions[q];
                ask(w, &all[c], asked, ways[i].by, &one);
                add_sums(&each[c], &one);
                add_sums(&total, &one);
                if (asked->category > 0 && (size_t)asked->category < ARRAY_LEN(categories))
                    add_sums(&by_category[asked->category], &one);
            }
        print_sums(ways[i].name, &total);
        if (ways[i].by == SEARCH_ALL) {
            for (size_t k = 1; k < ARRAY_LEN(categories); k++)
                print_sums(categories[k], &by_category[k]);
            for (size_t c = 0; c < n; c++)
                print_sums(all[c].c->name, &each[c]);
        }
        free(each);
    }
}

static void run(const char *data, const char *dir, enum summaries summaries)
{
    static const char *const from[] = {"no summaries", "the product's own summaries", "the data's summaries"};
    AUTO(arena) a = arena_new();
    AUTO(config) config = NULL;
    AUTO(providers) providers = NULL;
    AUTO(store) store = NULL;
    struct err e = ERR_INIT;
    struct locomo_conversation *talks;
    size_t n;
    must(locomo_read(data, a, &talks, &n, &e), &e);
    must(config_parse("recall", dir, STR(""), &config, &e), &e);
    must(providers_new(config, &providers, &e), &e);
    must(store_open(arena_printf(a, "%s/recall.db", dir), 1, &store, &e), &e);
    struct loaded *all = ARENA_ARRAY(a, struct loaded, n);
    for (size_t i = 0; i < n; i++)
        load(store, a, &talks[i], summaries, &all[i]);
    struct helper h = {.config = config, .providers = providers, .store = store};
    int64_t start = clock_mono_ms();
    run_jobs(&h);
    size_t messages = 0;
    for (size_t i = 0; i < n; i++)
        messages += all[i].n;
    printf("%zu conversations, %zu messages, %s; the helper's work: %lld ms\n\n", n, messages,
        from[summaries], (long long)(clock_mono_ms() - start));
    measure(&(struct search_where){store, config, providers}, all, n);
}

static void clear(const char *dir)
{
    static const char *const files[] = {"recall.db", "recall.db-wal", "recall.db-shm", "recall.db-turn"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        unlink(path);
    }
}

int main(int argc, char **argv)
{
    const char *data = argc > 1 ? argv[1] : "../shared/locomo-dev.json";
    char dir[] = "/tmp/alfred-recall-XXXXXX";
    if (access(data, R_OK) != 0) {
        printf("recall: skipped, there is no %s (say where it is: make recall RECALL_DATA=...)\n", data);
        return 0;
    }
    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    for (enum summaries s = NO_SUMMARIES; s <= DATA_SUMMARIES; s++) {
        if (s)
            printf("\n");
        run(data, dir, s);
        clear(dir);
    }
    return rmdir(dir) == 0 ? 0 : 1;
}
