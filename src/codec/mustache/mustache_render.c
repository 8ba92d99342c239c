/* Rendering walks the nodes and writes directly to the output; it allocates no other memory. */
#include "codec/mustache/mustache_node.h"

#include "codec/html.h"

/* The context stack is on the C stack. */
struct context {
    const struct view *top;
    const struct context *under;
};

struct indent {
    struct str blanks;
    const struct indent *outer;
};

/* A parent that is being rendered, with the content for its blocks. */
struct frame {
    const struct mustache_template *t;
    uint32_t parent;
    const struct frame *outer;
};

struct scope {
    const struct context *context;
    const struct frame *frames; /* innermost first */
    const struct indent *indent;
};

struct rendering {
    struct strbuf *out;
    struct err *e;
    unsigned depth, steps;
    bool line_begun; /* the next line's indentation is already written */
};

static enum rc render(
    struct rendering *r, const struct mustache_template *t, uint32_t from, uint32_t to, struct scope scope);

static void add_indent(struct strbuf *out, const struct indent *indent)
{
    if (indent->outer)
        add_indent(out, indent->outer);
    strbuf_addstr(out, indent->blanks);
}

static void begin_line(struct rendering *r, const struct indent *indent)
{
    if (!r->line_begun)
        add_indent(r->out, indent);
    r->line_begun = false;
}

static void render_indented(struct rendering *r, const struct node *node, const struct indent *indent)
{
    struct str rest = node->text;
    if (!rest.len && node->starts_line)
        begin_line(r, indent);
    for (bool starts = node->starts_line; rest.len; starts = true) {
        const char *newline = memchr(rest.s, '\n', rest.len);
        size_t n = newline ? (size_t)(newline - rest.s) + 1 : rest.len;
        bool empty = rest.s[0] == '\n' || rest.s[0] == '\r';
        if (starts && empty)
            r->line_begun = false; /* an empty line needs no indentation */
        else if (starts)
            begin_line(r, indent);
        strbuf_add(r->out, rest.s, n);
        rest = str_from(rest, n);
    }
}

static inline void render_text(struct rendering *r, const struct node *node, const struct indent *indent)
{
    if (indent)
        render_indented(r, node, indent);
    else
        strbuf_addstr(r->out, node->text);
}

/* NULL: the name is unknown here. */
static inline const struct view *look_up(const struct node *node, const struct context *context)
{
    if (!node->path_n)
        return context->top;
    const struct view *v;
    while (!(v = view_find(context->top, node->path[0])) && context->under)
        context = context->under;
    for (uint32_t i = 1; v && i < node->path_n; i++)
        v = view_find(v, node->path[i]);
    return v;
}

static inline void render_value(struct rendering *r, const struct node *node, const struct context *context)
{
    const struct view *v = look_up(node, context);
    if (!v)
        return;
    switch (view_kind(v)) {
    case VIEW_BOOL: strbuf_adds(r->out, view_as_int(v) ? "true" : "false"); break;
    case VIEW_INT: strbuf_addint(r->out, view_as_int(v)); break;
    case VIEW_TEXT: html_escape(r->out, view_as_str(v)); break;
    case VIEW_HTML:
        if (node->op == NODE_RAW)
            strbuf_addstr(r->out, view_as_str(v));
        else
            html_escape(r->out, view_as_str(v));
        break;
    default: break;
    }
}

/* `v` is truthy. */
static enum rc render_section(struct rendering *r, const struct mustache_template *t, const struct node *node,
    const struct view *v, struct scope scope)
{
    uint32_t at = (uint32_t)(node - t->nodes);
    struct context inner = {v, scope.context};
    scope.context = &inner;
    if (view_kind(v) != VIEW_LIST)
        return render(r, t, at + 1, node->end, scope);
    enum rc rc = RC_OK;
    for (const struct view *item = view_first(v); item && rc == RC_OK; item = view_next(item)) {
        inner.top = item;
        rc = render(r, t, at + 1, node->end, scope);
    }
    return rc;
}

/* Renders a partial or a parent. Inside a line it is not indented. */
static enum rc render_other(struct rendering *r, const struct node *node, struct scope scope)
{
    struct indent own = {node->indent, scope.indent};
    if (!node->own_lines)
        scope.indent = NULL;
    else if (node->indent.len)
        scope.indent = &own;
    return render(r, node->target, 0, node->target->n, scope);
}

