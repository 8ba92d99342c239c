#include "codec/markdown/markdown.h"

/* \( \) and \[ \] are formulas here. With the opening square bracket escaped, round ones need no escape.
 * The closing square one, which would end the text of a link, is written as a character reference. */
void markdown_add_text(struct strbuf *out, struct str text)
{
    bool blank = true;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.s[i];
        bool is_blank = (unsigned char)c <= ' ';
        if (is_blank && blank)
            continue;
        blank = is_blank;
        if (!is_blank && strchr("\\`*_{}[<>#+-.!|~$&:@", c))
            strbuf_addc(out, '\\');
        if (c == ']')
            strbuf_adds(out, "&#93;");
        else
            strbuf_addc(out, is_blank ? ' ' : c);
    }
}

struct str markdown_unfence(struct str s)
{
    s = str_trim(s);
    if (!str_starts(s, STR("```")) || s.len < 6 || memcmp(s.s + s.len - 3, "```", 3) != 0)
        return s;
    str_cut(&s, '\n');
    if (s.len < 3)
        return (struct str){"", 0};
    s.len -= 3;
    return str_trim(s);
}
