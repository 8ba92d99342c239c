/*
 * The loop's thread of a FastCGI program: receives requests that do not come at once, and sends and drains
 * the rest that handlers leave. It accepts connections while all threads of fcgi_accept.c are busy. Time
 * limits are checked once per second for all connections.
 */
#include "web/fcgi/fcgi_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define ACCEPT_BATCH    16 /* connections accepted in a row */
#define SWEEP_MS        1000
#define STOP_RECEIVE_MS 1000 /* at the stop: time for requests that are being received */
#define STOP_LINGER_MS  1000 /* at the stop: time for answers that are being sent */

/* ---- the list of the loop's connections ---- */

static void check_stop(struct fcgi_server *s)
{
    if ((s->stage == FCGI_CLOSING && s->receiving == 0) || (s->stage == FCGI_ENDING && s->conns_n == 0))
        loop_stop(s->loop);
}

static void add_conn(struct fcgi_request *r, enum fcgi_phase phase)
{
    struct fcgi_server *s = r->server;
    r->phase = phase;
    r->since = clock_mono_ms();
    r->bytes = 0;
    r->prev = NULL;
    r->next = s->conns;
    if (r->next)
        r->next->prev = r;
    s->conns = r;
    if (s->conns_n++ == 0)
        loop_timer_set(s->sweep, SWEEP_MS);
    s->receiving += phase == FCGI_RECEIVING;
}

static void remove_conn(struct fcgi_request *r)
{
    struct fcgi_server *s = r->server;
    loop_watch_free(r->watch);
    r->watch = NULL;
    if (r->prev)
        r->prev->next = r->next;
    else
        s->conns = r->next;
    if (r->next)
        r->next->prev = r->prev;
    r->prev = r->next = NULL;
    s->conns_n--;
    s->receiving -= r->phase == FCGI_RECEIVING;
    check_stop(s);
    fcgi_resume(s);
}

static void drop(struct fcgi_request *r)
{
    remove_conn(r);
    fcgi_request_free(r);
}

static void on_ready(void *arg, uint32_t events);

static bool watch(struct fcgi_request *r, uint32_t events)
{
    if (r->watch) {
        loop_watch_events(r->watch, events);
        return true;
    }
    struct err e = ERR_INIT;
    if (loop_watch_new(r->server->loop, r->fd, events, on_ready, r, &r->watch, &e) == RC_OK)
        return true;
    log_repeat(&r->server->refusals, LOG_ERROR, "a FastCGI connection: %s", e.text);
    return false;
}

/* ---- receiving ---- */

static void hand_over(struct fcgi_request *r)
{
    remove_conn(r);
    fcgi_dispatch(r);
}

static void note_head(struct fcgi_request *r)
{
    const char *length = fcgi_input_param(&r->in, "CONTENT_LENGTH");
    r->declared = -1;
    if (length && *length && !str_to_int(str_of(length), 0, INT64_MAX, &r->declared))
        r->declared = -1;
}

static size_t collected_max(const struct fcgi_server *s)
{
    return s->setup.body_max + FCGI_BODY_MORE;
}

/* True when the handler can begin: with the whole body, or with one that is too long to be collected.
 * nginx accepts bodies slightly above the limit, so that the program can refuse them with its own
 * sentence. These are collected as well: an answer before the end of the body would cost the client its
 * connection. */
bool fcgi_ready(const struct fcgi_request *r)
{
    size_t most = collected_max(r->server);
    return r->in.params_done &&
           (r->in.body_done || r->in.body.len > most || (r->declared > 0 && (uint64_t)r->declared > most));
}

