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
 *
 * Up to SHARE_MAX turns share a file, which has a name (a hard link) for each of them. So they share a mapped
 * page: with one each, 1,000 answers would take 4 MB. A record has the mark of its turn, the last characters
 * of the turn's id. A turn whose mark is taken gets another file, and so does one where hard links fail.
 */
#include "app/turn/turnlog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/id.h"

#define FOLDER     "turns"
#define SHARE_MAX  8
#define MARK_SIZE  2
#define HEADER_MAX 32 /* a letter, the digits of a length, the mark, two spaces, a line end */
#define FILE_MAX   (SHARE_MAX * TURNLOG_MAX)
#define READ_BYTES 16384
#define PAGE       4096 /* on systems with larger pages all records are written */
#define WRITES_MIN 4    /* records that are written before a page is mapped: most steps have fewer */

struct mark {
    char c[MARK_SIZE];
};

/* One file. The thread that appends owns it, apart from what the lock guards. */
struct file {
    int fd;
    int64_t offset; /* the end of the last record */
    char *page;     /* the mapped page; NULL: none */
    int64_t page_end;
    int writes; /* records that were written: after WRITES_MIN a page is mapped. Counted anew if that fails */

    /* guarded by the lock */
    struct mark marks[SHARE_MAX]; /* of all turns that it had */
    int marks_n, users;
    char newest[ID_SIZE]; /* the turn that joined last */
};

struct turnlogs {
    char *data_dir;
    pthread_mutex_t lock;
    struct file *newest; /* new turns join it; NULL: none */
};

struct turnlog {
    struct turnlogs *all;
    struct file *file;
    struct mark mark;
};

struct turnlogs *turnlogs_new(const char *data_dir)
{
    struct turnlogs *all = xcalloc(1, sizeof *all);
    all->data_dir = xstrdup(data_dir);
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void turnlogs_free(struct turnlogs *all)
{
    if (!all)
        return;
    pthread_mutex_destroy(&all->lock);
    free_charp(&all->data_dir);
    free_charp(&all);
}

/* Ids end in random characters (base/id.h). */
static struct mark mark_of(const char *turn)
{
    struct mark m = {{'-', '-'}};
    size_t len = strlen(turn), n = len < MARK_SIZE ? len : MARK_SIZE;
    if (n)
        memcpy(m.c, turn + len - n, n);
    return m;
}

static bool has_mark(const struct file *f, struct mark m)
{
    for (int i = 0; i < f->marks_n; i++)
        if (memcmp(f->marks[i].c, m.c, MARK_SIZE) == 0)
            return true;
    return false;
}

static void add_user(struct file *f, struct mark m, const char *turn)
{
    f->marks[f->marks_n++] = m;
    f->users++;
    snprintf(f->newest, sizeof f->newest, "%s", turn);
}

static enum rc path_of(char out[FS_PATH_MAX], const char *data_dir, const char *turn, struct err *e)
{
    if ((size_t)snprintf(out, FS_PATH_MAX, "%s/" FOLDER "/%s.log", data_dir, turn) >= FS_PATH_MAX)
        return err_set(e, RC_TOO_BIG, "the path of turn log %s is too long", turn);
    return RC_OK;
}

static enum rc create_file(const char *data_dir, const char *path, int *fd, struct err *e)
{
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd < 0 && errno == ENOENT) { /* the folder does not exist yet */
        char dir[FS_PATH_MAX];
        enum rc rc;
        if ((rc = fs_join(dir, data_dir, FOLDER, e)) != RC_OK || (rc = fs_mkdirs(dir, e)) != RC_OK)
            return rc;
        *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (*fd >= 0)
        return RC_OK;
    return err_say(e, RC_UNAVAILABLE, "chat.not_saved", fs_reason(errno));
}

static void unmap(struct file *f)
{
    if (f->page)
        munmap(f->page, PAGE);
    f->page = NULL;
}

static void leave(struct turnlogs *all, struct file *f)
{
    pthread_mutex_lock(&all->lock);
    bool last = --f->users == 0;
    if (last && all->newest == f)
        all->newest = NULL;
    pthread_mutex_unlock(&all->lock);
    if (!last)
        return;
    unmap(f);
    close(f->fd);
    free_charp(&f);
}

/* Gives the newest file another name. NULL: the turn needs a file of its own. */
static struct file *join(struct turnlogs *all, struct mark mark, const char *turn, const char *path)
{
    char other[ID_SIZE], from[FS_PATH_MAX];
    pthread_mutex_lock(&all->lock);
    struct file *f = all->newest;
    if (f && (f->marks_n == SHARE_MAX || has_mark(f, mark)))
        f = NULL;
    if (f) {
        memcpy(other, f->newest, sizeof other);
        add_user(f, mark, turn);
    }
    pthread_mutex_unlock(&all->lock);
    if (!f)
        return NULL;
    /* fails when the other turn has just ended */
    if (path_of(from, all->data_dir, other, NULL) == RC_OK && link(from, path) == 0)
        return f;
    leave(all, f);
    return NULL;
}

enum rc turnlog_create(struct turnlogs *all, const char *turn, struct turnlog **out, struct err *e)
{
    char path[FS_PATH_MAX];
    int fd;
    enum rc rc = path_of(path, all->data_dir, turn, e);
    if (rc != RC_OK)
        return rc;
    struct mark mark = mark_of(turn);
    struct file *f = join(all, mark, turn, path);
    if (!f) {
        if ((rc = create_file(all->data_dir, path, &fd, e)) != RC_OK)
            return rc;
        f = xcalloc(1, sizeof *f);
        f->fd = fd;
        add_user(f, mark, turn);
        pthread_mutex_lock(&all->lock);
        all->newest = f;
        pthread_mutex_unlock(&all->lock);
    }
    *out = xmalloc(sizeof **out);
    **out = (struct turnlog){.all = all, .file = f, .mark = mark};
    return RC_OK;
}

void turnlog_free(struct turnlog *l)
{
    if (!l)
        return;
    leave(l->all, l->file);
    free_charp(&l);
}

/* Writes a header like "t 12 x7\n" and returns its length. Runs for every record. */
static size_t put_header(char out[HEADER_MAX], enum turnlog_kind kind, size_t len, struct mark mark)
{
    char digits[HEADER_MAX], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + len % 10);
    while (len /= 10);
    size_t n = (size_t)(digits + sizeof digits - at);
    out[0] = (char)kind;
    out[1] = ' ';
    memcpy(out + 2, at, n);
    out[2 + n] = ' ';
    memcpy(out + 3 + n, mark.c, MARK_SIZE);
    out[3 + n + MARK_SIZE] = '\n';
    return n + 4 + MARK_SIZE;
}

