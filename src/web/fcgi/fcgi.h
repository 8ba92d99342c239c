/*
 * FastCGI requests as calls of one handler (specification 1.0; descriptor 0 is the listening socket). The
 * supervisor owns the socket, so connections wait in its backlog while a program restarts.
 *
 * The threads for reads accept connections. The thread that has accepted a connection also answers the
 * request if it arrives at once. For a change this holds only in half of these threads; otherwise the change
 * waits for a thread for changes. The loop's thread receives all other requests with their bodies before a
 * thread gets them. A slow or silent client therefore holds a descriptor and no thread:
 *
 * - The head must arrive within FCGI_HEAD_MS.
 * - A body must keep the rate FCGI_RATE_LOOP. Otherwise the handler gets the received part and fcgi_body()
 *   fails.
 * - A body longer than `body_max` is not collected. The handler refuses it, or reads it piece by piece on its
 *   own thread. Then the client must keep FCGI_RATE_THREAD and may be silent for FCGI_SILENCE_MS.
 *
 * A change (neither GET nor HEAD) may wait for the database's write lock, for an upload or for a password's
 * hash. Readers do not wait with it: half of their threads answer only them.
 *
 * The handler's thread writes the answer as far as the socket accepts it. The loop sends the rest.
 *
 * A connection is closed only after its input was read to the end. Closing a Unix socket with unread input
 * makes the peer's next read fail with ECONNRESET, and nginx then loses an answer that it has not read yet.
 * The rest of a refused body is read and dropped within FCGI_DRAIN_MAX bytes and FCGI_DRAIN_MS. If it fits,
 * it is dropped before the answer is sent: nginx closes the client's connection after an answer that comes
 * before the end of the body, but has promised the client to keep it.
 *
 * libfcgi is not used: FCGX_Accept_r() reads a request with blocking calls and has no time limit.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_H
#define ALFRED_WEB_FCGI_FCGI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define FCGI_HEAD_MS        5000
#define FCGI_CHANGE_WAIT_MS 2500        /* longest wait of a change for a thread */
#define FCGI_GRACE_MS       20000       /* added to the time that a rate allows */
#define FCGI_RATE_LOOP      (4 * 1024)  /* least bytes per second for a client that holds no thread */
#define FCGI_RATE_THREAD    (64 * 1024) /* the same for a client that holds a thread */
#define FCGI_SILENCE_MS     30000       /* as nginx's client_body_timeout, for other web servers */
#define FCGI_DRAIN_MS       5000
#define FCGI_DRAIN_MAX      ((int64_t)16 * 1024 * 1024)

struct fcgi_request; /* valid during the handler's call, on its thread */

typedef void fcgi_handler(void *arg, struct fcgi_request *r);

struct fcgi_setup {
    int threads;     /* for reads and a few changes, and the same number for changes only */
    size_t body_max; /* longest body that is collected before the handler is called */
    fcgi_handler *handle;
    void *arg;
};

/* Blocks SIGTERM and SIGINT for this thread and those that it starts. Call it before any thread is
 * started. */
void fcgi_block_signals(void);

/* Runs until SIGTERM or SIGINT. Then it accepts no more connections, serves received requests and returns
 * when no handler runs. Handlers have no time limit. File transfers are cut off. RC_IO: descriptor 0 is
 * not a listening socket. RC_UNAVAILABLE: a thread cannot be started. */
enum rc fcgi_serve(const struct fcgi_setup *setup, struct err *e);

/* True when no thread was free for this change in time: the handler refuses it. */
bool fcgi_late(const struct fcgi_request *r);

const char *fcgi_param(const struct fcgi_request *r, const char *name); /* NULL when absent */

/* The whole body; "" when there is none. Valid as long as the request. Failures, with a sentence for the
 * user: RC_TOO_BIG (longer than body_max), RC_BAD_INPUT (the client was too slow). */
enum rc fcgi_body(const struct fcgi_request *r, struct str *out, struct err *e);

/* The next bytes of the body, at most `n`. 0: it has ended, the client was silent for too long, or the
 * program is stopping. For bodies longer than body_max; blocks the caller's thread. */
size_t fcgi_read_piece(struct fcgi_request *r, char *to, size_t n);
bool fcgi_body_ended(const struct fcgi_request *r); /* the whole body was received */

/* A new descriptor that is readable when the program stops or the client has left: then a handler that waits
 * for another service ends its wait. The caller closes it. Only after the whole body was received. -1: none
 * is left. */
int fcgi_end_fd(const struct fcgi_request *r);

/* True when a client that has transferred `bytes` since `since` (monotonic, ms) keeps the rate. */
bool fcgi_rate_kept(int64_t since, int64_t bytes, int64_t bytes_per_second);

/* The whole answer: CGI header and body. Call it once per request. A client that has left is not an error. */
void fcgi_answer(struct fcgi_request *r, struct str head, struct str body);

/* The same with `size` bytes of a file, read piece by piece on the caller's thread. The answer is cut off
 * when the file is shorter, or when the client does not keep FCGI_RATE_THREAD. */
void fcgi_answer_file(struct fcgi_request *r, struct str head, int fd, int64_t size);

/* A connection that is handed over: its new owner writes the answer and closes the descriptor. Only for a
 * request without answer whose fcgi_body() succeeds. */
struct fcgi_conn {
    int fd;
    int request_id;
};
struct fcgi_conn fcgi_detach(struct fcgi_request *r);

#endif
