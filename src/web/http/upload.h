/*
 * Uploads and downloads of files. An upload is written to data/transfers as it arrives from nginx (which must
 * not buffer it: fastcgi_request_buffering off) and is never in memory as a whole. The handler gets it
 * complete and either takes it or leaves it to be removed. A download is read piece by piece (struct resp).
 *
 * Each holds a thread for as long as the client takes. In each direction only UPLOAD_AT_ONCE of a program run
 * at the same time, one per user. A further one is RC_UNAVAILABLE with a sentence and Retry-After. The client
 * has to keep a minimum rate (fcgi.h): 256 MB take a thread for 70 minutes at most. (X-Accel-Redirect would
 * free the thread, but only Alfred's account can read the files, and on a server nginx runs under another
 * account.)
 */
#ifndef ALFRED_WEB_HTTP_UPLOAD_H
#define ALFRED_WEB_HTTP_UPLOAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

#define UPLOAD_AT_ONCE   2
#define UPLOAD_RETRY_S   20
#define UPLOAD_FIELD_MAX ((size_t)4096) /* bytes of a field beside the file */

struct req;

/* The ids of the users with a running upload. 0: free. */
struct places {
    pthread_mutex_t lock; /* guards users */
    int64_t users[UPLOAD_AT_ONCE];
};

struct upload {
    char id[ID_SIZE]; /* the file's name below data/transfers; "": there is none */
    int64_t bytes;
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

#endif
