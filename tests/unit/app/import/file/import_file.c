/* The bytes of an import's file: plain, compressed with gzip, or the entries of a zip. */
#include "app/import/import_rig.h"

#include <fcntl.h>
#include <unistd.h>

#include "app/export/zip_write.h"
#include "app/import/file/import_file.h"

/* The bytes from every place on. */
static void reads_from_anywhere(const char *path, const char *want)
{
    for (size_t at = 0; at <= strlen(want); at++) {
        AUTO(import_file) f = NULL;
        AUTO_STRBUF got;
        struct str piece = {"", 1};
        strbuf_init(&got, 1000);
        assert_ok(import_file_open(path, 1000, &f, NULL));
        assert_ok(import_file_skip(f, (int64_t)at, NULL));
        while (piece.len) {
            assert_ok(import_file_read(f, &piece, NULL));
            strbuf_addstr(&got, piece);
        }
        assert_string_equal(got.s, want + at);
    }
}

/* All bytes that come out, or how it failed. */
static void reads(const char *path, int64_t most, const char *want, enum rc rc)
{
    AUTO(import_file) f = NULL;
    AUTO_STRBUF got;
    struct str piece = {"", 1};
    struct err e = ERR_INIT;
    strbuf_init(&got, 1 << 20);
    enum rc is = import_file_open(path, most, &f, &e);
    while (is == RC_OK && piece.len > 0 && (is = import_file_read(f, &piece, &e)) == RC_OK)
        strbuf_addstr(&got, piece);
    assert_rc(is, rc);
    if (rc == RC_OK)
        assert_string_equal(got.s, want);
}

static void le(struct strbuf *b, uint32_t n, int bytes)
{
    for (; bytes > 0; bytes--, n >>= 8)
        strbuf_addc(b, (char)(n & 0xFF));
}

/* An entry's local head and data; its central head goes into `dir`. */
static void zip_add(
    struct strbuf *zip, struct strbuf *dir, const char *name, int method, struct str data, struct str plain)
{
    uint32_t at = (uint32_t)zip->len, len = (uint32_t)strlen(name);
    strbuf_adds(zip, "PK\3\4");
    le(zip, 0, 4);
    le(zip, (uint32_t)method, 2);
    le(zip, 0, 4 + 4 + 4 + 4);
    le(zip, len, 2);
    le(zip, 0, 2);
    strbuf_adds(zip, name);
    strbuf_addstr(zip, data);
    strbuf_adds(dir, "PK\1\2");
    le(dir, 0, 2 + 2 + 2);
    le(dir, (uint32_t)method, 2);
    le(dir, 0, 4);
    le(dir, (uint32_t)crc32(0, (const unsigned char *)plain.s, (unsigned)plain.len), 4);
    le(dir, (uint32_t)data.len, 4);
    le(dir, (uint32_t)plain.len, 4);
    le(dir, len, 2);
    le(dir, 0, 2 + 2 + 2 + 2 + 4);
    le(dir, at, 4);
    strbuf_adds(dir, name);
}

static void zip_end(struct strbuf *zip, const struct strbuf *dir, uint32_t count)
{
    uint32_t at = (uint32_t)zip->len;
    strbuf_addstr(zip, strbuf_str(dir));
    strbuf_adds(zip, "PK\5\6");
    le(zip, 0, 4);
    le(zip, count, 2);
    le(zip, count, 2);
    le(zip, (uint32_t)dir->len, 4);
    le(zip, at, 4);
    le(zip, 7, 2);
    strbuf_adds(zip, "comment");
}

TEST(import_file_reads_plain_and_packed_ones)
{
    unsigned char to[200];
    reads(write_file("plain", STR("[1,2]")), 100, "[1,2]", RC_OK);
    reads(write_file("empty", STR("")), 100, "", RC_OK);
    size_t n = packed(15 + 16, STR("[1,2]"), to, sizeof to);
    reads(write_file("gz", (struct str){(char *)to, n}), 100, "[1,2]", RC_OK);
    reads_from_anywhere(write_file("gz", (struct str){(char *)to, n}), "[1,2]");
    reads_from_anywhere(write_file("plain", STR("[1,2]")), "[1,2]");
    reads(write_file("gz", (struct str){(char *)to, n}), 4, "", RC_TOO_BIG);
    reads(write_file("gz", (struct str){(char *)to, n - 3}), 100, "", RC_BAD_INPUT);
    reads("/nowhere/at/all", 100, "", RC_NOT_FOUND);
}

