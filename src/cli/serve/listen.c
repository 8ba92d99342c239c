#include "cli/serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"

#define BACKLOG 1024 /* the kernel's own limit (net.core.somaxconn) may be lower */

struct address {
    struct sockaddr_storage sa;
    socklen_t len;
};

static void address_of(const char *ip, int64_t port, struct address *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)&out->sa;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->sa;
    *out = (struct address){0};
    if (inet_pton(AF_INET, ip, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        out->len = sizeof *v4;
    } else if (inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        out->len = sizeof *v6;
    }
}

/* True when the machine has this address: one without IPv6 has no ::1. */
static bool has_address(const char *ip)
{
    struct address a;
    address_of(ip, 0, &a);
    AUTO_FD fd = socket(a.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && bind(fd, (struct sockaddr *)&a.sa, a.len) == 0;
}

static enum rc listen_tcp_one(
    const char *ip, int64_t port, const char *key, struct listen_tcp *out, struct err *e)
{
    struct address a;
    int on = 1;
    address_of(ip, port, &a);
    bool v6 = a.sa.ss_family == AF_INET6;
    AUTO_FD fd = socket(a.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set(e, RC_IO, "socket: %s", strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&a.sa, a.len) < 0 || listen(fd, BACKLOG) < 0) {
        if (errno == EADDRINUSE)
            return err_tell(e, RC_CONFLICT,
                "Port %lld is taken by another program. Stop that one, or set another port in alfred.toml: "
                "[server] %s.",
                (long long)port, key);
        if (errno == EACCES)
            return err_tell(e, RC_FORBIDDEN,
                "Port %lld needs root. Set another one in alfred.toml: [server] %s.", (long long)port, key);
        if (errno == EADDRNOTAVAIL)
            return err_tell(e, RC_BAD_INPUT, "This machine has no address %s ([server] bind).", ip);
        return err_set(e, RC_IO, "listen on %s port %lld: %s", ip, (long long)port, strerror(errno));
    }
    snprintf(out->address, sizeof out->address, v6 ? "[%s]:%d" : "%s:%d", ip, (int)port);
    out->fd = fd;
    fd = -1;
    return RC_OK;
}

enum rc listen_tcp_all(
    const struct config *c, struct listen_tcp out[LISTEN_TCP_MAX], size_t *n, struct err *e)
{
    static const char *const everywhere[] = {"0.0.0.0", "::"}, *const loopback[] = {"127.0.0.1", "::1"};
    bool all = strcmp(c->server.bind, "*") == 0;
    enum rc rc = RC_OK;
    *n = 0;
    for (size_t i = 0; rc == RC_OK && i < 2; i++) {
        const char *ip = all ? everywhere[i] : c->server.bind;
        if ((!all && i > 0) || (all && i > 0 && !has_address(ip)))
            break;
        if ((rc = listen_tcp_one(ip, c->server.https_port, "https_port", &out[*n], e)) == RC_OK)
            out[(*n)++].tls = true;
    }
    for (size_t i = 0; rc == RC_OK && c->server.http_port && i < 2; i++) {
        if (i > 0 && !has_address(loopback[i]))
            break;
        if ((rc = listen_tcp_one(loopback[i], c->server.http_port, "http_port", &out[*n], e)) == RC_OK)
            out[(*n)++].tls = false;
    }
    while (rc != RC_OK && *n)
        fs_close(&out[--*n].fd);
    return rc;
}

enum rc listen_unix(const char *path, gid_t group, int *out, struct err *e)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof at.sun_path)
        return err_set(e, RC_TOO_BIG, "%s is too long for a socket", path);
    memcpy(at.sun_path, path, strlen(path));
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_set(e, RC_IO, "socket: %s", strerror(errno));
    bool ours = group == (gid_t)-1;
    unlink(path);
    /* the mode is set before listen(): until then no client can connect */
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || (!ours && chown(path, (uid_t)-1, group) < 0) ||
        chmod(path, ours ? 0600 : 0660) < 0 || listen(fd, BACKLOG) < 0)
        return err_set(e, RC_IO, "listen on %s: %s", path, strerror(errno));
    *out = fd;
    fd = -1;
    return RC_OK;
}
