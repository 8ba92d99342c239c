/* The folder of a run: "files", where the code begins, and "home", for what its modules store. Neither can
 * have folders (base/confined/confine.c). */
#include "app/python/python_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum rc parent_of(const struct config *c, char path[FS_PATH_MAX], struct err *e)
{
    return fs_join(path, c->server.data_dir, "python", e);
}

enum rc python_folder_make(struct python_folder *f, const struct config *c, struct err *e)
{
    char parent[FS_PATH_MAX];
    *f = (struct python_folder){0};
    enum rc rc = parent_of(c, parent, e);
    if (rc == RC_OK)
        rc = fs_mkdirs(parent, e);
    if (rc == RC_OK)
        rc = fs_join(f->path, parent, "XXXXXX", e);
    if (rc != RC_OK)
        return rc;
    if (!mkdtemp(f->path)) {
        *f->path = '\0';
        return fs_write_failed(parent, e);
    }
    rc = fs_join(f->files, f->path, "files", e);
    if (rc == RC_OK)
        rc = fs_join(f->home, f->path, "home", e);
    if (rc == RC_OK)
        rc = fs_mkdirs(f->files, e);
    return rc == RC_OK ? fs_mkdirs(f->home, e) : rc;
}

void python_folder_remove(const struct python_folder *f)
{
    if (*f->path)
        fs_remove_all(f->path);
}

void python_folders_empty(const struct config *c)
{
    char parent[FS_PATH_MAX];
    if (parent_of(c, parent, NULL) == RC_OK)
        fs_remove_all(parent);
}

enum rc python_folder_fill(const struct python_folder *f, const struct python_run *r, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < r->given_n; i++) {
        char path[FS_PATH_MAX];
        AUTO_FD fd = -1;
        rc = fs_join(path, f->files, r->given[i].name, e);
        if (rc == RC_OK)
            rc = fs_create(path, &fd, e);
        if (rc == RC_OK)
            rc = fs_write_all(fd, r->given[i].content.s, r->given[i].content.len, e);
    }
    return rc;
}

/* ---- what the code has made ---- */

static const struct python_file *given_of(const struct python_run *r, const char *name)
{
    for (size_t i = 0; i < r->given_n; i++)
        if (strcmp(r->given[i].name, name) == 0)
            return &r->given[i];
    return NULL;
}

/* At most `max` bytes. .s NULL: it is larger, or cannot be read. In the run's arena. */
static struct str content_of(struct python_run *r, int dir, const char *name, size_t max)
{
    AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0 || (size_t)st.st_size > max)
        return (struct str){0};
    size_t size = (size_t)st.st_size, n = 0;
    char *bytes = arena_alloc(r->arena, size + 1);
    while (n < size) {
        ssize_t got = read(fd, bytes + n, size - n);
        if (got <= 0 && errno != EINTR)
            return (struct str){0};
        n += got > 0 ? (size_t)got : 0;
    }
    bytes[n] = '\0';
    return (struct str){bytes, n};
}

static bool is_unchanged(struct python_run *r, int dir, const char *name, size_t bytes)
{
    const struct python_file *given = given_of(r, name);
    return given && given->content.len == bytes && str_eq(content_of(r, dir, name, bytes), given->content);
}

static bool is_picture(const char *name)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".webp", ".gif"};
    const char *ending = strrchr(name, '.');
    return ending && STR_IN_NOCASE(str_of(ending), endings);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct python_file *)a)->name, ((const struct python_file *)b)->name);
}

static void add_made(struct python_run *r, int dir, const char *name)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        is_unchanged(r, dir, name, (size_t)st.st_size))
        return;
    if (r->made_n == PYTHON_MADE_MAX) {
        r->more_made++;
        return;
    }
    r->made[r->made_n++] =
        (struct python_file){.name = arena_strdup(r->arena, name), .bytes = (size_t)st.st_size};
}

void python_folder_read(const struct python_folder *f, size_t picture_max, struct python_run *r)
{
    DIR *d = opendir(f->files);
    size_t pictures = 0;
    if (!d)
        return;
    for (struct dirent *at; (at = readdir(d));)
        add_made(r, dirfd(d), at->d_name);
    qsort(r->made, r->made_n, sizeof r->made[0], by_name);
    for (size_t i = 0; i < r->made_n && pictures < PYTHON_PICTURES; i++)
        if (is_picture(r->made[i].name)) {
            r->made[i].content = content_of(r, dirfd(d), r->made[i].name, picture_max);
            pictures += r->made[i].content.s != NULL;
        }
    closedir(d);
}
