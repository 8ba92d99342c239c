#include "app/wake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"

#define SOCKET_NAME "run/helper.sock"

static bool address_of(const char *data_dir, struct sockaddr_un *a)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    return (size_t)snprintf(a->sun_path, sizeof a->sun_path, "%s/" SOCKET_NAME, data_dir) <
           sizeof a->sun_path;
}

void helper_wake(const char *data_dir)
{
    struct sockaddr_un to;
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && address_of(data_dir, &to))
        sendto(fd, "", 1, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to);
}

enum rc helper_listen(const char *data_dir, int *out, struct err *e)
{
    struct sockaddr_un at;
    if (!address_of(data_dir, &at))
        return err_set(e, RC_TOO_BIG, "the path of %s/" SOCKET_NAME " is too long for a socket", data_dir);
    char dir[FS_PATH_MAX];
    enum rc rc = fs_join(dir, data_dir, "run", e);
    if (rc == RC_OK)
        rc = fs_mkdirs(dir, e);
    if (rc != RC_OK)
        return rc;
    unlink(at.sun_path);
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0)
        return err_set(e, RC_IO, "bind %s: %s", at.sun_path, strerror(errno));
    *out = fd;
    fd = -1;
    return RC_OK;
}
