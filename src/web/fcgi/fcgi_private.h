/*
 * Shared by fcgi.c (the handler's threads), fcgi_accept.c (those of them that accept) and fcgi_loop.c (the
 * loop's thread).
 *
 * A request belongs to one thread at a time. The thread that accepts its connection creates it. One that is
 * not complete at once is posted to the loop, which receives the rest and puts it into a queue. After the
 * handler its thread frees the request, or posts it to the loop to send or drain the rest. The server's
 * shared fields are set before the threads start, are atomic, or belong to the loop.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_PRIVATE_H
#define ALFRED_WEB_FCGI_FCGI_PRIVATE_H

#include <stdatomic.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "net/loop.h"
#include "web/fcgi/fcgi.h"
#include "web/fcgi/fcgi_input.h"
#include "web/fcgi/fcgi_queue.h"

#define FCGI_LISTEN_FD       0
#define FCGI_READ_SIZE       ((size_t)64 * 1024) /* one read of a socket */
#define FCGI_READ_BATCH      4                   /* reads of one connection in a row */
#define FCGI_EMFILE_PAUSE_MS 20                  /* when there is no descriptor for a connection */
#define FCGI_BODY_MORE       ((size_t)4096) /* bytes above body_max that are collected, too: see fcgi_ready() */
#define FCGI_CONNS_MAX       1024           /* connections of the loop; further ones wait in the backlog */
#define FCGI_HELD_MAX        ((size_t)64 * 1024 * 1024) /* bytes of all bodies and answers in memory */

/* SKIPPING: the rest of a refused body is dropped before the answer is sent. */
enum fcgi_phase { FCGI_RECEIVING, FCGI_SKIPPING, FCGI_SENDING, FCGI_DRAINING };

/* CLOSING: no connection is accepted; requests being received may complete. CLOSED: they may not. ENDING:
 * no handler runs; answers are sent. */
enum fcgi_stage { FCGI_RUNNING, FCGI_CLOSING, FCGI_CLOSED, FCGI_ENDING };

/* fcgi.c: RC_IO: descriptor 0 is not a listening socket. Makes it non-blocking. */
enum rc fcgi_check_socket(struct err *e);

struct fcgi_request {
    struct fcgi_server *server;
    struct fcgi_request *prev, *next; /* neighbours in the loop's list; next: also in a queue */
    int fd;                           /* -1: detached */
    struct fcgi_input in;
    size_t taken;      /* bytes of in.body taken by fcgi_read_piece() */
    struct strbuf out; /* the unsent part of the answer */
    size_t out_sent;
    size_t held;       /* its part of server->held */
    bool slow;         /* the body was too slow */
    bool late;         /* see fcgi_late() */
    bool kept;         /* counted in server->kept */
    int64_t queued_at; /* monotonic ms */
    int64_t declared;  /* CONTENT_LENGTH; -1: not known */
    bool gone;         /* the peer has left or violates the protocol: close at once */

    /* used by the loop only */
    struct loop_watch *watch;
    enum fcgi_phase phase;
    int64_t since, bytes; /* the phase: its start (monotonic ms), transferred bytes */
};

/* A thread that accepts connections. */
struct fcgi_acceptor {
    struct fcgi_server *server;
    int epfd; /* watches the listening socket, queued_fd and closing_fd */
    struct log_repeat refusals;
};

struct fcgi_server {
    struct fcgi_setup setup;
    struct loop *loop;
    int signal_fd;
    int stop_fd;    /* an eventfd, readable when the program stops */
    int closing_fd; /* an eventfd, readable when no connection is accepted any more */
    int queued_fd;  /* an eventfd, a semaphore: counts requests that the loop has put into `reads` */
    struct fcgi_acceptor *acceptors; /* setup.threads */
    atomic_bool closing;
    atomic_int kept; /* changes that accepting threads handle */
    atomic_size_t held;
    struct log_repeat no_accept; /* of all threads */

    struct fcgi_queue reads, changes;

    /* used by the loop only */
    struct fcgi_request *conns;
    int conns_n, receiving;
    enum fcgi_stage stage;
    struct loop_watch *listening, *signals;
    struct loop_timer *sweep, *retry, *deadline;
    char *piece; /* FCGI_READ_SIZE bytes */
    struct log_repeat refusals;
};

/* fcgi.c */
bool fcgi_reads(const struct fcgi_request *r);                                          /* GET or HEAD */
struct fcgi_request *fcgi_next(struct fcgi_server *s, struct fcgi_queue *q, bool wait); /* NULL: none */
void fcgi_dispatch(struct fcgi_request *r);           /* passes a received request to the threads */
bool fcgi_body_first(const struct fcgi_request *r);   /* the rest of the body is dropped before the answer */
void fcgi_hold(struct fcgi_request *r, size_t bytes); /* counts bytes in memory */
void fcgi_request_free(struct fcgi_request *r);       /* closes the connection, unless it is detached */

/* fcgi_accept.c */
enum rc fcgi_acceptors_new(struct fcgi_server *s, struct err *e); /* RC_IO; before fcgi_loop_start() */
/* Accepts a connection. -1: none, see errno. While few descriptors are left it closes the connection
 * (ECONNABORTED), so that nginx answers 503 with Retry-After at once. */
int fcgi_accept_fd(struct fcgi_server *s);
/* After fcgi_accept_fd() and an errno other than EAGAIN: true when there is no descriptor or no memory for a
 * connection now. It logs that. */
bool fcgi_accept_fails(struct fcgi_server *s);
void fcgi_stop_accepting(struct fcgi_server *s);
void fcgi_acceptors_free(struct fcgi_server *s);
struct fcgi_request *fcgi_accept(struct fcgi_acceptor *a); /* the next read; NULL: none will come */

/* fcgi_loop.c */
struct fcgi_request *fcgi_request_new(struct fcgi_server *s, int fd);
/* Reads once, without waiting. False: the peer has left. An empty piece: nothing to read now. */
bool fcgi_recv(int fd, char *to, size_t size, struct str *piece);
/* Takes received bytes. False: the request is refused. */
bool fcgi_take(struct fcgi_request *r, struct str piece, struct log_repeat *refusals);
bool fcgi_ready(const struct fcgi_request *r); /* the handler can begin */
void fcgi_receive_rest(void *request);         /* posted: receives what is missing, then dispatches it */
enum rc fcgi_loop_start(struct fcgi_server *s, struct err *e); /* RC_IO; before loop_run() */
void fcgi_resume(void *server);                                /* posted: a queue has room */
void fcgi_linger(void *request);              /* posted: sends and drains the rest, then frees it */
void fcgi_loop_close(struct fcgi_server *s);  /* drops partly received requests; after loop_run() */
void fcgi_loop_finish(struct fcgi_server *s); /* waits shortly for posted requests, then drops them */

#endif
