/*
 * Cookies (RFC 6265) for sign-in: reads one value from the request's header and writes one `__Host-` cookie
 * into the answer. With this prefix browsers require Secure, Path=/ and no Domain, so no other host can set
 * it.
 */
#ifndef ALFRED_CODEC_COOKIE_H
#define ALFRED_CODEC_COOKIE_H

#include "base/err.h"
#include "base/strbuf.h"

/*
 * The value of the cookie `name` in a Cookie header, a slice of the header. What other cookies look like does
 * not matter. RC_NOT_FOUND when it is absent; RC_BAD_INPUT when it comes twice or its value holds anything
 * but cookie octets (quotes included: we never set such a value).
 */
enum rc cookie_get(struct str header, const char *name, struct str *out, struct err *e);

/*
 * Appends the value of a Set-Cookie header: Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age. An age of 0 or
 * less deletes the cookie. RC_INTERNAL when the name lacks the `__Host-` prefix or name or value hold what a
 * cookie cannot.
 */
enum rc cookie_set_host(
    struct strbuf *out, const char *name, struct str value, int64_t max_age_s, struct err *e);

#endif
