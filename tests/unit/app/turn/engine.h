/*
 * The turn engine with a real store, loop and pool, and a model that the test controls: the functions of
 * llm/llm.c are defined here. One file of a test program includes this.
 */
#ifndef ALFRED_TESTS_UNIT_APP_TURN_ENGINE_H
#define ALFRED_TESTS_UNIT_APP_TURN_ENGINE_H

#include "migrated.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/turn/turn.h"
#include "base/clock.h"
#include "base/fs.h"
#include "llm/llm.h"
#include "store/account/user.h"

#define PATIENCE_S 60
#define LONG       ((size_t)200 * 1024) /* bytes of an answer that needs new pages of the database */
#define NEVER      ((struct backoff){.first_ms = MS_PER_H, .max_ms = MS_PER_H})
#define SOON       ((struct backoff){.first_ms = 1, .max_ms = 4})

/* ---- in place of llm/llm.c ---- */

struct llm_provider {
    struct loop *loop;
};

struct llm_call {
    llm_event_fn *fn;
    void *arg;
    struct loop_timer *timer;
    bool *freed; /* while events go out */
};

/* The model's text, and whether it waits for say(). Written before the send. */
static struct {
    size_t text, calls;
    size_t pieces;                             /* that the text comes in; 0: one */
    bool waits, goes_on;                       /* goes_on: no end comes after the text */
    const char *const *tools;                  /* names of the calls; NULL: current_time */
    const char *label;                         /* the text's beginning; NULL: none */
    enum rc fails;                             /* in place of an answer; RC_OK: it does not */
    void (*seen)(const struct llm_request *r); /* on the loop's thread; NULL: not called */
    struct llm_call *now;                      /* loop thread only */
} model;

static inline bool emit(struct llm_call *c, const struct llm_event *ev, const bool *freed)
{
    c->fn(c->arg, ev);
    return !*freed;
}

static inline void send_events(struct llm_call *c, const bool *freed)
{
    struct err why = ERR_INIT;
    if (model.fails) {
        err_tell(&why, model.fails, "No.");
        emit(c, &(struct llm_event){.kind = LLM_ERROR, .err = &why}, freed);
        return;
    }
    size_t calls = model.calls;
    model.calls = 0; /* the next answer of this turn is text */
    AUTO_STRBUF text;
    strbuf_init(&text, LONG);
    strbuf_adds(&text, model.label && !calls ? model.label : "");
    while (text.len < model.text && !calls)
        strbuf_addc(&text, 'x');
    struct str rest = strbuf_str(&text);
    for (size_t left = model.pieces ? model.pieces : 1; left && !calls; left--) {
        struct str piece = {rest.s, rest.len / left};
        rest = str_from(rest, piece.len);
        if (!emit(c, &(struct llm_event){.kind = LLM_TEXT, .text = piece}, freed))
            return;
    }
    if (model.goes_on)
        return;
    struct llm_event call = {.kind = LLM_CALL, .call = {"id", "current_time", "{}"}};
    for (size_t i = 0; i < calls; i++) {
        call.call.name = model.tools ? model.tools[i] : "current_time";
        if (!emit(c, &call, freed))
            return;
    }
    emit(c, &(struct llm_event){.kind = LLM_END, .stop = calls ? LLM_STOP_TOOLS : LLM_STOP_DONE}, freed);
}

static inline void speak(void *arg)
{
    struct llm_call *c = arg;
    bool freed = false;
    c->freed = &freed;
    send_events(c, &freed);
    if (!freed)
        c->freed = NULL;
}

static inline void speak_now(void *arg)
{
    (void)arg;
    speak(model.now);
}

enum rc llm_provider_new(const char *kind, const struct llm_settings *s, struct loop *l,
    struct http_client *c, struct llm_provider **out, struct err *e)
{
    (void)kind;
    (void)s;
    (void)c;
    (void)e;
    *out = xcalloc(1, sizeof **out);
    (*out)->loop = l;
    return RC_OK;
}

void llm_provider_free(struct llm_provider *p)
{
    free_charp(&p);
}