/* The outermost content for a block wins: the page overrides the layouts between. */
static const struct node *find_content(
    const struct frame *frames, struct str name, const struct frame **found)
{
    const struct node *content = NULL;
    for (const struct frame *f = frames; f; f = f->outer) {
        const struct node *nodes = f->t->nodes;
        for (uint32_t i = f->parent + 1; i < nodes[f->parent].end; i = nodes[i].end)
            if (nodes[i].op == NODE_BLOCK && str_eq(nodes[i].text, name)) {
                content = &nodes[i];
                *found = f;
                break;
            }
    }
    return content;
}

static enum rc render_block(
    struct rendering *r, const struct mustache_template *t, uint32_t at, struct scope scope)
{
    const struct node *place = &t->nodes[at];
    const struct frame *from = NULL;
    const struct node *content = find_content(scope.frames, place->text, &from);
    if (!content &&
        !place->own_lines) /* default content inside a line: its further lines are indented in the source */
        return render(r, t, at + 1, place->end, scope);

    struct indent own = {place->indent, scope.indent};
    if (place->indent.len)
        scope.indent = &own;
    if (!content)
        return render(r, t, at + 1, place->end, scope);

    scope.frames = from->outer; /* the content belongs to the template that contains it */
    if (scope.indent && place->own_lines && !content->own_lines)
        add_indent(r->out, scope.indent);
    if (scope.indent && !place->own_lines && content->own_lines)
        r->line_begun = true;
    enum rc rc = render(r, from->t, (uint32_t)(content - from->t->nodes) + 1, content->end, scope);
    r->line_begun = false;
    return rc;
}

static enum rc render_conditional(
    struct rendering *r, const struct mustache_template *t, const struct node *node, struct scope scope)
{
    const struct view *v = look_up(node, scope.context);
    bool truthy = v && view_truthy(v);
    if (node->op == NODE_SECTION)
        return truthy ? render_section(r, t, node, v, scope) : RC_OK;
    return truthy ? RC_OK : render(r, t, (uint32_t)(node - t->nodes) + 1, node->end, scope);
}

static enum rc render_inner(
    struct rendering *r, const struct mustache_template *t, const struct node *node, struct scope scope)
{
    uint32_t at = (uint32_t)(node - t->nodes);
    switch (node->op) {
    case NODE_PARTIAL: return render_other(r, node, scope);
    case NODE_PARENT: {
        struct frame frame = {t, at, scope.frames};
        scope.frames = &frame;
        return render_other(r, node, scope);
    }
    case NODE_BLOCK: return render_block(r, t, at, scope);
    default: return RC_INTERNAL;
    }
}

static enum rc render(
    struct rendering *r, const struct mustache_template *t, uint32_t from, uint32_t to, struct scope scope)
{
    if (from == to) /* an empty template has no nodes */
        return RC_OK;
    if (++r->depth > MUSTACHE_DEPTH_MAX)
        return err_set(
            r->e, RC_TOO_BIG, "template %s: nested more than %d deep", t->name.s, MUSTACHE_DEPTH_MAX);
    const struct node *end = t->nodes + to;
    for (const struct node *node = t->nodes + from; node < end; node = t->nodes + node->end) {
        if (++r->steps > MUSTACHE_STEPS_MAX)
            return err_set(
                r->e, RC_TOO_BIG, "template %s: more than %d steps", t->name.s, MUSTACHE_STEPS_MAX);
        enum rc rc = RC_OK;
        switch (node->op) {
        case NODE_TEXT: render_text(r, node, scope.indent); break;
        case NODE_VAR:
        case NODE_RAW: render_value(r, node, scope.context); break;
        case NODE_SECTION:
        case NODE_INVERTED: rc = render_conditional(r, t, node, scope); break;
        default: rc = render_inner(r, t, node, scope); break;
        }
        if (rc != RC_OK)
            return rc;
        if (r->out->failed)
            return err_set(r->e, RC_TOO_BIG, "template %s, line %u: more than %zu bytes", t->name.s,
                node->line, r->out->cap);
    }
    r->depth--;
    return RC_OK;
}

enum rc mustache_render(const struct mustache_set *set, const char *name, const struct view *root,
    struct strbuf *out, struct err *e)
{
    for (const struct mustache_template *t = set->templates; t; t = t->next) {
        if (!t->defined || !str_is(t->name, name))
            continue;
        struct rendering r = {.out = out, .e = e};
        struct context context = {.top = root};
        return render(&r, t, 0, t->n, (struct scope){.context = &context});
    }
    return err_set(e, RC_NOT_FOUND, "there is no template %s", name);
}
