#include "web/fcgi/fcgi.h"

#include <errno.h>
#include <fcgiapp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "web/fcgi/fcgi_record.h"

#define LISTEN_FD         0
#define EMFILE_PAUSE_MS   20
#define WAKE_SIGNAL       SIGUSR1
#define WAKE_EVERY_MS     20
#define FILE_PIECE        (128 * 1024)
#define PARTS_MAX         16  /* of one write: a header and a content for each record */
#define STOP_GRACE_ROUNDS 250 /* of WAKE_EVERY_MS: how long running handlers may take at the end */

struct fcgi_request {
    FCGX_Request fcgx;
    bool detached, answered;
};

struct server {
    fcgi_handler *fn;
    void *arg;
    atomic_bool stopping;
};

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void wake(int sig)
{
    (void)sig; /* its only purpose is EINTR in accept() */
}

static void *accept_loop(void *p)
{
    struct server *s = p;
    struct fcgi_request r = {0};
    FCGX_InitRequest(&r.fcgx, LISTEN_FD, FCGI_FAIL_ACCEPT_ON_INTR);
    while (!atomic_load(&s->stopping)) {
        if (FCGX_Accept_r(&r.fcgx) < 0) {
            if (!atomic_load(&s->stopping))
                pause_ms(EMFILE_PAUSE_MS);
            continue;
        }
        r.detached = r.answered = false;
        s->fn(s->arg, &r);
        if (r.detached)
            continue;
        FCGX_Detach(&r.fcgx);
        if (r.answered)
            FCGX_Free(&r.fcgx, 1); /* closes the connection */
        else
            FCGX_Finish_r(&r.fcgx);
    }
    FCGX_Free(&r.fcgx, 1);
    return NULL;
}

/* Threads wait in accept(); a signal that comes just before is lost, so it is repeated until the thread has
 * gone. */
static void join_all(pthread_t *threads, int n)
{
    for (int i = 0; i < n; i++) {
        for (int round = 0; round < STOP_GRACE_ROUNDS; round++) {
            pthread_kill(threads[i], WAKE_SIGNAL);
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += WAKE_EVERY_MS * 1000000L;
            if (until.tv_nsec >= 1000000000L) {
                until.tv_sec++;
                until.tv_nsec -= 1000000000L;
            }
            if (pthread_timedjoin_np(threads[i], NULL, &until) == 0)
                break;
        }
    }
}

enum rc fcgi_serve(int threads_n, fcgi_handler *fn, void (*on_stop)(void *arg), void *arg, struct err *e)
{
    sigset_t stop_set;
    sigemptyset(&stop_set);
    sigaddset(&stop_set, SIGTERM);
    sigaddset(&stop_set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop_set, NULL);

    struct sigaction on_wake = {.sa_handler = wake};
    sigaction(WAKE_SIGNAL, &on_wake, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, SIG_DFL); /* blocked; libfcgi leaves a handler alone only when one is there */
    if (FCGX_Init() != 0 || FCGX_IsCGI())
        return err_set(e, RC_IO, "descriptor 0 is not a FastCGI socket");

    struct server s = {.fn = fn, .arg = arg};
    pthread_t *threads = xcalloc((size_t)threads_n, sizeof *threads);
    for (int i = 0; i < threads_n; i++)
        if (pthread_create(&threads[i], NULL, accept_loop, &s) != 0) {
            log_error("cannot start accept thread %d", i);
            _exit(1); /* at start: the supervisor tries again */
        }
    int sig;
    sigwait(&stop_set, &sig);
    atomic_store(&s.stopping, true);
    FCGX_ShutdownPending();
    if (on_stop)
        on_stop(arg);
    join_all(threads, threads_n);
    free_charp(&threads);
    return RC_OK;
}

const char *fcgi_param(const struct fcgi_request *r, const char *name)
{
    return FCGX_GetParam(name, r->fcgx.envp);
}

enum rc fcgi_read_body(struct fcgi_request *r, size_t n, struct strbuf *out, struct err *e)
{
    char *to = strbuf_reserve(out, n);
    if (!to)
        return err_set(e, RC_TOO_BIG, "body of %zu bytes", n);
    size_t have = 0;
    while (have < n) {
        int got = FCGX_GetStr(to + have, (int)(n - have), r->fcgx.in);
        if (got <= 0)
            return err_set(e, RC_BAD_INPUT, "the body ended after %zu of %zu bytes", have, n);
        have += (size_t)got;
    }
    strbuf_grown(out, n);
    return RC_OK;
}

