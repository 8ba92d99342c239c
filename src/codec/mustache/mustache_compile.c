/*
 * The compiler reads the source once, from tag to tag. Text between tags becomes a node when the next tag is
 * known, because a tag that is alone on its line removes the line's blanks and newline.
 *
 * Inheritance extends "alone". A parent counts as alone when only blanks precede its opening and follow its
 * closing tag: text directly inside it is ignored. A block's opening tag ends its line when only blanks
 * precede it, or any text when it is directly in a parent.
 */
#include "codec/mustache/mustache_node.h"

#include <stdlib.h>

#define DELIMITER_MAX 16

struct tag {
    char kind; /* its sigil, '{' for the triple form, 0 for a plain variable */
    struct str name;
    size_t start, end; /* offsets of the whole tag */
    size_t line_start; /* start of the line that it begins on */
    size_t behind;     /* after the blanks and the newline that follow; 0: other text follows */
    bool blank_before; /* only blanks on its line before it */
};

struct compiler {
    struct mustache_set *set;
    struct mustache_template *t;
    struct err *e;
    struct str src, open, close;
    size_t text_from;  /* start of the text that is not a node yet */
    size_t line_start; /* start of the line of `scanned` */
    size_t scanned;
    uint32_t line;
    struct node *nodes;
    size_t n, room;
    uint32_t open_tags[MUSTACHE_OPEN_MAX];
    size_t depth;
};

static enum rc fail(struct compiler *c, const char *what, struct str name)
{
    return err_set(c->e, RC_BAD_INPUT, "template %s, line %u: %s%s%.*s", c->t->name.s, c->line, what,
        name.len ? " " : "", (int)(name.len < 60 ? name.len : 60), name.s ? name.s : "");
}

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

static bool all_blank(struct str src, size_t from, size_t to)
{
    while (from < to && is_blank(src.s[from]))
        from++;
    return from >= to;
}

static struct str part(const struct compiler *c, size_t from, size_t to)
{
    return (struct str){c->src.s + from, to - from};
}

static struct node *add(struct compiler *c, enum node_op op)
{
    if (c->n == c->room) {
        c->room = c->room ? c->room * 2 : 32;
        c->nodes = xrealloc(c->nodes, c->room * sizeof *c->nodes);
    }
    struct node *node = &c->nodes[c->n++];
    *node = (struct node){.op = op, .line = c->line, .end = (uint32_t)c->n};
    return node;
}

static struct node *innermost(struct compiler *c)
{
    return c->depth ? &c->nodes[c->open_tags[c->depth - 1]] : NULL;
}

static bool in_parent(struct compiler *c)
{
    return c->depth && innermost(c)->op == NODE_PARENT;
}

/* Makes a node of the pending text up to `to`, and continues at `next`. Text directly in a parent is
 * dropped. */
static void flush(struct compiler *c, size_t to, size_t next)
{
    if (to > c->text_from && !in_parent(c)) {
        struct node *text = add(c, NODE_TEXT);
        text->starts_line = c->text_from == 0 || c->src.s[c->text_from - 1] == '\n';
        text->text = part(c, c->text_from, to);
    }
    c->text_from = next;
}

/*
 * The same before a tag that keeps its line. When the tag is the first on it, the blanks before it are a
 * separate node, even if empty: it marks the start of the line, also after dedenting.
 */
static void flush_inline(struct compiler *c, const struct tag *tag)
{
    if (!tag->blank_before || in_parent(c)) {
        flush(c, tag->start, tag->end);
        return;
    }
    flush(c, tag->line_start, tag->end);
    struct node *blanks = add(c, NODE_TEXT);
    blanks->starts_line = true;
    blanks->text = part(c, tag->line_start, tag->start);
}

static void flush_around(struct compiler *c, const struct tag *tag)
{
    if (tag->blank_before && tag->behind)
        flush(c, tag->line_start, tag->behind);
    else
        flush_inline(c, tag);
}

static enum rc set_path(struct compiler *c, struct node *node, struct str name)
{
    node->text = name;
    if (str_is(name, "."))
        return RC_OK;
    uint32_t n = 1;
    for (size_t i = 0; i < name.len; i++)
        n += name.s[i] == '.';
    struct view_key *path = ARENA_ARRAY(c->set->arena, struct view_key, n);
    struct str rest = name;
    for (uint32_t i = 0; i < n; i++) {
        path[i] = view_key(str_cut(&rest, '.'));
        if (!view_key_name(path[i]).len)
            return fail(c, "empty part in the name", name);
    }
    node->path = path;
    node->path_n = n;
    return RC_OK;
}

