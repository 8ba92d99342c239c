/*
 * The bytes of an import's file: uncompressed, compressed with gzip (RFC 1952, several members too), or the
 * conversations*.json of a zip (PKWARE APPNOTE 6.3, stored or deflated, no zip64, no encryption). The
 * uncompressed bytes are counted and limited.
 *
 * libzip is not used: zip_open() reads the whole directory into memory and has no limit. A file of 235 MB
 * that was only directory made it use 1.2 GB. Here the directory is at most DIRECTORY_MAX, and names are only
 * compared, never opened. Linked, libzip also adds libcrypto and libbz2 to every program.
 */
#include "app/transfer/import_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fs.h"

#define PIECE           ((size_t)64 * 1024)
#define ENTRIES_MAX     64 /* conversations files in a zip */
#define DIRECTORY_MAX   ((size_t)4 * 1024 * 1024)
#define END_SIZE        22 /* bytes of the end of central directory record, without its comment */
#define COMMENT_MAX     65535
#define CENTRAL_SIZE    46
#define LOCAL_SIZE      30
#define METHOD_STORED   0
#define METHOD_DEFLATED 8

struct entry {
    uint32_t offset, packed;
    uint16_t method;
};

struct import_file {
    int fd;
    gzFile gz; /* plain and gzip; NULL: a zip */
    int64_t most, got;
    struct str rest; /* rest of the piece where import_file_skip() ended */
    unsigned char in[PIECE], out[PIECE];
    /* a zip */
    struct entry entries[ENTRIES_MAX];
    size_t entries_n, at; /* at: the entry that is read */
    bool open;            /* the entry was begun */
    int64_t pos;          /* in the file */
    uint32_t left;        /* compressed bytes that were not read yet */
    z_stream z;
    bool inflating;
};

/* ---- zip: its directory ---- */

static uint16_t le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t le32(const unsigned char *p)
{
    return (uint32_t)le16(p) | (uint32_t)le16(p + 2) << 16;
}

static enum rc damaged(struct err *e)
{
    return err_say(e, RC_BAD_INPUT, "import.bad_zip");
}

