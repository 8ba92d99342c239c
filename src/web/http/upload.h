/*
 * Uploads and downloads of files. An upload is written to data/transfers as it arrives from nginx (which must
 * not buffer it: fastcgi_request_buffering off) and is never in memory as a whole. The handler gets the
 * complete file. If it does not take the file, the file is removed. A download is read piece by piece (struct
 * resp).
 *
 * Each transfer holds a thread as long as the client takes. In each direction a program runs at most
 * PLACES_AT_ONCE at the same time, one per user (places.h). A further one gets RC_UNAVAILABLE with a sentence
 * and Retry-After. The client must keep a minimum rate (fcgi.h): 1 GB takes a thread for 280 minutes at most.
 * X-Accel-Redirect would free the thread, but nginx runs under another account on a server and cannot read
 * the files.
 */
#ifndef ALFRED_WEB_HTTP_UPLOAD_H
#define ALFRED_WEB_HTTP_UPLOAD_H

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "web/http/places.h"

#define UPLOAD_RETRY_S   20
#define UPLOAD_FIELD_MAX ((size_t)4096) /* bytes of a field besides the file */

struct req;

struct upload {
    char id[ID_SIZE]; /* name of the file in data/transfers; "": none */
    int64_t bytes;
};

typedef enum rc upload_field_fn(struct req *r, struct str name, struct str value, struct err *e);
typedef enum rc upload_check_fn(const struct req *r, struct err *e);

/* Reads a body of multipart/form-data with one file. Other fields go to `field`. `check` is called when
 * the file begins. RC_BAD_INPUT, RC_UNSUPPORTED, RC_TOO_BIG, RC_UNAVAILABLE (also a full disk), RC_IO, and
 * the errors of both callbacks. */
enum rc upload_form(struct req *r, upload_field_fn *field, upload_check_fn *check, struct err *e);
/* Reads a body that is the file itself. */
enum rc upload_raw(struct req *r, struct err *e);

/* Takes a place of `p` for the requester's file. upload_leave() returns it and removes an upload that was
 * not taken. RC_UNAVAILABLE: no place is free, or the user has one. */
enum rc upload_enter(struct req *r, struct places *p, struct err *e);
void upload_leave(struct req *r);

/* Marks the file as taken: the caller owns it. */
void upload_taken(struct req *r);

#endif