/* A zip of one or two empty lists. */
static const char *zip_of(const char *one, const char *two)
{
    AUTO_STRBUF zip, dir;
    strbuf_init(&zip, 10000);
    strbuf_init(&dir, 10000);
    zip_add(&zip, &dir, one, 0, STR("[]"), STR("[]"));
    if (two)
        zip_add(&zip, &dir, two, 0, STR("[]"), STR("[]"));
    zip_end(&zip, &dir, two ? 2 : 1);
    return write_file("zip", strbuf_str(&zip));
}

TEST(import_file_reads_backslashes_of_a_zip_as_slashes)
{
    reads(zip_of("export\\conversations.json", NULL), 100, "[]", RC_OK);
    reads(zip_of("export\\conversations-1.json", "export/conversations-2.json"), 100, "[][]", RC_OK);
    reads(zip_of("export\\conversations.json", "export/conversations.json"), 100, "", RC_BAD_INPUT);
    reads(zip_of("\\conversations.json", NULL), 100, "", RC_BAD_INPUT);
    reads(zip_of("a\\..\\conversations.json", NULL), 100, "", RC_BAD_INPUT);
    reads(zip_of("..\\conversations.json", NULL), 100, "", RC_BAD_INPUT);
    reads(zip_of("C:\\conversations.json", NULL), 100, "", RC_BAD_INPUT);
}

TEST(import_file_reads_the_conversations_of_a_zip)
{
    unsigned char to[200];
    AUTO_STRBUF zip, dir;
    strbuf_init(&zip, 10000);
    strbuf_init(&dir, 10000);
    zip_add(&zip, &dir, "chat.html", 0, STR("<p>"), STR("<p>"));
    zip_add(&zip, &dir, "x/conversations-000.json", 0, STR("[1]"), STR("[1]"));
    zip_add(&zip, &dir, "x/conversations-001.json", 8,
        (struct str){(char *)to, packed(-15, STR("[2]"), to, sizeof to)}, STR("[2]"));
    zip_add(&zip, &dir, "conversations-002.json", 0, STR(""), STR(""));
    zip_end(&zip, &dir, 4);
    reads(write_file("zip", strbuf_str(&zip)), 100, "[1][2]", RC_OK);
    reads_from_anywhere(write_file("zip", strbuf_str(&zip)), "[1][2]");
    reads(write_file("zip", strbuf_str(&zip)), 3, "", RC_TOO_BIG);
    for (size_t cut = 5; cut < zip.len; cut++) /* never more than a clean refusal */
        reads(write_file("zip", (struct str){zip.s, cut}), 100, "", RC_BAD_INPUT);
}

TEST(import_file_reads_any_json_of_a_zip_without_conversations)
{
    reads(zip_of("A talk.json", "b/Another.json"), 100, "[][]", RC_OK);
    reads(zip_of("A talk.json", "conversations.json"), 100, "[]", RC_OK);
    reads(zip_of("users.json", "memories.json"), 100, "", RC_BAD_INPUT);
    reads(zip_of("a.json", "Conversations__1.zip"), 100, "", RC_BAD_INPUT);
}

TEST(import_file_refuses_zips_without_conversations_or_of_another_kind)
{
    AUTO_STRBUF zip, dir;
    strbuf_init(&zip, 10000);
    strbuf_init(&dir, 10000);
    zip_add(&zip, &dir, "letters.txt", 0, STR("[1]"), STR("[1]"));
    zip_end(&zip, &dir, 1);
    reads(write_file("zip", strbuf_str(&zip)), 100, "", RC_BAD_INPUT);
    strbuf_clear(&zip);
    strbuf_clear(&dir);
    zip_add(&zip, &dir, "conversations.json", 12, STR("[1]"), STR("[1]"));
    zip_end(&zip, &dir, 1);
    reads(write_file("zip", strbuf_str(&zip)), 100, "", RC_BAD_INPUT);
}