enum rc llm_start(struct llm_provider *p, const struct llm_request *r, llm_event_fn *fn, void *arg,
    struct llm_call **out, struct err *e)
{
    (void)e;
    if (model.seen)
        model.seen(r);
    struct llm_call *c = xcalloc(1, sizeof *c);
    *c = (struct llm_call){.fn = fn, .arg = arg};
    c->timer = loop_timer_new(p->loop, speak, c);
    if (!model.waits)
        loop_timer_set(c->timer, 0);
    *out = model.now = c;
    return RC_OK;
}

void llm_call_free(struct llm_call *c)
{
    if (!c)
        return;
    if (c->freed)
        *c->freed = true;
    loop_timer_free(c->timer);
    free_charp(&c);
}

/* ---- the engine and what its observer heard ---- */

struct place {
    struct config *config;
    struct providers *providers;
    struct loop *loop;
    struct thread_pool *pool;
    struct store *store;
    struct turn_engine *engine;
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t heard;
    int started, unsaved, ended, steps;
    int text, records; /* bytes of it, and in how many records they came */
};

static inline void note(struct place *p, int *count)
{
    pthread_mutex_lock(&p->lock);
    ++*count;
    pthread_cond_broadcast(&p->heard);
    pthread_mutex_unlock(&p->lock);
}

static inline void on_started(void *arg, const struct turn_started *s)
{
    (void)s;
    note(arg, &((struct place *)arg)->started);
}

static inline void on_record(void *arg, const char *turn, const struct turnlog_record *r)
{
    struct place *p = arg;
    (void)turn;
    pthread_mutex_lock(&p->lock);
    if (r->kind == TURNLOG_TEXT) {
        p->text += (int)r->content.len;
        p->records++;
        pthread_cond_broadcast(&p->heard);
    }
    pthread_mutex_unlock(&p->lock);
}

static inline void on_step(void *arg, const char *turn, const struct turn_step *s)
{
    (void)turn;
    (void)s;
    note(arg, &((struct place *)arg)->steps);
}

static inline void on_unsaved(void *arg, const char *turn)
{
    (void)turn;
    note(arg, &((struct place *)arg)->unsaved);
}

static inline void on_ended(void *arg, const char *turn)
{
    (void)turn;
    note(arg, &((struct place *)arg)->ended);
}

static inline void await(struct place *p, const int *count, int least)
{
    struct timespec until;
    int rc = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&p->lock);
    while (*count < least && rc == 0)
        rc = pthread_cond_timedwait(&p->heard, &p->lock, &until);
    pthread_mutex_unlock(&p->lock);
    assert_int_equal(rc, 0);
}

static inline int count(struct place *p, const int *of)
{
    pthread_mutex_lock(&p->lock);
    int n = *of;
    pthread_mutex_unlock(&p->lock);
    return n;
}

static inline enum rc add_user(struct db *db, void *arg, struct err *e)
{
    return store_user_add(db, "ann", USER_ADMIN, "hash", 1, arg, e);
}

/* An engine on the database of `dir`, which is made if it is new. Its loop does not run yet. */
static inline void open_place(struct place *p, const char *dir, const char *settings, struct backoff retry)
{
    char toml[1024], path[FS_PATH_MAX];
    int64_t user = 1;
    struct stat st;
    *p = (struct place){.lock = PTHREAD_MUTEX_INITIALIZER, .heard = PTHREAD_COND_INITIALIZER};
    snprintf(toml, sizeof toml, "[server]\ndata_dir = \"%s\"\n%s", dir, settings);
    snprintf(path, sizeof path, "%s/alfred.db", dir);
    bool fresh = stat(path, &st) != 0;
    assert_ok(fs_mkdirs(dir, NULL));
    assert_ok(config_parse("alfred.toml", dir, str_of(toml), &p->config, NULL));
    assert_ok(providers_new(p->config, &p->providers, NULL));
    assert_ok(loop_new(&p->loop, NULL));
    assert_ok(thread_pool_new(p->loop, 2, &p->pool, NULL));
    assert_ok(store_open(unit_migrated(path), 2, &p->store, NULL));
    if (fresh)
        assert_ok(store_write(p->store, add_user, &user, NULL));
    struct turn_engine_setup s = {.runner = "stream",
        .channel = "web",
        .loop = p->loop,
        .pool = p->pool,
        .store = p->store,
        .config = p->config,
        .providers = p->providers,
        .observer = {on_started, on_record, on_step, on_unsaved, on_ended, p},
        .save_retry = retry};
    assert_ok(turn_engine_new(&s, &p->engine, NULL));
}

