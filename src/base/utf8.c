#include "base/utf8.h"

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* The length of a sequence by its lead byte; 0 when the byte cannot lead. */
static size_t announced(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

uint32_t utf8_next(struct str *rest, bool *bad)
{
    const unsigned char *p = (const unsigned char *)rest->s;
    size_t n = announced(p[0]);
    uint32_t cp = n == 1 ? p[0] : n == 2 ? p[0] & 0x1Fu : n == 3 ? p[0] & 0x0Fu : p[0] & 0x07u;
    bool good = n > 0 && n <= rest->len;
    for (size_t i = 1; good && i < n; i++) {
        good = is_tail(p[i]);
        cp = cp << 6 | (p[i] & 0x3Fu);
    }
    if (n == 3)
        good = good && cp >= 0x800 && (cp < 0xD800 || cp > 0xDFFF);
    if (n == 4)
        good = good && cp >= 0x10000 && cp <= 0x10FFFF;
    size_t step = good ? n : 1;
    rest->s += step;
    rest->len -= step;
    if (!good && bad)
        *bad = true;
    return good ? cp : UTF8_REPLACEMENT;
}

bool utf8_valid_text(struct str s)
{
    bool bad = false;
    while (s.len && !bad) {
        unsigned char c = (unsigned char)s.s[0];
        if (c == 0)
            return false;
        if (c < 0x80) {
            s.s++;
            s.len--;
        } else {
            utf8_next(&s, &bad);
        }
    }
    return !bad;
}

size_t utf8_count(struct str s)
{
    size_t n = 0;
    for (; s.len; n++)
        utf8_next(&s, NULL);
    return n;
}

size_t utf8_cut_bytes(struct str s, size_t max)
{
    if (s.len <= max)
        return s.len;
    while (max > 0 && is_tail((unsigned char)s.s[max]))
        max--;
    return max;
}

size_t utf8_cut_chars(struct str s, size_t max)
{
    struct str rest = s;
    while (rest.len && max--)
        utf8_next(&rest, NULL);
    return s.len - rest.len;
}

static bool is_ascii_8(const char *p)
{
    uint64_t eight;
    memcpy(&eight, p, sizeof eight);
    return !(eight & UINT64_C(0x8080808080808080));
}

size_t utf8_utf16_len(struct str s)
{
    size_t n = 0, i = 0;
    while (i < s.len) {
        if (s.len - i >= 8 && is_ascii_8(s.s + i)) {
            i += 8;
            n += 8;
            continue;
        }
        unsigned char c = (unsigned char)s.s[i++];
        n += (is_tail(c) ? 0u : 1u) + (c >= 0xF0 ? 1u : 0u);
    }
    return n;
}

size_t utf8_put(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp >= 0xD800 && cp <= 0xDFFF)
        return 0;
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    if (cp > 0x10FFFF)
        return 0;
    out[0] = (char)(0xF0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
    out[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

bool utf8_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

size_t utf8_drop_directional(char *s, size_t len)
{
    size_t n = 0;
    for (struct str rest = {s, len}; rest.len;) {
        const char *at = rest.s;
        uint32_t c = utf8_next(&rest, NULL);
        size_t size = (size_t)(rest.s - at);
        if ((c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069))
            continue;
        memmove(s + n, at, size);
        n += size;
    }
    s[n] = '\0';
    return n;
}

size_t utf8_incomplete_tail(struct str s)
{
    for (size_t back = 1; back <= 3 && back <= s.len; back++) {
        unsigned char c = (unsigned char)s.s[s.len - back];
        if (!is_tail(c))
            return announced(c) > back ? back : 0;
    }
    return 0;
}

size_t utf8_common_len(struct str a, struct str b)
{
    size_t n = 0, max = a.len < b.len ? a.len : b.len;
    while (n + 8 <= max && memcmp(a.s + n, b.s + n, 8) == 0)
        n += 8;
    while (n < max && a.s[n] == b.s[n])
        n++;
    while (n && ((n < a.len && (a.s[n] & 0xC0) == 0x80) || (n < b.len && (b.s[n] & 0xC0) == 0x80)))
        n--;
    return n;
}
