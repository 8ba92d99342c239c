/* A document of any bytes, and one whose parts are the input: the first byte chooses the format, the second
 * the limit of the text, and each line that begins with a slash begins another part. The text is valid UTF-8
 * within its limit. */
#include <stdlib.h>
#include <zlib.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "codec/document/document.h"

#define INPUT_MAX 20000
#define PARTS_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct str bytes, size_t max)
{
    AUTO(arena) a = arena_new();
    struct str text;
    if (document_read(a, "it", bytes, max, &text, NULL) == RC_OK &&
        (!text.len || text.len > max || !utf8_valid_text(text)))
        abort();
}

static void put(struct strbuf *b, uint32_t n, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_addc(b, (char)(i < 4 ? n >> 8 * i & 0xFF : 0));
}

struct zip {
    struct strbuf all, list;
    unsigned n;
};

static void add(struct zip *z, struct str name, struct str content)
{
    uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)content.s, (unsigned)content.len);
    strbuf_adds(&z->list, "PK\1\2");
    put(&z->list, 20, 6);
    put(&z->list, 0, 6);
    put(&z->list, crc, 4);
    put(&z->list, (uint32_t)content.len, 4);
    put(&z->list, (uint32_t)content.len, 4);
    put(&z->list, (uint32_t)name.len, 2);
    put(&z->list, 0, 12);
    put(&z->list, (uint32_t)z->all.len, 4);
    strbuf_addstr(&z->list, name);
    strbuf_adds(&z->all, "PK\3\4");
    put(&z->all, 0, 10);
    put(&z->all, crc, 4);
    put(&z->all, (uint32_t)content.len, 4);
    put(&z->all, (uint32_t)content.len, 4);
    put(&z->all, (uint32_t)name.len, 2);
    put(&z->all, 0, 2);
    strbuf_addstr(&z->all, name);
    strbuf_addstr(&z->all, content);
    z->n++;
}

/* "/content.xml\n<office:document..." */
static void add_parts(struct zip *z, struct str rest)
{
    while (rest.len && z->n < PARTS_MAX) {
        struct str name = str_cut(&rest, '\n');
        const char *next = rest.s ? memmem(rest.s, rest.len, "\n/", 2) : NULL;
        struct str content = {rest.s, next ? (size_t)(next - rest.s) : rest.len};
        rest = next ? str_from(rest, content.len + 1) : (struct str){0};
        add(z, str_starts(name, STR("/")) ? str_from(name, 1) : name, content);
    }
}

static void check_parts(struct str rest, char format, size_t max)
{
    static const char *const types[] = {"wordprocessingml", "spreadsheetml", "presentationml"};
    struct zip z = {0};
    struct strbuf typed;
    strbuf_init(&z.all, 3 * INPUT_MAX);
    strbuf_init(&z.list, INPUT_MAX);
    strbuf_init(&typed, 512);
    size_t kind = (unsigned char)format % 5;
    if (kind < ARRAY_LEN(types)) {
        strbuf_addf(&typed,
            "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'><Override "
            "PartName='/main.xml' ContentType='%s'/></Types>",
            types[kind]);
        add(&z, STR("[Content_Types].xml"), strbuf_str(&typed));
        add(&z, STR("_rels/.rels"),
            STR("<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
                "<Relationship Id='a' Type='x/officeDocument' Target='main.xml'/></Relationships>"));
    } else
        add(&z, STR("mimetype"),
            kind == 3 ? STR("application/vnd.oasis.opendocument.text") : STR("application/epub+zip"));
    add_parts(&z, rest);
    uint32_t at = (uint32_t)z.all.len;
    strbuf_addstr(&z.all, strbuf_str(&z.list));
    strbuf_adds(&z.all, "PK\5\6");
    put(&z.all, 0, 4);
    put(&z.all, z.n, 2);
    put(&z.all, z.n, 2);
    put(&z.all, (uint32_t)z.list.len, 4);
    put(&z.all, at, 4);
    put(&z.all, 0, 2);
    check(strbuf_str(&z.all), max);
    strbuf_release(&z.all);
    strbuf_release(&z.list);
    strbuf_release(&typed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    if (size < 2 || size > INPUT_MAX)
        return 0;
    check(bytes, INPUT_MAX);
    check_parts(str_from(bytes, 2), bytes.s[0], 1 + 64 * (size_t)data[1]);
    return 0;
}
