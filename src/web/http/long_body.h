/*
 * Bodies that are longer than [limits] body_bytes. Requests to /v1 may have v1_body_bytes, because a program
 * sends its whole conversation, and an editor also sends files. Pictures may have picture_bytes, office
 * documents document_bytes, recordings [speech] max_bytes. Such a body is read by the handler's thread after
 * the API token or the CSRF token was checked, so strangers cost no memory.
 *
 * The texts from a body stay in memory, too, until an answer ends. So the bytes of all long bodies are
 * counted until then and have a limit per program. A request that finds no room is refused at once:
 * RC_UNAVAILABLE with a sentence and Retry-After.
 */
#ifndef ALFRED_WEB_HTTP_LONG_BODY_H
#define ALFRED_WEB_HTTP_LONG_BODY_H

#include <pthread.h>

#include "base/err.h"
#include "base/strbuf.h"

#define LONG_BODIES_TIMES    8
#define LONG_DOCUMENTS_TIMES 2 /* documents are large and soon read */
#define LONG_BODIES_RETRY_S  5

struct req;

struct long_bodies {
    pthread_mutex_t lock; /* guards used */
    size_t used;          /* bytes */
};

/* A share of them; bytes 0: none. */
struct long_body_share {
    struct long_bodies *of;
    size_t bytes;
};

struct long_body_limit {
    int64_t bytes;
    int times;       /* all long bodies together have at most the size of so many of these */
    const char *key; /* the sentence of a longer one; {max} is its limit in KB */
};

/* Reads the body that fcgi_body() refuses. It is valid until long_body_leave(). RC_TOO_BIG with a sentence
 * that names limit and setting, RC_UNAVAILABLE, RC_BAD_INPUT (the client has left or is too slow). */
enum rc long_body_read(struct req *r, const struct long_body_limit *limit, struct str *out, struct err *e);
/* Frees the body and returns its share. */
void long_body_leave(struct req *r);
/* Takes the share away from the request: the caller returns it. */
struct long_body_share long_body_keep(struct req *r);
void long_body_return(struct long_body_share *s); /* any thread */

#endif
