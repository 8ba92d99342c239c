#include "app/import/file/import_zip_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

#define PIECE          ((size_t)64 * 1024)
#define NAME_BYTES_MAX 1024
#define END_SIZE       22 /* bytes of the end of central directory record, without its comment */
#define COMMENT_MAX    65535
#define LOCATOR_SIZE   20
#define END64_SIZE     56
#define CENTRAL_SIZE   46
#define EXTRA_ZIP64    1
#define FLAG_ENCRYPTED 1
#define MADE_ON_UNIX   3
#define ROOM_FIRST     64

struct import_zip {
    int fd;
    struct zip_entry *entries;
    size_t n, room, at; /* at: the entry that is read */
    struct zip_pictures pictures;
    bool ours;     /* it is our export */
    bool foreign;  /* it has conversations*.json */
    bool claude;   /* it has another part of Claude's export */
    bool outer;    /* it has a zip with ChatGPT's conversations */
    bool open;     /* the entry was begun */
    int64_t pos;   /* in the file */
    uint64_t left; /* compressed bytes that were not read yet */
    int64_t got;   /* uncompressed bytes of the entry */
    uint32_t crc;  /* of them */
    z_stream z;
    unsigned char in[PIECE], out[PIECE];
};

static enum rc damaged(struct err *e)
{
    return err_say(e, RC_BAD_INPUT, "import.bad_zip");
}

/* ---- bytes ---- */

