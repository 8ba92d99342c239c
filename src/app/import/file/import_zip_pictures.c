/* Pictures in a zip of ChatGPT. They are found by the id in their name, and read one at a time, whenever a
 * conversation names one. */
#include "app/import/file/import_zip_private.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define ROOM_FIRST 64
#define ID_LEAST   5 /* "file-", "file_" */

uint64_t zip_hash(struct str s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.s[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* "file-AbC123" of "file-AbC123-photo.png"; empty: another name. */
static struct str id_of(struct str name)
{
    size_t n = ID_LEAST;
    if (!str_starts(name, STR("file-")) && !str_starts(name, STR("file_")))
        return (struct str){"", 0};
    while (
        n < name.len && ((name.s[n] >= '0' && name.s[n] <= '9') || (name.s[n] >= 'a' && name.s[n] <= 'z') ||
                            (name.s[n] >= 'A' && name.s[n] <= 'Z')))
        n++;
    return (struct str){name.s, n > ID_LEAST ? n : 0};
}

bool zip_is_picture(struct str base, uint64_t *id)
{
    struct str found = id_of(base);
    if (found.len)
        *id = zip_hash(found);
    return found.len > 0;
}

enum rc zip_picture_add(struct zip_pictures *p, const struct zip_entry *entry)
{
    if (p->n == ZIP_WANTED_MAX)
        return RC_OK;
    if (p->n == p->room) {
        p->room = p->room ? 2 * p->room : ROOM_FIRST;
        p->entries = xrealloc(p->entries, p->room * sizeof *p->entries);
    }
    p->entries[p->n++] = *entry;
    return RC_OK;
}

static int by_id(const void *x, const void *y)
{
    const struct zip_entry *i = x, *j = y;
    if (i->name != j->name)
        return i->name < j->name ? -1 : 1;
    return (i->offset > j->offset) - (i->offset < j->offset);
}

void zip_pictures_sort(struct zip_pictures *p)
{
    if (p->n)
        qsort(p->entries, p->n, sizeof *p->entries, by_id);
}

static struct zip_entry *find(const struct zip_pictures *p, uint64_t id)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->entries[mid].name < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->n && p->entries[low].name == id ? &p->entries[low] : NULL;
}

static bool unpack(const struct zip_entry *entry, unsigned char *packed, unsigned char *out)
{
    if (entry->method == ZIP_STORED) {
        memcpy(out, packed, entry->size);
        return entry->packed == entry->size;
    }
    z_stream z = {.next_in = packed,
        .avail_in = (unsigned)entry->packed,
        .next_out = out,
        .avail_out = (unsigned)entry->size};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return false;
    bool whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
    inflateEnd(&z);
    return whole;
}

bool zip_picture_read(struct zip_pictures *p, struct str pointer, size_t max, char **out, size_t *n)
{
    struct str id = id_of(pointer);
    struct zip_entry *entry = id.len ? find(p, zip_hash(id)) : NULL;
    unsigned char local[ZIP_LOCAL_SIZE];
    if (!entry || entry->uses == ZIP_PICTURE_USES || entry->size == 0 || entry->size > max ||
        entry->packed > entry->size + entry->size / 8 + sizeof local ||
        !import_zip_read_at(p->fd, local, sizeof local, (int64_t)entry->offset) ||
        memcmp(local, "PK\3\4", 4) != 0)
        return false;
    AUTO_FREE unsigned char *packed = xmalloc(entry->packed + 1);
    AUTO_FREE unsigned char *data = xmalloc(entry->size);
    int64_t at = (int64_t)entry->offset + ZIP_LOCAL_SIZE + le16(local + 26) + le16(local + 28);
    if (!import_zip_read_at(p->fd, packed, entry->packed, at) || !unpack(entry, packed, data) ||
        crc32(crc32(0, NULL, 0), data, (unsigned)entry->size) != entry->crc)
        return false;
    entry->uses++;
    *out = (char *)data;
    *n = entry->size;
    data = NULL;
    return true;
}
