/*
 * The parser of what a web server sends on one connection: a FastCGI request (specification 1.0, 3.3 to 5.3)
 * of the role Responder, in pieces of any size. Pure: it reads no descriptor.
 *
 * The order is fixed: BEGIN_REQUEST, PARAMS up to the empty one, STDIN up to the empty one. Management
 * records (request id 0) are skipped. Anything else is refused: a second request on the connection, another
 * role, ABORT_REQUEST, other versions.
 */
#ifndef ALFRED_WEB_FCGI_INPUT_H
#define ALFRED_WEB_FCGI_INPUT_H

#include "base/err.h"
#include "base/strbuf.h"
#include "web/fcgi/fcgi_record.h"

#define FCGI_PARAMS_MAX ((size_t)128 * 1024) /* four times what nginx takes as headers */

struct fcgi_input {
    int request_id; /* 0: it has not begun */
    bool params_done, body_done;
    struct strbuf params; /* until params_done as records, then "NAME\0VALUE\0NAME\0VALUE\0" */
    struct strbuf body;   /* what came and was not taken yet; the reader may clear it */

    /* the present record */
    unsigned char header[FCGI_RECORD_HEADER], begin[8];
    size_t header_n, begin_n; /* bytes that are there */
    size_t content_left, padding_left;
};

/* `body_max`: the most bytes that may wait in `body`. */
void fcgi_input_init(struct fcgi_input *in, size_t body_max);
void fcgi_input_release(struct fcgi_input *in);

/* RC_BAD_INPUT: this is no request as above. RC_TOO_BIG: parameters over FCGI_PARAMS_MAX, or a body over
 * body_max. The connection is useless after either. */
enum rc fcgi_input_feed(struct fcgi_input *in, struct str data, struct err *e);

/* The first parameter of that name, NULL when there is none or params_done is false. */
const char *fcgi_input_param(const struct fcgi_input *in, const char *name);

#endif
