#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP 65536

bool fs_is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

bool fs_is_broken(int error)
{
    return error == EIO || error == EROFS;
}

struct said_arg fs_reason(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT: return arg_key("reason", "error.why_full");
    case EIO: return arg_key("reason", "error.why_broken");
    case EROFS: return arg_key("reason", "error.why_read_only");
    case EMFILE:
    case ENFILE: return arg_key("reason", "error.why_files");
    case ENOMEM: return arg_key("reason", "error.why_memory");
    case EACCES:
    case EPERM: return arg_key("reason", "error.why_forbidden");
    default: return arg_text("reason", strerror(error));
    }
}

enum rc fs_write_failed(const char *what, struct err *e)
{
    if (fs_is_full(errno))
        return err_say(e, RC_UNAVAILABLE, "error.disk_full");
    if (fs_is_broken(errno))
        return err_say(e, RC_UNAVAILABLE, "error.disk_broken", fs_reason(errno));
    return err_set(e, RC_IO, "%s: %s", what, strerror(errno));
}

static enum rc fail(struct err *e, const char *what, const char *path)
{
    if (fs_is_full(errno) || fs_is_broken(errno))
        return fs_write_failed(path, e);
    return err_set(e, errno == ENOENT ? RC_NOT_FOUND : RC_IO, "%s %s: %s", what, path, strerror(errno));
}

void fs_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

enum rc fs_read(const char *path, struct strbuf *out, struct err *e)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(e, "open", path);
    for (;;) {
        size_t left = out->cap - out->len;
        size_t want = left < READ_STEP ? left : READ_STEP;
        char extra;
        if (want == 0) { /* the buffer is full: check for more */
            ssize_t n = read(fd, &extra, 1);
            return n == 0 ? RC_OK : err_set(e, RC_TOO_BIG, "%s has more than %zu bytes", path, out->cap);
        }
        ssize_t n = read(fd, strbuf_reserve(out, want), want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(e, "read", path);
        if (n == 0)
            return RC_OK;
        strbuf_grown(out, (size_t)n);
    }
}

/* Some file systems have no O_TMPFILE: FUSE, older ZFS and overlayfs. */
static int open_and_unlink(const char *dir)
{
    char path[FS_PATH_MAX];
    if (fs_join(path, dir, "unnamed-XXXXXX", NULL) != RC_OK) {
        errno = ENAMETOOLONG;
        return -1;
    }
    AUTO_FD fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0 || unlink(path) < 0)
        return -1;
    int out = fd;
    fd = -1;
    return out;
}

int fs_open_unnamed(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        return open_and_unlink(dir);
    return fd;
}

enum rc fs_write_all(int fd, const void *p, size_t n, struct err *e)
{
    const char *at = p;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fs_write_failed("writing a file", e);
        at += done;
        n -= (size_t)done;
    }
    return RC_OK;
}

void fs_folder_of(const char *path, char out[FS_PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    snprintf(out, FS_PATH_MAX, "%.*s", (int)(n ? n : 1), n ? path : slash ? "/" : ".");
}

enum rc fs_sync_name(const char *path, struct err *e)
{
    char dir[FS_PATH_MAX];
    fs_folder_of(path, dir);
    AUTO_FD fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0)
        return fail(e, "sync", dir);
    return RC_OK;
}

/* `fd` is that of `from`. */
static enum rc sync_and_rename(int fd, const char *from, const char *to, struct err *e)
{
    if (fsync(fd) < 0)
        return fail(e, "sync", from);
    if (rename(from, to) < 0)
        return fail(e, "rename to", to);
    return fs_sync_name(to, e);
}

enum rc fs_replace(const char *from, const char *to, struct err *e)
{
    AUTO_FD fd = open(from, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? fail(e, "open", from) : sync_and_rename(fd, from, to, e);
}

enum rc fs_write_atomic(const char *path, struct str content, struct err *e)
{
    char tmp[FS_PATH_MAX];
    if ((size_t)snprintf(tmp, sizeof tmp, "%s.%d.tmp", path, (int)getpid()) >= sizeof tmp)
        return err_set(e, RC_TOO_BIG, "a path of %zu bytes is too long", strlen(path));
    AUTO_FD fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(e, "create", tmp);
    enum rc rc = fs_write_all(fd, content.s, content.len, e);
    if (rc == RC_OK)
        rc = sync_and_rename(fd, tmp, path, e);
    if (rc != RC_OK)
        unlink(tmp); /* it is gone when only the sync of the folder failed */
    return rc;
}

enum rc fs_mkdirs(const char *path, struct err *e)
{
    char at[FS_PATH_MAX];
    if ((size_t)snprintf(at, sizeof at, "%s", path) >= sizeof at)
        return err_set(e, RC_TOO_BIG, "a path of %zu bytes is too long", strlen(path));
    for (char *p = at + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char was = *p;
        *p = '\0';
        if (mkdir(at, 0700) < 0 && errno != EEXIST)
            return fail(e, "mkdir", at);
        *p = was;
        if (was == '\0')
            break;
    }
    struct stat st;
    if (stat(path, &st) < 0)
        return fail(e, "stat", path);
    if (!S_ISDIR(st.st_mode))
        return err_set(e, RC_IO, "%s is not a folder", path);
    return RC_OK;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

void fs_remove_all(const char *path)
{
    enum { OPEN_AT_ONCE = 4 };
    nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

bool fs_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum rc fs_join(char out[FS_PATH_MAX], const char *dir, const char *name, struct err *e)
{
    if ((size_t)snprintf(out, FS_PATH_MAX, "%s/%s", dir, name) >= FS_PATH_MAX)
        return err_set(e, RC_TOO_BIG, "path %.60s.../%.60s", dir, name);
    return RC_OK;
}

enum rc fs_exists_already(const char *path, struct err *e)
{
    return err_tell(e, RC_CONFLICT,
        "%.150s exists already. Nothing was written. Remove the file, or choose another name.", path);
}

enum rc fs_create(const char *path, int *fd, struct err *e)
{
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd >= 0)
        return RC_OK;
    return errno == EEXIST ? fs_exists_already(path, e)
                           : err_tell(e, RC_IO, "The file %.150s cannot be made: %s.", path, strerror(errno));
}
