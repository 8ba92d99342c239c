/*
 * Files as bodies, both ways. An upload goes to data/transfers piece by piece as it comes from nginx (which
 * must not buffer it: fastcgi_request_buffering off) and is never held; the handler finds it complete and
 * either takes it or leaves it to be removed. A file that is sent is read piece by piece (struct resp).
 *
 * Each keeps a thread busy for as long as the other side takes. So of each direction only UPLOAD_AT_ONCE of a
 * program are under way at the same time, one of a user's: one more is RC_UNAVAILABLE with a sentence and
 * Retry-After. And the other side has to keep a pace (fcgi.h): 256 MB take a thread for 70 minutes at most.
 * (X-Accel-Redirect would free the thread, but the files are ours alone, and on a server nginx is somebody
 * else.)
 */
#ifndef ALFRED_WEB_UPLOAD_H
#define ALFRED_WEB_UPLOAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

#define UPLOAD_AT_ONCE   2
#define UPLOAD_RETRY_S   20
#define UPLOAD_SILENCE_S 30 /* nginx's client_body_timeout: here in case that there is another in front */
#define UPLOAD_FIELD_MAX ((size_t)4096)             /* bytes of a field beside the file */
#define UPLOAD_DRAIN_MAX ((size_t)16 * 1024 * 1024) /* of a refused body, read so that its answer arrives */
#define UPLOAD_DRAIN_MS  3000 /* anybody can have a body refused, so it is not for long, and of few */

struct req;

/* Who has a file on its way: the ids of users. 0: free. */
struct places {
    pthread_mutex_t lock; /* guards users */
    int64_t users[UPLOAD_AT_ONCE];
};

struct upload {
    char id[ID_SIZE]; /* the file's name below data/transfers; "": there is none */
    int64_t bytes;
    int64_t unread; /* of the body */
};

typedef enum rc upload_field_fn(struct req *r, struct str name, struct str value, struct err *e);
typedef enum rc upload_check_fn(const struct req *r, struct err *e);

/* The body is multipart/form-data with one file; other fields go to `field`. `check` is asked when the file
 * begins. RC_BAD_INPUT, RC_UNSUPPORTED, RC_TOO_BIG, RC_UNAVAILABLE (also a full disk), RC_IO, and what the
 * two return. */
enum rc upload_form(struct req *r, upload_field_fn *field, upload_check_fn *check, struct err *e);
/* The body is the file. */
enum rc upload_raw(struct req *r, struct err *e);

/* A place of `p` for the requester's file; given back by upload_leave(), which also removes an upload that
 * nobody took. RC_UNAVAILABLE as said above. */
enum rc upload_enter(struct req *r, struct places *p, struct err *e);
void upload_leave(struct req *r);

/* The file is the caller's from now on. */
void upload_taken(struct req *r);

/* Reads on what is left of a refused body, up to UPLOAD_DRAIN_MAX and for UPLOAD_DRAIN_MS, and one at a time:
 * nginx would lose the answer else. */
void upload_drain(struct req *r);

#endif
