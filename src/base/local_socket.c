#include "base/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"

/* Names the socket through a descriptor of its folder: a socket's path has at most 107 bytes, and a data
 * folder's path may be longer. The caller closes *dir. */
static enum rc address_of(
    const char *data_dir, const char *name, struct sockaddr_un *a, int *dir, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = fs_join(path, data_dir, "run", e);
    if (rc != RC_OK)
        return rc;
    *dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*dir < 0)
        return err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(a->sun_path, sizeof a->sun_path, "/proc/self/fd/%d/%s", *dir, name);
    return RC_OK;
}

static int connect_to(const char *data_dir, const char *name)
{
    struct sockaddr_un to;
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    AUTO_FD dir = -1;
    if (fd < 0 || address_of(data_dir, name, &to, &dir, NULL) != RC_OK ||
        connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return -1;
    int connected = fd;
    fd = -1;
    return connected;
}

enum local_sent local_sender_send(
    struct local_sender *s, const char *data_dir, const char *name, struct str datagram)
{
    for (bool had = s->fd >= 0;; had = false) {
        if (!had)
            s->fd = connect_to(data_dir, name);
        if (s->fd < 0)
            return LOCAL_NOBODY;
        if (send(s->fd, datagram.s, datagram.len, MSG_NOSIGNAL) >= 0)
            return LOCAL_SENT;
        if (errno != ECONNREFUSED)
            return LOCAL_FULL;
        fs_close(&s->fd); /* the receiver has ended; maybe another one listens */
        if (!had)
            return LOCAL_NOBODY;
    }
}

void local_sender_close(struct local_sender *s)
{
    fs_close(&s->fd);
}

enum local_sent local_socket_send(const char *data_dir, const char *name, struct str datagram)
{
    struct local_sender once = LOCAL_SENDER_INIT;
    enum local_sent sent = local_sender_send(&once, data_dir, name, datagram);
    local_sender_close(&once);
    return sent;
}

enum rc local_socket_listen(const char *data_dir, const char *name, int *out, struct err *e)
{
    struct sockaddr_un at;
    AUTO_FD folder = -1;
    char dir[FS_PATH_MAX];
    enum rc rc = fs_join(dir, data_dir, "run", e);
    if (rc == RC_OK)
        rc = fs_mkdirs(dir, e);
    if (rc == RC_OK)
        rc = address_of(data_dir, name, &at, &folder, e);
    if (rc != RC_OK)
        return rc;
    unlink(at.sun_path);
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0)
        return err_set(e, RC_IO, "bind %s/%s: %s", dir, name, strerror(errno));
    *out = fd;
    fd = -1;
    return RC_OK;
}