static void le64(struct strbuf *b, uint64_t n)
{
    le(b, (uint32_t)n, 4);
    le(b, (uint32_t)(n >> 32), 4);
}

/* As in the export of a user with many pictures: the conversations begin behind 4 GB, and the sizes are in
 * the extra field, after another one. `part`: the stated length of that field. */
static enum rc reads_behind_4gb(int part)
{
    static const uint64_t at = UINT64_C(5) << 30;
    AUTO_STRBUF head, dir, end;
    strbuf_init(&head, 1000);
    strbuf_init(&dir, 1000);
    strbuf_init(&end, 1000);
    zip_add(&head, &dir, "conversations.json", 0, STR("[1]"), STR("[1]"));
    memset(dir.s + 20, 0xFF, 8);        /* both sizes */
    memset(dir.s + 42, 0xFF, 4);        /* the place */
    dir.s[30] = (char)(4 + 1 + 4 + 24); /* bytes of extra fields */
    le(&dir, 7, 2);
    le(&dir, 1, 2);
    strbuf_addc(&dir, 'x');
    le(&dir, 1, 2);
    le(&dir, (uint32_t)part, 2);
    le64(&dir, 3);
    le64(&dir, 3);
    le64(&dir, at);
    strbuf_addstr(&end, strbuf_str(&dir));
    strbuf_adds(&end, "PK\6\6");
    le64(&end, 44);
    le(&end, 0, 4 + 4 + 4);
    le64(&end, 1);
    le64(&end, 1);
    le64(&end, dir.len);
    le64(&end, at + head.len);
    strbuf_adds(&end, "PK\6\7");
    le(&end, 0, 4);
    le64(&end, at + head.len + dir.len);
    le(&end, 1, 4);
    strbuf_adds(&end, "PK\5\6");
    le(&end, 0, 4);
    le(&end, UINT32_MAX, 4);
    le64(&end, UINT64_MAX);
    le(&end, 0, 2);
    const char *path = write_file("large", STR("PK\3\4"));
    AUTO_FD fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, head.s, head.len, (off_t)at), head.len);
    assert_int_equal(pwrite(fd, end.s, end.len, (off_t)(at + head.len)), end.len);
    AUTO(import_file) f = NULL;
    struct str piece;
    enum rc rc = import_file_open(path, 100, &f, NULL);
    rc = rc == RC_OK ? import_file_read(f, &piece, NULL) : rc;
    if (rc == RC_OK)
        assert_true(str_is(piece, "[1]"));
    return rc;
}

TEST(import_file_reads_entries_with_large_numbers)
{
    assert_ok(reads_behind_4gb(24));
    assert_rc(reads_behind_4gb(23), RC_BAD_INPUT);
    assert_rc(reads_behind_4gb(25), RC_BAD_INPUT);
    assert_rc(reads_behind_4gb(0), RC_BAD_INPUT);
}

/* More entries than a directory without zip64 can count. */
TEST(import_file_reads_a_zip_of_70000_entries_that_zip_write_wrote)
{
    enum { ENTRIES = 70000 };
    char name[40];
    const char *path = write_file("many", STR(""));
    AUTO_FD fd = open(path, O_RDWR);
    struct zip_write *zip;
    assert_ok(zip_write_new(fd, "/tmp", NOW, &zip, NULL));
    for (int i = 0; i <= ENTRIES; i++) {
        snprintf(name, sizeof name, i ? "s%d/meta.json" : "alfred.json", i);
        assert_ok(zip_write_begin(zip, name, NULL));
        assert_ok(zip_write_put(zip, STR("{}"), NULL));
        assert_ok(zip_write_end(zip, NULL));
    }
    assert_ok(zip_write_close(zip, NULL));
    zip_write_free(zip);
    AUTO(import_file) file = NULL;
    struct str piece = {"", 1};
    int64_t bytes = 0;
    assert_ok(import_file_open(path, INT64_MAX, &file, NULL));
    assert_ok(import_file_skip(file, 2 * 1000 + 1, NULL));
    while (piece.len > 0) {
        assert_ok(import_file_read(file, &piece, NULL));
        bytes += (int64_t)piece.len;
    }
    assert_int_equal(bytes, 2 * (ENTRIES + 1) - 2 * 1000 - 1);
}