static enum rc push(struct compiler *c)
{
    if (c->depth == MUSTACHE_OPEN_MAX)
        return fail(c, "too many open tags", (struct str){0});
    c->open_tags[c->depth++] = (uint32_t)(c->n - 1);
    return RC_OK;
}

static enum rc variable(struct compiler *c, const struct tag *tag)
{
    flush_inline(c, tag);
    return set_path(c, add(c, tag->kind ? NODE_RAW : NODE_VAR), tag->name);
}

static enum rc section(struct compiler *c, const struct tag *tag)
{
    flush_around(c, tag);
    enum rc rc = set_path(c, add(c, tag->kind == '#' ? NODE_SECTION : NODE_INVERTED), tag->name);
    return rc == RC_OK ? push(c) : rc;
}

static void partial(struct compiler *c, const struct tag *tag)
{
    flush_around(c, tag);
    struct node *node = add(c, NODE_PARTIAL);
    node->text = tag->name;
    node->target = mustache_slot(c->set, tag->name);
    node->own_lines = tag->blank_before && tag->behind;
    if (node->own_lines)
        node->indent = part(c, tag->line_start, tag->start);
}

/* The end of a parent decides whether it is alone; until then its indentation is the text before it. */
static enum rc parent_open(struct compiler *c, const struct tag *tag)
{
    bool first = tag->blank_before && !in_parent(c);
    flush_inline(c, tag);
    struct node *node = add(c, NODE_PARENT);
    node->text = tag->name;
    node->target = mustache_slot(c->set, tag->name);
    node->own_lines = first; /* preliminary */
    return push(c);
}

static void parent_close(struct compiler *c, const struct tag *tag)
{
    struct node *node = innermost(c);
    bool alone = node->own_lines && tag->behind;
    flush(c, tag->start, alone ? tag->behind : tag->end);
    node->own_lines = alone;
    if (alone) {
        struct node *blanks = node - 1;
        node->indent = blanks->text;
        blanks->text.len = 0;
        blanks->starts_line = false;
    }
}

static enum rc block_open(struct compiler *c, const struct tag *tag)
{
    bool replaces = in_parent(c);
    bool own_lines = (tag->blank_before || replaces) && tag->behind;
    if (own_lines)
        flush(c, tag->line_start, tag->behind);
    else
        flush_inline(c, tag);
    struct node *node = add(c, NODE_BLOCK);
    node->text = tag->name;
    node->own_lines = own_lines;
    node->replaces = replaces;
    if (tag->blank_before)
        node->indent = part(c, tag->line_start, tag->start);
    return push(c);
}

static void block_close(struct compiler *c, const struct tag *tag)
{
    struct node *node = innermost(c);
    size_t to = tag->blank_before && (node->own_lines || tag->behind) ? tag->line_start : tag->start;
    flush(c, to, tag->blank_before && tag->behind ? tag->behind : tag->end);
    node = innermost(c); /* flush() may have moved it */
    node->end = (uint32_t)c->n;
    if (node->own_lines)
        mustache_dedent(c->set->arena, c->nodes, c->open_tags[c->depth - 1]);
}

static enum rc close_tag(struct compiler *c, const struct tag *tag)
{
    struct node *node = innermost(c);
    if (!node)
        return fail(c, "nothing is open for the closing tag", tag->name);
    if (!str_eq(node->text, tag->name))
        return fail(c, "the closing tag does not match what is open:", tag->name);
    if (node->op == NODE_PARENT)
        parent_close(c, tag);
    else if (node->op == NODE_BLOCK)
        block_close(c, tag);
    else
        flush_around(c, tag);
    innermost(c)->end = (uint32_t)c->n;
    c->depth--;
    return RC_OK;
}

/* Reads {{=<% %>=}}. */
static enum rc set_delimiters(struct compiler *c, const struct tag *tag)
{
    struct str open = tag->name, close;
    size_t n = 0;
    while (n < open.len && !str_is_space(open.s[n]))
        n++;
    close = str_trim(str_from(open, n));
    open.len = n;
    bool bad = !open.len || !close.len || open.len > DELIMITER_MAX || close.len > DELIMITER_MAX;
    for (size_t i = 0; i < open.len && !bad; i++)
        bad = open.s[i] == '=';
    for (size_t i = 0; i < close.len && !bad; i++)
        bad = close.s[i] == '=' || str_is_space(close.s[i]);
    if (bad)
        return fail(c, "bad delimiters", tag->name);
    flush_around(c, tag);
    c->open = open;
    c->close = close;
    return RC_OK;
}

