/*
 * Conditional requests of the API (RFC 9110, 13). The ETag of a GET is a hash of its JSON. If-None-Match
 * saves the transfer of an unchanged answer. If-Match on a change compares with the answer that the GET of
 * the same address would have: a program changes only what it has read.
 *
 * Changes with If-Match of one address run one after the other. A change without If-Match in between, by a
 * page for example, is not noticed.
 */
#ifndef ALFRED_WEB_HTTP_CONDITIONAL_H
#define ALFRED_WEB_HTTP_CONDITIONAL_H

#include "web/http/request.h"

/* True when If-None-Match is this tag: for answers whose handlers make the tag themselves. */
bool conditional_is_known(const struct req *r, const char *tag);

/* Runs the request's handler under the condition of its headers. RC_CHANGED: If-Match fails, or the address
 * has no GET. RC_UNAVAILABLE: another such change of the address is running. */
enum rc conditional_handle(struct req *r, struct resp *out, struct err *e);

#endif
