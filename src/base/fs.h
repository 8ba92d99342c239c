/*
 * Files: whole reads with a cap, atomic durable writes, folders. All files have mode 0600 and folders 0700.
 * Failures: RC_NOT_FOUND, RC_TOO_BIG, RC_IO (with the path and errno's text in the cause).
 */
#ifndef ALFRED_BASE_FS_H
#define ALFRED_BASE_FS_H

#include "base/err.h"
#include "base/strbuf.h"

#define FS_PATH_MAX 4096

/* Appends the file to `out`, up to its cap. */
enum rc fs_read(const char *path, struct strbuf *out, struct err *e);

/* Writes a file beside the target, fsyncs it, renames it over the target and fsyncs the folder: after a
 * crash either the old or the new file exists. */
enum rc fs_write_atomic(const char *path, struct str content, struct err *e);

/* The same for a file that exists: fsyncs `from` and renames it over `to`, in the same folder. */
enum rc fs_replace(const char *from, const char *to, struct err *e);

/* fsyncs the folder of `path`: after a crash the file or folder still has this name. */
enum rc fs_sync_name(const char *path, struct err *e);
/* The folder of a path: "." without a slash. */
void fs_folder_of(const char *path, char out[FS_PATH_MAX]);

enum rc fs_mkdirs(const char *path, struct err *e); /* like mkdir -p; an existing folder is fine */
bool fs_exists(const char *path);
/* Removes a file, or a folder with all that is in it, as far as possible. Follows no links, and stays on the
 * file system of `path`. */
void fs_remove_all(const char *path);

/* Makes a new file and opens it for writing. RC_CONFLICT: fs_exists_already(). The user of the command line
 * reads all failures. */
enum rc fs_create(const char *path, int *fd, struct err *e);
enum rc fs_exists_already(const char *path, struct err *e);

/* Whether an errno is that of a full or of a broken disk. Broken is also a read-only file system, which Linux
 * makes of such a one. */
bool fs_is_full(int error);
bool fs_is_broken(int error);

/* The argument {reason} of a sentence for users: why a call of the system failed. */
struct said_arg fs_reason(int error);

/* The error of a failed write, from errno. RC_UNAVAILABLE with a sentence: the disk is full or broken. */
enum rc fs_write_failed(const char *what, struct err *e);
/* Writes all of `p`; continues after signals and short writes. Fails like fs_write_failed(). */
enum rc fs_write_all(int fd, const void *p, size_t n, struct err *e);

/* Writes "dir/name" to `out`. RC_TOO_BIG: it does not fit. */
enum rc fs_join(char out[FS_PATH_MAX], const char *dir, const char *name, struct err *e);

/* Opens a new file without a name in the folder, for reading and writing. Its space is free after the last
 * close(). Returns -1 with errno. */
int fs_open_unnamed(const char *dir);

void fs_close(int *fd); /* for AUTO_FD; -1 is fine */
#define AUTO_FD __attribute__((cleanup(fs_close))) int

#endif
