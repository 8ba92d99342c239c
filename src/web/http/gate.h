/*
 * The gate: all checks between a matched route and its handler. The default is to refuse. It checks the API
 * token, if there is one, then origin, login, rights, the fields of path, query and body with the body's
 * size and type, the CSRF token, and required fields, in this order. A file is read only after the CSRF
 * token was checked. A request to the API with neither origin nor login is of a program that lacks a token:
 * RC_UNAUTHENTICATED.
 *
 * A request with `Authorization: Bearer` has the rights of its API token and never those of a cookie. It
 * needs no origin and no CSRF token: a page of another site cannot send the header without a permission by
 * CORS, which Alfred never gives.
 */
#ifndef ALFRED_WEB_HTTP_GATE_H
#define ALFRED_WEB_HTTP_GATE_H

#include "web/http/request.h"

#define COOKIE_NAME        "__Host-alfred"
#define COOKIE_DEVICE_NAME "__Host-alfred-device" /* marks a browser that has signed in before */
#define COOKIE_BEGUN_NAME  "__Host-alfred-signin" /* of a sign-in that waits for its code */

/* The sentence of RC_FORBIDDEN for a wrong CSRF token: the page is from another sign-in. */
#define ERROR_OLD_PAGE "error.old_page"

/* Runs before any other check. RC_MISDIRECTED, with a sentence: the Host header is missing or is not a
 * name of this server. */
enum rc gate_check_host(const struct req *r, struct err *e);

/* Needs r->route and the match. On RC_OK the request's identity and fields are set. */
enum rc gate_pass(struct req *r, const struct route_match *m, struct err *e);

/* Identifies the signed-in user, if any; also for error pages. Never fails. */
void gate_identify(struct req *r);

/* The client of a request that signs in: with the cookie of its device. */
struct auth_client gate_signin_client(const struct req *r);

/* Set-Cookie for a sign-in that waits for a code. */
void gate_signin_begun(struct resp *out, const struct auth_signin *in);
const char *gate_begun(const struct req *r); /* its token as received; NULL: none */

/* Set-Cookie for a fresh login and its device. Logs that the users of a proxy share its address. */
void gate_signed_in(const struct req *r, struct resp *out, const struct auth_signin *in);
/* Deletes the login's cookie. The device's cookie stays, so that the device stays known. */
void gate_signed_out(struct resp *out);

#endif
