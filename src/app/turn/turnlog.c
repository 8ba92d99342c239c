/*
 * A running answer appends a small record every few milliseconds. The page of the file in which the next
 * records begin is therefore mapped into memory: a record costs no system call, other processes read it at
 * once, and it outlives a kill -9. The rest of the page is written with zeros before it is mapped. This
 * reserves its space, so that a store to it cannot fail on a full disk. File systems that copy on write, such
 * as btrfs, take new space for each store, and a full disk would end the program with SIGBUS. All records are
 * therefore written unless the file system is known to store in place. Records that do not fit the page are
 * written, too.
 *
 * The first byte of a record is stored last. A reader and a crash see zeros, where no record begins, or all
 * of it.
 */
#include "app/turn/turnlog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fs.h"

#define FOLDER     "turns"
#define HEADER_MAX 24 /* a letter, a space, the digits of a length, a line end */
#define READ_BYTES 16384
#define PAGE       4096 /* on systems with larger pages all records are written */
#define WRITES_MIN 4    /* records that are written before a page is mapped: most steps have fewer */

struct turnlog {
    int fd;
    int64_t offset; /* the end of the last record */
    char *page;     /* the mapped page; NULL: none */
    int64_t page_end;
    int writes; /* up to WRITES_MIN, then a page is mapped; again after that has failed */
};

static enum rc path_of(char out[FS_PATH_MAX], const char *data_dir, const char *turn, struct err *e)
{
    if ((size_t)snprintf(out, FS_PATH_MAX, "%s/" FOLDER "/%s.log", data_dir, turn) >= FS_PATH_MAX)
        return err_set(e, RC_TOO_BIG, "path of turn log %s", turn);
    return RC_OK;
}

enum rc turnlog_create(const char *data_dir, const char *turn, struct turnlog **out, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = path_of(path, data_dir, turn, e);
    if (rc != RC_OK)
        return rc;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT) { /* the folder does not exist yet */
        char dir[FS_PATH_MAX];
        if ((rc = fs_join(dir, data_dir, FOLDER, e)) != RC_OK || (rc = fs_mkdirs(dir, e)) != RC_OK)
            return rc;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (fd < 0)
        return err_set(e, RC_IO, "create %s: %s", path, strerror(errno));
    *out = xcalloc(1, sizeof **out);
    (*out)->fd = fd;
    return RC_OK;
}

static void unmap(struct turnlog *l)
{
    if (l->page)
        munmap(l->page, PAGE);
    l->page = NULL;
}

void turnlog_free(struct turnlog *l)
{
    if (!l)
        return;
    unmap(l);
    close(l->fd);
    free_charp(&l);
}

/* Writes a header like "t 12\n" and returns its length. Runs for every record. */
static size_t put_header(char out[HEADER_MAX], enum turnlog_kind kind, size_t len)
{
    char digits[HEADER_MAX], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + len % 10);
    while (len /= 10);
    size_t n = (size_t)(digits + sizeof digits - at);
    out[0] = (char)kind;
    out[1] = ' ';
    memcpy(out + 2, at, n);
    out[2 + n] = '\n';
    return n + 3;
}

static bool may_be_mapped(int fd)
{
    struct statfs f;
    if (sysconf(_SC_PAGESIZE) != PAGE || fstatfs(fd, &f) != 0)
        return false;
    return f.f_type == EXT4_SUPER_MAGIC || f.f_type == XFS_SUPER_MAGIC || f.f_type == TMPFS_MAGIC;
}

/* Without a page the next records are written. */
static void map_page(struct turnlog *l)
{
    char zeros[PAGE] = {0};
    int64_t start = l->offset & ~(int64_t)(PAGE - 1);
    ssize_t rest = (ssize_t)(start + PAGE - l->offset);
    void *page = MAP_FAILED;
    if (may_be_mapped(l->fd) && pwrite(l->fd, zeros, (size_t)rest, l->offset) == rest)
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, l->fd, start);
    if (page == MAP_FAILED) {
        l->writes = 0;
        return;
    }
    l->page = page;
    l->page_end = start + PAGE;
}

static void put_record(struct turnlog *l, const char *header, size_t n, struct str content)
{
    char *to = l->page + (PAGE - (l->page_end - l->offset));
    memcpy(to + 1, header + 1, n - 1);
    memcpy(to + n, content.len ? content.s : "", content.len);
    to[n + content.len] = '\n';
    __atomic_store_n(to, header[0], __ATOMIC_RELEASE);
}

static enum rc write_record(struct turnlog *l, char *header, size_t n, struct str content, struct err *e)
{
    struct iovec parts[3] = {
        {header, n},
        {(void *)(uintptr_t)content.s, content.len},
        {(void *)(uintptr_t) "\n", 1},
    };
    ssize_t want = (ssize_t)(n + content.len + 1), done;
    unmap(l);
    do
        done = pwritev(l->fd, parts, 3, l->offset);
    while (done < 0 && errno == EINTR);
    if (done == want)
        return RC_OK;
    int why = done < 0 ? errno : ENOSPC;
    if (done > 0 && ftruncate(l->fd, l->offset) != 0)
        why = errno;
    return err_set(e, RC_IO, "turn log: %s", strerror(why));
}

