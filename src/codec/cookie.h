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
 * The value of the cookie `name` in a Cookie header, a slice of the header. Other cookies are not validated.
 * RC_NOT_FOUND: absent. RC_BAD_INPUT: present twice, or its value contains other characters than cookie
 * octets (also quotes, which we never set).
 */
enum rc cookie_get(struct str header, const char *name, struct str *out, struct err *e);

/*
 * Appends the value of a Set-Cookie header: Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age. An age of 0 or
 * less deletes the cookie. RC_INTERNAL: the name lacks the `__Host-` prefix, or name or value contain invalid
 * characters.
 */
enum rc cookie_set_host(
    struct strbuf *out, const char *name, struct str value, int64_t max_age_s, struct err *e);

#endif
