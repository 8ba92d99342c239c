/*
 * The gate: everything between a matched route and its handler. Default is deny. In this order: same origin
 * for unsafe methods, who it is, whether they may, the body's size and type, the CSRF token, the fields.
 */
#ifndef ALFRED_WEB_GATE_H
#define ALFRED_WEB_GATE_H

#include "web/http/request.h"

#define COOKIE_NAME "__Host-alfred"

/* r->route and the match are set. On RC_OK the request's identity and fields are. */
enum rc gate_pass(struct req *r, const struct route_match *m, struct err *e);

/* Who asks, if anybody: also for error pages. Never fails. */
void gate_identify(struct req *r);

/* Set-Cookie for a fresh login, or (token NULL) for none. */
void gate_set_cookie(struct resp *out, const struct config *c, const char *token);

#endif
