/*
 * The threads for reads accept connections themselves. nginx writes a request directly after it has
 * connected, so the thread that accepts has the whole request at once and answers it without a second thread.
 * A request that does not come at once goes to the loop, a change to the threads for changes.
 *
 * Each thread has an epoll descriptor of its own, with EPOLLEXCLUSIVE: one connection wakes one thread, the
 * first of those that wait. A few threads then serve a small load, with warm caches.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "web/fcgi/fcgi_private.h"

#define PIECE      ((size_t)16 * 1024)
#define HEAD_MS    2 /* wait for the head of a request, which the peer is writing */
#define EVENTS_MAX 3
#define FDS_KEPT   32 /* for the files and the providers' connections of the requests that were accepted */

static enum rc watch(const struct fcgi_acceptor *a, int fd, uint32_t events, struct err *e)
{
    struct epoll_event ev = {.events = events, .data.fd = fd};
    if (a->epfd >= 0 && epoll_ctl(a->epfd, EPOLL_CTL_ADD, fd, &ev) == 0)
        return RC_OK;
    return err_set(e, RC_IO, "a thread cannot watch the FastCGI socket: %s", strerror(errno));
}

enum rc fcgi_acceptors_new(struct fcgi_server *s, struct err *e)
{
    enum rc rc = RC_OK;
    s->acceptors = xcalloc((size_t)s->setup.threads, sizeof *s->acceptors);
    for (int i = 0; i < s->setup.threads; i++)
        s->acceptors[i] = (struct fcgi_acceptor){.server = s, .epfd = -1};
    for (int i = 0; i < s->setup.threads && rc == RC_OK; i++) {
        struct fcgi_acceptor *a = &s->acceptors[i];
        a->epfd = epoll_create1(EPOLL_CLOEXEC);
        rc = watch(a, FCGI_LISTEN_FD, EPOLLIN | EPOLLEXCLUSIVE, e);
        if (rc == RC_OK)
            rc = watch(a, s->queued_fd, EPOLLIN | EPOLLEXCLUSIVE, e);
        if (rc == RC_OK)
            rc = watch(a, s->closing_fd, EPOLLIN, e);
    }
    return rc;
}

void fcgi_acceptors_free(struct fcgi_server *s)
{
    for (int i = 0; i < s->setup.threads; i++)
        fs_close(&s->acceptors[i].epfd);
    free(s->acceptors);
}

void fcgi_stop_accepting(struct fcgi_server *s)
{
    atomic_store(&s->closing, true);
    eventfd_write(s->closing_fd, 1);
}

/* The kernel gives the lowest free descriptor. */
static bool few_left(int fd)
{
    struct rlimit l;
    return getrlimit(RLIMIT_NOFILE, &l) == 0 && (rlim_t)fd + FDS_KEPT >= l.rlim_cur;
}

int fcgi_accept_fd(struct fcgi_server *s)
{
    /* POSIX allows NULL for the address; cppcheck's library does not know it of accept4(). */
    // cppcheck-suppress nullPointer
    int fd = accept4(FCGI_LISTEN_FD, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 || !few_left(fd))
        return fd;
    close(fd);
    log_repeat(&s->no_accept, LOG_ERROR, "a connection is refused: %s", strerror(EMFILE));
    errno = ECONNABORTED;
    return -1;
}

bool fcgi_accept_fails(struct fcgi_server *s)
{
    if (errno == EINTR || errno == ECONNABORTED)
        return false;
    log_repeat(
        &s->no_accept, LOG_ERROR, "a connection waits, because it cannot be accepted: %s", strerror(errno));
    return true;
}

static void wait_for_work(const struct fcgi_acceptor *a)
{
    struct epoll_event ready[EVENTS_MAX];
    int n = epoll_wait(a->epfd, ready, EVENTS_MAX, -1);
    for (int i = 0; i < n; i++) {
        eventfd_t one;
        if (ready[i].data.fd == a->server->queued_fd)
            eventfd_read(a->server->queued_fd, &one); /* another thread may have taken it */
    }
}

/* Half of the threads that accept may have a change, which saves the wake-up of another thread. */
static bool keeps_change(struct fcgi_request *r)
{
    struct fcgi_server *s = r->server;
    r->kept = atomic_fetch_add(&s->kept, 1) < s->setup.threads / 2;
    if (!r->kept)
        atomic_fetch_sub(&s->kept, 1);
    return r->kept;
}

/* Reads the request. NULL: it is not for this thread: the loop or the threads for changes have it, or the
 * client has left. */
static struct fcgi_request *receive(struct fcgi_acceptor *a, int fd)
{
    struct fcgi_request *r = fcgi_request_new(a->server, fd);
    char raw[PIECE];
    bool waited = false;
    for (int i = 0; i < FCGI_READ_BATCH; i++) {
        struct str piece;
        bool there = fcgi_recv(fd, raw, sizeof raw, &piece);
        if (there && !piece.len && waited)
            break;
        if (there && !piece.len) {
            waited = true;
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, HEAD_MS);
        } else if (!there || !fcgi_take(r, piece, &a->refusals)) {
            fcgi_request_free(r);
            return NULL;
        } else if (fcgi_ready(r)) {
            if (fcgi_reads(r) || keeps_change(r))
                return r;
            fcgi_dispatch(r);
            return NULL;
        }
    }
    loop_post(a->server->loop, fcgi_receive_rest, r);
    return NULL;
}

struct fcgi_request *fcgi_accept(struct fcgi_acceptor *a)
{
    struct fcgi_server *s = a->server;
    for (;;) {
        bool closing = atomic_load(&s->closing);
        struct fcgi_request *r = fcgi_next(s, &s->reads, closing);
        if (r || closing)
            return r;
        int fd = fcgi_accept_fd(s);
        if (fd >= 0)
            r = receive(a, fd);
        else if (errno == EAGAIN)
            wait_for_work(a);
        else if (fcgi_accept_fails(s))
            poll(&(struct pollfd){.fd = s->closing_fd, .events = POLLIN}, 1, FCGI_EMFILE_PAUSE_MS);
        if (r)
            return r;
    }
}
