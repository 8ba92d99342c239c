#include "web/stream/stream.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/jobs/helper_notify.h"
#include "app/turn/turn_order.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "web/http/respond.h"
#include "web/stream/completions_routes.h"
#include "web/stream/feed.h"
#include "web/stream/live.h"
#include "web/stream/live_answer.h"
#include "web/stream/stream_routes.h"

/* A token is due within milliseconds, also while other programs keep all processors busy. */
#define STREAM_NICE    (-5)
#define POOL_THREADS   4
#define RENDER_THREADS 2 /* a text that is slow to render occupies one of them */
#define PING_MS        (15 * MS_PER_S)
/* These checks find logins and API tokens that have expired. Revoked ones are reported at once. A token ends
 * at a time that its user chose, so tokens are checked more often. */
#define LOGIN_CHECK_MS (60 * MS_PER_S)
#define TOKEN_CHECK_MS (4 * MS_PER_S)

struct stream {
    struct web *web;
    struct loop *loop;
    struct thread_pool *pool, *render_pool;
    struct http_client *http;
    struct turn_engine *engine;
    struct feeds *feeds;
    struct turn_orders *orders;
    struct live *live;
    struct loop_timer *ping, *login_check;
    bool checking, check_again; /* logins are being checked; they must be checked once more afterwards */
    bool draining;
    pthread_t thread;
};

static struct stream *stream_of(struct web *w)
{
    return w->extra;
}

struct turn_engine *stream_engine(struct web *w)
{
    return stream_of(w)->engine;
}

/* ---- timers ---- */

static void on_ping(void *arg)
{
    struct stream *s = arg;
    feeds_ping(s->feeds);
    loop_timer_set(s->ping, PING_MS);
}

struct login_check {
    struct stream *stream;
    struct credential *credentials;
    bool *dead;
    size_t n;
};

static enum rc check_one(struct db *db, struct credential by, int64_t now, int64_t idle, struct err *e)
{
    return by.token_id ? store_api_token_check(db, by.token_id, now, e)
                       : store_login_check(db, by.login_id, now, idle, e);
}

static enum rc check_logins_tx(struct db *db, void *arg, struct err *e)
{
    struct login_check *c = arg;
    int64_t now = clock_wall_ms(), idle = now - c->stream->web->config->login.idle_days * MS_PER_DAY;
    for (size_t i = 0; i < c->n; i++) {
        enum rc rc = check_one(db, c->credentials[i], now, idle, e);
        c->dead[i] = rc == RC_NOT_FOUND;
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return rc;
    }
    return RC_OK;
}

static void check_logins(void *arg)
{
    struct login_check *c = arg;
    struct err e = ERR_INIT;
    if (store_with_reader(c->stream->web->store, check_logins_tx, c, &e) != RC_OK)
        log_warn("checking logins: %s", e.text);
}

static void on_login_check(void *arg);

static void logins_checked(void *arg)
{
    struct login_check *c = arg;
    struct stream *s = c->stream;
    for (size_t i = 0; i < c->n; i++)
        if (c->dead[i]) {
            feeds_drop_credential(s->feeds, c->credentials[i]);
            readers_drop_credential(live_readers(s->live), c->credentials[i]);
        }
    s->checking = false;
    if (s->check_again)
        on_login_check(s);
    free(c->credentials);
    free(c->dead);
    free(c);
}

/* Stops the turns of a deleted session. The text so far is saved and is shown again when the session is
 * restored. */
static void on_session_gone(void *arg, int64_t session_id)
{
    struct stream *s = arg;
    turn_stop_session(s->engine, session_id);
}

static void on_check_turns(void *arg)
{
    struct stream *s = arg;
    turn_check_running(s->engine);
    if (s->orders) /* those of a user who is enabled again */
        turn_orders_look(s->orders);
}

static void on_suggestion(void *arg)
{
    struct stream *s = arg;
    turn_look_permissions(s->engine);
}

