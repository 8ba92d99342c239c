#include "codec/document/document_zip.h"

#include <zlib.h>

#include "base/little_endian.h"
#include "base/strbuf.h"

#define PIECE          ((size_t)64 * 1024)
#define END_SIZE       22 /* bytes of the end of central directory record, without its comment */
#define COMMENT_MAX    65535
#define LOCATOR_SIZE   20
#define END64_SIZE     56
#define CENTRAL_SIZE   46
#define LOCAL_SIZE     30
#define EXTRA_ZIP64    1
#define FLAG_ENCRYPTED 1
#define STORED         0
#define DEFLATED       8

static enum rc damaged(struct err *e)
{
    return err_set(e, RC_BAD_INPUT, "a damaged zip");
}

/* ---- the directory ---- */

/* APPNOTE 4.5.3: the numbers that do not fit the head, in this order. */
static bool read_zip64(struct document_zip_entry *entry, struct str extra)
{
    uint64_t *const numbers[] = {&entry->size, &entry->packed, &entry->offset};
    const unsigned char *p = (const unsigned char *)extra.s;
    size_t left = extra.len, part;
    while (left >= 4 && le16(p) != EXTRA_ZIP64 && left - 4 >= le16(p + 2)) {
        left -= 4 + (size_t)le16(p + 2);
        p += 4 + le16(p + 2);
    }
    if (left < 4 || le16(p) != EXTRA_ZIP64 || left - 4 < (part = le16(p + 2)))
        return false;
    p += 4;
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (*numbers[i] != UINT32_MAX)
            continue;
        if (part < 8)
            return false;
        *numbers[i] = le64(p);
        p += 8;
        part -= 8;
    }
    return true;
}

static bool read_head(struct document_zip_entry *out, struct str rest, size_t *whole)
{
    const unsigned char *p = (const unsigned char *)rest.s;
    if (rest.len < CENTRAL_SIZE || memcmp(p, "PK\1\2", 4) != 0)
        return false;
    size_t name = le16(p + 28), extra = le16(p + 30);
    *whole = CENTRAL_SIZE + name + extra + le16(p + 32);
    if (rest.len < *whole)
        return false;
    *out = (struct document_zip_entry){.name = {rest.s + CENTRAL_SIZE, name},
        .offset = le32(p + 42),
        .packed = le32(p + 20),
        .size = le32(p + 24),
        .crc = le32(p + 16),
        .method = le16(p + 10),
        .flags = le16(p + 8)};
    bool large = out->offset == UINT32_MAX || out->packed == UINT32_MAX || out->size == UINT32_MAX;
    return !large || read_zip64(out, (struct str){rest.s + CENTRAL_SIZE + name, extra});
}

static enum rc read_entries(
    struct arena *a, struct document_zip *z, struct str directory, uint64_t count, struct err *e)
{
    if (count > DOCUMENT_ZIP_ENTRIES_MAX)
        return err_set(e, RC_TOO_BIG, "a zip with too many entries");
    z->entries = ARENA_ARRAY(a, struct document_zip_entry, (size_t)count + 1);
    while (z->n < count) {
        size_t whole;
        if (!read_head(&z->entries[z->n], directory, &whole))
            return damaged(e);
        z->n++;
        directory = str_from(directory, whole);
    }
    return RC_OK;
}

/* `end`: where the file has the end record. */
static enum rc read_directory(struct arena *a, struct document_zip *z, size_t end, struct err *e)
{
    const unsigned char *all = (const unsigned char *)z->bytes.s, *p = all + end;
    uint64_t count = le16(p + 10), size = le32(p + 12), at = le32(p + 16);
    bool large = count == UINT16_MAX || size == UINT32_MAX || at == UINT32_MAX;
    if (large && end >= LOCATOR_SIZE && memcmp(p - LOCATOR_SIZE, "PK\6\7", 4) == 0) {
        uint64_t more = le64(p - LOCATOR_SIZE + 8);
        if (z->bytes.len < END64_SIZE || more > z->bytes.len - END64_SIZE ||
            memcmp(all + more, "PK\6\6", 4) != 0)
            return damaged(e);
        count = le64(all + more + 32);
        size = le64(all + more + 40);
        at = le64(all + more + 48);
    }
    if (at > z->bytes.len || size > z->bytes.len - at)
        return damaged(e);
    return read_entries(a, z, (struct str){z->bytes.s + at, (size_t)size}, count, e);
}

enum rc document_zip_open(struct arena *a, struct str bytes, struct document_zip *out, struct err *e)
{
    *out = (struct document_zip){.bytes = bytes};
    size_t first = bytes.len > END_SIZE + COMMENT_MAX ? bytes.len - END_SIZE - COMMENT_MAX : 0;
    for (size_t at = bytes.len < END_SIZE ? 0 : bytes.len - END_SIZE + 1; at-- > first;)
        if (memcmp(bytes.s + at, "PK\5\6", 4) == 0)
            return read_directory(a, out, at, e);
    return damaged(e);
}

