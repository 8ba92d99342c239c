#include "app/export/export_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fs.h"

#define GZIP_LEVEL  "wb6"
#define GZIP_PLAIN  "wbT"
#define GZIP_BUFFER (128u * 1024)

enum rc export_file_open(struct export_file *f, int fd, enum export_file_kind kind, struct err *e)
{
    int own = dup(fd); /* gzclose() closes it */
    f->out = own < 0 ? NULL : gzdopen(own, kind == EXPORT_FILE_GZIP ? GZIP_LEVEL : GZIP_PLAIN);
    if (!f->out) {
        fs_close(&own);
        return err_set(e, RC_IO, "opening an export for writing: %s", strerror(errno));
    }
    gzbuffer(f->out, GZIP_BUFFER);
    return RC_OK;
}

enum rc export_file_put(void *arg, struct str part, struct err *e)
{
    struct export_file *f = arg;
    errno = 0;
    if (part.len == 0 || gzwrite(f->out, part.s, (unsigned)part.len) == (int)part.len)
        return RC_OK;
    return fs_write_failed("writing an export", e);
}

enum rc export_file_close(struct export_file *f, enum rc so_far, struct err *e)
{
    errno = 0;
    int closed = gzclose(f->out);
    return so_far == RC_OK && closed != Z_OK ? fs_write_failed("closing an export", e) : so_far;
}