bool import_zip_read_at(int fd, void *to, size_t n, int64_t at)
{
    size_t have = 0;
    while (have < n) {
        ssize_t got = pread(fd, (char *)to + have, n - have, at + (int64_t)have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

/* ---- names ---- */

/* The files of our export (export.c) in the order of their records. */
static const struct {
    const char *name;
    uint8_t class;
} our_files[] = {
    {"alfred.json", 0},
    {"settings.jsonl", 1},
    {"workspaces.jsonl", 1},
    {"personas.jsonl", 1},
    {"prompts.jsonl", 1},
    {"tags.jsonl", 1},
    {"meta.json", 2},
    {"archive.jsonl", 2},
    {"current.jsonl", 2},
    {"summary.json", 2},
    {"facts.jsonl", 2},
    {"memory.jsonl", 3},
    {"tasks.jsonl", 3},
    {"reminders.jsonl", 3},
};
#define CLASS_SESSION 2
#define CLASS_FOREIGN 9
#define CLASS_OTHER   10 /* read if the zip has none of the others */

/* False: absolute, with a part "..", with signs that no export has. */
static bool is_safe(struct str name)
{
    if (name.len == 0 || name.s[0] == '/' || memchr(name.s, '\0', name.len) ||
        (name.len > 1 && name.s[1] == ':'))
        return false;
    for (struct str rest = name; rest.s;)
        if (str_is(str_cut(&rest, '/'), ".."))
            return false;
    return true;
}

static bool is_link(const unsigned char *p)
{
    return p[5] == MADE_ON_UNIX && S_ISLNK(le32(p + 38) >> 16);
}

static bool ends_in(struct str base, struct str extension)
{
    return base.len > extension.len && str_eq(str_from(base, base.len - extension.len), extension);
}

/* False: not wanted. In any folder. */
static bool choose(struct str base, struct zip_entry *out)
{
    for (size_t i = 0; i < ARRAY_LEN(our_files); i++)
        if (str_is(base, our_files[i].name)) {
            out->class = our_files[i].class;
            out->rank = (uint8_t)i;
            return true;
        }
    /* "conversations.json", "conversations-003.json"; the files of LibreChat have the titles as names */
    out->class = str_starts(base, STR("conversations")) ? CLASS_FOREIGN : CLASS_OTHER;
    out->rank = 0;
    return ends_in(base, STR(".json"));
}

/* Projects and memories of Claude, in files of their own or one for each. */
static bool is_part_of_claude(struct str name, struct str base)
{
    return str_is(base, "projects.json") || str_is(base, "memories.json") ||
           str_is(base, "login_history.json") || str_starts(name, STR("projects/")) ||
           str_starts(name, STR("memories/"));
}

/* OpenAI's privacy portal sends a zip of zips: "User Online Activity/Conversations__...-part-0001.zip". */
static bool is_zip_of_chatgpt(struct str base)
{
    return str_starts(base, STR("Conversations__")) && ends_in(base, STR(".zip"));
}

/* ---- the directory ---- */

struct directory {
    int64_t at, size, count;
    uint64_t folder; /* of the entry before */
    uint32_t group;
};

static enum rc keep(struct import_zip *z, const struct zip_entry *entry, struct err *e)
{
    if (z->n == ZIP_WANTED_MAX)
        return damaged(e);
    if (z->n == z->room) {
        z->room = z->room ? 2 * z->room : ROOM_FIRST;
        z->entries = xrealloc(z->entries, z->room * sizeof *z->entries);
    }
    z->entries[z->n++] = *entry;
    z->ours = z->ours || (entry->class == 0 && entry->rank == 0);
    z->foreign = z->foreign || entry->class == CLASS_FOREIGN;
    return RC_OK;
}

/* APPNOTE 4.5.3: the numbers that do not fit the head, in this order. */
static bool read_zip64(struct zip_entry *entry, const unsigned char *p, size_t n)
{
    uint64_t *const numbers[] = {&entry->size, &entry->packed, &entry->offset};
    size_t at = 0, part;
    while (n - at >= 4 && le16(p + at) != EXTRA_ZIP64 && n - at - 4 >= le16(p + at + 2))
        at += 4 + (size_t)le16(p + at + 2);
    if (n - at < 4 || le16(p + at) != EXTRA_ZIP64 || n - at - 4 < (part = le16(p + at + 2)))
        return false;
    at += 4;
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (*numbers[i] != UINT32_MAX)
            continue;
        if (part < 8 || le64(p + at) > INT64_MAX)
            return false;
        *numbers[i] = le64(p + at);
        at += 8;
        part -= 8;
    }
    return true;
}

/* `extra`: where the file has the extra fields of the entry. */
static bool complete(const struct import_zip *z, struct zip_entry *entry, int64_t extra, size_t n)
{
    if (entry->offset != UINT32_MAX && entry->packed != UINT32_MAX && entry->size != UINT32_MAX)
        return true;
    AUTO_FREE unsigned char *p = xmalloc(n + 1);
    return import_zip_read_at(z->fd, p, n, extra) && read_zip64(entry, p, n);
}

/* `at`: where the file has the central head `p`. */
static enum rc add_entry(struct import_zip *z, struct directory *d, const unsigned char *p, int64_t at,
    struct str name, struct err *e)
{
    const char *slash = memrchr(name.s, '/', name.len);
    size_t folder = slash ? (size_t)(slash - name.s) : 0;
    struct str base = slash ? (struct str){slash + 1, name.len - folder - 1} : name;
    struct zip_entry entry = {.offset = le32(p + 42),
        .packed = le32(p + 20),
        .size = le32(p + 24),
        .crc = le32(p + 16),
        .method = le16(p + 10),
        .name = zip_hash(name)};
    if (!is_safe(name) || is_link(p))
        return err_say(e, RC_BAD_INPUT, "import.unsafe_zip");
    uint64_t in = zip_hash((struct str){name.s, folder});
    d->group += in != d->folder;
    d->folder = in;
    entry.group = d->group;
    z->claude = z->claude || is_part_of_claude(name, base);
    z->outer = z->outer || is_zip_of_chatgpt(base);
    bool picture = zip_is_picture(base, &entry.name);
    if (!picture && !choose(base, &entry))
        return RC_OK;
    if (le16(p + 8) & FLAG_ENCRYPTED)
        return err_say(e, RC_BAD_INPUT, "import.locked_zip");
    if (entry.method != ZIP_STORED && entry.method != ZIP_DEFLATED)
        return damaged(e);
    if (!complete(z, &entry, at + CENTRAL_SIZE + (int64_t)name.len, le16(p + 30)))
        return damaged(e);
    return picture ? zip_picture_add(&z->pictures, &entry) : keep(z, &entry, e);
}

/* Some programs for Windows write backslashes, against APPNOTE 4.4.17. */
static void use_slashes(char *name, size_t n)
{
    for (char *p = name; (p = memchr(p, '\\', n - (size_t)(p - name))); p++)
        *p = '/';
}

static enum rc read_entries(struct import_zip *z, struct directory *d, struct err *e)
{
    unsigned char head[CENTRAL_SIZE];
    char name[NAME_BYTES_MAX];
    int64_t at = d->at, stop = d->at + d->size;
    enum rc rc = RC_OK;
    for (int64_t i = 0; rc == RC_OK && i < d->count; i++) {
        if (stop - at < CENTRAL_SIZE || !import_zip_read_at(z->fd, head, sizeof head, at) ||
            memcmp(head, "PK\1\2", 4) != 0)
            return damaged(e);
        size_t n = le16(head + 28);
        int64_t whole = CENTRAL_SIZE + (int64_t)n + le16(head + 30) + le16(head + 32);
        if (stop - at < whole || n > sizeof name || !import_zip_read_at(z->fd, name, n, at + CENTRAL_SIZE))
            return damaged(e);
        use_slashes(name, n);
        rc = add_entry(z, d, head, at, (struct str){name, n}, e);
        at += whole;
    }
    return rc;
}

static int by_name(const void *x, const void *y)
{
    uint64_t i = ((const struct zip_entry *)x)->name, j = ((const struct zip_entry *)y)->name;
    return (i > j) - (i < j);
}

static int by_order(const void *x, const void *y)
{
    const struct zip_entry *i = x, *j = y;
    if (i->class != j->class)
        return i->class < j->class ? -1 : 1;
    if (i->class == CLASS_SESSION && i->group != j->group)
        return i->group < j->group ? -1 : 1;
    if (i->rank != j->rank)
        return i->rank < j->rank ? -1 : 1;
    return (i->offset > j->offset) - (i->offset < j->offset);
}

/* Parts of exports without conversations have JSON of other kinds. */
static bool is_read(const struct import_zip *z, const struct zip_entry *entry)
{
    if (z->ours)
        return entry->class < CLASS_FOREIGN;
    if (z->foreign)
        return entry->class == CLASS_FOREIGN;
    return entry->class == CLASS_OTHER && !z->claude && !z->outer;
}

static enum rc put_in_order(struct import_zip *z, struct err *e)
{
    size_t n = 0;
    for (size_t i = 0; i < z->n; i++)
        if (is_read(z, &z->entries[i]))
            z->entries[n++] = z->entries[i];
    z->n = n;
    if (n == 0)
        return err_say(e, RC_BAD_INPUT,
            z->outer    ? "import.outer_zip"
            : z->claude ? "import.other_part"
                        : "import.no_conversations");
    qsort(z->entries, n, sizeof *z->entries, by_name);
    for (size_t i = 1; i < n; i++)
        if (z->entries[i].name == z->entries[i - 1].name)
            return err_say(e, RC_BAD_INPUT, "import.unsafe_zip");
    qsort(z->entries, n, sizeof *z->entries, by_order);
    return RC_OK;
}

static enum rc read_directory(
    struct import_zip *z, const unsigned char *end, int64_t end_at, int64_t size, struct err *e)
{
    struct directory d = {.at = le32(end + 16), .size = le32(end + 12), .count = le16(end + 10)};
    unsigned char more[END64_SIZE];
    bool large = d.count == UINT16_MAX || d.size == UINT32_MAX || d.at == UINT32_MAX;
    if (large && end_at >= LOCATOR_SIZE &&
        import_zip_read_at(z->fd, more, LOCATOR_SIZE, end_at - LOCATOR_SIZE) &&
        memcmp(more, "PK\6\7", 4) == 0) {
        uint64_t at = le64(more + 8);
        if (at > (uint64_t)size || !import_zip_read_at(z->fd, more, END64_SIZE, (int64_t)at) ||
            memcmp(more, "PK\6\6", 4) != 0)
            return damaged(e);
        if (le64(more + 32) > INT64_MAX || le64(more + 40) > INT64_MAX || le64(more + 48) > INT64_MAX)
            return damaged(e);
        d = (struct directory){.at = (int64_t)le64(more + 48),
            .size = (int64_t)le64(more + 40),
            .count = (int64_t)le64(more + 32)};
    }
    if (d.count > ZIP_ENTRIES_MAX || d.at > size || d.size > size - d.at)
        return damaged(e);
    enum rc rc = read_entries(z, &d, e);
    zip_pictures_sort(&z->pictures);
    return rc == RC_OK ? put_in_order(z, e) : rc;
}

static enum rc find_directory(struct import_zip *z, int64_t size, struct err *e)
{
    size_t n = size < END_SIZE + COMMENT_MAX ? (size_t)size : END_SIZE + COMMENT_MAX;
    AUTO_FREE unsigned char *tail = xmalloc(n + 1);
    if (n < END_SIZE || !import_zip_read_at(z->fd, tail, n, size - (int64_t)n))
        return damaged(e);
    for (size_t at = n - END_SIZE + 1; at-- > 0;)
        if (memcmp(tail + at, "PK\5\6", 4) == 0 && at + END_SIZE + le16(tail + at + 20) <= n)
            return read_directory(z, tail + at, size - (int64_t)(n - at), size, e);
    return damaged(e);
}

enum rc import_zip_open(int fd, int64_t size, struct import_zip **out, struct err *e)
{
    struct import_zip *z = xcalloc(1, sizeof *z);
    z->fd = z->pictures.fd = fd;
    enum rc rc = find_directory(z, size, e);
    *out = rc == RC_OK ? z : NULL;
    if (rc != RC_OK)
        import_zip_free(z);
    return rc;
}

void import_zip_free(struct import_zip *z)
{
    if (!z)
        return;
    if (z->open && z->entries[z->at].method == ZIP_DEFLATED)
        inflateEnd(&z->z);
    free(z->entries);
    free(z->pictures.entries);
    free(z);
}

/* ---- its content ---- */

static enum rc begin_entry(struct import_zip *z, struct err *e)
{
    const struct zip_entry *entry = &z->entries[z->at];
    unsigned char local[ZIP_LOCAL_SIZE];
    if (!import_zip_read_at(z->fd, local, sizeof local, (int64_t)entry->offset) ||
        memcmp(local, "PK\3\4", 4) != 0)
        return damaged(e);
    z->pos = (int64_t)entry->offset + ZIP_LOCAL_SIZE + le16(local + 26) + le16(local + 28);
    z->left = entry->packed;
    z->got = 0;
    z->crc = (uint32_t)crc32(0, NULL, 0);
    z->z = (z_stream){0};
    if (entry->method == ZIP_DEFLATED && inflateInit2(&z->z, -MAX_WBITS) != Z_OK)
        return err_set(e, RC_INTERNAL, "zlib cannot be initialised");
    z->open = true;
    return RC_OK;
}

/* Counts a piece. It is passed on only while it can still be what the directory states. */
static enum rc counted(struct import_zip *z, struct str piece, struct err *e)
{
    z->got += (int64_t)piece.len;
    z->crc = (uint32_t)crc32(z->crc, (const unsigned char *)piece.s, (unsigned)piece.len);
    return (uint64_t)z->got > z->entries[z->at].size ? damaged(e) : RC_OK;
}

static enum rc end_entry(struct import_zip *z, struct err *e)
{
    const struct zip_entry *entry = &z->entries[z->at];
    if (entry->method == ZIP_DEFLATED)
        inflateEnd(&z->z);
    z->open = false;
    z->at++;
    return (uint64_t)z->got == entry->size && z->crc == entry->crc ? RC_OK : damaged(e);
}

static enum rc more_packed(struct import_zip *z, size_t *n, struct err *e)
{
    *n = z->left < PIECE ? z->left : PIECE;
    if (*n && !import_zip_read_at(z->fd, z->in, *n, z->pos))
        return damaged(e);
    z->pos += (int64_t)*n;
    z->left -= *n;
    return RC_OK;
}

static enum rc inflate_piece(struct import_zip *z, struct str *piece, struct err *e)
{
    size_t n;
    int state = Z_OK;
    z->z.next_out = z->out;
    z->z.avail_out = PIECE;
    while (state != Z_STREAM_END && z->z.avail_out == PIECE) {
        if (z->z.avail_in == 0) {
            enum rc rc = more_packed(z, &n, e);
            if (rc != RC_OK)
                return rc;
            z->z.next_in = z->in;
            z->z.avail_in = (unsigned)n;
        }
        state = inflate(&z->z, Z_NO_FLUSH);
        if (state != Z_STREAM_END &&
            (state != Z_OK || (z->z.avail_in == 0 && z->left == 0 && z->z.avail_out == PIECE)))
            return damaged(e);
    }
    *piece = (struct str){(const char *)z->out, PIECE - z->z.avail_out};
    enum rc rc = counted(z, *piece, e);
    return rc == RC_OK && state == Z_STREAM_END ? end_entry(z, e) : rc;
}

static enum rc stored_piece(struct import_zip *z, struct str *piece, struct err *e)
{
    size_t n;
    enum rc rc = more_packed(z, &n, e);
    *piece = (struct str){(const char *)z->in, rc == RC_OK ? n : 0};
    if (rc == RC_OK)
        rc = counted(z, *piece, e);
    return rc == RC_OK && z->left == 0 ? end_entry(z, e) : rc;
}

enum rc import_zip_read(struct import_zip *z, struct str *piece, struct err *e)
{
    enum rc rc = RC_OK;
    *piece = (struct str){"", 0};
    while (rc == RC_OK && piece->len == 0 && z->at < z->n) {
        if (!z->open)
            rc = begin_entry(z, e);
        if (rc == RC_OK)
            rc = z->entries[z->at].method == ZIP_DEFLATED ? inflate_piece(z, piece, e)
                                                          : stored_piece(z, piece, e);
    }
    return rc;
}

struct zip_pictures *import_zip_pictures(struct import_zip *z)
{
    return &z->pictures;
}

int64_t import_zip_pass(struct import_zip *z, int64_t n)
{
    int64_t passed = 0;
    while (z->at < z->n && z->entries[z->at].size <= (uint64_t)(n - passed))
        passed += (int64_t)z->entries[z->at++].size;
    return passed;
}
