/*
 * FastCGI requests as calls of one handler (specification 1.0; descriptor 0 is the listening socket). The
 * supervisor owns the socket, so connections wait in its backlog while a program restarts.
 *
 * One thread, the loop's, accepts connections and reads each request with its body before a thread of the
 * pool sees it. A client that is slow or silent therefore costs a descriptor and no thread:
 *
 * - The head has to be there within FCGI_HEAD_MS.
 * - A body has to keep FCGI_RATE_LOOP, else the handler gets what came and fcgi_body() fails.
 * - A body that is longer than `body_max` is not collected: the handler refuses it, or reads it piece by
 * piece on its own thread. Then the client has to keep FCGI_RATE_THREAD and may be silent for
 * FCGI_SILENCE_MS.
 *
 * Requests that only read (GET, HEAD) and all others have threads of their own. A change may wait for the
 * database's write lock, for an upload or for a password's hash, and nobody who reads has to wait with it.
 *
 * The handler's answer is written at once as far as the socket takes it; the loop sends the rest.
 *
 * A connection is closed only after its input was read to the end. Closing a Unix socket with unread input
 * makes the peer's next read fail with ECONNRESET, and nginx then loses an answer that it has not read yet.
 * The rest of a refused body is read and dropped within FCGI_DRAIN_MAX bytes and FCGI_DRAIN_MS.
 *
 * libfcgi is not used: it reads a request with blocking calls inside FCGX_Accept_r(), where no time limit can
 * be set.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_H
#define ALFRED_WEB_FCGI_FCGI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define FCGI_HEAD_MS        5000
#define FCGI_CHANGE_WAIT_MS 2500        /* how long a change may wait for a thread */
#define FCGI_GRACE_MS       20000       /* is added to what a rate allows */
#define FCGI_RATE_LOOP      (4 * 1024)  /* bytes a second of a client that holds no thread */
#define FCGI_RATE_THREAD    (64 * 1024) /* the same of one that holds one */
#define FCGI_SILENCE_MS     30000       /* nginx's client_body_timeout, for servers in front that have none */
#define FCGI_DRAIN_MS       5000
#define FCGI_DRAIN_MAX      ((int64_t)16 * 1024 * 1024)

struct fcgi_request; /* lives for the call of the handler, on its thread */

typedef void fcgi_handler(void *arg, struct fcgi_request *r);

struct fcgi_setup {
    int threads;     /* for what reads, and as many for changes */
    size_t body_max; /* bytes of a body that are collected before the handler is called */
    fcgi_handler *handle;
    void *arg;
};

/* Blocks SIGTERM and SIGINT for this thread and those that it starts. Before any thread is started. */
void fcgi_block_signals(void);

/* Runs until SIGTERM or SIGINT. Then it accepts nothing more, serves what has arrived and returns when no
 * handler runs any more; there is no time limit for a handler, and transfers of files are cut off. RC_IO when
 * descriptor 0 is no listening socket, RC_UNAVAILABLE when a thread cannot be started. */
enum rc fcgi_serve(const struct fcgi_setup *setup, struct err *e);

/* No thread was free for this change in time: it is to be refused, now. */
bool fcgi_late(const struct fcgi_request *r);

const char *fcgi_param(const struct fcgi_request *r, const char *name); /* NULL when absent */

/* The whole body; "" when there is none. It lives as long as the request. Failures, with a
 * sentence for the user: RC_TOO_BIG (longer than body_max), RC_BAD_INPUT (the client was too slow). */
enum rc fcgi_body(const struct fcgi_request *r, struct str *out, struct err *e);

/* Up to `n` bytes of the body, as they come; 0: it has ended, the client was silent for too long, or the
 * program is about to end. For bodies longer than body_max; waits on the caller's thread. */
size_t fcgi_read_piece(struct fcgi_request *r, char *to, size_t n);

/* Whether a client that sent or took `bytes` since `since` (monotonic, ms) keeps the rate. */
bool fcgi_rate_kept(int64_t since, int64_t bytes, int64_t bytes_per_second);

/* The whole answer: CGI header and body. Once per request; a client that left is not an error. */
void fcgi_answer(struct fcgi_request *r, struct str head, struct str body);

/* The same with `size` bytes of a file, read piece by piece on the caller's thread. A file that turns out to
 * be shorter cuts the answer off; so does a client that does not keep FCGI_RATE_THREAD. */
void fcgi_answer_file(struct fcgi_request *r, struct str head, int fd, int64_t size);

/* A connection taken over: the answer is written by its new owner, who closes the descriptor. Only for a
 * request whose body is there (fcgi_body() succeeds) and that was not answered. */
struct fcgi_conn {
    int fd;
    int request_id;
};
struct fcgi_conn fcgi_detach(struct fcgi_request *r);

#endif
