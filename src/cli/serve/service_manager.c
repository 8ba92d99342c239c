#include "cli/serve/service_manager.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fs.h"
#include "base/log.h"

#define SOCKET_ENV "NOTIFY_SOCKET"
#define READY      "READY=1"

/* A path, or "@name" in the abstract namespace, where the first byte is a zero. */
static bool tell(const char *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(address);
    if (n >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(to.sun_path, address, n);
    if (*address == '@')
        to.sun_path[0] = '\0';
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && sendto(fd, READY, strlen(READY), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) >= 0;
}

void service_manager_ready(void)
{
    const char *address = getenv(SOCKET_ENV);
    if (!address)
        return;
    if (!tell(address))
        log_error("the service manager could not be told of the start at %s: %s", address, strerror(errno));
    unsetenv(SOCKET_ENV);
}
