/*
 * A VFS that writes the frames of a commit with one system call. SQLite writes the header and the page of
 * each frame on their own: 32 calls for a message.
 *
 * It is SQLite's default VFS except for the write-ahead log. Between db_frames_gather() and db_frames_end(),
 * writes that continue each other are copied into a buffer. Everything else that SQLite does with the log
 * writes the buffer first, the sync included. The caller gathers in durable commits only: their sync comes
 * before SQLite publishes the frames in the shared memory, so no connection ever looks for a frame that is in
 * the buffer, and a failed write fails the commit. Frames that a full cache writes before the commit are not
 * gathered: after a rollback they would reach the log when the connection no longer has the write lock.
 */
#include "db/db_private.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define VFS_NAME   "alfred"
#define FRAME      (24 + 4096) /* header and page */
#define BUFFER_MAX (20 * FRAME)

struct log_file {
    sqlite3_file base;
    sqlite3_file *real; /* follows in memory */
    bool gathers;
    char *buffer;
    int len;
    sqlite3_int64 at; /* place of the buffer in the file */
};

static struct log_file *log_of(sqlite3_file *f)
{
    return (struct log_file *)f;
}

/* The default VFS's file, after what the buffer has is written. A failure drops it: the commit fails. */
static int flush(struct log_file *f)
{
    int n = f->len;
    f->len = 0;
    return n ? f->real->pMethods->xWrite(f->real, f->buffer, n, f->at) : SQLITE_OK;
}

static int log_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
    struct log_file *f = log_of(file);
    int rc = SQLITE_OK;
    if (f->len && (at != f->at + f->len || n > BUFFER_MAX - f->len))
        rc = flush(f);
    if (rc != SQLITE_OK)
        return rc;
    if (!f->gathers || n > BUFFER_MAX)
        return f->real->pMethods->xWrite(f->real, from, n, at);
    if (!f->buffer)
        f->buffer = xmalloc(BUFFER_MAX);
    if (!f->len)
        f->at = at;
    memcpy(f->buffer + f->len, from, (size_t)n);
    f->len += n;
    return SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
    struct log_file *f = log_of(file);
    int rc = flush(f);
    return rc == SQLITE_OK ? f->real->pMethods->xRead(f->real, to, n, at) : rc;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct log_file *f = log_of(file);
    int rc = flush(f);
    return rc == SQLITE_OK ? f->real->pMethods->xTruncate(f->real, size) : rc;
}

static int log_sync(sqlite3_file *file, int flags)
{
    struct log_file *f = log_of(file);
    int rc = flush(f);
    return rc == SQLITE_OK ? f->real->pMethods->xSync(f->real, flags) : rc;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct log_file *f = log_of(file);
    int rc = flush(f);
    return rc == SQLITE_OK ? f->real->pMethods->xFileSize(f->real, size) : rc;
}

static int log_control(sqlite3_file *file, int what, void *arg)
{
    struct log_file *f = log_of(file);
    return f->real->pMethods->xFileControl(f->real, what, arg);
}

static int log_lock(sqlite3_file *file, int level)
{
    struct log_file *f = log_of(file);
    return f->real->pMethods->xLock(f->real, level);
}

static int log_unlock(sqlite3_file *file, int level)
{
    struct log_file *f = log_of(file);
    return f->real->pMethods->xUnlock(f->real, level);
}

static int log_is_reserved(sqlite3_file *file, int *out)
{
    struct log_file *f = log_of(file);
    return f->real->pMethods->xCheckReservedLock(f->real, out);
}

static int log_sector_size(sqlite3_file *file)
{
    struct log_file *f = log_of(file);
    return f->real->pMethods->xSectorSize(f->real);
}

static int log_device(sqlite3_file *file)
{
    struct log_file *f = log_of(file);
    return f->real->pMethods->xDeviceCharacteristics(f->real);
}

static int log_close(sqlite3_file *file)
{
    struct log_file *f = log_of(file);
    free(f->buffer);
    return f->real->pMethods->xClose(f->real);
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_is_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_device,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    sqlite3_vfs *real = vfs->pAppData;
    if (!(flags & SQLITE_OPEN_WAL))
        return real->xOpen(real, name, file, flags, out);
    struct log_file *f = log_of(file);
    *f = (struct log_file){.real = (sqlite3_file *)(f + 1)};
    int rc = real->xOpen(real, name, f->real, flags, out);
    f->base.pMethods = f->real->pMethods ? &methods : NULL; /* set: SQLite closes it, also after a failure */
    return rc;
}

/* SQLite keeps the address and links its list of systems through it. */
static sqlite3_vfs vfs;

static void register_vfs(void)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    vfs = *real;
    vfs.szOsFile += (int)sizeof(struct log_file);
    vfs.pNext = NULL;
    vfs.zName = VFS_NAME;
    vfs.pAppData = real;
    vfs.xOpen = open_file;
    sqlite3_vfs_register(&vfs, 0);
}

const char *db_frames_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_vfs);
    return VFS_NAME;
}

static struct log_file *find_log(const struct db *db)
{
    sqlite3_file *file = NULL;
    sqlite3_file_control(db->sq, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    return file && file->pMethods == &methods ? log_of(file) : NULL;
}

void db_frames_gather(struct db *db)
{
    struct log_file *f = find_log(db);
    if (f) /* otherwise SQLite adds frames up to the end of a sector and writes a part of them after the sync
            */
        f->gathers = (log_device(&f->base) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0;
}

void db_frames_end(struct db *db)
{
    struct log_file *f = find_log(db);
    if (!f)
        return;
    f->gathers = false;
    f->len = 0; /* what a commit that failed has left */
}
