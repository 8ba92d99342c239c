/*
 * Every test feeds a markdown_stream like the program `stream` and follows it like a browser (struct reader),
 * then compares with markdown_html() of what markdown_unfinished() and markdown_references.h show of the same
 * text, unless the text has link definitions.
 */
#include "unit.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "codec/markdown/commonmark_spec.h"
#include "codec/markdown/growing/markdown_references.h"
#include "codec/markdown/growing/markdown_stream.h"
#include "codec/markdown/growing/markdown_unfinished.h"
#include "codec/markdown/markdown.h"

#define TEXT_MAX   (1 << 20)
#define BLOCKS_MAX 4000

struct reader {
    struct strbuf blocks[BLOCKS_MAX];
    size_t n, updates, bytes;
};

static struct reader *reader_new(void)
{
    return xcalloc(1, sizeof(struct reader));
}

static void reader_drop(struct reader *r, size_t from)
{
    for (; r->n > from; r->n--)
        strbuf_release(&r->blocks[r->n - 1]);
}

static void reader_free(struct reader *r)
{
    reader_drop(r, 0);
    free(r);
}

/* The number of bytes of `units` UTF-16 code units. Fails where a browser would cut a character. */
static size_t utf16_bytes(struct str s, size_t units)
{
    struct str rest = s;
    while (units) {
        assert_true(rest.len > 0);
        size_t w = utf8_next(&rest, NULL) >= 0x10000 ? 2 : 1;
        assert_true(w <= units);
        units -= w;
    }
    return s.len - rest.len;
}

static void follow(void *arg, const struct markdown_stream_block *b)
{
    struct reader *r = arg;
    assert_true(b->index <= r->n);
    assert_true(b->index < BLOCKS_MAX);
    if (b->index == r->n)
        strbuf_init(&r->blocks[r->n++], TEXT_MAX * 32);
    struct strbuf *html = &r->blocks[b->index];
    strbuf_truncate(html, utf16_bytes(strbuf_str(html), b->keep));
    strbuf_addstr(html, b->html);
    r->updates++;
    r->bytes += b->html.len;
}

static void add_html(struct strbuf *out, struct str text)
{
    AUTO_STRBUF shown;
    strbuf_init(&shown, MARKDOWN_UNFINISHED_ROOM(text.len));
    if (markdown_unfinished(text, &shown, NULL))
        text = strbuf_str(&shown);
    AUTO_STRBUF linked = {0};
    if (markdown_without_references(text, &linked))
        text = strbuf_str(&linked);
    assert_int_equal(markdown_html(text, out, NULL), RC_OK);
}

static void assert_reader(const struct reader *r, struct str text)
{
    AUTO_STRBUF want, have;
    strbuf_init(&want, TEXT_MAX * 32);
    strbuf_init(&have, TEXT_MAX * 32);
    add_html(&want, text);
    for (size_t i = 0; i < r->n; i++)
        strbuf_addstr(&have, strbuf_str(&r->blocks[i]));
    if (!str_eq(strbuf_str(&want), strbuf_str(&have)))
        print_error("for <<<%.*s>>>\nhave <<<%s>>>\nwant <<<%s>>>\n", STR_FMT(text), have.s, want.s);
    assert_true(str_eq(strbuf_str(&want), strbuf_str(&have)));
}

static void append_html(void *arg, const struct markdown_stream_block *b)
{
    strbuf_addstr(arg, b->html);
}

static void assert_html(struct markdown_stream *l, struct str text)
{
    AUTO_STRBUF want, have;
    strbuf_init(&want, TEXT_MAX * 32);
    strbuf_init(&have, TEXT_MAX * 32);
    add_html(&want, (struct str){text.s, markdown_stream_pos(l)});
    size_t first;
    assert_int_equal(markdown_stream_from(l, text, 0, &first, append_html, &have, NULL), RC_OK);
    assert_int_equal(first, 0);
    assert_string_equal(have.s, want.s);
}