static inline void *run(void *arg)
{
    struct place *p = arg;
    loop_run(p->loop);
    return NULL;
}

static inline void run_place(struct place *p)
{
    p->runs = pthread_create(&p->thread, NULL, run, p) == 0;
    assert_true(p->runs);
}

static inline const char *new_dir(void)
{
    static char dir[128];
    static int n;
    snprintf(dir, sizeof dir, "%s/turn-%d", unit_tmp(), n++);
    return dir;
}

static inline void new_place(struct place *p, const char *settings, struct backoff retry)
{
    memset(&model, 0, sizeof model);
    model.text = 10;
    open_place(p, new_dir(), settings, retry);
    run_place(p);
}

static inline void on_idle(void *arg)
{
    loop_stop(((struct place *)arg)->loop);
}

static inline void drain(void *arg)
{
    struct place *p = arg;
    turn_engine_drain(p->engine, on_idle, p);
}

/* After its loop has ended. */
static inline void close_place(struct place *p)
{
    thread_pool_free(p->pool);
    turn_engine_free(p->engine);
    loop_free(p->loop);
    store_free(p->store);
    providers_free(p->providers);
    config_free(p->config);
}

/* It ends only when the engine has no turn left. */
static inline void leave(struct place *p)
{
    loop_post(p->loop, drain, p);
    pthread_join(p->thread, NULL);
    close_place(p);
}

/* ---- what tests do ---- */

static inline enum rc send_text(
    struct place *p, const char *session, struct str text, struct turn_ticket *out)
{
    struct turn_request r = {.kind = TURN_SEND, .owner = 1, .session = session, .text = text};
    return turn_send(p->engine, &r, out, NULL);
}

static inline enum rc send(struct place *p, const char *session, struct turn_ticket *out)
{
    return send_text(p, session, STR("Hello"), out);
}

/* A turn that has begun; its model waits for say(). */
static inline struct turn_ticket begin(struct place *p)
{
    struct turn_ticket t;
    model.waits = true;
    assert_ok(send(p, NULL, &t));
    await(p, &p->started, 1);
    return t;
}

static inline void say(struct place *p)
{
    loop_post(p->loop, speak_now, NULL);
}

struct stopping {
    struct place *place;
    const char *turn;
    int done, found;
};

static inline void stop_on_loop(void *arg)
{
    struct stopping *s = arg;
    s->found = turn_stop(s->place->engine, s->turn);
    note(s->place, &s->done);
}

static inline bool stop(struct place *p, const char *turn)
{
    struct stopping s = {.place = p, .turn = turn};
    loop_post(p->loop, stop_on_loop, &s);
    await(p, &s.done, 1);
    return s.found;
}

static inline enum rc run_sql(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, arg, NO_ARGS, NULL, e);
}

static inline void sql(struct place *p, const char *text)
{
    assert_ok(store_write(p->store, run_sql, (void *)(uintptr_t)text, NULL));
}

static inline enum rc limit_pages(struct db *db, void *arg, struct err *e)
{
    int64_t now;
    return db_one_int(db, arg, NO_ARGS, &now, e);
}

/* The database may not grow: SQLite reports a full disk. */
static inline void fill(struct place *p)
{
    assert_ok(store_write(p->store, limit_pages, "PRAGMA max_page_count = 1", NULL));
}

static inline void make_room(struct place *p)
{
    assert_ok(store_write(p->store, limit_pages, "PRAGMA max_page_count = 1000000", NULL));
}

static inline int64_t number(struct place *p, const char *query)
{
    int64_t n;
    struct db *db = store_read(p->store);
    enum rc rc = db_one_int(db, query, NO_ARGS, &n, NULL);
    store_read_done(p->store, db);
    assert_ok(rc);
    return n;
}

static inline bool has_log(const struct place *p, const char *turn)
{
    char path[FS_PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s/turns/%s.log", p->config->server.data_dir, turn);
    return stat(path, &st) == 0;
}

#define RUNNING "SELECT count(*) FROM turn WHERE status = 'running'"

#endif
