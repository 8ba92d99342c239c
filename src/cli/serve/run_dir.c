#include "cli/serve/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKER_USER "www-data"

/* Checks as that user, in a child: only the kernel knows all rules. */
static bool can_read(const struct passwd *who, const char *const *paths)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (setgroups(0, NULL) < 0 || setgid(who->pw_gid) < 0 || setuid(who->pw_uid) < 0)
            _exit(1);
        for (; *paths; paths++)
            if (access(*paths, R_OK | X_OK) < 0)
                _exit(1);
        _exit(0);
    }
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void choose_user(const char *const *readable, struct run_dir *out)
{
    out->user = NULL;
    out->group = (gid_t)-1;
    if (geteuid() != 0)
        return;
    const struct passwd *who = getpwnam(WORKER_USER);
    if (who && can_read(who, readable)) {
        out->user = WORKER_USER;
        out->group = who->pw_gid;
        return;
    }
    out->user = "root";
    log_warn(who ? "nginx runs as root: " WORKER_USER " cannot read %s"
                 : "nginx runs as root: there is no user " WORKER_USER,
        readable[0]);
}

/* One name per data folder, so that two instances on one machine do not collide. */
static void choose_path(const struct config *c, struct run_dir *out)
{
    unsigned char hash[8];
    char hex[2 * sizeof hash + 1];
    const char *data = c->server.data_dir;
    size_t room = sizeof(((struct sockaddr_un *)0)->sun_path) - RUN_SOCKET_NAME_MAX;
    crypto_generichash(hash, sizeof hash, (const unsigned char *)data, strlen(data), NULL, 0);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    if (out->group != (gid_t)-1)
        snprintf(out->path, sizeof out->path, "/run/alfred-%s", hex);
    else if (strlen(data) + strlen("/run") <= room)
        snprintf(out->path, sizeof out->path, "%s/run", data);
    else /* not $XDG_RUNTIME_DIR: the logout removes it, and after su it belongs to another user */
        snprintf(out->path, sizeof out->path, "/tmp/alfred-%d-%s", (int)geteuid(), hex);
}

enum rc run_dir_make(const struct config *c, const char *const *readable, struct run_dir *out, struct err *e)
{
    struct stat st;
    out->lock = -1;
    choose_user(readable, out);
    choose_path(c, out);
    if (mkdir(out->path, 0700) < 0 && errno != EEXIST)
        return err_set(e, RC_IO, "mkdir %s: %s", out->path, strerror(errno));
    /* in /tmp another user may have created it */
    if (lstat(out->path, &st) < 0)
        return err_set(e, RC_IO, "%s: %s", out->path, strerror(errno));
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return err_tell(e, RC_FORBIDDEN, "%.150s belongs to another user. Remove it.", out->path);
    bool shared = out->group != (gid_t)-1;
    if ((shared && chown(out->path, (uid_t)-1, out->group) < 0) || chmod(out->path, shared ? 0710 : 0700) < 0)
        return err_set(e, RC_IO, "rights of %s: %s", out->path, strerror(errno));
    out->lock = open(out->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->lock >= 0)
        flock(out->lock, LOCK_SH);
    return RC_OK;
}

void run_dir_remove(struct run_dir *r)
{
    fs_remove_all(r->path);
    fs_close(&r->lock);
}