bool fcgi_recv(int fd, char *to, size_t size, struct str *piece)
{
    ssize_t n = recv(fd, to, size, MSG_DONTWAIT);
    *piece = (struct str){to, n > 0 ? (size_t)n : 0};
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool fcgi_take(struct fcgi_request *r, struct str piece, struct log_repeat *refusals)
{
    struct err e = ERR_INIT;
    bool had_head = r->in.params_done;
    if (fcgi_input_feed(&r->in, piece, &e) != RC_OK) {
        log_repeat(refusals, LOG_WARN, "a FastCGI connection is refused: %s", e.text);
        return false;
    }
    if (!had_head && r->in.params_done)
        note_head(r);
    r->bytes += (int64_t)piece.len;
    fcgi_hold(r, piece.len);
    if (atomic_load(&r->server->held) <= FCGI_HELD_MAX)
        return true;
    log_repeat(refusals, LOG_WARN,
        "request bodies and answers take more than %zu MB of memory; a request is refused",
        FCGI_HELD_MAX / (1024 * 1024));
    return false;
}

static bool read_piece(struct fcgi_request *r, struct str *piece)
{
    return fcgi_recv(r->fd, r->server->piece, FCGI_READ_SIZE, piece);
}

static void receive(struct fcgi_request *r)
{
    for (int i = 0; i < FCGI_READ_BATCH; i++) {
        struct str piece;
        bool there = read_piece(r, &piece);
        if (there && !piece.len)
            break;
        if (!there || !fcgi_take(r, piece, &r->server->refusals)) {
            drop(r);
            return;
        }
        if (fcgi_ready(r)) {
            hand_over(r);
            return;
        }
    }
    if (!watch(r, EPOLLIN))
        drop(r);
}

struct fcgi_request *fcgi_request_new(struct fcgi_server *s, int fd)
{
    struct fcgi_request *r = xcalloc(1, sizeof *r);
    r->server = s;
    r->fd = fd;
    fcgi_input_init(&r->in, collected_max(s) + FCGI_READ_SIZE);
    return r;
}

void fcgi_receive_rest(void *request)
{
    struct fcgi_request *r = request;
    int64_t bytes = r->bytes;
    if (r->server->stage >= FCGI_CLOSED) {
        fcgi_request_free(r);
        return;
    }
    add_conn(r, FCGI_RECEIVING);
    r->bytes = bytes;
    receive(r);
}

/* Accepting. The kernel wakes one watcher per connection, in the order in which they began to watch
 * (EPOLLEXCLUSIVE). The loop always begins after the threads, so it is woken while none of them waits. */

static void on_connection(void *arg, uint32_t events);

static void stop_listening(struct fcgi_server *s)
{
    loop_watch_free(s->listening);
    s->listening = NULL;
}

static void listen_again(void *arg)
{
    struct fcgi_server *s = arg;
    struct err e = ERR_INIT;
    if (s->listening || s->stage != FCGI_RUNNING)
        return;
    if (loop_watch_new(
            s->loop, FCGI_LISTEN_FD, EPOLLIN | EPOLLEXCLUSIVE, on_connection, s, &s->listening, &e) == RC_OK)
        return;
    log_repeat(&s->no_accept, LOG_ERROR, "the FastCGI socket: %s", e.text);
    loop_timer_set(s->retry, FCGI_EMFILE_PAUSE_MS);
}

static void on_connection(void *arg, uint32_t events)
{
    struct fcgi_server *s = arg;
    (void)events;
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        if (s->conns_n >= FCGI_CONNS_MAX || fcgi_queue_full(&s->reads)) {
            stop_listening(s); /* until fcgi_resume() */
            return;
        }
        int fd = fcgi_accept_fd(s);
        if (fd >= 0) {
            fcgi_receive_rest(fcgi_request_new(s, fd));
        } else if (errno == EAGAIN) {
            return;
        } else if (fcgi_accept_fails(s)) {
            stop_listening(s);
            loop_timer_set(s->retry, FCGI_EMFILE_PAUSE_MS);
            return;
        }
    }
}

void fcgi_resume(void *server)
{
    struct fcgi_server *s = server;
    if (s->conns_n < FCGI_CONNS_MAX && !fcgi_queue_full(&s->reads))
        listen_again(s);
}

/* ---- sending and draining ---- */

static void start_draining(struct fcgi_request *r)
{
    if (r->in.body_done) {
        drop(r);
        return;
    }
    shutdown(r->fd, SHUT_WR);
    r->phase = FCGI_DRAINING;
    r->since = clock_mono_ms();
    r->bytes = 0;
    if (!watch(r, EPOLLIN))
        drop(r);
}

static void send_rest(struct fcgi_request *r)
{
    if (r->phase != FCGI_SENDING) {
        r->phase = FCGI_SENDING;
        r->since = clock_mono_ms();
        r->bytes = 0;
    }
    while (r->out_sent < r->out.len) {
        ssize_t n =
            send(r->fd, r->out.s + r->out_sent, r->out.len - r->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            r->out_sent += (size_t)n;
            r->bytes += n;
        } else if (errno == EAGAIN) {
            if (!watch(r, EPOLLOUT))
                drop(r);
            return;
        } else if (errno != EINTR) {
            drop(r);
            return;
        }
    }
    start_draining(r);
}

static void drain(struct fcgi_request *r)
{
    for (int i = 0; i < FCGI_READ_BATCH; i++) {
        struct str piece;
        bool there = read_piece(r, &piece);
        r->bytes += (int64_t)piece.len;
        if (!there || r->bytes > FCGI_DRAIN_MAX) { /* the peer has usually read the answer and closed */
            drop(r);
            return;
        }
        if (!piece.len)
            return;
    }
}

