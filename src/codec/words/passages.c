#include "codec/words/passages.h"

#define OVERLAP(size) ((size) / 8)
#define UTF8_TAIL_MAX 3             /* bytes of a character after its first one */
#define WORD(size)    ((size) / 16) /* largest shift of each end to a word border */

static bool inside_character(struct str text, size_t at)
{
    return at < text.len && ((unsigned char)text.s[at] & 0xC0) == 0x80;
}

/* The beginning of a word at or after `at`, or of a character if none is near. */
static size_t begin_after(struct str text, size_t at, size_t near)
{
    if (at == 0)
        return 0;
    for (size_t i = at; i < text.len && i <= at + near; i++)
        if (str_is_space(text.s[i - 1]) && !str_is_space(text.s[i]))
            return i;
    for (int i = 0; i < UTF8_TAIL_MAX && inside_character(text, at); i++)
        at++;
    return at;
}

/* The end of a word at or before `at`, or of a character if none is near. */
static size_t end_before(struct str text, size_t at, size_t near)
{
    if (at >= text.len)
        return text.len;
    for (size_t i = at; i > 0 && i + near >= at; i--)
        if (str_is_space(text.s[i]) && !str_is_space(text.s[i - 1]))
            return i;
    for (int i = 0; i < UTF8_TAIL_MAX && inside_character(text, at); i++)
        at--;
    return at;
}

size_t passages_of(struct str text, size_t size, size_t most, struct str *out)
{
    text = str_trim(text);
    if (text.len == 0 || most == 0)
        return 0;
    if (text.len <= size) {
        out[0] = text;
        return 1;
    }
    size_t step = size - OVERLAP(size), n = (text.len - OVERLAP(size) + step - 1) / step;
    n = n < most ? n : most;
    for (size_t i = 0; i < n; i++) {
        size_t at = n == 1 ? 0 : i * (text.len - size) / (n - 1);
        size_t from = begin_after(text, at, WORD(size)), to = end_before(text, at + size, WORD(size));
        out[i] = (struct str){text.s + from, to - from};
    }
    return n;
}
