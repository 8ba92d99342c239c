/*
 * Where our requests may go (DESIGN 7): public addresses over https. An owner's own servers (a model on this
 * machine, say) are listed by "host" or "host:port" and may be private and plain http.
 *
 * The address is checked after the name was resolved, on the very address that is connected to, so a name
 * that resolves to something else a moment later gains nothing.
 */
#ifndef ALFRED_NET_GUARD_H
#define ALFRED_NET_GUARD_H

#include <sys/socket.h>

#include "base/err.h"

/* False for loopback, private, link-local, shared (CGNAT), multicast, unspecified, documentation and every
 * other address that the IANA special-purpose registries (RFC 6890) call not globally reachable; IPv4 inside
 * IPv6 (mapped, NAT64) is judged as IPv4. Families other than IP are never public. */
bool guard_public(const struct sockaddr *sa);

#define GUARD_WHERE_MAX 128

struct guard_target {
    bool listed;                 /* may be private and plain http */
    char where[GUARD_WHERE_MAX]; /* "host:port", for messages; cut when longer */
};

/* RC_BAD_INPUT (to be shown): malformed, another scheme than https (http when listed), or with a user name in
 * it. An entry's host is compared without case; "[::1]:80" and "::1" are both understood. */
enum rc guard_url(
    const char *url, const char *const *allowed, size_t allowed_n, struct guard_target *out, struct err *e);

#endif
