/* Documents for the tests: a zip of parts, made without our own code. */
#ifndef ALFRED_TESTS_UNIT_CODEC_DOCUMENT_PARTS_H
#define ALFRED_TESTS_UNIT_CODEC_DOCUMENT_PARTS_H

#include "unit.h"

#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/document/document.h"

#define PARTS_MAX 1000000 /* of the text that is read */

struct part {
    const char *name;
    struct str content;
    bool deflated;
    uint16_t flags;
};
#define PART(name_, content_)                                       \
    {                                                               \
        .name = (name_), .content = STR(content_), .deflated = true \
    }

static inline void put16(struct strbuf *b, uint32_t n)
{
    strbuf_addc(b, (char)(n & 0xFF));
    strbuf_addc(b, (char)(n >> 8 & 0xFF));
}

static inline void put32(struct strbuf *b, uint32_t n)
{
    put16(b, n & 0xFFFF);
    put16(b, n >> 16);
}

static inline struct str part_deflated(struct arena *a, struct str content)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, content.len);
    char *out = arena_alloc(a, room);
    z.next_in = (unsigned char *)(uintptr_t)content.s;
    z.avail_in = (unsigned)content.len;
    z.next_out = (unsigned char *)out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return (struct str){out, z.total_out};
}

static inline struct str parts_zip(struct arena *a, const struct part *parts, size_t n)
{
    struct strbuf all, list;
    strbuf_init(&all, (size_t)64 << 20);
    strbuf_init(&list, (size_t)1 << 20);
    for (size_t i = 0; i < n; i++) {
        struct str packed = parts[i].deflated ? part_deflated(a, parts[i].content) : parts[i].content;
        struct strbuf common;
        strbuf_init(&common, 26);
        put16(&common, 20);
        put16(&common, parts[i].flags);
        put16(&common, parts[i].deflated ? 8 : 0);
        put32(&common, 0);
        put32(&common,
            (uint32_t)crc32(0, (const unsigned char *)parts[i].content.s, (unsigned)parts[i].content.len));
        put32(&common, (uint32_t)packed.len);
        put32(&common, (uint32_t)parts[i].content.len);
        put16(&common, (uint32_t)strlen(parts[i].name));
        put16(&common, 0);
        strbuf_adds(&list, "PK\1\2");
        put16(&list, 20);
        strbuf_addstr(&list, strbuf_str(&common));
        for (int k = 0; k < 5; k++)
            put16(&list, 0);
        put32(&list, (uint32_t)all.len);
        strbuf_adds(&list, parts[i].name);
        strbuf_adds(&all, "PK\3\4");
        strbuf_addstr(&all, strbuf_str(&common));
        strbuf_adds(&all, parts[i].name);
        strbuf_addstr(&all, packed);
        strbuf_release(&common);
    }
    uint32_t at = (uint32_t)all.len;
    strbuf_addstr(&all, strbuf_str(&list));
    strbuf_adds(&all, "PK\5\6");
    put32(&all, 0);
    put16(&all, (uint32_t)n);
    put16(&all, (uint32_t)n);
    put32(&all, (uint32_t)list.len);
    put32(&all, at);
    put16(&all, 0);
    struct str out = arena_str(a, strbuf_str(&all));
    strbuf_release(&all);
    strbuf_release(&list);
    return out;
}
#define PARTS_ZIP(a, parts) parts_zip(a, parts, ARRAY_LEN(parts))

/* The text, or the sentence why there is none. */
static inline const char *parts_text(struct arena *a, struct str bytes)
{
    struct str text;
    struct err e = ERR_INIT;
    assert_true(document_is(bytes));
    if (document_read(a, "it", bytes, PARTS_MAX, &text, &e) != RC_OK)
        return arena_strdup(a, e.text);
    return text.s;
}

#endif
