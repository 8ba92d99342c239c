/*
 * The handlers' threads. Those for reads accept connections (fcgi_accept.c), those for changes take received
 * requests from a queue. fcgi_loop.c handles connections that are slow before or after.
 */
#include "web/fcgi/fcgi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "web/fcgi/fcgi_private.h"

#define READS_PER_THREAD 4 /* waiting in memory; more stay in the backlog, which survives a crash */
/* A change waits at most FCGI_CHANGE_WAIT_MS, and all bodies together take at most FCGI_HELD_MAX. This limit
 * is far above what a burst of one page or program needs. */
#define CHANGES_MAX  1024
#define FILE_PIECE   (128 * 1024)
#define PARTS_MAX    16 /* parts of one write: header and content of each record */
#define RECORDS_MORE 4  /* records of an answer: one for the rest of head and body, two at the end */

/* ---- requests ---- */

void fcgi_hold(struct fcgi_request *r, size_t bytes)
{
    r->held += bytes;
    atomic_fetch_add(&r->server->held, bytes);
}

void fcgi_request_free(struct fcgi_request *r)
{
    atomic_fetch_sub(&r->server->held, r->held);
    fs_close(&r->fd);
    fcgi_input_release(&r->in);
    strbuf_release(&r->out);
    free_charp(&r);
}

/* ---- handling ---- */

/* When the queue is full, a reading thread refuses the change. */
void fcgi_dispatch(struct fcgi_request *r)
{
    struct fcgi_server *s = r->server;
    r->queued_at = clock_mono_ms();
    r->late = !fcgi_reads(r) && fcgi_queue_full(&s->changes);
    bool to_reads = r->late || fcgi_reads(r);
    fcgi_queue_put(to_reads ? &s->reads : &s->changes, r); /* from here on it belongs to a thread */
    if (to_reads)
        eventfd_write(s->queued_fd, 1);
}

bool fcgi_reads(const struct fcgi_request *r)
{
    const char *method = fcgi_param(r, "REQUEST_METHOD");
    return method && (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0);
}

bool fcgi_late(const struct fcgi_request *r)
{
    return r->late;
}

struct fcgi_request *fcgi_next(struct fcgi_server *s, struct fcgi_queue *q, bool wait)
{
    bool room_again;
    struct fcgi_request *r = fcgi_queue_take(q, wait, &room_again);
    if (room_again)
        loop_post(s->loop, fcgi_resume, s);
    return r;
}

static void handle(struct fcgi_server *s, struct fcgi_request *r)
{
    s->setup.handle(s->setup.arg, r);
    if (r->fd < 0 || r->gone || (r->out.len == 0 && r->in.body_done))
        fcgi_request_free(r);
    else
        loop_post(s->loop, fcgi_linger, r);
}

static void *handle_reads(void *arg)
{
    struct fcgi_acceptor *a = arg;
    for (struct fcgi_request *r; (r = fcgi_accept(a));) {
        bool kept = r->kept;
        handle(a->server, r);
        if (kept)
            atomic_fetch_sub(&a->server->kept, 1);
    }
    return NULL;
}

static void *handle_changes(void *arg)
{
    struct fcgi_server *s = arg;
    for (struct fcgi_request *r; (r = fcgi_next(s, &s->changes, true));) {
        r->late = clock_mono_ms() - r->queued_at >= FCGI_CHANGE_WAIT_MS;
        handle(s, r);
    }
    return NULL;
}

/* ---- the server ---- */

static void stop_signals(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGTERM);
    sigaddset(out, SIGINT);
}

