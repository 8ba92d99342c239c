/*
 * The entries of a zip in memory (PKWARE APPNOTE 6.3: stored or deflated, zip64). app/import/file reads
 * larger ones from a file, and only a few of their entries.
 *
 * An entry is read in pieces and never as a whole in memory. All entries together share the limit of unpacked
 * bytes.
 */
#ifndef ALFRED_CODEC_DOCUMENT_DOCUMENT_ZIP_H
#define ALFRED_CODEC_DOCUMENT_DOCUMENT_ZIP_H

#include "base/err.h"
#include "base/mem.h"

#define DOCUMENT_ZIP_ENTRIES_MAX 20000
#define DOCUMENT_ZIP_UNPACKED_MAX \
    ((size_t)160 << 20)             /* bytes of all entries that are read, repetitions included */
#define DOCUMENT_ZIP_RATIO_MAX  250 /* unpacked by packed bytes, of an entry and of all ... */
#define DOCUMENT_ZIP_RATIO_FREE ((size_t)8 << 20) /* ... after so many unpacked bytes */

struct document_zip_entry {
    struct str name;
    uint64_t offset, packed, size;
    uint32_t crc;
    uint16_t method, flags;
};

struct document_zip {
    struct str bytes; /* of the file */
    struct document_zip_entry *entries;
    size_t n, packed, unpacked; /* bytes read so far */
};

/* Valid as long as the arena and `bytes`. RC_BAD_INPUT: damaged. RC_TOO_BIG: too many entries. */
enum rc document_zip_open(struct arena *a, struct str bytes, struct document_zip *out, struct err *e);
/* NULL: there is none. ASCII case is ignored, as OPC says. */
const struct document_zip_entry *document_zip_find(const struct document_zip *z, struct str name);

typedef enum rc document_zip_piece(void *arg, struct str piece, bool last, struct err *e);
/* Passes on the content. RC_BAD_INPUT: damaged. RC_FORBIDDEN: encrypted. RC_TOO_BIG: a limit. And the
 * failures of `piece`. */
enum rc document_zip_read(struct document_zip *z, const struct document_zip_entry *entry,
    document_zip_piece *piece, void *arg, struct err *e);
/* The whole content, at most `max` bytes. */
enum rc document_zip_whole(struct arena *a, struct document_zip *z, const struct document_zip_entry *entry,
    size_t max, struct str *out, struct err *e);

#endif
