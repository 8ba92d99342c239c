#include "codec/json/json_repair.h"

#include "base/utf8.h"

#define ESCAPE_LEN    6 /* \uXXXX */
#define SURROGATE_LEN 3 /* in CESU-8 */

static bool is_high(int32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(int32_t unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* The UTF-16 unit of the escape "\uXXXX" at the beginning of the text; -1: there is none. */
static int32_t escaped_unit(struct str s)
{
    int32_t unit = 0;
    if (s.len < ESCAPE_LEN || s.s[0] != '\\' || s.s[1] != 'u')
        return -1;
    for (size_t i = 2; i < ESCAPE_LEN; i++) {
        char c = s.s[i];
        if (c >= '0' && c <= '9')
            unit = unit << 4 | (c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            unit = unit << 4 | ((c | 0x20) - 'a' + 10);
        else
            return -1;
    }
    return unit;
}

/* The surrogate whose three bytes are at the beginning of the text; -1: there is none. */
static int32_t surrogate_unit(struct str s)
{
    if (s.len < SURROGATE_LEN || s.s[0] != '\xED' || (s.s[1] & 0xE0) != 0xA0 || (s.s[2] & 0xC0) != 0x80)
        return -1;
    return 0xD000 | (s.s[1] & 0x3F) << 6 | (s.s[2] & 0x3F);
}

/* The next functions add the unit at the beginning of the text and return its length there. */

static size_t add_escape(struct strbuf *out, struct str rest)
{
    int32_t unit = escaped_unit(rest);
    size_t n = unit >= 0 ? ESCAPE_LEN : rest.len > 1 && (unsigned char)rest.s[1] < 0x80 ? 2 : 1;
    if (is_high(unit) && is_low(escaped_unit(str_from(rest, n)))) {
        n += ESCAPE_LEN;
    } else if (unit == 0 || is_high(unit) || is_low(unit)) {
        strbuf_addcp(out, UTF8_REPLACEMENT);
        return n;
    }
    strbuf_add(out, rest.s, n);
    return n;
}

static size_t add_surrogate(struct strbuf *out, struct str rest, int32_t unit)
{
    int32_t low = is_high(unit) ? surrogate_unit(str_from(rest, SURROGATE_LEN)) : -1;
    if (!is_low(low)) {
        strbuf_addcp(out, UTF8_REPLACEMENT);
        return SURROGATE_LEN;
    }
    strbuf_addcp(out, (uint32_t)(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
    return (size_t)2 * SURROGATE_LEN;
}

static size_t add_character(struct strbuf *out, struct str rest)
{
    int32_t unit = surrogate_unit(rest);
    if (unit >= 0)
        return add_surrogate(out, rest, unit);
    struct str left = rest;
    strbuf_addcp(out, utf8_next(&left, NULL));
    return rest.len - left.len;
}

void json_repair(struct strbuf *out, struct str text)
{
    while (text.len) {
        size_t plain = 0;
        while (plain < text.len && text.s[plain] != '\\' && (unsigned char)text.s[plain] < 0x80)
            plain++;
        strbuf_add(out, text.s, plain);
        text = str_from(text, plain);
        if (text.len)
            text = str_from(text, text.s[0] == '\\' ? add_escape(out, text) : add_character(out, text));
    }
}
