#include "app/export/zip_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"

#define PIECE         ((size_t)64 * 1024)
#define NAME_MAX_ZIP  255
#define LEVEL         6
#define VERSION       20 /* deflate */
#define VERSION_64    45
#define MADE_BY       (3 << 8 | VERSION_64)     /* Unix */
#define MODE          (UINT32_C(0100600) << 16) /* a file that only its owner reads */
#define FLAGS         (1 << 3 | 1 << 11)        /* sizes follow the content; names are UTF-8 */
#define METHOD        8
#define LARGE         UINT32_C(0xFFFFFFFF)
#define MANY          0xFFFFu
#define CENTRAL_SIZE  46
#define OFFSET64_SIZE 12 /* the extra field of an entry beyond 4 GB */
#define END64_SIZE    56

struct zip_write {
    int fd, dir;          /* the zip, the file of its directory */
    int64_t at, dir_size; /* bytes written */
    int64_t entries;
    uint16_t date, time;
    /* the open entry */
    char name[NAME_MAX_ZIP + 1];
    int64_t offset, size, packed;
    uint32_t crc;
    z_stream z;
    bool open;
    unsigned char out[PIECE];
};

/* ---- bytes ---- */

struct bytes {
    unsigned char b[CENTRAL_SIZE + NAME_MAX_ZIP + OFFSET64_SIZE];
    size_t n;
};

static void add(struct bytes *to, uint64_t v, int width)
{
    for (int i = 0; i < width; i++)
        to->b[to->n++] = (unsigned char)(i < 8 ? v >> 8 * i : 0);
}

