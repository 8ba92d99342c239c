/* Finds an exact text in messages, apart from case and Latin accents. */
#include "app/tools/tools_private.h"

#include "base/letter.h"
#include "base/utf8.h"

#define EXCERPT_AROUND 160 /* bytes on each side of a match */

void tool_needle_make(struct str query, struct tool_needle *q)
{
    q->n = 0;
    for (struct str rest = query; rest.len && q->n < TOOL_QUERY_CHARS_MAX;)
        q->cp[q->n++] = letter_fold(utf8_next(&rest, NULL));
}

static bool begins_with(struct str text, const struct tool_needle *q, size_t *bytes)
{
    struct str rest = text;
    for (size_t i = 0; i < q->n; i++)
        if (rest.len == 0 || letter_fold(utf8_next(&rest, NULL)) != q->cp[i])
            return false;
    *bytes = text.len - rest.len;
    return true;
}

bool tool_needle_find(struct str text, const struct tool_needle *q, size_t *at, size_t *bytes)
{
    for (struct str rest = {text.s + *at, text.len - *at}; rest.len; utf8_next(&rest, NULL)) {
        *at = text.len - rest.len;
        if (begins_with(rest, q, bytes))
            return true;
    }
    return false;
}

size_t tool_needle_count(struct str text, const struct tool_needle *q)
{
    size_t n = 0;
    for (size_t at = 0, bytes; tool_needle_find(text, q, &at, &bytes); at += bytes)
        n++;
    return n;
}

const char *tool_excerpt(struct arena *a, struct str text, size_t at, size_t bytes)
{
    size_t from = at > EXCERPT_AROUND ? at - EXCERPT_AROUND : 0, to = at + bytes + EXCERPT_AROUND;
    while (from && (text.s[from] & 0xC0) == 0x80)
        from--;
    to = utf8_cut_bytes(text, to < text.len ? to : text.len);
    return arena_printf(
        a, "%s%.*s%s", from ? "…" : "", (int)(to - from), text.s + from, to < text.len ? "…" : "");
}
