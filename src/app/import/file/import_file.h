/* The bytes of an import's file: uncompressed, compressed with gzip (RFC 1952, several members too), or the
 * wanted entries of a zip (import_zip.h). The uncompressed bytes are counted and limited. */
#ifndef ALFRED_APP_IMPORT_FILE_IMPORT_FILE_H
#define ALFRED_APP_IMPORT_FILE_IMPORT_FILE_H

#include "app/import/file/import_zip.h"
#include "base/mem.h"

struct import_file;
/* `most`: limit of the uncompressed bytes. RC_BAD_INPUT with a sentence: a zip without conversations.
 * RC_NOT_FOUND. */
enum rc import_file_open(const char *path, int64_t most, struct import_file **out, struct err *e);
void import_file_free(struct import_file *f); /* NULL is fine */
DEFINE_AUTO(import_file);
/* Skips `n` bytes at the beginning. */
enum rc import_file_skip(struct import_file *f, int64_t n, struct err *e);
/* The next bytes; an empty piece at the end. RC_BAD_INPUT: the file is damaged. RC_TOO_BIG: more than
 * `most` bytes. */
enum rc import_file_read(struct import_file *f, struct str *piece, struct err *e);
/* Those of a zip of ChatGPT; NULL: no zip. */
struct zip_pictures *import_file_pictures(struct import_file *f);

#endif
