/* Removes a block's common indentation from its body; see mustache_node.h. */
#include "codec/mustache/mustache_node.h"

struct shared {
    bool any; /* a line was seen */
    struct str blanks;
};

static size_t blanks_at(struct str s)
{
    size_t n = 0;
    while (n < s.len && (s.s[n] == ' ' || s.s[n] == '\t'))
        n++;
    return n;
}

static void narrow(struct shared *sh, struct str blanks)
{
    if (!sh->any) {
        *sh = (struct shared){true, blanks};
        return;
    }
    size_t n = 0;
    while (n < sh->blanks.len && n < blanks.len && sh->blanks.s[n] == blanks.s[n])
        n++;
    sh->blanks.len = n;
}

static struct str next_line(struct str *rest)
{
    struct str line = *rest;
    const char *newline = rest->len ? memchr(rest->s, '\n', rest->len) : NULL;
    if (newline)
        line.len = (size_t)(newline - rest->s) + 1;
    *rest = (struct str){rest->s + line.len, rest->len - line.len};
    return line;
}

static bool is_empty_line(struct str line, size_t blanks)
{
    return blanks < line.len && (line.s[blanks] == '\n' || line.s[blanks] == '\r');
}

static void measure_text(struct shared *sh, const struct node *text)
{
    struct str rest = text->text;
    if (!text->starts_line)
        next_line(&rest);
    else if (!rest.len)
        narrow(sh, rest); /* the line begins with a tag */
    while (rest.len) {
        struct str line = next_line(&rest);
        size_t n = blanks_at(line);
        if (!is_empty_line(line, n))
            narrow(sh, (struct str){line.s, n});
    }
}

static size_t without(struct str s, struct str prefix)
{
    size_t n = 0;
    while (n < s.len && n < prefix.len && s.s[n] == prefix.s[n])
        n++;
    return n;
}

static void strip_text(struct arena *a, struct node *text, struct str prefix)
{
    struct str rest = text->text;
    char *copy = arena_alloc(a, rest.len + 1);
    size_t n = 0;
    for (bool at_start = text->starts_line; rest.len; at_start = true) {
        struct str line = next_line(&rest);
        size_t skip = at_start ? without(line, prefix) : 0;
        memcpy(copy + n, line.s + skip, line.len - skip);
        n += line.len - skip;
    }
    text->text = (struct str){copy, n};
}

/* Skips bodies on separate lines: they were dedented before. */
static uint32_t next_node(const struct node *nodes, uint32_t i)
{
    return nodes[i].op == NODE_BLOCK && nodes[i].own_lines ? nodes[i].end : i + 1;
}

void mustache_dedent(struct arena *a, struct node *nodes, uint32_t at)
{
    struct shared sh = {0};
    uint32_t end = nodes[at].end;
    for (uint32_t i = at + 1; i < end; i = next_node(nodes, i)) {
        if (nodes[i].op == NODE_TEXT)
            measure_text(&sh, &nodes[i]);
        else if (nodes[i].own_lines && !nodes[i].replaces)
            narrow(&sh, nodes[i].indent);
    }
    if (!sh.any)
        return; /* an empty body keeps the opening tag's indentation */
    for (uint32_t i = at + 1; sh.blanks.len && i < end; i = next_node(nodes, i)) {
        struct str *indent = &nodes[i].indent;
        size_t skip = without(*indent, sh.blanks);
        if (skip)
            *indent = (struct str){indent->s + skip, indent->len - skip};
        if (nodes[i].op == NODE_TEXT)
            strip_text(a, &nodes[i], sh.blanks);
    }
    nodes[at].indent = sh.blanks;
}
