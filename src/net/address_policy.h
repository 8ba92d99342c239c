/*
 * The addresses that outgoing requests may use: public addresses, over https. The owner can list servers by
 * "host" or "host:port" (a model on this machine, for example). Listed servers may be private and plain http.
 *
 * The address is checked after the name was resolved, and the connection uses the same address. A name that
 * resolves to another address later gains nothing.
 */
#ifndef ALFRED_NET_ADDRESS_POLICY_H
#define ALFRED_NET_ADDRESS_POLICY_H

#include <sys/socket.h>

#include "base/err.h"

/* False for loopback, private, link-local, shared (CGNAT), multicast, unspecified, documentation and every
 * other address that the IANA special-purpose registries (RFC 6890) call not globally reachable; IPv4 inside
 * IPv6 (mapped, NAT64) is judged as IPv4. Families other than IP are never public. */
bool address_is_public(const struct sockaddr *sa);

#define ADDRESS_WHERE_MAX 128

struct address_target {
    bool listed;                   /* may be private and plain http */
    char where[ADDRESS_WHERE_MAX]; /* "host:port", for messages; cut when longer */
};

/* RC_UNAVAILABLE: curl_load(). RC_BAD_INPUT (to be shown): malformed, another scheme than https (http when
 * listed), or with a user name in it. An entry's host is compared without case; "[::1]:80" and "::1" are both
 * understood. */
enum rc address_policy_check(
    const char *url, const char *const *allowed, size_t allowed_n, struct address_target *out, struct err *e);

#endif
