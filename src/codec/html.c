#include "codec/html.h"

#include <stdint.h>

/* Indexes into `references`; 0: the byte is unchanged. One byte each, so that the table fits four cache
 * lines. */
static const unsigned char kinds[256] = {['&'] = 1, ['<'] = 2, ['>'] = 3, ['"'] = 4, ['\''] = 5};

static const struct str references[] = {
    {"", 0}, {"&amp;", 5}, {"&lt;", 4}, {"&gt;", 4}, {"&quot;", 6}, {"&#39;", 5}};

typedef unsigned char lane __attribute__((vector_size(16)));

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
    if (s.len >= sizeof(lane)) {
        for (size_t i = 0; i < s.len - sizeof(lane); i += sizeof(lane))
            if (has_special(s.s + i))
                return false;
        return !has_special(s.s + s.len - sizeof(lane));
    }
    if (s.len >= 8) {
        char both[sizeof(lane)];
        memcpy(both, s.s, 8);
        memcpy(both + 8, s.s + s.len - 8, 8);
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
        while (s.len - i > sizeof(lane) && !has_special(s.s + i))
            i += sizeof(lane);
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
