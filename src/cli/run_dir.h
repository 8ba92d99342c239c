/*
 * The user of nginx's workers, and the folder that they share with us: sockets and nginx's own files. As root
 * the workers run as www-data, and the folder is under /run, because www-data cannot enter the data folder.
 * Otherwise the folder is data_dir/run. If a socket's path would be too long there, it is a folder of ours in
 * $XDG_RUNTIME_DIR or /tmp.
 */
#ifndef ALFRED_CLI_RUN_DIR_H
#define ALFRED_CLI_RUN_DIR_H

#include <sys/types.h>

#include "app/config/config.h"
#include "base/fs.h"

#define RUN_SOCKET_NAME_MAX 16 /* "/stream.sock", and NUL */

struct run_dir {
    char path[FS_PATH_MAX];
    const char *user; /* of nginx's workers; NULL: ours */
    gid_t group;      /* that may connect; (gid_t)-1: ours */
};

/* Makes the folder. `readable` (ends in NULL) are folders that the workers must be able to read; when they
 * cannot, nginx stays root, with a line in the log. RC_FORBIDDEN when somebody else has a folder of that
 * name, RC_IO. */
enum rc run_dir_make(const struct config *c, const char *const *readable, struct run_dir *out, struct err *e);

/* After the end: sockets and nginx's files in it, and the folder itself. */
void run_dir_remove(const struct run_dir *r);

#endif