static enum rc handle(struct compiler *c, const struct tag *tag)
{
    switch (tag->kind) {
    case '!': flush_around(c, tag); return RC_OK;
    case '=': return set_delimiters(c, tag);
    case '#':
    case '^': return section(c, tag);
    case '/': return close_tag(c, tag);
    case '>': partial(c, tag); return RC_OK;
    case '<': return parent_open(c, tag);
    case '$': return block_open(c, tag);
    default: return variable(c, tag);
    }
}

/* Counts lines up to `to`. */
static void scan_lines(struct compiler *c, size_t to)
{
    for (; c->scanned < to; c->scanned++)
        if (c->src.s[c->scanned] == '\n') {
            c->line++;
            c->line_start = c->scanned + 1;
        }
}

static void look_around(struct compiler *c, struct tag *tag)
{
    tag->line_start = c->line_start;
    tag->blank_before = all_blank(c->src, tag->line_start, tag->start);
    size_t at = tag->end;
    while (at < c->src.len && is_blank(c->src.s[at]))
        at++;
    if (at < c->src.len && c->src.s[at] == '\r')
        at++;
    if (at == c->src.len)
        tag->behind = at;
    else if (c->src.s[at] == '\n')
        tag->behind = at + 1;
}

/* Reads the tag that begins at `tag->start`. */
static enum rc read_tag(struct compiler *c, struct tag *tag)
{
    size_t from = tag->start + c->open.len;
    while (from < c->src.len && str_is_space(c->src.s[from]))
        from++;
    if (from < c->src.len && strchr("!=#^/><$&{", c->src.s[from]) && c->src.s[from])
        tag->kind = c->src.s[from++];
    char end[DELIMITER_MAX + 1];
    size_t end_n = 0;
    if (tag->kind == '{' || tag->kind == '=')
        end[end_n++] = tag->kind == '{' ? '}' : '=';
    memcpy(end + end_n, c->close.s, c->close.len);
    end_n += c->close.len;
    const char *close = memmem(c->src.s + from, c->src.len - from, end, end_n);
    if (!close)
        return fail(c, "a tag is not closed", (struct str){0});
    size_t to = (size_t)(close - c->src.s);
    tag->end = to + end_n;
    tag->name = str_trim(part(c, from, to));
    if (tag->kind == '!' || tag->kind == '=')
        return RC_OK;
    if (!tag->name.len)
        return fail(c, "a tag without a name", (struct str){0});
    for (size_t i = 0; i < tag->name.len; i++)
        if (str_is_space(tag->name.s[i]))
            return fail(c, "white space inside the name", tag->name);
    return RC_OK;
}

static enum rc compile(struct compiler *c)
{
    for (size_t at = 0;;) {
        const char *found = memmem(c->src.s + at, c->src.len - at, c->open.s, c->open.len);
        if (!found)
            break;
        struct tag tag = {.start = (size_t)(found - c->src.s)};
        scan_lines(c, tag.start);
        enum rc rc = read_tag(c, &tag);
        if (rc != RC_OK)
            return rc;
        look_around(c, &tag);
        rc = handle(c, &tag);
        if (rc != RC_OK)
            return rc;
        at = tag.end;
    }
    flush(c, c->src.len, c->src.len);
    if (c->depth) {
        c->line = innermost(c)->line;
        return fail(c, "never closed:", innermost(c)->text);
    }
    return RC_OK;
}

enum rc mustache_compile(
    struct mustache_set *set, struct mustache_template *t, struct str source, struct err *e)
{
    struct compiler c = {
        .set = set, .t = t, .e = e, .src = source, .open = STR("{{"), .close = STR("}}"), .line = 1};
    enum rc rc = compile(&c);
    if (rc != RC_OK) {
        free(c.nodes);
        return rc;
    }
    t->nodes = c.n ? xrealloc(c.nodes, c.n * sizeof *c.nodes) : NULL; /* without the room for more */
    t->n = (uint32_t)c.n;
    t->defined = true;
    return RC_OK;
}