/* A complete answer before the end of the body would cost the client its connection. */
static void skip_body(struct fcgi_request *r)
{
    struct err e = ERR_INIT;
    for (int i = 0; i < FCGI_READ_BATCH && !r->in.body_done; i++) {
        struct str piece;
        strbuf_clear(&r->in.body);
        bool there = read_piece(r, &piece);
        if (there && !piece.len)
            break;
        if (!there || fcgi_input_feed(&r->in, piece, &e) != RC_OK) {
            drop(r);
            return;
        }
    }
    if (r->in.body_done)
        send_rest(r);
    else if (!watch(r, EPOLLIN))
        drop(r);
}

void fcgi_linger(void *request)
{
    struct fcgi_request *r = request;
    bool skips = fcgi_body_first(r);
    add_conn(r, skips ? FCGI_SKIPPING : FCGI_SENDING);
    if (skips)
        skip_body(r);
    else
        send_rest(r);
}

static void on_ready(void *arg, uint32_t events)
{
    struct fcgi_request *r = arg;
    (void)events; /* an error shows in the next call */
    switch (r->phase) {
    case FCGI_RECEIVING: receive(r); break;
    case FCGI_SKIPPING: skip_body(r); break;
    case FCGI_SENDING: send_rest(r); break;
    case FCGI_DRAINING: drain(r); break;
    }
}

/* ---- time limits ---- */

static void check_time(struct fcgi_request *r)
{
    int64_t age = clock_mono_ms() - r->since;
    if (r->phase == FCGI_DRAINING && age > FCGI_DRAIN_MS) {
        drop(r);
    } else if (r->phase == FCGI_SKIPPING && age > FCGI_DRAIN_MS) {
        send_rest(r);
    } else if (r->phase == FCGI_RECEIVING && !r->in.params_done && age > FCGI_HEAD_MS) {
        log_repeat(&r->server->refusals, LOG_WARN,
            "a connection to the FastCGI socket sent no request within %d s", FCGI_HEAD_MS / 1000);
        drop(r);
    } else if (r->phase != FCGI_DRAINING && !fcgi_rate_kept(r->since, r->bytes, FCGI_RATE_LOOP)) {
        r->slow = true;
        if (r->phase == FCGI_RECEIVING && r->in.params_done)
            hand_over(r);
        else
            drop(r);
    }
}

static void on_sweep(void *arg)
{
    struct fcgi_server *s = arg;
    for (struct fcgi_request *r = s->conns, *next; r; r = next) {
        next = r->next;
        check_time(r);
    }
    if (s->conns)
        loop_timer_set(s->sweep, SWEEP_MS);
}

/* ---- start and end ---- */

static void on_deadline(void *arg)
{
    struct fcgi_server *s = arg;
    loop_stop(s->loop);
}

static void on_signal(void *arg, uint32_t events)
{
    struct fcgi_server *s = arg;
    struct signalfd_siginfo taken; /* otherwise the signal stays pending */
    (void)events;
    if (read(s->signal_fd, &taken, sizeof taken) < 0)
        return;
    fcgi_stop_accepting(s);
    loop_watch_free(s->signals);
    s->signals = NULL;
    stop_listening(s);
    s->stage = FCGI_CLOSING;
    loop_timer_set(s->deadline, STOP_RECEIVE_MS);
    check_stop(s);
}

enum rc fcgi_loop_start(struct fcgi_server *s, struct err *e)
{
    s->piece = xmalloc(FCGI_READ_SIZE);
    s->sweep = loop_timer_new(s->loop, on_sweep, s);
    s->retry = loop_timer_new(s->loop, listen_again, s);
    s->deadline = loop_timer_new(s->loop, on_deadline, s);
    enum rc rc = loop_watch_new(s->loop, s->signal_fd, EPOLLIN, on_signal, s, &s->signals, e);
    listen_again(s);
    return rc;
}

void fcgi_loop_close(struct fcgi_server *s)
{
    s->stage = FCGI_CLOSED;
    for (struct fcgi_request *r = s->conns, *next; r; r = next) {
        next = r->next;
        if (r->phase == FCGI_RECEIVING)
            drop(r);
    }
}

static void end_if_empty(void *arg)
{
    struct fcgi_server *s = arg;
    s->stage = FCGI_ENDING;
    check_stop(s);
}

void fcgi_loop_finish(struct fcgi_server *s)
{
    loop_timer_set(s->deadline, STOP_LINGER_MS);
    loop_post(s->loop, end_if_empty, s); /* after the posts of the handlers' threads */
    loop_run(s->loop);
    s->stage = FCGI_CLOSED;
    while (s->conns)
        drop(s->conns);
    free_charp(&s->piece);
}