const struct document_zip_entry *document_zip_find(const struct document_zip *z, struct str name)
{
    for (size_t i = 0; i < z->n; i++)
        if (str_eq_nocase(z->entries[i].name, name))
            return &z->entries[i];
    return NULL;
}

/* ---- the content ---- */

struct unpacking {
    struct document_zip *zip;
    const struct document_zip_entry *entry;
    document_zip_piece *piece;
    void *arg;
    size_t got;
    uint32_t crc;
};

static enum rc pass(struct unpacking *u, struct str piece, bool last, struct err *e)
{
    struct document_zip *z = u->zip;
    u->got += piece.len;
    z->unpacked += piece.len;
    u->crc = (uint32_t)crc32(u->crc, (const unsigned char *)piece.s, (unsigned)piece.len);
    if (u->got > u->entry->size || (last && (u->got != u->entry->size || u->crc != u->entry->crc)))
        return damaged(e);
    bool bomb = u->got > DOCUMENT_ZIP_RATIO_FREE && u->got / DOCUMENT_ZIP_RATIO_MAX > u->entry->packed;
    bool bombs =
        z->unpacked > 2 * DOCUMENT_ZIP_RATIO_FREE && z->unpacked / DOCUMENT_ZIP_RATIO_MAX > z->packed;
    if (bomb || bombs || z->unpacked > DOCUMENT_ZIP_UNPACKED_MAX)
        return err_set(e, RC_TOO_BIG, "a zip with too many bytes");
    return u->piece(u->arg, piece, last, e);
}

static enum rc pass_stored(struct unpacking *u, struct str packed, struct err *e)
{
    enum rc rc = RC_OK;
    do {
        struct str piece = {packed.s, packed.len < PIECE ? packed.len : PIECE};
        packed = str_from(packed, piece.len);
        rc = pass(u, piece, !packed.len, e);
    } while (rc == RC_OK && packed.len);
    return rc;
}

static enum rc pass_deflated(struct unpacking *u, struct str packed, struct err *e)
{
    z_stream s = {.next_in = (unsigned char *)packed.s, .avail_in = (unsigned)packed.len};
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return err_set(e, RC_INTERNAL, "zlib cannot be initialised");
    AUTO_FREE unsigned char *out = xmalloc(PIECE);
    int state = Z_OK;
    enum rc rc = RC_OK;
    while (rc == RC_OK && state != Z_STREAM_END) {
        s.next_out = out;
        s.avail_out = PIECE;
        state = inflate(&s, Z_NO_FLUSH);
        bool stuck = state == Z_OK && s.avail_out == PIECE;
        if ((state != Z_OK && state != Z_STREAM_END) || stuck)
            rc = damaged(e);
        else
            rc = pass(u, (struct str){(const char *)out, PIECE - s.avail_out}, state == Z_STREAM_END, e);
    }
    inflateEnd(&s);
    return rc;
}

enum rc document_zip_read(struct document_zip *z, const struct document_zip_entry *entry,
    document_zip_piece *piece, void *arg, struct err *e)
{
    const unsigned char *p = (const unsigned char *)z->bytes.s + entry->offset;
    struct unpacking u = {.zip = z, .entry = entry, .piece = piece, .arg = arg};
    if (entry->flags & FLAG_ENCRYPTED)
        return err_set(e, RC_FORBIDDEN, "an encrypted entry");
    if (z->bytes.len < LOCAL_SIZE || entry->offset > z->bytes.len - LOCAL_SIZE || memcmp(p, "PK\3\4", 4) != 0)
        return damaged(e);
    uint64_t begin = entry->offset + LOCAL_SIZE + le16(p + 26) + le16(p + 28);
    if (begin > z->bytes.len || entry->packed > z->bytes.len - begin)
        return damaged(e);
    struct str packed = {z->bytes.s + begin, (size_t)entry->packed};
    z->packed += packed.len;
    u.crc = (uint32_t)crc32(0, NULL, 0);
    if (entry->method == STORED)
        return pass_stored(&u, packed, e);
    return entry->method == DEFLATED ? pass_deflated(&u, packed, e) : damaged(e);
}

static enum rc keep(void *arg, struct str piece, bool last, struct err *e)
{
    struct strbuf *out = arg;
    (void)last;
    strbuf_addstr(out, piece);
    return out->failed ? err_set(e, RC_TOO_BIG, "an entry with too many bytes") : RC_OK;
}

enum rc document_zip_whole(struct arena *a, struct document_zip *z, const struct document_zip_entry *entry,
    size_t max, struct str *out, struct err *e)
{
    AUTO_STRBUF whole;
    strbuf_init(&whole, max);
    enum rc rc = document_zip_read(z, entry, keep, &whole, e);
    *out = rc == RC_OK ? arena_str(a, strbuf_str(&whole)) : (struct str){0};
    return rc;
}
