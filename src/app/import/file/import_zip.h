/*
 * The wanted entries of an uploaded zip, one after the other: those of our own export in the order of its
 * records, or the conversations*.json of another product, or, if it has neither, all of its *.json. PKWARE
 * APPNOTE 6.3: stored or deflated, zip64, no encryption. Checksums and stated sizes are verified.
 *
 * Names are only compared, never opened. A zip with a name that leads elsewhere ("../", "/etc"), a link, or a
 * wanted name twice is refused as a whole.
 *
 * libzip is not used: zip_open() reads the whole directory into memory and has no limit. A file of 235 MB
 * that was only directory made it use 1.2 GB. Here an entry takes 48 bytes, and at most ZIP_WANTED_MAX are
 * kept.
 *
 * Failures: RC_BAD_INPUT with a sentence.
 */
#ifndef ALFRED_APP_IMPORT_FILE_IMPORT_ZIP_H
#define ALFRED_APP_IMPORT_FILE_IMPORT_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define ZIP_WANTED_MAX  500000  /* wanted entries */
#define ZIP_ENTRIES_MAX 1000000 /* entries of the directory */

struct import_zip;
/* `fd` must outlive it. */
enum rc import_zip_open(int fd, int64_t size, struct import_zip **out, struct err *e);
void import_zip_free(struct import_zip *z); /* NULL is fine */
/* The next bytes; an empty piece at the end. */
enum rc import_zip_read(struct import_zip *z, struct str *piece, struct err *e);
/* Before the first read: passes over whole entries within the first `n` bytes. Returns how many bytes these
 * have. */
int64_t import_zip_pass(struct import_zip *z, int64_t n);

/* Pictures of ChatGPT, which conversations name. Valid as long as `z`. */
#define ZIP_PICTURE_USES 16 /* of one picture: a small file must not fill the disk */
struct zip_pictures;
struct zip_pictures *import_zip_pictures(struct import_zip *z);
/* `pointer`: "file-AbC123". `*out` is the caller's. False: there is none, it is damaged, larger than `max`,
 * or was read ZIP_PICTURE_USES times. */
bool zip_picture_read(struct zip_pictures *p, struct str pointer, size_t max, char **out, size_t *n);

/* Reads exactly `n` bytes at the offset `at`. False: the file is shorter, or cannot be read. */
bool import_zip_read_at(int fd, void *to, size_t n, int64_t at);

#endif
