/*
 * multipart/form-data (RFC 7578 on RFC 2046): a form with a file, read in pieces of any size and passed on in
 * pieces. Only a part's head, and the few bytes that may begin a border, are buffered.
 *
 * Names are bytes as browsers send them (WHATWG HTML: a quote is %22, a line end %0D %0A). They are neither
 * decoded nor checked for UTF-8. Failures: RC_BAD_INPUT (not such a form), RC_TOO_BIG (a head over
 * MULTIPART_HEAD_MAX, too many parts), or the result of a callback.
 */
#ifndef ALFRED_CODEC_MULTIPART_H
#define ALFRED_CODEC_MULTIPART_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define MULTIPART_BOUNDARY_MAX 70 /* RFC 2046, section 5.1.1 */
#define MULTIPART_HEAD_MAX     4096
#define MULTIPART_PARTS_MAX    64

struct multipart_ops {
    /* A part begins. The slices are valid during the call. `filename.s` is NULL when it is not a file. */
    enum rc (*part)(void *arg, struct str name, struct str filename, struct err *e);
    enum rc (*data)(void *arg, struct str piece, struct err *e);
    enum rc (*end)(void *arg, struct err *e); /* end of the part */
};

struct multipart;

/* Created from the request's Content-Type. NULL: not multipart/form-data with a valid boundary. */
struct multipart *multipart_new(struct str content_type, const struct multipart_ops *ops, void *arg);
void multipart_free(struct multipart *m); /* NULL is fine; not from inside a callback */
DEFINE_AUTO(multipart);

/* Do not call it again after a failure. */
enum rc multipart_feed(struct multipart *m, struct str piece, struct err *e);
/* RC_BAD_INPUT: the last delimiter is missing. */
enum rc multipart_end(struct multipart *m, struct err *e);

#endif
