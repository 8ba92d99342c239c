/*
 * Hostile Markdown, whole and in pieces. The HTML has only our tags, closed in order, and only https and
 * mailto addresses and those of our pages. The live answer has the same bytes as markdown_unfinished() and
 * markdown_references.h show. The same text as a user's (markdown_typed.h) has only our tags, too.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/markdown/growing/markdown_references.h"
#include "codec/markdown/growing/markdown_stream.h"
#include "codec/markdown/growing/markdown_unfinished.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_typed.h"
#include "codec/url.h"

#define FILES_MAX  4
#define HTML_MAX   (1 << 22)
#define BLOCKS_MAX 4096
#define OPEN_MAX   1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static bool is_void(struct str tag)
{
    return str_is(tag, "hr") || str_is(tag, "br") || str_is(tag, "input");
}

/* To a place within Alfred, and no other server. */
static bool leads_inside(struct str tag)
{
    const struct str start = STR("a href=\"");
    if (!str_starts(tag, start))
        return false;
    struct str address = {tag.s + start.len, tag.len - start.len};
    return url_link_inside(str_cut(&address, '"'));
}

static void check_tag(struct str tag, struct str *open, size_t *n)
{
    static const char *const known[] = {"p", "em", "strong", "del", "code", "pre", "div", "span", "button",
        "a", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5",
        "h6", "hr", "br", "input", "label", "sub", "sup", "kbd"};
    bool close = tag.len && tag.s[0] == '/';
    struct str name = close ? str_from(tag, 1) : tag;
    size_t len = 0;
    while (len < name.len && name.s[len] != ' ')
        len++;
    name.len = len;
    bool ours = false;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        ours |= str_is(name, known[i]);
    must(ours);
    if (str_is(name, "a") && !close)
        must(str_starts_nocase(tag, STR("a href=\"https://")) ||
             str_starts_nocase(tag, STR("a href=\"mailto:")) || leads_inside(tag));
    if (close) {
        must(*n > 0 && str_eq(open[--*n], name));
    } else if (!is_void(name)) {
        must(*n < OPEN_MAX);
        open[(*n)++] = name;
    }
}

static void check_html(struct str html)
{
    struct str open[OPEN_MAX];
    size_t n = 0;
    for (size_t i = 0; i < html.len; i++) {
        if (html.s[i] != '<')
            continue;
        const char *end = memchr(html.s + i, '>', html.len - i);
        must(end != NULL);
        struct str tag = {html.s + i + 1, (size_t)(end - html.s) - i - 1};
        check_tag(tag, open, &n);
        i += tag.len + 1;
    }
    must(n == 0);
    must(utf8_valid_text(html));
}

struct reader {
    struct strbuf blocks[BLOCKS_MAX];
    size_t n;
};

static void follow(void *arg, const struct markdown_stream_block *b)
{
    struct reader *r = arg;
    must(b->index <= r->n && b->index < BLOCKS_MAX);
    if (b->index == r->n)
        strbuf_init(&r->blocks[r->n++], HTML_MAX);
    struct strbuf *html = &r->blocks[b->index];
    struct str rest = strbuf_str(html);
    for (size_t units = b->keep; units;) {
        must(rest.len > 0);
        size_t w = utf8_next(&rest, NULL) >= 0x10000 ? 2 : 1;
        must(w <= units);
        units -= w;
    }
    strbuf_truncate(html, html->len - rest.len);
    strbuf_addstr(html, b->html);
}

static void check_reader(const struct reader *r, struct str html)
{
    size_t at = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct str b = strbuf_str(&r->blocks[i]);
        must(b.len <= html.len - at && memcmp(html.s + at, b.s, b.len) == 0);
        at += b.len;
    }
    must(at == html.len);
}

static void check_live(struct str text, size_t step)
{
    static struct reader r;
    AUTO(markdown_stream) l = markdown_stream_new(text.len);
    /* A definition or a lost formula can change earlier blocks. */
    bool early = !memmem(text.s, text.len, "]:", 2) && !memchr(text.s, '$', text.len) &&
                 !memmem(text.s, text.len, "\\(", 2) && !memmem(text.s, text.len, "\\[", 2);
    for (size_t at = 0, n; at < text.len; at += n) {
        n = text.len - at < step ? text.len - at : step;
        while (at + n < text.len && (text.s[at + n] & 0xC0) == 0x80)
            n++;
        must(markdown_stream_add(l, (struct str){text.s + at, n}, NULL) == RC_OK);
        must(markdown_stream_update(l, follow, &r, NULL) == RC_OK);
        if (early) {
            AUTO_STRBUF part, shown;
            struct str sofar = {text.s, markdown_stream_pos(l)};
            strbuf_init(&part, HTML_MAX);
            strbuf_init(&shown, MARKDOWN_UNFINISHED_ROOM(sofar.len));
            if (markdown_unfinished(sofar, &shown, NULL))
                sofar = strbuf_str(&shown);
            AUTO_STRBUF linked = {0};
            if (markdown_without_references(sofar, &linked))
                sofar = strbuf_str(&linked);
            must(markdown_html(sofar, &part, NULL) == RC_OK);
            check_reader(&r, strbuf_str(&part));
        }
    }
    while (r.n)
        strbuf_release(&r.blocks[--r.n]);
}

static void check_files(struct str text, size_t from)
{
    struct typed_file files[FILES_MAX];
    struct str before;
    size_t n = markdown_typed_files(text, from, files, FILES_MAX, &before), end = before.len;
    must(n <= FILES_MAX && before.s == text.s && (n ? end < text.len : end == text.len));
    for (size_t i = 0; i < n; i++) {
        struct str name = files[i].name, block = files[i].block, content = files[i].content;
        must(name.len && utf8_valid_text(name) && (size_t)(name.s - text.s) >= from);
        must(name.s >= text.s + end && block.s > name.s && block.s + block.len <= text.s + text.len);
        must(content.s > block.s && content.s + content.len < block.s + block.len);
        end = (size_t)(block.s + block.len - text.s);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 2000)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    if (!utf8_valid_text(text))
        return 0;
    AUTO_STRBUF html;
    strbuf_init(&html, HTML_MAX);
    if (markdown_html(text, &html, NULL) != RC_OK)
        return 0;
    check_html(strbuf_str(&html));
    AUTO_STRBUF plain;
    strbuf_init(&plain, 2 * text.len + 1);
    must(markdown_plain(text, &plain) && utf8_valid_text(strbuf_str(&plain)));
    check_live(text, 1 + data[0] % 32);
    strbuf_clear(&html);
    markdown_typed(text, &html);
    check_html(strbuf_str(&html));
    check_files(text, data[0]);
    return 0;
}
