/*
 * A lone surrogate escape is encoded as three bytes ("generalised UTF-8" of WTF-8) and treated like other
 * incomplete bytes. utf8_stitch_text() recognises the pair and joins it. A real U+10FFxx of the provider
 * (private use) is not mistaken for a marker: its four bytes are marked one by one, too.
 */
#include "codec/utf8_stitch.h"

#include "base/utf8.h"

#define MARK 0x10FF00u

static void add_mark(struct strbuf *out, unsigned char byte)
{
    strbuf_addcp(out, MARK | byte);
}

static bool is_mark(uint32_t cp)
{
    return (cp & ~0xFFu) == MARK;
}

/* ---- before parsing ---- */

static int hex4(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

/* The value of a \uXXXX at the start of `s`, or -1. */
static int unicode_escape(struct str s)
{
    return s.len >= 6 && s.s[0] == '\\' && s.s[1] == 'u' ? hex4(s.s + 2) : -1;
}

static bool is_high(int unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(int unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* Length of the escape at the start of `s` that needs no change; 0 when it must be marked. */
static size_t good_escape(struct str s)
{
    int unit = unicode_escape(s);
    if (unit < 0)
        return s.len >= 2 ? 2 : s.len; /* \n and others; or invalid, which the parser reports */
    if (is_high(unit))
        return is_low(unicode_escape(str_from(s, 6))) ? 12 : 0;
    return is_low(unit) || unit == 0 ? 0 : 6;
}

static size_t good_prefix(struct str s)
{
    size_t n = 0;
    while (n < s.len) {
        struct str rest = {s.s + n, s.len - n};
        unsigned char c = (unsigned char)rest.s[0];
        size_t step = 1;
        if (c == '\\') {
            step = good_escape(rest);
        } else if (c >= 0x80) {
            bool bad = false;
            uint32_t cp = utf8_next(&rest, &bad);
            step = bad || is_mark(cp) ? 0 : s.len - n - rest.len;
        }
        if (step == 0)
            break;
        n += step;
    }
    return n;
}

/* Writes the markers for the invalid start of `*rest` and moves past it. */
static void spell_one(struct str *rest, struct strbuf *out)
{
    int unit = unicode_escape(*rest);
    size_t used = 1;
    if (unit == 0) {
        strbuf_addcp(out, UTF8_REPLACEMENT);
        used = 6;
    } else if (unit > 0) {
        add_mark(out, (unsigned char)(0xE0 | unit >> 12));
        add_mark(out, (unsigned char)(0x80 | (unit >> 6 & 0x3F)));
        add_mark(out, (unsigned char)(0x80 | (unit & 0x3F)));
        used = 6;
    } else {
        add_mark(out, (unsigned char)rest->s[0]);
    }
    *rest = (struct str){rest->s + used, rest->len - used};
}

struct str utf8_stitch_json(struct str json, struct strbuf *room)
{
    size_t n = good_prefix(json);
    if (n == json.len)
        return json;
    strbuf_clear(room);
    while (json.len) {
        strbuf_add(room, json.s, n);
        json = str_from(json, n);
        /* A real U+10FFxx is marked, too: its lead byte here, its tail bytes by the following iterations. */
        if (json.len)
            spell_one(&json, room);
        n = good_prefix(json);
    }
    return strbuf_str(room);
}

/* ---- after parsing ---- */

/* The state of the collected bytes: a complete unit of `*used` bytes for `*cp`, the start of one, or
 * invalid. */
enum open_kind { WHOLE, START, BROKEN };

static bool tail_at(const struct utf8_stitch *m, size_t i)
{
    return ((unsigned char)m->open[i] & 0xC0) == 0x80;
}

/* The surrogate of the three bytes at `p`, or -1. */
static int wtf8_surrogate(const char *p)
{
    if ((unsigned char)p[0] != 0xED || (unsigned char)p[1] < 0xA0)
        return -1;
    return 0xD000 | ((unsigned char)p[1] & 0x3F) << 6 | ((unsigned char)p[2] & 0x3F);
}

static enum open_kind look_at_open(const struct utf8_stitch *m, uint32_t *cp, size_t *used)
{
    struct str open = {m->open, m->n};
    bool bad = false;
    *cp = utf8_next(&open, &bad);
    *used = m->n - open.len;
    if (!bad)
        return WHOLE;
    *cp = UTF8_REPLACEMENT;
    *used = 1;
    if ((unsigned char)m->open[0] == 0xED && m->n >= 2 && tail_at(m, 1) &&
        (unsigned char)m->open[1] >= 0xA0) {
        if (m->n < 3)
            return START;
        if (!tail_at(m, 2))
            return BROKEN;
        *used = 3;
        int high = wtf8_surrogate(m->open);
        if (!is_high(high))
            return BROKEN;
        if (m->n < 6) {
            static const unsigned char low_lead[2] = {0xED, 0xB0};
            bool may = (m->n < 4 || (unsigned char)m->open[3] == low_lead[0]) &&
                       (m->n < 5 || (unsigned char)m->open[4] >= low_lead[1]);
            return may ? START : BROKEN;
        }
        int low = wtf8_surrogate(m->open + 3);
        if (!is_low(low) || !tail_at(m, 5))
            return BROKEN;
        *cp = 0x10000u + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
        *used = 6;
        return WHOLE;
    }
    return utf8_incomplete_tail((struct str){m->open, m->n}) == m->n ? START : BROKEN;
}

enum behind { MARKER_MAY_FOLLOW, NO_MARKER_FOLLOWS };

/* Writes the collected bytes that are complete or invalid. If no marker follows, these are all. */
static void write_decided(struct utf8_stitch *m, enum behind behind, struct strbuf *out)
{
    while (m->n) {
        uint32_t cp;
        size_t used;
        enum open_kind kind = look_at_open(m, &cp, &used);
        if (kind == START && behind == MARKER_MAY_FOLLOW)
            return;
        if (kind == START)
            used = m->n; /* one replacement for the whole incomplete character */
        strbuf_addcp(out, cp);
        m->n -= used;
        memmove(m->open, m->open + used, m->n);
    }
}

void utf8_stitch_text(struct utf8_stitch *m, struct str piece, struct strbuf *out)
{
    while (piece.len) {
        size_t plain = 0;
        while (plain < piece.len && (unsigned char)piece.s[plain] < 0xF4) /* markers begin with F4 */
            plain++;
        if (plain) {
            write_decided(m, NO_MARKER_FOLLOWS, out);
            strbuf_add(out, piece.s, plain);
            piece = str_from(piece, plain);
            continue;
        }
        uint32_t cp = utf8_next(&piece, NULL);
        if (is_mark(cp)) {
            m->open[m->n++] = (char)(cp & 0xFF);
            write_decided(m, MARKER_MAY_FOLLOW, out);
        } else {
            write_decided(m, NO_MARKER_FOLLOWS, out);
            strbuf_addcp(out, cp);
        }
    }
}

void utf8_stitch_end(struct utf8_stitch *m, struct strbuf *out)
{
    write_decided(m, NO_MARKER_FOLLOWS, out);
}
