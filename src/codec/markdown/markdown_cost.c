#include "codec/markdown/markdown_cost.h"

#include "codec/markdown/markdown_line.h"

/* The text since the last blank line. */
struct stretch {
    uint64_t bytes, lines, addresses, brackets;
};

static void count_line(struct stretch *s, struct str line)
{
    s->lines++;
    s->bytes += line.len + 1;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.s[i];
        bool scheme = c == ':' && i + 2 < line.len && line.s[i + 1] == '/' && line.s[i + 2] == '/';
        bool www = c == '.' && i && (line.s[i - 1] | 0x20) == 'w';
        s->addresses += scheme || www;
        s->brackets += c == ']';
    }
}

static void end_stretch(struct stretch *s, struct markdown_cost *c)
{
    c->addresses += s->addresses * s->bytes;
    c->brackets += s->brackets * s->lines;
    *s = (struct stretch){0};
}

/* An indented fence, or one in a quote or list. Its end depends on the blocks around it. */
static bool is_inner_fence(struct str line)
{
    size_t i = 0;
    while (i < line.len && strchr(" \t>*+-.)0123456789", line.s[i]))
        i++;
    return i && line_fence_width(str_from(line, i));
}

static bool closes(struct str line, char mark, size_t width)
{
    struct str inner = line_without_indent(line);
    size_t indent = line.len - inner.len;
    return indent < 4 && !memchr(line.s, '\t', indent) && line_closes_fence(inner, mark, width);
}

struct markdown_cost markdown_cost(struct str text)
{
    struct markdown_cost c = {0};
    struct stretch s = {0};
    bool whole = true;
    bool sure = true; /* no inner fence so far, so a fence at column 0 is a block of its own */
    char mark = 0;    /* character of the open fence; 0: none */
    for (size_t at = 0, next, width = 0; whole; at = next) {
        struct str line = line_at(text, at, &whole, &next);
        if (mark) {
            if (closes(line, mark, width))
                mark = 0;
            continue;
        }
        sure = sure && !is_inner_fence(line);
        width = sure ? line_fence_width(line) : 0;
        if (width)
            mark = line.s[0];
        if (width || line_is_blank(line))
            end_stretch(&s, &c);
        else
            count_line(&s, line);
    }
    end_stretch(&s, &c);
    return c;
}

bool markdown_cost_exceeds(struct str text, uint64_t max)
{
    if (markdown_cost_bound(text.len) <= max)
        return false;
    struct markdown_cost c = markdown_cost(text);
    return c.addresses + c.brackets > max;
}
