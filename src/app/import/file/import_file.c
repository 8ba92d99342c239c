#include "app/import/file/import_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fs.h"

#define PIECE ((size_t)64 * 1024)

struct import_file {
    int fd;
    gzFile gz; /* plain and gzip; NULL: a zip */
    int64_t most, got;
    struct str rest; /* rest of the piece where import_file_skip() ended */
    struct import_zip *zip;
    unsigned char out[PIECE];
};

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
    f->got = f->gz ? n : import_zip_pass(f->zip, n);
    while (rc == RC_OK && f->got < n) {
        struct str piece = {0};
        rc = import_file_read(f, &piece, e);
        if (rc == RC_OK && piece.len == 0)
            return err_say(e, RC_BAD_INPUT, "import.damaged");
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
    enum rc rc = f->gz ? gzip_piece(f, piece, e) : import_zip_read(f->zip, piece, e);
    f->got += rc == RC_OK ? (int64_t)piece->len : 0;
    if (rc == RC_OK && f->got > f->most)
        return err_say(e, RC_TOO_BIG, "import.too_big", arg_limit("max", f->most));
    return rc;
}

static enum rc begin(struct import_file *f, struct err *e)
{
    struct stat st;
    unsigned char magic[4] = {0};
    if (fstat(f->fd, &st) != 0)
        return err_set(e, RC_IO, "reading the size of an import: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_say(e, RC_BAD_INPUT, "import.no_file");
    if (st.st_size >= (off_t)sizeof magic && !import_zip_read_at(f->fd, magic, sizeof magic, 0))
        return err_set(e, RC_IO, "reading an import: %s", strerror(errno));
    if (memcmp(magic, "PK\3\4", 4) == 0 || memcmp(magic, "PK\5\6", 4) == 0) /* the second: an empty one */
        return import_zip_open(f->fd, st.st_size, &f->zip, e);
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
    import_zip_free(f->zip);
    if (f->gz)
        gzclose(f->gz);
    fs_close(&f->fd);
    free(f);
}

struct zip_pictures *import_file_pictures(struct import_file *f)
{
    return f->zip ? import_zip_pictures(f->zip) : NULL;
}