static unsigned next_random(unsigned *seed)
{
    return (*seed = *seed * 1103515245u + 12345u) >> 8;
}

static void assert_same(const struct reader *a, const struct reader *b)
{
    for (size_t i = 0; i < a->n || i < b->n; i++)
        assert_string_equal(i < a->n ? a->blocks[i].s : "", i < b->n ? b->blocks[i].s : "");
}

/* The reader disconnects and returns later. */
static void leave(struct reader *b, const struct reader *a)
{
    reader_drop(b, 0);
    for (; b->n < a->n; b->n++) {
        strbuf_init(&b->blocks[b->n], TEXT_MAX * 32);
        strbuf_addstr(&b->blocks[b->n], strbuf_str(&a->blocks[b->n]));
    }
}

struct rejoin {
    struct reader *r;
    size_t first;
    bool dropped;
};

static void rejoin_block(void *arg, const struct markdown_stream_block *b)
{
    struct rejoin *j = arg;
    if (!j->dropped)
        reader_drop(j->r, j->first);
    j->dropped = true;
    assert_int_equal(b->keep, 0);
    follow(j->r, b);
}

static void come_back(struct markdown_stream *l, struct str text, struct reader *b, size_t pos)
{
    struct rejoin j = {.r = b};
    assert_int_equal(markdown_stream_from(l, text, pos, &j.first, rejoin_block, &j, NULL), RC_OK);
    assert_true(j.first <= b->n || j.dropped);
    reader_drop(b, j.dropped ? b->n : j.first);
}

static size_t piece(struct str text, size_t at, size_t max, unsigned *seed)
{
    size_t n = 1 + next_random(seed) % max;
    n = n > text.len - at ? text.len - at : n;
    while (at + n < text.len && (text.s[at + n] & 0xC0) == 0x80)
        n++;
    return n;
}

/* Feeds `text` in pieces of up to `piece_max` bytes to one reader that stays and one that leaves and comes
 * back. Returns how many bytes of HTML were told to the first. */
static size_t drive(struct str text, size_t piece_max, unsigned seed)
{
    AUTO(markdown_stream) l = markdown_stream_new(TEXT_MAX);
    struct reader *a = reader_new(), *b = reader_new();
    bool references = text.len && memmem(text.s, text.len, "]:", 2);
    size_t left_at = 0;
    for (size_t at = 0, n; at < text.len; at += n) {
        n = piece(text, at, piece_max, &seed);
        assert_int_equal(markdown_stream_add(l, (struct str){text.s + at, n}, NULL), RC_OK);
        if (next_random(&seed) % 4 == 0)
            continue; /* an update may cover several pieces */
        assert_int_equal(markdown_stream_update(l, follow, a, NULL), RC_OK);
        if (!references)
            assert_reader(a, (struct str){text.s, markdown_stream_pos(l)});
        if (next_random(&seed) % 4 == 0) {
            come_back(l, text, b, left_at);
            assert_same(a, b);
            leave(b, a);
            left_at = markdown_stream_pos(l);
        }
    }
    assert_int_equal(markdown_stream_update(l, follow, a, NULL), RC_OK);
    if (!references) {
        assert_reader(a, (struct str){text.s, markdown_stream_pos(l)});
        assert_html(l, text);
    }
    come_back(l, text, b, left_at);
    assert_same(a, b);
    size_t bytes = a->bytes;
    reader_free(a);
    reader_free(b);
    return bytes;
}