static bool read_at(int fd, void *to, size_t n, int64_t at)
{
    size_t have = 0;
    while (have < n) {
        ssize_t got = pread(fd, (char *)to + have, n - have, at + (int64_t)have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

/* "conversations.json", "conversations-003.json", in any folder. */
static bool is_wanted(struct str name)
{
    const char *slash = memrchr(name.s, '/', name.len);
    struct str base = slash ? (struct str){slash + 1, name.len - (size_t)(slash + 1 - name.s)} : name;
    return str_starts(base, STR("conversations")) && base.len > 5 &&
           str_is((struct str){base.s + base.len - 5, 5}, ".json");
}

static enum rc add_entry(struct import_file *f, const unsigned char *p, struct err *e)
{
    struct str name = {(const char *)p + CENTRAL_SIZE, le16(p + 28)};
    if (!is_wanted(name))
        return RC_OK;
    struct entry entry = {.offset = le32(p + 42), .packed = le32(p + 20), .method = le16(p + 10)};
    bool encrypted = le16(p + 8) & 1, large = entry.offset == UINT32_MAX || entry.packed == UINT32_MAX;
    if (encrypted || large || f->entries_n == ENTRIES_MAX ||
        (entry.method != METHOD_STORED && entry.method != METHOD_DEFLATED))
        return damaged(e);
    f->entries[f->entries_n++] = entry;
    return RC_OK;
}

static enum rc read_directory(struct import_file *f, const unsigned char *end, struct err *e)
{
    uint16_t count = le16(end + 10);
    uint32_t size = le32(end + 12), offset = le32(end + 16);
    if (size > DIRECTORY_MAX)
        return damaged(e);
    AUTO_FREE unsigned char *dir = xmalloc(size + 1);
    if (!read_at(f->fd, dir, size, offset))
        return damaged(e);
    const unsigned char *p = dir, *stop = dir + size;
    enum rc rc = RC_OK;
    for (; rc == RC_OK && count > 0; count--) {
        if (stop - p < CENTRAL_SIZE || memcmp(p, "PK\1\2", 4) != 0)
            return damaged(e);
        size_t whole = (size_t)CENTRAL_SIZE + le16(p + 28) + le16(p + 30) + le16(p + 32);
        if ((size_t)(stop - p) < whole)
            return damaged(e);
        rc = add_entry(f, p, e);
        p += whole;
    }
    if (rc == RC_OK && f->entries_n == 0)
        return err_say(e, RC_BAD_INPUT, "import.no_conversations");
    return rc;
}

static enum rc find_directory(struct import_file *f, int64_t size, struct err *e)
{
    size_t n = size < END_SIZE + COMMENT_MAX ? (size_t)size : END_SIZE + COMMENT_MAX;
    AUTO_FREE unsigned char *tail = xmalloc(n + 1);
    if (n < END_SIZE || !read_at(f->fd, tail, n, size - (int64_t)n))
        return damaged(e);
    for (size_t at = n - END_SIZE + 1; at-- > 0;)
        if (memcmp(tail + at, "PK\5\6", 4) == 0 && at + END_SIZE + le16(tail + at + 20) <= n)
            return read_directory(f, tail + at, e);
    return damaged(e);
}

/* ---- zip: its content ---- */

static enum rc begin_entry(struct import_file *f, struct err *e)
{
    const struct entry *entry = &f->entries[f->at];
    unsigned char local[LOCAL_SIZE];
    if (!read_at(f->fd, local, sizeof local, entry->offset) || memcmp(local, "PK\3\4", 4) != 0)
        return damaged(e);
    f->pos = (int64_t)entry->offset + LOCAL_SIZE + le16(local + 26) + le16(local + 28);
    f->left = entry->packed;
    f->open = true;
    f->inflating = entry->method == METHOD_DEFLATED;
    f->z = (z_stream){0};
    if (f->inflating && inflateInit2(&f->z, -MAX_WBITS) != Z_OK)
        return err_set(e, RC_INTERNAL, "zlib cannot be initialised");
    return RC_OK;
}

static void end_entry(struct import_file *f)
{
    if (f->open && f->inflating)
        inflateEnd(&f->z);
    f->open = false;
    f->at++;
}

static enum rc more_packed(struct import_file *f, size_t *n, struct err *e)
{
    *n = f->left < PIECE ? f->left : PIECE;
    if (*n && !read_at(f->fd, f->in, *n, f->pos))
        return damaged(e);
    f->pos += (int64_t)*n;
    f->left -= (uint32_t)*n;
    return RC_OK;
}

static enum rc inflate_piece(struct import_file *f, struct str *piece, struct err *e)
{
    size_t n;
    f->z.next_out = f->out;
    f->z.avail_out = PIECE;
    while (f->z.avail_out == PIECE) {
        if (f->z.avail_in == 0) {
            enum rc rc = more_packed(f, &n, e);
            if (rc != RC_OK)
                return rc;
            f->z.next_in = f->in;
            f->z.avail_in = (unsigned)n;
        }
        int z = inflate(&f->z, Z_NO_FLUSH);
        if (z == Z_STREAM_END) {
            *piece = (struct str){(const char *)f->out, PIECE - f->z.avail_out};
            end_entry(f);
            return RC_OK;
        }
        if (z != Z_OK || (f->z.avail_in == 0 && f->left == 0 && f->z.avail_out == PIECE))
            return damaged(e);
    }
    *piece = (struct str){(const char *)f->out, PIECE - f->z.avail_out};
    return RC_OK;
}

static enum rc zip_piece(struct import_file *f, struct str *piece, struct err *e)
{
    enum rc rc = RC_OK;
    *piece = (struct str){"", 0};
    while (rc == RC_OK && piece->len == 0 && f->at < f->entries_n) {
        if (!f->open && (rc = begin_entry(f, e)) != RC_OK)
            return rc;
        if (f->inflating) {
            rc = inflate_piece(f, piece, e);
            continue;
        }
        size_t n;
        rc = more_packed(f, &n, e);
        *piece = (struct str){(const char *)f->in, n};
        if (n == 0)
            end_entry(f);
    }
    return rc;
}

/* ---- all kinds ---- */

static enum rc gzip_piece(struct import_file *f, struct str *piece, struct err *e)
{
    int z;
    int n = gzread(f->gz, f->out, PIECE);
    if (n < 0) {
        gzerror(f->gz, &z);
        return z == Z_ERRNO ? err_set(e, RC_IO, "reading an import: %s", strerror(errno))
                            : err_say(e, RC_BAD_INPUT, "import.damaged");
    }
    *piece = (struct str){(const char *)f->out, (size_t)n};
    gzerror(f->gz, &z);
    if (n == 0 && z != Z_OK && z != Z_STREAM_END)
        return err_say(e, RC_BAD_INPUT, "import.incomplete");
    return RC_OK;
}

enum rc import_file_skip(struct import_file *f, int64_t n, struct err *e)
{
    enum rc rc = RC_OK;
    if (f->gz && gzseek(f->gz, n, SEEK_SET) != n) /* fails for a packed file only later */
        return err_say(e, RC_BAD_INPUT, "import.damaged");
    if (f->gz)
        f->got = n;
    while (rc == RC_OK && f->got < n) {
        struct str piece = {0};
        rc = import_file_read(f, &piece, e);
        if (rc == RC_OK && piece.len == 0)
            return damaged(e);
        size_t over = f->got > n ? (size_t)(f->got - n) : 0;
        f->rest = (struct str){piece.s + piece.len - over, over};
    }
    return rc;
}

enum rc import_file_read(struct import_file *f, struct str *piece, struct err *e)
{
    if (f->rest.len) {
        *piece = f->rest;
        f->rest = (struct str){0};
        return RC_OK;
    }
    enum rc rc = f->gz ? gzip_piece(f, piece, e) : zip_piece(f, piece, e);
    f->got += rc == RC_OK ? (int64_t)piece->len : 0;
    if (rc == RC_OK && f->got > f->most)
        return err_say(e, RC_TOO_BIG, "import.too_big", arg_int("max", f->most / (1024 * 1024)));
    return rc;
}

static enum rc begin(struct import_file *f, struct err *e)
{
    struct stat st;
    unsigned char magic[4] = {0};
    if (fstat(f->fd, &st) != 0)
        return err_set(e, RC_IO, "stat: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_say(e, RC_BAD_INPUT, "import.no_file");
    if (st.st_size >= (off_t)sizeof magic && !read_at(f->fd, magic, sizeof magic, 0))
        return err_set(e, RC_IO, "reading an import: %s", strerror(errno));
    if (memcmp(magic, "PK\3\4", 4) == 0)
        return find_directory(f, st.st_size, e);
    int own = dup(f->fd); /* gzclose() closes it */
    f->gz = own < 0 ? NULL : gzdopen(own, "rb");
    if (!f->gz) {
        fs_close(&own);
        return err_set(e, RC_IO, "opening an import: %s", strerror(errno));
    }
    return RC_OK;
}

enum rc import_file_open(const char *path, int64_t most, struct import_file **out, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = NULL;
    if (fd < 0)
        return err_set(e, errno == ENOENT ? RC_NOT_FOUND : RC_IO, "%.150s: %s", path, strerror(errno));
    struct import_file *f = xcalloc(1, sizeof *f);
    f->fd = fd;
    f->most = most;
    enum rc rc = begin(f, e);
    if (rc == RC_OK)
        *out = f;
    else
        import_file_free(f);
    return rc;
}

void import_file_free(struct import_file *f)
{
    if (!f)
        return;
    if (f->open && f->inflating)
        inflateEnd(&f->z);
    if (f->gz)
        gzclose(f->gz);
    fs_close(&f->fd);
    free(f);
}
