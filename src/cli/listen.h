/*
 * The listening sockets. The supervisor opens all of them, so a port that is taken is known before any
 * program starts. A program that dies loses no connection, because connections wait in the backlog of a
 * socket that stays open. nginx finds its sockets through the variable NGINX, which it has for its own
 * upgrade. FastCGI programs have theirs as descriptor 0.
 */
#ifndef ALFRED_CLI_LISTEN_H
#define ALFRED_CLI_LISTEN_H

#include <sys/types.h>

#include "app/config/config.h"

#define LISTEN_TCP_MAX      4  /* https and http, IPv4 and IPv6 each */
#define LISTEN_ADDRESS_SIZE 64 /* "[::1]:8080" */

struct listen_tcp {
    int fd;
    bool tls;
    char address[LISTEN_ADDRESS_SIZE]; /* as nginx writes it */
};

/* All that the settings ask for. RC_CONFLICT (to be shown) names the port that is taken and its setting;
 * RC_FORBIDDEN a port that only root may have; RC_IO. On failure none is open. */
enum rc listen_tcp_all(
    const struct config *c, struct listen_tcp out[LISTEN_TCP_MAX], size_t *n, struct err *e);

/* A unix socket at `path`, 0660 and of group `group` ((gid_t)-1: ours, 0600). An old one is replaced.
 * RC_TOO_BIG, RC_IO. */
enum rc listen_unix(const char *path, gid_t group, int *fd, struct err *e);

#endif
