#include "unit.h"

#include <sys/socket.h>

#include "base/fs.h"
#include "base/local_socket.h"

#define NAME "x.sock"

static void assert_received(int fd, const char *want)
{
    char got[64] = "";
    ssize_t n = recv(fd, got, sizeof got - 1, MSG_DONTWAIT);
    assert_int_equal(n, strlen(want));
    assert_string_equal(got, want);
}

TEST(a_datagram_arrives_and_without_a_receiver_there_is_nobody)
{
    AUTO_FD fd = -1;
    assert_int_equal(local_socket_send(unit_tmp(), NAME, STR("lost")), LOCAL_NOBODY);
    assert_int_equal(local_socket_listen(unit_tmp(), NAME, &fd, NULL), RC_OK);
    assert_int_equal(local_socket_send(unit_tmp(), NAME, STR("one")), LOCAL_SENT);
    assert_received(fd, "one");
}

TEST(a_connected_sender_finds_a_receiver_that_was_restarted)
{
    struct local_sender s = LOCAL_SENDER_INIT;
    AUTO_FD fd = -1;
    AUTO_FD next = -1;
    assert_int_equal(local_sender_send(&s, unit_tmp(), "y.sock", STR("lost")), LOCAL_NOBODY);
    assert_int_equal(local_socket_listen(unit_tmp(), "y.sock", &fd, NULL), RC_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(local_sender_send(&s, unit_tmp(), "y.sock", STR("one")), LOCAL_SENT);
        assert_received(fd, "one");
    }
    fs_close(&fd);
    assert_int_equal(local_sender_send(&s, unit_tmp(), "y.sock", STR("lost")), LOCAL_NOBODY);
    assert_int_equal(local_socket_listen(unit_tmp(), "y.sock", &fd, NULL), RC_OK);
    assert_int_equal(local_sender_send(&s, unit_tmp(), "y.sock", STR("two")), LOCAL_SENT);
    assert_received(fd, "two");
    fs_close(&fd);
    assert_int_equal(local_socket_listen(unit_tmp(), "y.sock", &next, NULL), RC_OK);
    assert_int_equal(local_sender_send(&s, unit_tmp(), "y.sock", STR("three")), LOCAL_SENT);
    assert_received(next, "three");
    local_sender_close(&s);
}

TEST(a_queue_that_is_full_is_reported_and_passes)
{
    struct local_sender s = LOCAL_SENDER_INIT;
    AUTO_FD fd = -1;
    char got[8];
    int sent = 0;
    assert_int_equal(local_socket_listen(unit_tmp(), "z.sock", &fd, NULL), RC_OK);
    while (local_sender_send(&s, unit_tmp(), "z.sock", STR("more")) == LOCAL_SENT)
        sent++;
    assert_true(sent > 0);
    assert_int_equal(local_sender_send(&s, unit_tmp(), "z.sock", STR("more")), LOCAL_FULL);
    while (recv(fd, got, sizeof got, MSG_DONTWAIT) > 0)
        sent--;
    assert_int_equal(sent, 0);
    assert_int_equal(local_sender_send(&s, unit_tmp(), "z.sock", STR("more")), LOCAL_SENT);
    local_sender_close(&s);
}