static bool may_be_mapped(int fd)
{
    struct statfs f;
    if (sysconf(_SC_PAGESIZE) != PAGE || fstatfs(fd, &f) != 0)
        return false;
    return f.f_type == EXT4_SUPER_MAGIC || f.f_type == XFS_SUPER_MAGIC || f.f_type == TMPFS_MAGIC;
}

/* Without a page the next records are written. */
static void map_page(struct file *f)
{
    char zeros[PAGE] = {0};
    int64_t start = f->offset & ~(int64_t)(PAGE - 1);
    ssize_t rest = (ssize_t)(start + PAGE - f->offset);
    void *page = MAP_FAILED;
    if (may_be_mapped(f->fd) && pwrite(f->fd, zeros, (size_t)rest, f->offset) == rest)
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, start);
    if (page == MAP_FAILED) {
        f->writes = 0;
        return;
    }
    f->page = page;
    f->page_end = start + PAGE;
}

static void put_record(struct file *f, const char *header, size_t n, struct str content)
{
    char *to = f->page + (PAGE - (f->page_end - f->offset));
    memcpy(to + 1, header + 1, n - 1);
    memcpy(to + n, content.len ? content.s : "", content.len);
    to[n + content.len] = '\n';
    __atomic_store_n(to, header[0], __ATOMIC_RELEASE);
}

static enum rc write_record(struct file *f, char *header, size_t n, struct str content, struct err *e)
{
    struct iovec parts[3] = {
        {header, n},
        {(void *)(uintptr_t)content.s, content.len},
        {(void *)(uintptr_t) "\n", 1},
    };
    ssize_t want = (ssize_t)(n + content.len + 1), done;
    unmap(f);
    do
        done = pwritev(f->fd, parts, 3, f->offset);
    while (done < 0 && errno == EINTR);
    if (done == want)
        return RC_OK;
    int why = done < 0 ? errno : ENOSPC;
    if (done > 0 && ftruncate(f->fd, f->offset) != 0)
        why = errno;
    return err_set(e, RC_IO, "writing a turn log: %s", strerror(why));
}

