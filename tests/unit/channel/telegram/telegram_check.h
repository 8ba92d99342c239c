/*
 * Checks the properties of every result of telegram_render(). Each piece is well-formed, has only Telegram's
 * tags, fits into a message, and is not blank. The texts of all pieces together are the text of the document
 * except for white space. A failed check aborts. Shared by the unit tests and the fuzz target.
 */
#ifndef ALFRED_TESTS_TELEGRAM_CHECK_H
#define ALFRED_TESTS_TELEGRAM_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_doc.h"
#include "channel/telegram/telegram_private.h"
#include "codec/html.h"

#define MUST(ok)                                                         \
    do {                                                                 \
        if (!(ok)) {                                                     \
            fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #ok); \
            abort();                                                     \
        }                                                                \
    } while (0)

#define CHECK_OPEN_MAX 16

/* Appends the text without invisible characters. */
static inline void add_solid(struct strbuf *out, struct str s)
{
    while (s.len) {
        struct str here = s;
        uint32_t c = utf8_next(&s, NULL);
        if (!tg_is_blank(c))
            strbuf_add(out, here.s, here.len - s.len);
    }
}

/* Tags are Telegram's and closed in order. Adds the text to `out`; returns its UTF-16 length. */
static inline size_t check_markup(struct str markup, struct strbuf *out)
{
    static const char *const known[] = {"b", "i", "s", "a", "code", "pre", "blockquote"};
    struct str open[CHECK_OPEN_MAX];
    size_t depth = 0, entities = 0;
    struct strbuf text;
    strbuf_init(&text, 2 * markup.len + 16);
    for (struct str rest = markup; rest.len;) {
        const char *tag = memchr(rest.s, '<', rest.len);
        struct str words = {rest.s, tag ? (size_t)(tag - rest.s) : rest.len};
        MUST(!memchr(words.s, '>', words.len) && !memchr(words.s, '"', words.len));
        html_decode(&text, words);
        if (!tag)
            break;
        rest = (struct str){tag + 1, rest.len - words.len - 1};
        const char *end = memchr(rest.s, '>', rest.len);
        MUST(end);
        struct str inside = {rest.s, (size_t)(end - rest.s)}, name = inside;
        rest = (struct str){end + 1, rest.len - inside.len - 1};
        bool close = inside.s[0] == '/';
        if (close)
            name = str_from(name, 1);
        struct str cut = name;
        name = str_cut(&cut, ' ');
        bool ours = false;
        for (size_t i = 0; i < ARRAY_LEN(known); i++)
            ours |= str_is(name, known[i]);
        MUST(ours);
        if (close) {
            MUST(depth > 0 && str_eq(open[--depth], name));
        } else {
            MUST(depth < CHECK_OPEN_MAX);
            entities += !(depth && str_is(open[depth - 1], "pre")); /* its <code> is the same entity */
            open[depth++] = name;
            MUST(!str_is(name, "a") || str_starts(inside, STR("a href=\"https://")));
        }
    }
    MUST(depth == 0);
    MUST(entities <= TELEGRAM_ENTITIES_MAX);
    size_t units = utf8_utf16_len(strbuf_str(&text));
    add_solid(out, strbuf_str(&text));
    strbuf_release(&text);
    return units;
}

static inline void check_pieces(struct str markdown, const struct channel_piece *p, size_t n)
{
    struct arena *a = arena_new();
    struct strbuf got, want;
    struct tg_doc d;
    tg_doc_init(&d, a, 64 * markdown.len + 4096);
    tg_walk(&d, markdown);
    strbuf_init(&got, 64 * markdown.len + 4096);
    strbuf_init(&want, 64 * markdown.len + 4096);
    for (size_t i = 0; i < n; i++) {
        MUST(utf8_valid_text(p[i].markup) && utf8_valid_text(p[i].plain));
        size_t before = got.len;
        MUST(check_markup(p[i].markup, &got) <= TELEGRAM_PIECE_UNITS);
        MUST(got.len > before);
        MUST(utf8_utf16_len(p[i].plain) <= TELEGRAM_PIECE_UNITS);
    }
    add_solid(&want, strbuf_str(&d.text));
    if (n)
        MUST(str_eq(strbuf_str(&got), strbuf_str(&want)));
    strbuf_release(&got);
    strbuf_release(&want);
    tg_doc_release(&d);
    arena_free(a);
}

#endif