void fcgi_patience(struct fcgi_request *r, int seconds)
{
    struct timeval t = {.tv_sec = seconds};
    setsockopt(r->fcgx.ipcFd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    setsockopt(r->fcgx.ipcFd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
}

/* FCGX_GetStr() waits until it has all of `n`, which a client that sends a byte now and then makes long. So
 * one byte is waited for, and what libfcgi has read with it (8 KB at most) is taken along. */
size_t fcgi_read_piece(struct fcgi_request *r, char *to, size_t n)
{
    FCGX_Stream *in = r->fcgx.in;
    int first = n ? FCGX_GetChar(in) : EOF;
    if (first == EOF)
        return 0;
    to[0] = (char)first;
    size_t there = (size_t)(in->stop - in->rdNext), more = there < n - 1 ? there : n - 1;
    int got = more ? FCGX_GetStr(to + 1, (int)more, in) : 0;
    return 1 + (got > 0 ? (size_t)got : 0);
}

/* libfcgi would write 8 KB at a time, and each piece wakes nginx: whole records go out in one call instead.
 */
struct sending {
    int fd, request_id;
    struct iovec parts[PARTS_MAX];
    unsigned char headers[PARTS_MAX / 2][FCGI_RECORD_HEADER];
    size_t parts_n;
    bool gone;
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

static void flush(struct sending *s)
{
    struct msghdr m = {.msg_iov = s->parts, .msg_iovlen = s->parts_n};
    while (m.msg_iovlen && !s->gone) {
        ssize_t n = sendmsg(s->fd, &m, MSG_NOSIGNAL);
        if (n >= 0)
            skip(&m, (size_t)n);
        else
            s->gone = errno != EINTR;
    }
    s->parts_n = 0;
}

static void put_record(struct sending *s, enum fcgi_record type, struct str content)
{
    if (s->parts_n == PARTS_MAX)
        flush(s);
    unsigned char *header = s->headers[s->parts_n / 2];
    fcgi_record_header(header, type, s->request_id, content.len);
    s->parts[s->parts_n++] = (struct iovec){header, FCGI_RECORD_HEADER};
    s->parts[s->parts_n++] = (struct iovec){(void *)(uintptr_t)content.s, content.len};
}

static void put_output(struct sending *s, struct str data)
{
    while (data.len) {
        size_t n = data.len < FCGI_RECORD_MAX ? data.len : FCGI_RECORD_MAX;
        put_record(s, FCGI_RECORD_STDOUT, (struct str){data.s, n});
        data = (struct str){data.s + n, data.len - n};
    }
}

void fcgi_answer(struct fcgi_request *r, struct str head, struct str body)
{
    struct sending s = {.fd = r->fcgx.ipcFd, .request_id = r->fcgx.requestId};
    put_output(&s, head);
    put_output(&s, body);
    put_record(&s, FCGI_RECORD_STDOUT, STR(""));
    put_record(&s, FCGI_RECORD_END, FCGI_RECORD_COMPLETE);
    flush(&s);
    r->answered = true;
}

bool fcgi_pace_kept(int64_t since, int64_t bytes)
{
    return clock_mono_ms() - since <= FCGI_GRACE_MS + bytes * MS_PER_S / FCGI_PACE;
}

void fcgi_answer_file(struct fcgi_request *r, struct str head, int fd, int64_t size)
{
    struct sending s = {.fd = r->fcgx.ipcFd, .request_id = r->fcgx.requestId};
    AUTO_FREE char *piece = xmalloc(FILE_PIECE);
    int64_t since = clock_mono_ms(), sent = 0;
    put_output(&s, head);
    for (; size > 0 && !s.gone; s.gone = s.gone || !fcgi_pace_kept(since, sent)) {
        ssize_t n = read(fd, piece, size < FILE_PIECE ? (size_t)size : FILE_PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        put_output(&s, (struct str){piece, (size_t)n});
        flush(&s); /* before the next piece takes its place */
        size -= n;
        sent += n;
    }
    if (size == 0) { /* else nginx sees that it was cut off, and so does the reader */
        put_record(&s, FCGI_RECORD_STDOUT, STR(""));
        put_record(&s, FCGI_RECORD_END, FCGI_RECORD_COMPLETE);
    }
    flush(&s);
    r->answered = true;
}

struct fcgi_conn fcgi_detach(struct fcgi_request *r)
{
    struct fcgi_conn c = {.fd = r->fcgx.ipcFd, .request_id = r->fcgx.requestId};
    FCGX_Free(&r->fcgx, 0); /* its buffers (17 KB); the descriptor lives on */
    r->fcgx.ipcFd = -1;
    r->detached = true;
    return c;
}