/* Runs by the timer, and when a program reports a change of logins. */
static void on_login_check(void *arg)
{
    struct stream *s = arg;
    if (s->draining)
        return;
    loop_timer_set(s->login_check, LOGIN_CHECK_MS);
    s->check_again = s->checking;
    if (s->checking)
        return;
    s->checking = true;
    struct login_check *c = xcalloc(1, sizeof *c);
    c->stream = s;
    c->credentials =
        xcalloc((size_t)(feeds_readers(s->feeds) + live_count(s->live)) + 1, sizeof *c->credentials);
    feeds_credentials(s->feeds, c->credentials, &c->n);
    readers_credentials(live_readers(s->live), c->credentials, &c->n);
    c->dead = xcalloc(c->n, sizeof *c->dead);
    for (size_t i = 0; i < c->n; i++)
        if (c->credentials[i].token_id)
            loop_timer_set(s->login_check, TOKEN_CHECK_MS);
    thread_pool_submit(s->pool, check_logins, logins_checked, c);
}

/* ---- attaching and stopping, from the accept threads ---- */

struct attach {
    struct stream *stream;
    struct reader *reader;
};

static void attach_on_loop(void *arg)
{
    struct attach *a = arg;
    struct stream *s = a->stream;
    if (a->reader->live)
        live_attach(s->live, a->reader);
    else
        feeds_attach(s->feeds, a->reader);
    free(a);
}

static void put_head(struct req *r, struct resp *out, struct strbuf *to)
{
    out->status = 200;
    out->type = "text/event-stream";
    resp_header(out, "X-Accel-Buffering", "no");
    respond_head(r, out, to);
    strbuf_adds(to, "\r\n");
}

static enum rc check_readers(int64_t n, int64_t most, struct err *e)
{
    return n < most ? RC_OK : err_say(e, RC_UNAVAILABLE, "error.too_many_readers");
}

enum rc stream_check_turn_readers(struct web *w, struct err *e)
{
    return check_readers(feeds_readers(stream_of(w)->feeds), w->config->limits.streams, e);
}

enum rc stream_check_live_readers(struct web *w, struct err *e)
{
    return check_readers(live_count(stream_of(w)->live), w->config->limits.streams / 2, e);
}

void stream_attach(struct req *r, struct resp *out, const struct reader_request *request)
{
    struct stream *s = stream_of(r->web);
    const struct config *c = r->web->config;
    AUTO_STRBUF first;
    strbuf_init(&first, RESPONSE_BODY_MAX);
    if (request->rewrite.fn) {
        strbuf_clear(&first);
    } else if (request->goes_to) {
        resp_redirect(out, "%s", request->goes_to);
        respond_head(r, out, &first);
        strbuf_adds(&first, "Content-Length: 0\r\n\r\n");
    } else {
        put_head(r, out, &first);
        strbuf_addstr(&first, request->first);
    }
    struct reader_position from = {0};
    if (request->position)
        reader_parse_position(str_of(request->position), &from);
    struct reader *reader = reader_new(request->goes_to ? READER_WAITS : READER_EVENTS, fcgi_detach(r->fcgi),
        strbuf_str(&first), (size_t)c->limits.reader_buffer_bytes + first.len);
    out->detached = true;
    reader->form = request->form;
    reader->rewrite = request->rewrite;
    reader->from = from;
    reader->owner = r->who.user_id;
    reader->by = (struct credential){r->who.login_id, r->who.token.id};
    reader->lang = r->lang;
    reader->live = request->live;
    reader->known = request->known;
    snprintf(reader->turn, sizeof reader->turn, "%s", request->turn ? request->turn : "");
    struct attach *a = xmalloc(sizeof *a);
    *a = (struct attach){s, reader};
    loop_post(s->loop, attach_on_loop, a);
}

struct stop {
    struct stream *stream;
    char turn[ID_SIZE];
};

static void stop_on_loop(void *arg)
{
    struct stop *stop = arg;
    turn_stop(stop->stream->engine, stop->turn);
    free(stop);
}

void stream_stop_turn(struct web *w, const char *turn)
{
    struct stop *stop = xcalloc(1, sizeof *stop);
    stop->stream = stream_of(w);
    snprintf(stop->turn, sizeof stop->turn, "%s", turn);
    loop_post(stop->stream->loop, stop_on_loop, stop);
}

/* ---- life ---- */

static void *run_loop(void *arg)
{
    struct stream *s = arg;
    loop_run(s->loop);
    return NULL;
}

static void on_began(void *arg, const struct turn_started *started)
{
    struct stream *s = arg;
    live_began(s->live, started);
    if (s->web->config->telegram.mode != CONFIG_TELEGRAM_OFF)
        helper_notify(s->web->config->server.data_dir); /* it follows turns for channels */
}