enum rc turnlog_append(struct turnlog *l, enum turnlog_kind kind, struct str content, struct err *e)
{
    char header[HEADER_MAX];
    size_t n = put_header(header, kind, content.len), all = n + content.len + 1;
    bool fits = l->page && (int64_t)all <= l->page_end - l->offset;
    if (fits) {
        put_record(l, header, n, content);
    } else {
        enum rc rc = write_record(l, header, n, content, e);
        if (rc != RC_OK)
            return rc;
    }
    l->offset += (int64_t)all;
    l->writes += l->writes < WRITES_MIN;
    if (!fits && l->writes == WRITES_MIN)
        map_page(l);
    return RC_OK;
}

/* Cuts one record off the front of `rest`. False when no complete record is left. */
static bool next_record(struct str *rest, struct turnlog_record *r)
{
    struct str at = *rest, line = str_cut(&at, '\n');
    int64_t len;
    if (!at.s || line.len < 3 || line.s[1] != ' ' || !memchr("mtkwc", line.s[0], 5))
        return false;
    if (!str_to_int((struct str){line.s + 2, line.len - 2}, 0, (int64_t)TURNLOG_MAX, &len))
        return false;
    if ((size_t)len >= at.len || at.s[len] != '\n')
        return false;
    r->kind = (enum turnlog_kind)line.s[0];
    r->content = (struct str){at.s, (size_t)len};
    *rest = (struct str){at.s + len + 1, at.len - (size_t)len - 1};
    return true;
}

enum rc turnlog_scan(const char *data_dir, const char *turn, turnlog_fn *fn, void *arg, struct err *e)
{
    char path[FS_PATH_MAX];
    AUTO_STRBUF file;
    strbuf_init(&file, TURNLOG_MAX);
    enum rc rc = path_of(path, data_dir, turn, e);
    if (rc == RC_OK)
        rc = fs_read(path, &file, e);
    if (rc != RC_OK)
        return rc;
    struct turnlog_record r;
    for (struct str rest = strbuf_str(&file); next_record(&rest, &r);)
        fn(arg, &r);
    return RC_OK;
}

/* Appends what the file has after `offset`. */
static enum rc read_rest(int fd, int64_t offset, struct strbuf *out, struct err *e)
{
    char part[READ_BYTES];
    for (;;) {
        ssize_t n = pread(fd, part, sizeof part, (off_t)(offset + (int64_t)out->len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(e, RC_IO, "turn log: %s", strerror(errno));
        if (n == 0)
            return RC_OK;
        strbuf_addstr(out, (struct str){part, (size_t)n});
        if (out->failed)
            return err_set(e, RC_TOO_BIG, "turn log");
    }
}

enum rc turnlog_read(
    const char *data_dir, const char *turn, int64_t *offset, turnlog_fn *fn, void *arg, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = path_of(path, data_dir, turn, e);
    if (rc != RC_OK)
        return rc;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, errno == ENOENT ? RC_NOT_FOUND : RC_IO, "open %s: %s", path, strerror(errno));
    AUTO_STRBUF rest;
    strbuf_init(&rest, TURNLOG_MAX);
    if ((rc = read_rest(fd, *offset, &rest, e)) != RC_OK)
        return rc;
    struct turnlog_record r;
    struct str at = strbuf_str(&rest);
    while (next_record(&at, &r))
        fn(arg, &r);
    *offset += (int64_t)(rest.len - at.len);
    return RC_OK;
}

enum rc turnlog_remove(const char *data_dir, const char *turn, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = path_of(path, data_dir, turn, e);
    if (rc == RC_OK && unlink(path) < 0 && errno != ENOENT)
        rc = err_set(e, RC_IO, "remove %s: %s", path, strerror(errno));
    return rc;
}

#define SUFFIX ".log"

/* True for the log "<turn>.log" of a turn that is not in `keep`. */
static bool may_go(const char *file, const char *const *keep, size_t n)
{
    struct str name = str_of(file), suffix = STR(SUFFIX);
    if (name.len <= suffix.len || strcmp(file + name.len - suffix.len, SUFFIX) != 0)
        return false;
    name.len -= suffix.len;
    for (size_t i = 0; i < n; i++)
        if (str_eq(name, str_of(keep[i])))
            return false;
    return true;
}

enum rc turnlog_sweep(const char *data_dir, const char *const *keep, size_t n, int *removed, struct err *e)
{
    char dir[FS_PATH_MAX];
    *removed = 0;
    enum rc rc = fs_join(dir, data_dir, FOLDER, e);
    if (rc != RC_OK)
        return rc;
    DIR *d = opendir(dir);
    if (!d)
        return errno == ENOENT ? RC_OK : err_set(e, RC_IO, "open %s: %s", dir, strerror(errno));
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        if (may_go(entry->d_name, keep, n) && unlinkat(dirfd(d), entry->d_name, 0) == 0)
            (*removed)++;
    closedir(d);
    return RC_OK;
}