enum rc turnlog_append(struct turnlog *l, enum turnlog_kind kind, struct str content, struct err *e)
{
    struct file *f = l->file;
    char header[HEADER_MAX];
    size_t n = put_header(header, kind, content.len, l->mark), all = n + content.len + 1;
    bool fits = f->page && (int64_t)all <= f->page_end - f->offset;
    if (fits) {
        put_record(f, header, n, content);
    } else {
        enum rc rc = write_record(f, header, n, content, e);
        if (rc != RC_OK)
            return rc;
    }
    f->offset += (int64_t)all;
    f->writes += f->writes < WRITES_MIN;
    if (!fits && f->writes == WRITES_MIN)
        map_page(f);
    return RC_OK;
}

/* Cuts one record off the front of `rest`. False when no complete record is left. */
static bool next_record(struct str *rest, struct turnlog_record *r, struct str *mark)
{
    struct str at = *rest, line = str_cut(&at, '\n');
    int64_t len;
    if (!at.s || line.len < 3 || line.s[1] != ' ' ||
        !memchr(TURNLOG_KINDS, line.s[0], sizeof TURNLOG_KINDS - 1))
        return false;
    *mark = str_from(line, 2);
    if (!str_to_int(str_cut(mark, ' '), 0, (int64_t)TURNLOG_MAX, &len))
        return false;
    if ((size_t)len >= at.len || at.s[len] != '\n')
        return false;
    r->kind = (enum turnlog_kind)line.s[0];
    r->content = (struct str){at.s, (size_t)len};
    *rest = str_from(at, (size_t)len + 1);
    return true;
}

/* Calls fn for the turn's records in `text`. Returns the bytes of all complete records. Before turns shared
 * files, records had no mark. */
static size_t each_record(struct str text, const char *turn, turnlog_fn *fn, void *arg)
{
    struct mark own = mark_of(turn);
    struct turnlog_record r;
    struct str rest = text, mark;
    while (next_record(&rest, &r, &mark))
        if (!mark.s || str_eq(mark, (struct str){own.c, MARK_SIZE}))
            fn(arg, &r);
    return text.len - rest.len;
}

enum rc turnlog_scan(const char *data_dir, const char *turn, turnlog_fn *fn, void *arg, struct err *e)
{
    char path[FS_PATH_MAX];
    AUTO_STRBUF file;
    strbuf_init(&file, FILE_MAX);
    enum rc rc = path_of(path, data_dir, turn, e);
    if (rc == RC_OK)
        rc = fs_read(path, &file, e);
    if (rc != RC_OK)
        return rc;
    each_record(strbuf_str(&file), turn, fn, arg);
    return RC_OK;
}

struct message_text {
    struct strbuf *out;
    int64_t message_id;
    bool other; /* the records belong to another message */
};

static void add_text(void *arg, const struct turnlog_record *r)
{
    struct message_text *m = arg;
    int64_t id;
    if (r->kind == TURNLOG_MESSAGE && str_to_int(r->content, 1, INT64_MAX, &id)) {
        strbuf_clear(m->out);
        m->other = id != m->message_id;
    } else if (r->kind == TURNLOG_TEXT && !m->other) {
        strbuf_addstr(m->out, r->content);
    }
}

enum rc turnlog_text(
    const char *data_dir, const char *turn, int64_t message_id, struct strbuf *out, struct err *e)
{
    struct message_text m = {.out = out, .message_id = message_id};
    return turnlog_scan(data_dir, turn, add_text, &m, e);
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
            return err_set(e, RC_IO, "reading a turn log: %s", strerror(errno));
        if (n == 0)
            return RC_OK;
        strbuf_addstr(out, (struct str){part, (size_t)n});
        if (out->failed)
            return err_set(e, RC_TOO_BIG, "a turn log is too long");
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
    strbuf_init(&rest, FILE_MAX);
    if ((rc = read_rest(fd, *offset, &rest, e)) != RC_OK)
        return rc;
    *offset += (int64_t)each_record(strbuf_str(&rest), turn, fn, arg);
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
