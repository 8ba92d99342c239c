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

#endif