static enum rc write_all(int fd, const void *p, size_t n, struct err *e)
{
    const char *from = p;
    while (n > 0) {
        ssize_t got = write(fd, from, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fs_write_failed("writing a zip", e);
        from += got;
        n -= (size_t)got;
    }
    return RC_OK;
}

static enum rc write_out(struct zip_write *z, const void *p, size_t n, struct err *e)
{
    z->at += (int64_t)n;
    return write_all(z->fd, p, n, e);
}

static uint64_t at_most(int64_t v)
{
    return v >= (int64_t)LARGE ? LARGE : (uint64_t)v;
}

/* ---- the file ---- */

enum rc zip_write_new(int fd, const char *folder, int64_t now, struct zip_write **out, struct err *e)
{
    time_t s = (time_t)(now / MS_PER_S);
    struct tm t;
    int dir = fs_open_unnamed(folder);
    *out = NULL;
    if (dir < 0)
        return fs_write_failed("the directory of a zip", e);
    gmtime_r(&s, &t);
    struct zip_write *z = xcalloc(1, sizeof *z);
    z->fd = fd;
    z->dir = dir;
    z->date = (uint16_t)((t.tm_year - 80) << 9 | (t.tm_mon + 1) << 5 | t.tm_mday);
    z->time = (uint16_t)(t.tm_hour << 11 | t.tm_min << 5 | t.tm_sec / 2);
    *out = z;
    return RC_OK;
}

void zip_write_free(struct zip_write *z)
{
    if (!z)
        return;
    if (z->open)
        deflateEnd(&z->z);
    fs_close(&z->dir);
    free(z);
}

/* ---- an entry ---- */

enum rc zip_write_begin(struct zip_write *z, const char *name, struct err *e)
{
    struct bytes b = {.n = 0};
    size_t n = strlen(name);
    if (n > NAME_MAX_ZIP)
        return err_set(e, RC_TOO_BIG, "a name of %zu bytes in a zip", n);
    memcpy(z->name, name, n + 1);
    z->offset = z->at;
    z->size = z->packed = 0;
    z->crc = (uint32_t)crc32(0, NULL, 0);
    z->z = (z_stream){0};
    if (deflateInit2(&z->z, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return err_set(e, RC_INTERNAL, "zlib cannot be initialised");
    z->open = true;
    add(&b, 0x04034b50, 4);
    add(&b, VERSION, 2);
    add(&b, FLAGS, 2);
    add(&b, METHOD, 2);
    add(&b, z->time, 2);
    add(&b, z->date, 2);
    add(&b, 0, 12); /* the checksum and the sizes follow the content */
    add(&b, n, 2);
    add(&b, 0, 2);
    memcpy(b.b + b.n, name, n);
    return write_out(z, b.b, b.n + n, e);
}

static enum rc deflate_all(struct zip_write *z, int flush, struct err *e)
{
    enum rc rc = RC_OK;
    do {
        z->z.next_out = z->out;
        z->z.avail_out = PIECE;
        deflate(&z->z, flush);
        size_t n = PIECE - z->z.avail_out;
        z->packed += (int64_t)n;
        rc = write_out(z, z->out, n, e);
    } while (rc == RC_OK && z->z.avail_out == 0);
    return rc;
}

enum rc zip_write_put(void *arg, struct str part, struct err *e)
{
    struct zip_write *z = arg;
    z->size += (int64_t)part.len;
    if (z->size >= (int64_t)LARGE)
        return err_set(e, RC_TOO_BIG, "an entry over 4 GB in a zip");
    z->crc = (uint32_t)crc32(z->crc, (const unsigned char *)part.s, (unsigned)part.len);
    z->z.next_in = (unsigned char *)(uintptr_t)part.s; /* zlib does not write to it */
    z->z.avail_in = (unsigned)part.len;
    return deflate_all(z, Z_NO_FLUSH, e);
}

static enum rc add_to_directory(struct zip_write *z, struct err *e)
{
    struct bytes b = {.n = 0};
    size_t n = strlen(z->name);
    bool far = z->offset >= (int64_t)LARGE;
    add(&b, 0x02014b50, 4);
    add(&b, MADE_BY, 2);
    add(&b, far ? VERSION_64 : VERSION, 2);
    add(&b, FLAGS, 2);
    add(&b, METHOD, 2);
    add(&b, z->time, 2);
    add(&b, z->date, 2);
    add(&b, z->crc, 4);
    add(&b, (uint64_t)z->packed, 4);
    add(&b, (uint64_t)z->size, 4);
    add(&b, n, 2);
    add(&b, far ? OFFSET64_SIZE : 0, 2);
    add(&b, 0, 6); /* comment, disk, kind */
    add(&b, MODE, 4);
    add(&b, at_most(z->offset), 4);
    memcpy(b.b + b.n, z->name, n);
    b.n += n;
    if (far) {
        add(&b, 1, 2);
        add(&b, 8, 2);
        add(&b, (uint64_t)z->offset, 8);
    }
    z->dir_size += (int64_t)b.n;
    z->entries++;
    return write_all(z->dir, b.b, b.n, e);
}

enum rc zip_write_end(struct zip_write *z, struct err *e)
{
    struct bytes b = {.n = 0};
    z->z.avail_in = 0;
    enum rc rc = deflate_all(z, Z_FINISH, e);
    deflateEnd(&z->z);
    z->open = false;
    add(&b, 0x08074b50, 4);
    add(&b, z->crc, 4);
    add(&b, (uint64_t)z->packed, 4);
    add(&b, (uint64_t)z->size, 4);
    if (rc == RC_OK)
        rc = write_out(z, b.b, b.n, e);
    return rc == RC_OK ? add_to_directory(z, e) : rc;
}

/* ---- the directory ---- */

static enum rc copy_directory(struct zip_write *z, struct err *e)
{
    enum rc rc = RC_OK;
    if (lseek(z->dir, 0, SEEK_SET) != 0)
        return err_set(e, RC_IO, "writing the directory of a zip: %s", strerror(errno));
    for (int64_t left = z->dir_size; rc == RC_OK && left > 0;) {
        ssize_t n = read(z->dir, z->out, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_set(e, RC_IO, "reading the directory of a zip");
        rc = write_out(z, z->out, (size_t)n, e);
        left -= n;
    }
    return rc;
}

static void add_zip64(const struct zip_write *z, int64_t begin, struct bytes *b)
{
    int64_t end = z->at;
    add(b, 0x06064b50, 4);
    add(b, END64_SIZE - 12, 8);
    add(b, MADE_BY, 2);
    add(b, VERSION_64, 2);
    add(b, 0, 8); /* disks */
    add(b, (uint64_t)z->entries, 8);
    add(b, (uint64_t)z->entries, 8);
    add(b, (uint64_t)z->dir_size, 8);
    add(b, (uint64_t)begin, 8);
    add(b, 0x07064b50, 4);
    add(b, 0, 4);
    add(b, (uint64_t)end, 8);
    add(b, 1, 4);
}

enum rc zip_write_close(struct zip_write *z, struct err *e)
{
    struct bytes b = {.n = 0};
    int64_t begin = z->at;
    enum rc rc = copy_directory(z, e);
    if (z->entries >= MANY || begin >= (int64_t)LARGE || z->dir_size >= (int64_t)LARGE)
        add_zip64(z, begin, &b);
    uint64_t entries = z->entries >= MANY ? MANY : (uint64_t)z->entries;
    add(&b, 0x06054b50, 4);
    add(&b, 0, 4); /* disks */
    add(&b, entries, 2);
    add(&b, entries, 2);
    add(&b, at_most(z->dir_size), 4);
    add(&b, at_most(begin), 4);
    add(&b, 0, 2); /* comment */
    return rc == RC_OK ? write_out(z, b.b, b.n, e) : rc;
}
