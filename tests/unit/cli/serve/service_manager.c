#include "unit.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "cli/serve/service_manager.h"

/* Listens like systemd at an abstract address or a path, and gives what service_manager_ready() sends. */
static void told(const char *address, char got[64])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t n = strlen(address);
    memcpy(at.sun_path, address, n);
    if (*address == '@')
        at.sun_path[0] = '\0';
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    assert_int_equal(
        bind(fd, (const struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)), 0);
    setenv("NOTIFY_SOCKET", address, 1);
    service_manager_ready();
    ssize_t length = recv(fd, got, 63, 0);
    assert_true(length >= 0);
    got[length] = '\0';
}

TEST(service_manager_is_told_of_the_start_at_a_path_and_at_an_abstract_address)
{
    char got[64], path[64], abstract[64];
    snprintf(path, sizeof path, "/tmp/alfred-notify-%d", (int)getpid());
    snprintf(abstract, sizeof abstract, "@alfred-notify-%d", (int)getpid());
    told(path, got);
    unlink(path);
    assert_string_equal(got, "READY=1");
    told(abstract, got);
    assert_string_equal(got, "READY=1");
    assert_null(getenv("NOTIFY_SOCKET"));
}

TEST(service_manager_that_is_gone_stops_nothing)
{
    setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
    service_manager_ready();
    assert_null(getenv("NOTIFY_SOCKET"));
    service_manager_ready();
}
