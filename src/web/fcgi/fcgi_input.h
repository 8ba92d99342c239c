/*
 * The parser for the input of one connection: a FastCGI request (specification 1.0, 3.3 to 5.3) of the role
 * Responder, in pieces of any size. Pure: it reads no descriptor.
 *
 * The order is fixed: BEGIN_REQUEST, PARAMS up to the empty one, STDIN up to the empty one. Management
 * records (request id 0) are skipped. Anything else is refused: a second request on the connection, another
 * role, ABORT_REQUEST, other versions.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_INPUT_H
#define ALFRED_WEB_FCGI_FCGI_INPUT_H

#include "base/err.h"
#include "base/strbuf.h"
#include "web/fcgi/fcgi_record.h"

#define FCGI_PARAMS_MAX ((size_t)128 * 1024) /* four times what nginx takes as headers */

struct fcgi_input {
    int request_id; /* 0: not begun */
    bool params_done, body_done;
    struct strbuf params; /* records until params_done, then for fcgi_input_param() */
    struct strbuf body;   /* received and not taken yet; the reader may clear it */

    /* the current record */
    unsigned char header[FCGI_RECORD_HEADER], begin[8];
    size_t header_n, begin_n; /* bytes received */
    size_t content_left, padding_left;
};

/* `body_max`: cap of `body`. */
void fcgi_input_init(struct fcgi_input *in, size_t body_max);
void fcgi_input_release(struct fcgi_input *in);

/* RC_BAD_INPUT: not a request as above. RC_TOO_BIG: parameters over FCGI_PARAMS_MAX, or a body over
 * body_max. After either the connection must be closed. */
enum rc fcgi_input_feed(struct fcgi_input *in, struct str data, struct err *e);

/* The first parameter with this name. NULL: none, or params_done is false. */
const char *fcgi_input_param(const struct fcgi_input *in, const char *name);

#endif
