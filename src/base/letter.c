#include "base/letter.h"

#include <string.h>

#include "base/utf8.h"

/* Base letters of U+00C0 to U+017F; a dot: no base letter, only lower-cased. */
static const char latin[] =
    "aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y"
    "aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll....nnnnnn...oooooo.."
    "rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzz.";

#define LATIN_FIRST 0xC0u
#define LATIN_END   (LATIN_FIRST + sizeof latin - 1)

static bool in(uint32_t cp, uint32_t first, uint32_t last)
{
    return cp >= first && cp <= last;
}

bool letter_is_mark(uint32_t cp)
{
    return in(cp, 0x300, 0x36F) || in(cp, 0xFE00, 0xFE0F) || cp == 0xAD || cp == 0x200D;
}

uint32_t letter_lower(uint32_t cp)
{
    if (in(cp, 'A', 'Z') || (in(cp, 0xC0, 0xDE) && cp != 0xD7))
        return cp + 32;
    if (in(cp, 0x139, 0x148) || in(cp, 0x179, 0x17E)) /* in these ranges capitals are odd */
        return cp + (cp & 1);
    if (cp == 0x178)
        return 0xFF;
    if (in(cp, 0x100, 0x177))
        return cp != 0x130 && cp != 0x131 && cp != 0x138 ? cp | 1 : cp;
    if (in(cp, 0x391, 0x3A9) || in(cp, 0x410, 0x42F)) /* Greek, Cyrillic */
        return cp + 32;
    if (in(cp, 0x400, 0x40F))
        return cp + 80;
    return cp;
}

uint32_t letter_fold(uint32_t cp)
{
    bool has_base = cp >= LATIN_FIRST && cp < LATIN_END && latin[cp - LATIN_FIRST] != '.';
    return has_base ? (unsigned char)latin[cp - LATIN_FIRST] : letter_lower(cp);
}

static bool is_digit(struct str s)
{
    return s.len && s.s[0] >= '0' && s.s[0] <= '9';
}

static int compare_bytes(struct str a, struct str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int d = n ? memcmp(a.s, b.s, n) : 0;
    return d ? d : (a.len > b.len) - (a.len < b.len);
}

/* Cuts the digits that `*rest` begins with, and returns them without leading zeros. */
static struct str cut_digits(struct str *rest)
{
    while (rest->len && rest->s[0] == '0')
        *rest = str_from(*rest, 1);
    struct str digits = {rest->s, 0};
    for (; is_digit(*rest); digits.len++)
        *rest = str_from(*rest, 1);
    return digits;
}

/* The next letter without case and marks; 0 at the end. */
static uint32_t cut_letter(struct str *rest)
{
    while (rest->len) {
        uint32_t cp = utf8_next(rest, NULL);
        if (!letter_is_mark(cp))
            return cp == 0xDF ? 's' : letter_fold(cp);
    }
    return 0;
}

int letter_compare_names(struct str a, struct str b)
{
    struct str x = a, y = b;
    while (x.len || y.len) {
        if (is_digit(x) && is_digit(y)) {
            struct str m = cut_digits(&x), n = cut_digits(&y);
            int d = m.len != n.len ? (m.len > n.len) - (m.len < n.len) : compare_bytes(m, n);
            if (d)
                return d;
            continue;
        }
        uint32_t m = cut_letter(&x), n = cut_letter(&y);
        if (m != n)
            return (m > n) - (m < n);
    }
    return compare_bytes(a, b);
}
