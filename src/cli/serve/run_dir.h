/*
 * The user of nginx's workers, and the folder that they share with us for sockets and nginx's own files. As
 * root the workers run as www-data and the folder is below /run, because www-data cannot enter the data
 * folder. Otherwise the folder is data_dir/run, or when a socket's path would be too long, a folder in /tmp.
 */
#ifndef ALFRED_CLI_SERVE_RUN_DIR_H
#define ALFRED_CLI_SERVE_RUN_DIR_H

#include <sys/types.h>

#include "app/config/config.h"
#include "base/fs.h"

#define RUN_SOCKET_NAME_MAX 16 /* "/stream.sock", and NUL */

struct run_dir {
    char path[FS_PATH_MAX];
    const char *user; /* user of nginx's workers; NULL: the current one */
    gid_t group;      /* group that may connect; (gid_t)-1: ours */
    int lock;         /* systemd-tmpfiles removes nothing from a folder in /tmp that is locked */
};

/* Creates the folder. `readable` (ends in NULL): folders that the workers must be able to read. When they
 * cannot, nginx runs as root and a warning is logged. RC_FORBIDDEN: another user owns a folder with this
 * name. RC_IO. */
enum rc run_dir_make(const struct config *c, const char *const *readable, struct run_dir *out, struct err *e);

/* Call it after the end: removes sockets, nginx's files, and the folder. */
void run_dir_remove(struct run_dir *r);

#endif