static void on_ended(void *arg)
{
    struct stream *s = arg;
    if (s->orders)
        turn_orders_look(s->orders);
}

static enum rc make(struct stream *s, struct err *e)
{
    const struct web *w = s->web;
    enum rc rc = loop_new(&s->loop, e);
    if (rc == RC_OK)
        rc = thread_pool_new(s->loop, POOL_THREADS, &s->pool, e);
    if (rc == RC_OK)
        rc = thread_pool_new(s->loop, RENDER_THREADS, &s->render_pool, e);
    if (rc != RC_OK)
        return rc;
    s->http = http_client_new(s->loop, w->providers->allowed, w->providers->allowed_n);
    s->feeds = feeds_new(&(struct feeds_setup){.web = w,
        .loop = s->loop,
        .data_dir = w->config->server.data_dir,
        .pool = s->pool,
        .render_pool = s->render_pool,
        .inline_max = LIVE_INLINE_MAX,
        .began = on_began,
        .ended = on_ended,
        .arg = s});
    rc = live_new(&(struct live_setup){s->loop, w->config->server.data_dir, on_login_check, on_session_gone,
                      on_check_turns, on_suggestion, s},
        &s->live, e);
    if (rc != RC_OK)
        return rc;
    struct turn_engine_setup setup = {.runner = "stream",
        .channel = "web",
        .loop = s->loop,
        .pool = s->pool,
        .store = w->store,
        .http = s->http,
        .config = w->config,
        .providers = w->providers,
        .observer = feeds_observer(s->feeds)};
    return turn_engine_new(&setup, &s->engine, e);
}

static enum rc start(struct web *w, struct err *e)
{
    struct turn_recovered recovered;
    struct stream *s = xcalloc(1, sizeof *s);
    w->extra = s;
    s->web = w;
    enum rc rc = make(s, e);
    if (rc == RC_OK)
        rc = turn_recover(s->engine, &recovered, e);
    if (rc != RC_OK)
        return rc;
    if (recovered.saved)
        log_warn("%d turns were cut by a crash; their text is kept as interrupted", recovered.saved);
    if (recovered.waiting)
        log_warn("%d turns were cut by a crash and cannot be saved yet", recovered.waiting);
    struct turn_orders_setup orders = {
        s->engine, s->loop, s->pool, w->store, w->config->server.data_dir, TURN_ORDER_LOOK_MS};
    if ((rc = turn_orders_new(&orders, &s->orders, e)) != RC_OK)
        return rc;
    s->ping = loop_timer_new(s->loop, on_ping, s);
    s->login_check = loop_timer_new(s->loop, on_login_check, s);
    loop_timer_set(s->ping, PING_MS);
    loop_timer_set(s->login_check, LOGIN_CHECK_MS);
    return thread_start(&s->thread, run_loop, s, "the loop", e);
}

static void on_quiet(void *arg)
{
    struct stream *s = arg;
    loop_stop(s->loop);
}

static void on_idle(void *arg)
{
    struct stream *s = arg;
    feeds_when_quiet(s->feeds, on_quiet, s);
}

static void on_no_orders(void *arg)
{
    struct stream *s = arg;
    turn_engine_drain(s->engine, on_idle, s);
}

static void drain(void *arg)
{
    struct stream *s = arg;
    s->draining = true;
    loop_timer_set(s->login_check, -1);
    turn_orders_stop(s->orders, on_no_orders, s);
}

static void finish(struct web *w)
{
    struct stream *s = stream_of(w);
    loop_post(s->loop, drain, s);
    pthread_join(s->thread, NULL);
    thread_pool_free(s->pool);
    thread_pool_free(s->render_pool);
    loop_run_posted(s->loop); /* a check of logins, or a stop by a client that left in the last round */
    turn_orders_free(s->orders);
    feeds_free(s->feeds);
    live_free(s->live);
    turn_engine_free(s->engine);
    http_client_free(s->http);
    loop_free(s->loop);
    free(s);
}

static const struct route_table *const tables[] = {&stream_routes, &completions_routes};

const struct web_program stream_program = {
    .name = "stream",
    .tables = tables,
    .tables_n = ARRAY_LEN(tables),
    .surfaces = 1u << SURFACE_PAGE | 1u << SURFACE_API | 1u << SURFACE_V1 | 1u << SURFACE_SCRIPT,
    .nice = STREAM_NICE,
    .start = start,
    .finish = finish,
};
