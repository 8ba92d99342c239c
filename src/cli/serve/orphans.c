/* The process's descriptor (pidfd) is opened before the process is checked, and the signal is sent to that
 * descriptor. A process that has reused the number is therefore never killed. */
#include "cli/serve/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define REMOVED " (deleted)" /* suffix of a replaced program's name, as after an upgrade of nginx */

static bool link_is(pid_t pid, const char *name, const char *want)
{
    char link[64], at[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/%s", (int)pid, name);
    ssize_t n = readlink(link, at, sizeof at - 1);
    if (n < 0)
        return false;
    at[n] = '\0';
    size_t len = strlen(want);
    return strncmp(at, want, len) == 0 && (at[len] == '\0' || strcmp(at + len, REMOVED) == 0);
}

/* Returns the descriptor of the killed process; -1: not one of ours. */
static int kill_orphan(pid_t pid, const char *run_dir, const char *nginx)
{
    AUTO_FD fd = pidfd_open(pid, 0);
    if (fd < 0 || !link_is(pid, "exe", nginx) || !link_is(pid, "cwd", run_dir) ||
        pidfd_send_signal(fd, SIGKILL, NULL, 0) != 0)
        return -1;
    int out = fd;
    fd = -1;
    return out;
}

static enum rc await_end(int fd, pid_t pid, int64_t until, struct err *e)
{
    struct pollfd p = {.fd = fd, .events = POLLIN}; /* readable: the process has ended */
    int64_t left = until - clock_mono_ms();
    return poll(&p, 1, left > 0 ? (int)left : 0) > 0
               ? RC_OK
               : err_set(e, RC_TIMEOUT, "nginx process %d of an earlier start does not end", (int)pid);
}

enum rc orphans_end(const char *run_dir, const char *nginx, struct err *e)
{
    AUTO_FREE char *dir = realpath(run_dir, NULL), *program = realpath(nginx, NULL);
    DIR *proc = opendir("/proc");
    if (!dir || !program || !proc) {
        if (proc)
            closedir(proc);
        return err_set(e, RC_IO, "looking for processes of an earlier start: %s", strerror(errno));
    }
    enum rc rc = RC_OK;
    int64_t until = clock_mono_ms() + ORPHANS_END_MS, pid;
    int n = 0;
    for (struct dirent *d; rc == RC_OK && (d = readdir(proc));) {
        if (!str_to_int(str_of(d->d_name), 1, INT_MAX, &pid))
            continue;
        AUTO_FD fd = kill_orphan((pid_t)pid, dir, program);
        if (fd < 0)
            continue;
        n++;
        rc = await_end(fd, (pid_t)pid, until, e);
    }
    closedir(proc);
    if (n)
        log_warn("ended %d nginx processes that a killed start left behind", n);
    return rc;
}
