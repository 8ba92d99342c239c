/*
 * The only door to libfcgi: accept threads that turn FastCGI requests into calls of one handler, and the
 * hand-over of a connection to somebody who answers it later (fcgi_stream.h).
 *
 * The listening socket is descriptor 0, as the FastCGI specification 1.0 says; the supervisor owns it, so
 * that connections wait in its backlog while a program restarts.
 *
 * libfcgi's traps, met here: it takes SIGTERM unless ours is installed first; FCGX_Finish can poll for 2 s
 * unless the request is detached; EMFILE must not end the accept loop.
 */
#ifndef ALFRED_WEB_FCGI_H
#define ALFRED_WEB_FCGI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

struct fcgi_request; /* lives for the call of the handler, on its thread */

typedef void fcgi_handler(void *arg, struct fcgi_request *r);

/* Runs until SIGTERM or SIGINT; then stops accepting, lets running handlers end and returns. `on_stop` (may
 * be NULL) is called once, on the waiting thread, when the signal has come. RC_IO when descriptor 0 is no
 * socket. */
enum rc fcgi_serve(int threads, fcgi_handler *fn, void (*on_stop)(void *arg), void *arg, struct err *e);

const char *fcgi_param(const struct fcgi_request *r, const char *name); /* NULL when absent */

/* Appends exactly `n` bytes of the body; RC_TOO_BIG over out's cap, RC_BAD_INPUT when the client sent fewer.
 */
enum rc fcgi_read_body(struct fcgi_request *r, size_t n, struct strbuf *out, struct err *e);

/* Up to `n` bytes of the body, as they come; 0: it has ended, or was silent for too long. */
size_t fcgi_read_piece(struct fcgi_request *r, char *to, size_t n);

/* For bodies and files, which take a thread for as long as the other side likes: how long it may be silent,
 * both ways, from now on; and whether what came or went since `since` (monotonic) kept a pace that a
 * telephone keeps. Who is slower would hold a thread for hours. */
#define FCGI_PACE     (64 * 1024) /* bytes a second */
#define FCGI_GRACE_MS 20000
void fcgi_patience(struct fcgi_request *r, int seconds);
bool fcgi_pace_kept(int64_t since, int64_t bytes);

/* The whole answer: CGI header and body. Once per request; a client that left is not an error. */
void fcgi_answer(struct fcgi_request *r, struct str head, struct str body);

/* The same with `size` bytes of a file, read piece by piece. One that turns out to be shorter cuts the answer
 * off; so does a reader who does not keep the pace. */
void fcgi_answer_file(struct fcgi_request *r, struct str head, int fd, int64_t size);

/* A connection taken over: the answer is written by its new owner, who closes the descriptor. */
struct fcgi_conn {
    int fd;
    int request_id;
};
struct fcgi_conn fcgi_detach(struct fcgi_request *r); /* nothing may have been written */

#endif
