/*
 * Writes a zip file (PKWARE APPNOTE 6.3) entry by entry, deflated, with zip64 records when there are more
 * than 65,534 entries or 4 GB. Memory does not depend on the number of entries: the directory is collected in
 * a file without a name beside the zip. An entry is at most 4 GB.
 *
 * libzip is not used: it keeps every entry's source until the end.
 *
 * Failures: those of export_file.h.
 */
#ifndef ALFRED_APP_EXPORT_ZIP_WRITE_H
#define ALFRED_APP_EXPORT_ZIP_WRITE_H

#include "app/export/export_file.h"
#include "base/mem.h"

struct zip_write;

/* Writes to `fd` from its position on, which counts as 0. `folder`: for the file of the directory. `now`: the
 * time of the entries, milliseconds UTC. The caller keeps `fd`. */
enum rc zip_write_new(int fd, const char *folder, int64_t now, struct zip_write **out, struct err *e);
void zip_write_free(struct zip_write *z); /* NULL is fine */
DEFINE_AUTO(zip_write);

/* An entry: begin, any number of puts, end. RC_TOO_BIG: the name, or 4 GB of content. */
enum rc zip_write_begin(struct zip_write *z, const char *name, struct err *e);
export_put_fn zip_write_put; /* `arg` is the struct zip_write */
enum rc zip_write_end(struct zip_write *z, struct err *e);
/* After the last entry: the directory. */
enum rc zip_write_close(struct zip_write *z, struct err *e);

#endif