static const char *const answers[] = {
    "Sure! Here is **bold** and `code`.\n\nA list:\n\n- one\n- two\n\n  still two\n- three\n\nAfter the "
    "list.\n\n"
    "1. first\n   ```sh\n   make && make test\n\n   echo done\n   ```\n2. second\n\n10. tenth\n\n2026 was a "
    "year.\n",
    "# Title\n\nText\nmore text\n===\n\n```python\ndef f(x):\n\treturn x < 3 && \"y\"\n\n\n``\n````x\n  "
    "```\nAfter\n\n~~~\n```\n~~~\n"
    "end\n```\nno blank before\n```\n\n    indented\n\n    more\n\nPara\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n> quote\n> - list\n>\n> more\n\nlazy\n> a\nb\n\n---\n\n* "
    "* *\n\n- x\n---\n- y\n--- z\n",
    "| a | b |\n|-|:-|\n| - | **2** |\n| word | more words\n\n> x | y\n> --|--\n> 1\n\n```\n|a|\n|-|\n",
    "See [the tides][1], [Paul][paul] and **[the *sea* and `x`][1]**, a[i][j], [1][2].\n\n- ![a map][m]\n- "
    "$[ab][cd]$ "
    "`[ab][cd]`\n\n| [of\\] it][1] |\n|---|\n| [it|it][b] |\n",
    "Math \\(a_1\\) and $b$ costs $5 and $10.\n\n\\[\nx\n= "
    "y\n\\]\n\n$$\n\\frac{a}{b}\n$$\n\n\\begin{align}\na &= b\n\\end{align}\n\nZ\xC3\xA9 "
    "\xF0\x9F\x98\x80\xF0\x9F\x98\x81 "
    "\xE4\xBD\xA0\xE5\xA5\xBD\n\n- [ ] task\n- [x] done\n\nhttps://example.com/x?y=z and www.example.com, "
    "a@example.com\n",
    "a\r\n\r\nb\rc\r\r```\r\nd\r\n \t\r\n\r\r\r```\r\ne\n\n\n\n```c++ title=\"x\"\n\t\n \t x\n    \nlast "
    "line",
    "~x [a](http~s://x \"t\") b\n\n- c ~~d [e](f~~ g) h\n",
    "- a\n\n  - b\n\n    c\n\n-\n\n- d\n\n+\n\ne\n\n123456789. f\n\n1234567890. "
    "g\n\n-h\n\n*i*\n\n**j**\n\n1.k\n",
    "````\n```\nx\n```\n\ny\n````\t\n````  \n\n```a`b`\n\nz\n\n``` \\x\n1\n\n2\n```\n\n```&amp;\n\n3\n```\n4",
    "これは**「重要」**です。**注意：**まず**`a`**を、次に***。***\n\n- **中文（括号）**后面\n- "
    "그는**\"인용\"**을\n\n"
    "```\n**「重要」**で\n```\n",
    "See [x] and [y][x].\n\n[x]: https://example.com/x \"T\"\n\nAgain [x].\n\n[x]: "
    "https://other.example\n\n- [x]\n",
};

TEST(live_is_right_at_every_cut_of_our_answers)
{
    for (size_t i = 0; i < ARRAY_LEN(answers); i++)
        for (unsigned seed = 1; seed <= 30; seed++)
            drive(str_of(answers[i]), 1 + seed % 10, seed);
}

