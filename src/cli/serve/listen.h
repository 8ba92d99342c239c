/*
 * The listening sockets. The supervisor opens all of them, so a port in use is reported before any program
 * starts. Connections wait in the backlog of a socket that stays open, so none is lost when a program dies.
 * nginx gets its sockets through the variable NGINX, which it uses for its own upgrade. FastCGI programs get
 * theirs as descriptor 0.
 */
#ifndef ALFRED_CLI_SERVE_LISTEN_H
#define ALFRED_CLI_SERVE_LISTEN_H

#include <sys/types.h>

#include "app/config/config.h"

#define LISTEN_TCP_MAX      4  /* https and http, IPv4 and IPv6 each */
#define LISTEN_ADDRESS_SIZE 64 /* "[::1]:8080" */

struct listen_tcp {
    int fd;
    bool tls;
    char address[LISTEN_ADDRESS_SIZE]; /* in nginx's form */
};

/* Opens all addresses of the settings. RC_CONFLICT (with a sentence) names the port in use and its
 * setting; RC_FORBIDDEN a port that only root may use; RC_IO. After a failure none is open. */
enum rc listen_tcp_all(
    const struct config *c, struct listen_tcp out[LISTEN_TCP_MAX], size_t *n, struct err *e);

/* Opens a Unix socket at `path`, mode 0660 and group `group` ((gid_t)-1: our group, 0600). Replaces an old
 * one. RC_TOO_BIG, RC_IO. */
enum rc listen_unix(const char *path, gid_t group, int *fd, struct err *e);

#endif
