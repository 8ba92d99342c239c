#include "codec/ansi/terminal_text.h"

#include <wchar.h>

#include "base/utf8.h"
#include "codec/html.h"

void terminal_text_add(struct strbuf *out, struct str text)
{
    while (text.len) {
        uint32_t c = utf8_next(&text, NULL);
        if (c == '\r') {
            if (!text.len || text.s[0] != '\n')
                strbuf_addc(out, '\n');
        } else if (c == '\n' || c == '\t' || !utf8_is_control(c)) {
            strbuf_addcp(out, c);
        }
    }
}

void terminal_text_add_line(struct strbuf *out, struct str text, size_t columns)
{
    size_t used = 0, start = out->len;
    size_t fits = start; /* the longest length of `out` that leaves room for the ellipsis */
    bool blank = false;
    while (text.len) {
        uint32_t c = utf8_next(&text, NULL);
        bool white = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029;
        if (white || utf8_is_control(c)) {
            blank |= white && out->len > start;
            continue;
        }
        size_t width = terminal_width_of(c) + blank;
        if (used + width > columns) {
            strbuf_truncate(out, fits);
            if (columns)
                strbuf_adds(out, "…");
            return;
        }
        if (blank)
            strbuf_addc(out, ' ');
        blank = false;
        strbuf_addcp(out, c);
        used += width;
        if (used < columns)
            fits = out->len;
    }
}

void terminal_text_add_flat(struct strbuf *out, struct str text)
{
    size_t from = out->len;
    terminal_text_add(out, text);
    for (size_t i = from; i < out->len; i++)
        if (out->s[i] == '\n' || out->s[i] == '\t')
            out->s[i] = ' ';
}

size_t terminal_width_of(uint32_t c)
{
    int width = wcwidth((wchar_t)c);
    return width < 0 ? 1 : (size_t)width;
}

size_t terminal_width(struct str text)
{
    size_t n = 0;
    while (text.len)
        n += terminal_width_of(utf8_next(&text, NULL));
    return n;
}

size_t terminal_cut(struct str text, size_t columns)
{
    struct str rest = text;
    for (size_t used = 0; rest.len;) {
        struct str after = rest;
        used += terminal_width_of(utf8_next(&after, NULL));
        if (used > columns)
            break;
        rest = after;
    }
    return text.len - rest.len;
}

void terminal_entity_add(struct strbuf *out, struct str s)
{
    char utf8[4];
    struct str c = html_reference(s, utf8);
    terminal_text_add_flat(out, c.len ? c : s);
}
