#include "codec/markdown/markdown_write.h"

#include <string.h>

#define FENCE_MIN 3

void markdown_write_link(struct strbuf *b, struct str words, struct str url)
{
    strbuf_addc(b, '[');
    for (size_t i = 0; i < words.len; i++) {
        if (strchr("[]\\", words.s[i]))
            strbuf_addc(b, '\\');
        strbuf_addc(b, words.s[i] == '\n' ? ' ' : words.s[i]);
    }
    strbuf_adds(b, "](");
    for (size_t i = 0; i < url.len; i++) {
        unsigned char c = (unsigned char)url.s[i];
        if (c <= ' ' || strchr("()<>\\", c))
            strbuf_addf(b, "%%%02X", c);
        else
            strbuf_addc(b, (char)c);
    }
    strbuf_addc(b, ')');
}

size_t markdown_write_ticks(struct str text)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.s[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most + 1;
}

static void add_marks(struct strbuf *b, size_t n)
{
    while (n--)
        strbuf_addc(b, '`');
}

void markdown_write_code(struct strbuf *b, struct str code)
{
    size_t marks = markdown_write_ticks(code);
    const char *pad = code.len && (code.s[0] == '`' || code.s[code.len - 1] == '`') ? " " : "";
    add_marks(b, marks);
    strbuf_adds(b, pad);
    strbuf_addstr(b, code);
    strbuf_adds(b, pad);
    add_marks(b, marks);
}

void markdown_write_fenced(struct strbuf *b, struct str language, struct str code)
{
    size_t marks = markdown_write_ticks(code);
    marks = marks < FENCE_MIN ? FENCE_MIN : marks;
    add_marks(b, marks);
    strbuf_addstr(b, language);
    strbuf_addc(b, '\n');
    strbuf_addstr(b, code);
    if (!code.len || code.s[code.len - 1] != '\n')
        strbuf_addc(b, '\n');
    add_marks(b, marks);
}