void fcgi_block_signals(void)
{
    sigset_t set;
    stop_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

enum rc fcgi_check_socket(struct err *e)
{
    int listens = 0;
    socklen_t n = sizeof listens;
    if (getsockopt(FCGI_LISTEN_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) < 0 || !listens)
        return err_set(e, RC_IO, "descriptor 0 is not a listening socket");
    fcntl(FCGI_LISTEN_FD, F_SETFL, fcntl(FCGI_LISTEN_FD, F_GETFL) | O_NONBLOCK);
    return RC_OK;
}

/* The same number for changes as for reads. */
static enum rc start_threads(struct fcgi_server *s, pthread_t *threads, int *started, struct err *e)
{
    for (*started = 0; *started < 2 * s->setup.threads; ++*started) {
        bool reads = *started % 2 == 0;
        void *arg = reads ? (void *)&s->acceptors[*started / 2] : s;
        enum rc rc =
            thread_start(&threads[*started], reads ? handle_reads : handle_changes, arg, "the requests", e);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

/* All threads are joined before the return, because the server is on the caller's stack and the handler's
 * data belongs to the caller. A supervisor that does not want to wait for a handler kills the process. */
static void join_threads(struct fcgi_server *s, const pthread_t *threads, int n)
{
    eventfd_write(s->stop_fd, 1);
    fcgi_stop_accepting(s);
    fcgi_queue_close(&s->reads);
    for (int i = 0; i < n; i += 2)
        pthread_join(threads[i], NULL);
    fcgi_queue_close(&s->changes); /* now nobody adds one */
    for (int i = 1; i < n; i += 2)
        pthread_join(threads[i], NULL);
}

static enum rc serve(struct fcgi_server *s, struct err *e)
{
    pthread_t *threads = xcalloc(2 * (size_t)s->setup.threads, sizeof *threads);
    int n = 0;
    fcgi_queue_init(&s->reads, (size_t)s->setup.threads * READS_PER_THREAD);
    fcgi_queue_init(&s->changes, CHANGES_MAX);
    enum rc rc = fcgi_acceptors_new(s, e);
    if (rc == RC_OK) {
        rc = fcgi_loop_start(s, e);
        if (rc == RC_OK)
            rc = start_threads(s, threads, &n, e);
        if (rc == RC_OK)
            loop_run(s->loop);
        fcgi_loop_close(s);
        join_threads(s, threads, n);
        fcgi_loop_finish(s);
    }
    fcgi_acceptors_free(s);
    fcgi_queue_release(&s->reads);
    fcgi_queue_release(&s->changes);
    free_charp(&threads);
    return rc;
}

enum rc fcgi_serve(const struct fcgi_setup *setup, struct err *e)
{
    struct fcgi_server s = {.setup = *setup};
    sigset_t set;
    stop_signals(&set);
    AUTO_FD signal_fd = s.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    AUTO_FD stop_fd = s.stop_fd = eventfd(0, EFD_CLOEXEC);
    AUTO_FD closing_fd = s.closing_fd = eventfd(0, EFD_CLOEXEC);
    AUTO_FD queued_fd = s.queued_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    enum rc rc = fcgi_check_socket(e);
    if (rc == RC_OK && (signal_fd < 0 || stop_fd < 0 || closing_fd < 0 || queued_fd < 0))
        rc = err_set(e, RC_IO, "signalfd or eventfd: no descriptor");
    if (rc == RC_OK)
        rc = loop_new(&s.loop, e);
    if (rc == RC_OK)
        rc = serve(&s, e);
    loop_free(s.loop);
    return rc;
}

/* ---- input ---- */

const char *fcgi_param(const struct fcgi_request *r, const char *name)
{
    return fcgi_input_param(&r->in, name);
}

enum rc fcgi_body(const struct fcgi_request *r, struct str *out, struct err *e)
{
    *out = strbuf_str(&r->in.body);
    if (r->slow)
        return err_say(e, RC_BAD_INPUT, "error.slow_request");
    size_t most = r->server->setup.body_max;
    if (r->in.body_done && out->len <= most)
        return RC_OK;
    return err_say(e, RC_TOO_BIG, "error.request_too_big", arg_limit("max", (int64_t)most));
}

int fcgi_end_fd(const struct fcgi_request *r)
{
    struct epoll_event stops = {.events = EPOLLIN}, leaves = {.events = EPOLLRDHUP};
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, r->server->stop_fd, &stops) == 0 &&
        epoll_ctl(fd, EPOLL_CTL_ADD, r->fd, &leaves) == 0)
        return fd;
    fs_close(&fd);
    return -1;
}

/* Waits for FCGI_SILENCE_MS at most. False also when the program is stopping. */
static bool wait_ready(const struct fcgi_request *r, short events)
{
    struct pollfd fds[] = {{.fd = r->fd, .events = events}, {.fd = r->server->stop_fd, .events = POLLIN}};
    int n;
    do
        n = poll(fds, ARRAY_LEN(fds), FCGI_SILENCE_MS);
    while (n < 0 && errno == EINTR);
    return n > 0 && !fds[1].revents;
}

/* Reads once from the socket into the body. False when no more will come. */
static bool receive_more(struct fcgi_request *r)
{
    char raw[FCGI_READ_SIZE];
    struct err e = ERR_INIT;
    if (!wait_ready(r, POLLIN))
        return false;
    struct str piece;
    bool there = fcgi_recv(r->fd, raw, sizeof raw, &piece);
    r->gone = !there || (piece.len && fcgi_input_feed(&r->in, piece, &e) != RC_OK);
    return !r->gone;
}

size_t fcgi_read_piece(struct fcgi_request *r, char *to, size_t n)
{
    if (n == 0)
        return 0;
    while (r->taken == r->in.body.len) {
        strbuf_clear(&r->in.body);
        r->taken = 0;
        if (r->in.body_done || r->slow || r->gone || !receive_more(r))
            return 0;
    }
    size_t there = r->in.body.len - r->taken, got = there < n ? there : n;
    memcpy(to, r->in.body.s + r->taken, got);
    r->taken += got;
    return got;
}

bool fcgi_body_ended(const struct fcgi_request *r)
{
    return r->in.body_done;
}

bool fcgi_rate_kept(int64_t since, int64_t bytes, int64_t bytes_per_second)
{
    return clock_mono_ms() - since <= FCGI_GRACE_MS + bytes * MS_PER_S / bytes_per_second;
}

/* Output. Whole records are sent in few calls, because each write wakes nginx. */

struct sending {
    struct fcgi_request *r;
    bool waits; /* blocks for the socket; otherwise the unsent part goes to r->out */
    struct iovec parts[PARTS_MAX];
    unsigned char headers[PARTS_MAX / 2][FCGI_RECORD_HEADER];
    size_t parts_n;
};

static void skip(struct msghdr *m, size_t n)
{
    while (m->msg_iovlen && n >= m->msg_iov->iov_len) {
        n -= m->msg_iov->iov_len;
        m->msg_iov++;
        m->msg_iovlen--;
    }
    if (m->msg_iovlen) {
        m->msg_iov->iov_base = (char *)m->msg_iov->iov_base + n;
        m->msg_iov->iov_len -= n;
    }
}

bool fcgi_body_first(const struct fcgi_request *r)
{
    return !r->in.body_done && !r->slow && r->declared > 0 && r->declared <= FCGI_DRAIN_MAX;
}

static void flush(struct sending *s)
{
    struct fcgi_request *r = s->r;
    struct msghdr m = {.msg_iov = s->parts, .msg_iovlen = s->parts_n};
    bool now = s->waits || !fcgi_body_first(r);
    while (now && m.msg_iovlen && !r->gone && r->out.len == 0) {
        ssize_t n = sendmsg(r->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0)
            skip(&m, (size_t)n);
        else if (errno == EAGAIN && !s->waits)
            break;
        else if (errno == EAGAIN)
            r->gone = !wait_ready(r, POLLOUT);
        else
            r->gone = errno != EINTR;
    }
    for (; m.msg_iovlen && !r->gone; m.msg_iov++, m.msg_iovlen--)
        strbuf_add(&r->out, m.msg_iov->iov_base, m.msg_iov->iov_len);
    s->parts_n = 0;
}

static void put_record(struct sending *s, enum fcgi_record type, struct str content)
{
    if (s->parts_n == PARTS_MAX)
        flush(s);
    unsigned char *header = s->headers[s->parts_n / 2];
    fcgi_record_header(header, type, s->r->in.request_id, content.len);
    s->parts[s->parts_n++] = (struct iovec){header, FCGI_RECORD_HEADER};
    s->parts[s->parts_n++] = (struct iovec){(void *)(uintptr_t)content.s, content.len};
}

static void put_output(struct sending *s, struct str data)
{
    while (data.len) {
        size_t n = data.len < FCGI_RECORD_MAX ? data.len : FCGI_RECORD_MAX;
        put_record(s, FCGI_RECORD_STDOUT, (struct str){data.s, n});
        data = str_from(data, n);
    }
}

static void put_end(struct sending *s)
{
    put_record(s, FCGI_RECORD_STDOUT, STR(""));
    put_record(s, FCGI_RECORD_END, FCGI_RECORD_COMPLETE);
    flush(s);
}

void fcgi_answer(struct fcgi_request *r, struct str head, struct str body)
{
    struct sending s = {.r = r, .waits = atomic_load(&r->server->held) > FCGI_HELD_MAX};
    size_t records = (head.len + body.len) / FCGI_RECORD_MAX + RECORDS_MORE;
    strbuf_init(&r->out, head.len + body.len + records * (FCGI_RECORD_HEADER + FCGI_RECORD_COMPLETE.len));
    put_output(&s, head);
    put_output(&s, body);
    put_end(&s);
    fcgi_hold(r, r->out.len);
}

void fcgi_answer_file(struct fcgi_request *r, struct str head, int fd, int64_t size)
{
    struct sending s = {.r = r, .waits = true};
    AUTO_FREE char *piece = xmalloc(FILE_PIECE);
    int64_t since = clock_mono_ms(), sent = 0;
    put_output(&s, head);
    while (size > 0 && !r->gone) {
        ssize_t n = read(fd, piece, size < FILE_PIECE ? (size_t)size : FILE_PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        put_output(&s, (struct str){piece, (size_t)n});
        flush(&s); /* before the next piece overwrites it */
        size -= n;
        sent += n;
        r->gone = r->gone || !fcgi_rate_kept(since, sent, FCGI_RATE_THREAD);
    }
    if (size == 0)
        put_end(&s);
    else
        r->gone = true; /* nginx and the client see that the file is cut off */
}

struct fcgi_conn fcgi_detach(struct fcgi_request *r)
{
    struct fcgi_conn c = {.fd = r->fd, .request_id = r->in.request_id};
    r->fd = -1;
    return c;
}
