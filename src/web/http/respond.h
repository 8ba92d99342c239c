/*
 * Converts a result to an HTTP answer: the one mapping from `rc` to HTTP status and public text, JSON errors,
 * and the headers of every answer.
 */
#ifndef ALFRED_WEB_HTTP_RESPOND_H
#define ALFRED_WEB_HTTP_RESPOND_H

#include "web/http/request.h"

#define RESPONSE_BODY_MAX ((size_t)32 * 1024 * 1024)
#define RESPONSE_HEAD_MAX ((size_t)16 * 1024)
#define HTTP_NOT_MODIFIED 304

int http_status(enum rc rc);

/* The sentence for the user in the language of the request: the error's own if it is meant for the user, else
 * the one of its class. RC_NOT_FOUND always has the same sentence, so that a foreign row looks like an absent
 * one. */
const char *public_text(const struct req *r, const struct err *e);

const char *error_title(const struct lang *l, enum rc rc); /* a heading: "Not found" */
int error_retry_after(const struct err *e);                /* seconds; 0: none */

/* The error as a JSON view {"error":{...}}; in the API also as a problem (RFC 9457); in /v1 in OpenAI's form.
 */
struct view *error_view(const struct req *r, const struct err *e);
const char *error_type(const struct req *r); /* its Content-Type */

/* Appends the CGI head: status, type, security headers, the handler's own. */
void respond_head(const struct req *r, const struct resp *out, struct strbuf *to);

/* Writes head and body to nginx. */
void respond_send(struct req *r, struct resp *out);

#endif
