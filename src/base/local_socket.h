/*
 * Datagrams between the programs of one service, through sockets in data/run. A datagram has one sender and
 * one receiver on this machine: the kernel drops none that it has accepted.
 */
#ifndef ALFRED_BASE_LOCAL_SOCKET_H
#define ALFRED_BASE_LOCAL_SOCKET_H

#include "base/err.h"
#include "base/str.h"

/* Makes the socket data_dir/run/`name`, in place of an earlier one; the folder too. Does not block. The
 * caller closes *fd. RC_IO. */
enum rc local_socket_listen(const char *data_dir, const char *name, int *fd, struct err *e);

enum local_sent {
    LOCAL_SENT,
    LOCAL_NOBODY, /* nobody listens */
    LOCAL_FULL    /* the receiver's queue is full */
};

/* Never blocks. */
enum local_sent local_socket_send(const char *data_dir, const char *name, struct str datagram);

/* The same for a sender of many datagrams to one receiver: it stays connected, so that a datagram costs one
 * system call. A receiver that was restarted is connected again. */
struct local_sender {
    int fd;
};
#define LOCAL_SENDER_INIT ((struct local_sender){.fd = -1})

enum local_sent local_sender_send(
    struct local_sender *s, const char *data_dir, const char *name, struct str datagram);
void local_sender_close(struct local_sender *s);

#endif
