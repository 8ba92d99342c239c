#include "base/lang_piece.h"

/* The kinds of a character. A table, because a page fills a hundred texts. */
enum { IN_NAME = 1, SPECIAL = 2 };
static const unsigned char kinds[256] = {['a' ... 'z'] = IN_NAME,
    ['0' ... '9'] = IN_NAME,
    ['_'] = IN_NAME,
    ['{'] = SPECIAL,
    ['}'] = SPECIAL,
    ['<'] = SPECIAL};

static inline bool is(char c, unsigned char kind)
{
    return kinds[(unsigned char)c] == kind;
}

/* The length of "{name}" at the beginning; 0: there is none. */
static size_t place_length(struct str s)
{
    size_t n = 1;
    while (n < s.len && is(s.s[n], IN_NAME))
        n++;
    return n > 1 && n < s.len && s.s[n] == '}' ? n + 1 : 0;
}

static size_t tag_length(struct str s, struct lang_piece *p)
{
    size_t at = 1;
    bool close = at < s.len && s.s[at] == '/';
    at += close;
    if (at >= s.len || s.s[at] < '1' || s.s[at] > '9')
        return 0;
    p->element = s.s[at++] - '0';
    bool whole = !close && at < s.len && s.s[at] == '/';
    at += whole;
    if (at >= s.len || s.s[at] != '>')
        return 0;
    p->kind = close ? LANG_CLOSE : whole ? LANG_WHOLE : LANG_OPEN;
    return at + 1;
}

static inline size_t special(struct str s, struct lang_piece *p)
{
    char c = s.s[0];
    if (!is(c, SPECIAL))
        return 0;
    if ((c == '{' || c == '}') && s.len > 1 && s.s[1] == c) {
        *p = (struct lang_piece){LANG_LITERAL, {s.s, 1}, 0};
        return 2;
    }
    if (c == '<')
        return tag_length(s, p);
    size_t n = c == '{' ? place_length(s) : 0;
    if (n)
        *p = (struct lang_piece){LANG_PLACE, {s.s + 1, n - 2}, 0};
    return n;
}

struct lang_piece lang_piece_next(struct str *rest)
{
    struct lang_piece p = {.kind = LANG_END}, next = {.kind = LANG_END};
    struct str s = *rest;
    if (!s.len)
        return p;
    size_t n = special(s, &p);
    if (!n) {
        p = (struct lang_piece){LANG_LITERAL, {s.s, 0}, 0};
        for (n = 1; n < s.len && !special(str_from(s, n), &next);)
            n++;
        p.text.len = n;
    }
    *rest = str_from(s, n);
    return p;
}
