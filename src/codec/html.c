#include "codec/html.h"

#include <stdint.h>

/* Indexes into `references`; 0: the byte is unchanged. One byte each, so that the table fits four cache
 * lines. */
static const unsigned char kinds[256] = {['&'] = 1, ['<'] = 2, ['>'] = 3, ['"'] = 4, ['\''] = 5};

static const struct str references[] = {
    {"", 0}, {"&amp;", 5}, {"&lt;", 4}, {"&gt;", 4}, {"&quot;", 6}, {"&#39;", 5}};

#define LANE 16 /* bytes that are looked at together */
typedef unsigned char lane __attribute__((vector_size(LANE)));

/* Among the five characters, & and ' differ in one bit, and so do < and >. */
static bool has_special(const char *p)
{
    lane v;
    uint64_t hit[2];
    memcpy(&v, p, sizeof v);
    __auto_type found = ((v | 1) == '\'') | ((v | 2) == '>') | (v == '"');
    memcpy(hit, &found, sizeof hit);
    return (hit[0] | hit[1]) != 0;
}

/* The last bytes are looked at twice; a text below 16 bytes fills a lane with copies of its halves. */
static bool is_plain(struct str s)
{
    if (s.len >= LANE) {
        for (size_t i = 0; i < s.len - LANE; i += LANE)
            if (has_special(s.s + i))
                return false;
        return !has_special(s.s + s.len - LANE);
    }
    if (s.len >= LANE / 2) {
        char both[LANE];
        memcpy(both, s.s, LANE / 2);
        memcpy(both + LANE / 2, s.s + s.len - LANE / 2, LANE / 2);
        return !has_special(both);
    }
    for (size_t i = 0; i < s.len; i++)
        if (kinds[(unsigned char)s.s[i]])
            return false;
    return true;
}

void html_escape(struct strbuf *out, struct str s)
{
    if (is_plain(s)) {
        strbuf_addstr(out, s);
        return;
    }
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        while (s.len - i > LANE && !has_special(s.s + i))
            i += LANE;
        unsigned kind = kinds[(unsigned char)s.s[i]];
        if (!kind)
            continue;
        strbuf_add(out, s.s + from, i - from);
        strbuf_addstr(out, references[kind]);
        from = i + 1;
    }
    if (from < s.len)
        strbuf_add(out, s.s + from, s.len - from);
}
