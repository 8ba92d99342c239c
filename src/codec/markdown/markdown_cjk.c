#include "codec/markdown/markdown_cjk.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/markdown/markdown_line.h"

struct range {
    uint32_t first, last;
};

/* Sorted. Unassigned characters between are included. */
static const struct range cjk[] = {
    {0x0E00, 0x0EFF},   /* Thai, Lao */
    {0x1000, 0x11FF},   /* Burmese; Hangul Jamo */
    {0x1780, 0x17FF},   /* Khmer */
    {0x2E80, 0xA4CF},   /* radicals, punctuation, kana, ideographs, Yi */
    {0xA960, 0xA97F},   /* Hangul Jamo */
    {0xAC00, 0xD7FF},   /* Hangul */
    {0xF900, 0xFAFF},   /* ideographs */
    {0xFE30, 0xFE4F},   /* vertical forms */
    {0xFF00, 0xFFEF},   /* full and half width */
    {0x20000, 0x3FFFF}, /* ideographs */
};

/* Sorted. Some characters that are no punctuation are included: a mark beside them changes nothing. */
static const struct range punctuation[] = {
    {'!', '/'},
    {':', '@'},
    {'[', '`'},
    {'{', '~'},
    {0xA1, 0xBF},
    {0x2010, 0x2027},
    {0x2030, 0x205E},
    {0x2E00, 0x2E7F},
    {0x3001, 0x303F},
    {0x30FB, 0x30FB},
    {0xFE10, 0xFE6B},
    {0xFF01, 0xFF0F},
    {0xFF1A, 0xFF20},
    {0xFF3B, 0xFF40},
    {0xFF5B, 0xFF65},
};

static const struct range spaces[] = {{0, ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
    {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

static bool is_in(uint32_t c, const struct range *r, size_t n)
{
    for (size_t i = 0; i < n && c >= r[i].first; i++)
        if (c <= r[i].last)
            return true;
    return false;
}

#define IS_IN(c, ranges) is_in(c, ranges, ARRAY_LEN(ranges))

/* The character before `at`, and the one from `at` on; 0: none. */
static uint32_t before(struct str s, size_t at)
{
    size_t from = at;
    while (from && at - from < 4 && ((unsigned char)s.s[--from] & 0xC0) == 0x80)
        ;
    struct str c = {s.s + from, at - from};
    return c.len ? utf8_next(&c, NULL) : 0;
}

/* The delimiter from `at` to `end`, with a mark on the side of the punctuation if it needs one. */
static void add_delimiter(struct strbuf *out, struct str line, size_t at, size_t end)
{
    uint32_t left = before(line, at), right = utf8_at(line, end);
    bool letters = !IS_IN(left, spaces) && !IS_IN(right, spaces) && (IS_IN(left, cjk) || IS_IN(right, cjk));
    bool left_is = IS_IN(left, punctuation), right_is = IS_IN(right, punctuation);
    if (letters && left_is && !right_is)
        strbuf_adds(out, MARKDOWN_CJK_MARK);
    strbuf_addstr(out, (struct str){line.s + at, end - at});
    if (letters && right_is && !left_is)
        strbuf_adds(out, MARKDOWN_CJK_MARK);
}

/* The end of what begins at `i` and has no delimiter of bold text: an escape, code, the address of a link. */
static size_t skip(struct str line, size_t i)
{
    if (line.s[i] == '\\')
        return i + 2 < line.len ? i + 2 : line.len;
    if (line.s[i] == '`')
        return line_after_code(line, i);
    if (line.s[i] == ']' && i + 1 < line.len && line.s[i + 1] == '(') {
        const char *end = memchr(line.s + i, ')', line.len - i);
        return end ? (size_t)(end - line.s) : line.len;
    }
    return i + 1;
}

static void add_line(struct strbuf *out, struct str line)
{
    size_t done = 0;
    for (size_t i = 0, end; i < line.len; i = end) {
        if (line.s[i] != '*') {
            end = skip(line, i);
            continue;
        }
        for (end = i; end < line.len && line.s[end] == '*';)
            end++;
        if (end - i < 2)
            continue;
        strbuf_addstr(out, (struct str){line.s + done, i - done});
        add_delimiter(out, line, i, end);
        done = end;
    }
    strbuf_addstr(out, str_from(line, done));
}

bool markdown_cjk_may_need(struct str text)
{
    if (!text.len || !memmem(text.s, text.len, "**", 2))
        return false;
    for (size_t i = 0; i + 1 < text.len; i++) {
        unsigned char c = (unsigned char)text.s[i], next = (unsigned char)text.s[i + 1];
        /* These scripts begin with E0. Typographic quotes, arrows and emoji are none of them. */
        if (c >= 0xE0 && !(c == 0xE2 && next < 0xBA) && !(c == 0xF0 && next < 0xA0))
            return true;
    }
    return false;
}

void markdown_cjk_adapt(struct strbuf *out, struct str text)
{
    char fence = 0;
    size_t width = 0;
    for (size_t at = 0, next; at < text.len; at = next) {
        bool whole;
        struct str line = line_at(text, at, &whole, &next), inner = line_without_quotes(line);
        if (!whole)
            next = text.len;
        struct str all = {text.s + at, next - at};
        size_t opens = fence ? 0 : line_fence_width(inner);
        if (opens) {
            fence = inner.s[0];
            width = opens;
        } else if (fence && line_closes_fence(inner, fence, width)) {
            fence = 0;
        } else if (!fence) {
            add_line(out, all);
            continue;
        }
        strbuf_addstr(out, all);
    }
}

bool markdown_cjk_cut_mark(struct str *rest, struct str *before_it)
{
    const size_t len = sizeof MARKDOWN_CJK_MARK - 1;
    const char *at = rest->len ? memmem(rest->s, rest->len, MARKDOWN_CJK_MARK, len) : NULL;
    if (!at)
        return false;
    *before_it = (struct str){rest->s, (size_t)(at - rest->s)};
    *rest = (struct str){at + len, rest->len - before_it->len - len};
    return true;
}

void markdown_cjk_drop_marks(struct strbuf *b, size_t from)
{
    struct str rest = {b->s + from, b->len - from}, before_it;
    char *to = b->s + from;
    if (from == b->len)
        return;
    for (; markdown_cjk_cut_mark(&rest, &before_it); to += before_it.len)
        memmove(to, before_it.s, before_it.len);
    memmove(to, rest.s, rest.len);
    strbuf_truncate(b, (size_t)(to - b->s) + rest.len);
}
