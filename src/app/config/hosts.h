/*
 * The host names under which Alfred is reached. A request for another name is refused. Otherwise a foreign
 * name that resolves to this machine's address (DNS rebinding) would give a foreign page the same origin as
 * ours.
 *
 * The names are those of public_url, of [telegram] public_url and [server] hosts, the address of [server]
 * bind, localhost with its addresses, and the machine's own name. An IP address is also accepted when the
 * connection came in at it. Ports are not compared: a container or a proxy may map them.
 *
 * A host is written as in a Host header: lower case, an IPv6 address in brackets.
 */
#ifndef ALFRED_APP_CONFIG_HOSTS_H
#define ALFRED_APP_CONFIG_HOSTS_H

#include "app/config/config.h"

#define HOST_BYTES_MAX 253 /* bytes of a host name, RFC 1035 */

/* The host of "https://host:port/path" and of "host:port", as written. .s is NULL when the URL is
 * malformed. */
struct str host_of_url(struct str url);
struct str host_of_header(struct str host);

/* "host:port" of an address, for lists of allowed servers (net/http.h): "https://[::1]/v1" gives "[::1]:443".
 * NULL: it has no "://". In the arena. */
const char *server_of_url(struct arena *a, const char *url);

/* Fills c->server.names. The settings that it reads have been checked. */
void hosts_collect(struct config *c);

/* `host_header`: the request's Host header or NULL. `server_addr`: the local address of the connection,
 * without brackets; NULL when unknown. */
bool host_is_own(const struct config *c, const char *host_header, const char *server_addr);

#endif