/* Text after the end of a paragraph does not change what the paragraph holds back. */
TEST(live_is_right_when_a_paragraph_ends_with_an_open_delimiter)
{
    static const char *const texts[] = {
        "word\\(you+ y\n\n*![",                                    /* a formula, before an empty line */
        "and,$Zo word\n1.   \n\n---\n-    \n",                     /* before items without text */
        "a@b1 word@\\)\\(:|-|-|\n\n## \\",                         /* before a heading without text */
        "_...example&![\n  \r\\(, and 1 word a@b &,# ].w1.=` and", /* before an empty line that ends in CR */
        "+ y[\nword**|-|-|\n```https:*# 2. x.example,www.wwww# _ and,1 . and and\n- , \r\nword", /* a fence */
        "\"t\"\\)|.example\r\nmore.\n\n and `\n    \r`\r\n ", /* a delimiter of the next paragraph */
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        for (unsigned seed = 1; seed <= 200; seed++)
            drive(str_of(texts[i]), 1 + seed % 20, seed);
}

TEST(live_is_right_at_every_cut_of_the_commonmark_examples)
{
    AUTO(arena) a = arena_new();
    const struct spec_example *all = spec_examples(a);
    for (size_t i = 0; i < SPEC_EXAMPLES; i++)
        for (unsigned seed = 1; seed <= 3; seed++)
            drive(all[i].markdown, seed * 2 - 1, seed);
}

TEST(live_is_right_when_examples_follow_each_other)
{
    AUTO(arena) a = arena_new();
    const struct spec_example *all = spec_examples(a);
    unsigned seed = 7;
    for (int round = 0; round < 150; round++) {
        AUTO_STRBUF text;
        strbuf_init(&text, TEXT_MAX);
        while (text.len < 600) {
            struct str md = all[next_random(&seed) % SPEC_EXAMPLES].markdown;
            if (memmem(md.s, md.len, "]:", 2))
                continue;
            strbuf_addstr(&text, md);
            if (next_random(&seed) % 2)
                strbuf_addc(&text, '\n');
        }
        drive(strbuf_str(&text), 1 + next_random(&seed) % 12, seed);
    }
}

/* Plain words are appended without parsing, so each of these must be followed by any other. */
TEST(live_is_right_when_words_and_markup_follow_in_any_order)
{
    static const char *const words[] = {"word", " ", " and", "Zo\xC3\xAB ", "\xE4\xBD\xA0", ".", ",", "1",
        "2. x", "1) ", "- ", "-", "+ y", "# ", "#", "\n", "\n\n", "\n    ", "\n- ", "\n1. ", "\n## ", "\n> ",
        "\n  ", "  \n", "*", "**", "_", "`", "``", "~~", "$", "$2", "\\(", "\\)", "\\", "[", "]", ")", "(",
        "!", "![", "<", ">", "&", "&amp", ";", "amp;", "|", "\n|", "|-|-|\n", "\n---", "\n===", "=", ":",
        "//", "http", "https:", "www", "www.", "ww", "w", ".example", ".com", "@", "mailto:", "a@b", "\t",
        "\n\nNext", "more.\n\n", "'", "\"", "\"t\"", "[x]", "[ ] ", "\r", "\r\n", "\n[y]: z", "x: y",
        "50% of", "{a}", "^", "?", "[of it][b]", "][", "[ab"};
    unsigned seed = 11;
    for (int round = 0; round < 4000; round++) {
        AUTO_STRBUF text;
        strbuf_init(&text, TEXT_MAX);
        bool plain = false;
        while (text.len < 90) {
            /* runs of plain words between the others */
            plain = next_random(&seed) % 4 ? plain : !plain;
            strbuf_adds(&text, words[next_random(&seed) % (plain ? 8 : ARRAY_LEN(words))]);
        }
        drive(strbuf_str(&text), 1 + next_random(&seed) % 9, seed);
    }
}

TEST(live_shows_each_word_of_a_long_paragraph_at_once)
{
    AUTO(markdown_stream) l = markdown_stream_new(TEXT_MAX);
    struct reader *r = reader_new();
    AUTO_STRBUF text;
    strbuf_init(&text, TEXT_MAX);
    for (int i = 0; i < 5000; i++) {
        strbuf_adds(&text, "a word, ");
        assert_int_equal(markdown_stream_add(l, STR("a word, "), NULL), RC_OK);
        assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
        assert_int_equal(markdown_stream_pos(l), text.len);
    }
    assert_reader(r, strbuf_str(&text));
    reader_free(r);
}

TEST(live_sends_only_new_text)
{
    AUTO_STRBUF text;
    strbuf_init(&text, TEXT_MAX);
    for (int i = 0; i < 40; i++)
        strbuf_addf(&text,
            "Paragraph %d of an answer that is about as long as they are.\n\n```c\nint x = %d;\n```\n\n", i,
            i);
    AUTO_STRBUF html;
    strbuf_init(&html, TEXT_MAX);
    assert_int_equal(markdown_html(strbuf_str(&text), &html, NULL), RC_OK);
    /* Each piece of about four bytes repeats the closing tags of its block. */
    assert_true(drive(strbuf_str(&text), 8, 1) < 8 * html.len);
}

TEST(live_counts_utf16_units)
{
    AUTO(markdown_stream) l = markdown_stream_new(1000);
    struct reader *r = reader_new();
    assert_int_equal(markdown_stream_add(l, STR("\xF0\x9F\x98\x80"), NULL), RC_OK);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    assert_int_equal(
        markdown_stream_add(l, STR("\xF0\x9F\x98\x81"), NULL), RC_OK); /* differs in the last byte only */
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    assert_string_equal(r->blocks[0].s, "<p dir=\"auto\">\xF0\x9F\x98\x80\xF0\x9F\x98\x81</p>\n");
    reader_free(r);
}

TEST(live_shows_a_reference_as_text_until_the_end)
{
    AUTO(markdown_stream) l = markdown_stream_new(1000);
    struct reader *r = reader_new(), *late = reader_new();
    struct str text = STR("See [x].\n\nOther.\n\nMore.\n\n[x]: https://example.com\n");
    size_t half = text.len - STR("[x]: https://example.com\n").len;
    assert_int_equal(markdown_stream_add(l, (struct str){text.s, half}, NULL), RC_OK);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    assert_string_equal(r->blocks[0].s, "<p dir=\"auto\">See [x].</p>\n");
    leave(late, r);
    size_t pos = markdown_stream_pos(l);
    assert_int_equal(markdown_stream_add(l, str_from(text, half), NULL), RC_OK);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    assert_string_equal(r->blocks[0].s, "<p dir=\"auto\">See [x].</p>\n");
    come_back(l, text, late, pos);
    assert_same(r, late);
    reader_free(r);
    reader_free(late);
}

TEST(live_sends_a_returning_reader_the_open_blocks)
{
    AUTO(markdown_stream) l = markdown_stream_new(1000);
    struct reader *r = reader_new(), *b = reader_new();
    assert_int_equal(markdown_stream_add(l, STR("- a\n\n-"), NULL), RC_OK); /* it may become a second item */
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    leave(b, r);
    size_t pos = markdown_stream_pos(l);
    assert_int_equal(markdown_stream_add(l, STR("x is a paragraph"), NULL), RC_OK);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    come_back(l, STR("- a\n\n-x is a paragraph"), b, pos);
    assert_same(r, b);
    assert_string_equal(b->blocks[0].s, "<ul dir=\"auto\">\n<li>a</li>\n</ul>\n");
    reader_free(r);
    reader_free(b);
}

TEST(live_refuses_text_beyond_its_cap)
{
    AUTO(markdown_stream) l = markdown_stream_new(10);
    struct reader *r = reader_new();
    assert_int_equal(markdown_stream_add(l, STR("0123456789"), NULL), RC_OK);
    assert_int_equal(markdown_stream_add(l, STR("a"), NULL), RC_TOO_BIG);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    assert_int_equal(r->updates, 1);
    reader_free(r);
}

TEST(live_of_nothing_has_no_blocks)
{
    AUTO(markdown_stream) l = markdown_stream_new(10);
    size_t first = 1;
    assert_int_equal(markdown_stream_update(l, NULL, NULL, NULL), RC_OK);
    assert_int_equal(markdown_stream_from(l, STR(""), 0, &first, NULL, NULL, NULL), RC_OK);
    assert_int_equal(first, 0);
}

TEST(live_tells_blocks_again_from_the_whole_text_only)
{
    AUTO(markdown_stream) l = markdown_stream_new(1000);
    struct reader *r = reader_new();
    struct str text = STR("One.\n\nTwo.\n\nThree");
    size_t first;
    assert_int_equal(markdown_stream_add(l, text, NULL), RC_OK);
    assert_int_equal(markdown_stream_update(l, follow, r, NULL), RC_OK);
    struct str less = {text.s, text.len - 1};
    assert_int_equal(markdown_stream_from(l, less, 0, &first, rejoin_block, NULL, NULL), RC_INTERNAL);
    come_back(l, text, r, 0);
    assert_reader(r, text);
    reader_free(r);
}
