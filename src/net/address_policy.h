/*
 * The allowed addresses of outgoing requests: public ones, over https. The owner can list servers by "host"
 * or "host:port", such as a model on this machine. Listed servers may be private and use http.
 *
 * The address is checked after the name was resolved, and the connection uses the checked address. A name
 * that later resolves to another address does not bypass the check.
 */
#ifndef ALFRED_NET_ADDRESS_POLICY_H
#define ALFRED_NET_ADDRESS_POLICY_H

#include <sys/socket.h>

#include "base/err.h"

/* False for loopback, private, link-local, shared (CGNAT), multicast, unspecified, documentation and all
 * other addresses that the IANA special-purpose registries (RFC 6890) mark as not globally reachable. IPv4
 * inside IPv6 (mapped, NAT64) is checked as IPv4. Families other than IP are never public. */
bool address_is_public(const struct sockaddr *sa);

#define ADDRESS_WHERE_MAX 128

struct address_target {
    bool listed;                   /* may be private and plain http */
    char where[ADDRESS_WHERE_MAX]; /* "host:port", for messages; cut when longer */
};

/* RC_UNAVAILABLE: curl_load(). RC_BAD_INPUT (with a sentence): malformed, a scheme other than https (http
 * when listed), or with a user name. The host of an entry is compared without case. Both "[::1]:80" and
 * "::1" are accepted. */
enum rc address_policy_check(
    const char *url, const char *const *allowed, size_t allowed_n, struct address_target *out, struct err *e);

#endif
