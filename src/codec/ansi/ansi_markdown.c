/*
 * md4c parses, as for pages. Text of a paragraph, heading or cell is collected as rich text (ansi_wrap.h) and
 * written as lines when its block ends. The containers around a block (quotations, list items) give each line
 * its prefix.
 */
#include "codec/ansi/ansi_markdown.h"

#include <md4c.h>
#include <stdio.h>

#include "base/mem.h"
#include "codec/ansi/ansi_inline.h"
#include "codec/ansi/ansi_table.h"
#include "codec/ansi/terminal_text.h"
#include "codec/markdown/markdown_cjk.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/tex_text.h"

#define DEPTH_MAX      32 /* containers with a prefix; deeper ones have none */
#define MARKER_MAX     24
#define PREFIX_MAX     2048
#define CODE_INDENT    "    "
#define COST_MAX       UINT64_C(100000000) /* about 40 ms of md4c */
#define CPU_US         INT64_C(100000)
#define TABLE_COLS_MAX 64
#define LABEL_MAX      40

enum container_kind { QUOTE, LIST, ITEM };

struct container {
    enum container_kind kind;
    bool ordered;
    unsigned number;         /* of the next item of a list */
    char delimiter;          /* after it */
    char marker[MARKER_MAX]; /* of an item: not written yet */
    size_t columns;          /* of the marker */
};

struct renderer {
    struct strbuf *out, code;
    struct ansi_inline line; /* text of the open paragraph, heading or cell */
    struct ansi_look look;
    struct arena *arena;
    struct container in[DEPTH_MAX];
    struct container spare; /* a deeper one */
    size_t depth;           /* may exceed DEPTH_MAX */
    bool gap;               /* a blank line comes before the next block */
    bool in_code;
    struct str code_label;
    struct ansi_table table;
    struct markdown_budget budget;
};

/* ---- prefixes ---- */

static struct container *innermost(struct renderer *r)
{
    return r->depth && r->depth <= DEPTH_MAX ? &r->in[r->depth - 1] : NULL;
}

static struct container *push(struct renderer *r, enum container_kind kind)
{
    struct container *c = r->depth < DEPTH_MAX ? &r->in[r->depth] : &r->spare;
    r->depth++;
    *c = (struct container){.kind = kind};
    return c;
}

static size_t add_prefix(struct renderer *r, struct strbuf *out, bool first)
{
    size_t columns = 0;
    for (size_t i = 0; i < r->depth && i < DEPTH_MAX; i++) {
        struct container *c = &r->in[i];
        if (c->kind == QUOTE) {
            strbuf_adds(out, r->look.styled ? "\x1b[0;2m│\x1b[0m " : "│ ");
            columns += 2;
        } else if (c->kind == ITEM && first && *c->marker) {
            strbuf_adds(out, c->marker);
            columns += c->columns;
        } else if (c->kind == ITEM) {
            strbuf_addf(out, "%*s", (int)c->columns, "");
            columns += c->columns;
        }
    }
    return columns;
}

struct prefixes {
    struct strbuf first, rest;
    struct ansi_prefix is;
};

static void trim(struct strbuf *line)
{
    while (line->len && line->s[line->len - 1] == ' ')
        strbuf_truncate(line, line->len - 1);
}

static void put_gap(struct renderer *r)
{
    if (!r->gap)
        return;
    r->gap = false;
    AUTO_STRBUF line;
    strbuf_init(&line, PREFIX_MAX);
    add_prefix(r, &line, false);
    trim(&line);
    strbuf_addstr(r->out, strbuf_str(&line));
    strbuf_addc(r->out, '\n');
}

static void prefixes_make(struct renderer *r, const char *indent, struct prefixes *p)
{
    put_gap(r);
    strbuf_init(&p->first, PREFIX_MAX);
    strbuf_init(&p->rest, PREFIX_MAX);
    add_prefix(r, &p->first, true);
    p->is.columns = add_prefix(r, &p->rest, false) + strlen(indent);
    strbuf_adds(&p->first, indent);
    strbuf_adds(&p->rest, indent);
    p->is.first = strbuf_str(&p->first);
    p->is.rest = strbuf_str(&p->rest);
    for (size_t i = 0; i < r->depth && i < DEPTH_MAX; i++)
        *r->in[i].marker = '\0';
}

static void prefixes_release(struct prefixes *p)
{
    strbuf_release(&p->first);
    strbuf_release(&p->rest);
}

/* ---- blocks ---- */

static void flush_rich(struct renderer *r)
{
    struct prefixes p;
    if (!r->line.rich.len)
        return;
    prefixes_make(r, "", &p);
    ansi_wrap(strbuf_str(&r->line.rich), &p.is, r->look, r->out);
    prefixes_release(&p);
    strbuf_clear(&r->line.rich);
}

/* The marker of an item without text. */
static void flush_marker(struct renderer *r)
{
    struct container *c = innermost(r);
    struct prefixes p;
    if (!c || c->kind != ITEM || !*c->marker)
        return;
    prefixes_make(r, "", &p);
    trim(&p.first);
    strbuf_addstr(r->out, strbuf_str(&p.first));
    strbuf_addc(r->out, '\n');
    prefixes_release(&p);
}

static void flush_code(struct renderer *r)
{
    struct prefixes p;
    prefixes_make(r, CODE_INDENT, &p);
    if (r->code_label.len) {
        AUTO_STRBUF label;
        strbuf_init(&label, r->code_label.len + ANSI_MARK_SIZE);
        ansi_mark(&label, ANSI_DIM);
        strbuf_addstr(&label, r->code_label);
        ansi_wrap(strbuf_str(&label), &p.is, r->look, r->out);
        p.is.first = p.is.rest;
    }
    ansi_verbatim(strbuf_str(&r->code), ANSI_CODE, &p.is, r->look, r->out);
    prefixes_release(&p);
    strbuf_clear(&r->code);
    r->gap = true;
}

static void put_rule(struct renderer *r)
{
    struct prefixes p;
    AUTO_STRBUF line;
    prefixes_make(r, "", &p);
    size_t n = r->look.columns > p.is.columns ? r->look.columns - p.is.columns : 1;
    strbuf_init(&line, 4 * n + 16);
    ansi_mark(&line, ANSI_DIM);
    while (n--)
        strbuf_adds(&line, "─");
    ansi_wrap(strbuf_str(&line), &p.is, r->look, r->out);
    prefixes_release(&p);
    r->gap = true;
}

static void flush_table(struct renderer *r)
{
    struct prefixes p;
    struct ansi_table *t = &r->table;
    if (t->columns)
        t->rows = t->n / t->columns;
    if (t->rows) {
        prefixes_make(r, "", &p);
        ansi_table(t, &p.is, r->look, r->arena, r->out);
        prefixes_release(&p);
        r->gap = true;
    }
    *t = (struct ansi_table){0};
    r->line.in_table = false;
}

static void add_cell(struct renderer *r, enum ansi_align align)
{
    if (!r->table.columns)
        return;
    ansi_table_add(&r->table, r->arena, align, strbuf_str(&r->line.rich));
    strbuf_clear(&r->line.rich);
}

static void begin_item(struct renderer *r, const MD_BLOCK_LI_DETAIL *d)
{
    struct container *list = innermost(r), *item;
    bool ordered = list && list->ordered;
    unsigned number = list ? list->number++ : 0;
    char delimiter = list && list->ordered ? list->delimiter : '.';
    size_t nested = 0;
    for (size_t i = 0; i < r->depth && i < DEPTH_MAX; i++)
        nested += r->in[i].kind == LIST && !r->in[i].ordered;
    static const char *const bullets[] = {"•", "◦", "▪"};
    item = push(r, ITEM);
    if (d->is_task)
        snprintf(item->marker, sizeof item->marker, "%s ", d->task_mark == ' ' ? "☐" : "☑");
    else if (ordered)
        snprintf(item->marker, sizeof item->marker, "%u%c ", number, delimiter);
    else
        snprintf(item->marker, sizeof item->marker, "%s ",
            bullets[(nested ? nested - 1 : 0) % ARRAY_LEN(bullets)]);
    item->columns = terminal_width(str_of(item->marker));
}

static void begin_list(struct renderer *r, bool ordered, unsigned start, char delimiter)
{
    flush_rich(r);
    struct container *c = push(r, LIST);
    c->ordered = ordered;
    c->number = start;
    c->delimiter = delimiter;
}

static void begin_table(struct renderer *r, const MD_BLOCK_TABLE_DETAIL *d)
{
    flush_rich(r);
    r->table.columns = d->col_count <= TABLE_COLS_MAX ? d->col_count : 0;
    r->line.in_table = r->table.columns > 0;
    r->table.align = ARENA_ARRAY(r->arena, enum ansi_align, d->col_count + 1);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    switch (type) {
    case MD_BLOCK_UL: begin_list(r, false, 0, '.'); break;
    case MD_BLOCK_OL: {
        const MD_BLOCK_OL_DETAIL *d = detail;
        begin_list(r, true, d->start, d->mark_delimiter);
        break;
    }
    case MD_BLOCK_LI: begin_item(r, detail); break;
    case MD_BLOCK_QUOTE:
        flush_rich(r);
        put_gap(r);
        push(r, QUOTE);
        break;
    case MD_BLOCK_HR:
        flush_rich(r);
        put_rule(r);
        break;
    case MD_BLOCK_H:
        flush_rich(r);
        if (!r->look.styled)
            for (unsigned i = 0; i < ((MD_BLOCK_H_DETAIL *)detail)->level; i++)
                strbuf_adds(&r->line.rich, i + 1 < ((MD_BLOCK_H_DETAIL *)detail)->level ? "#" : "# ");
        ansi_inline_style(
            &r->line, ANSI_BOLD | (((MD_BLOCK_H_DETAIL *)detail)->level == 1 ? ANSI_UNDERLINE : 0u));
        break;
    case MD_BLOCK_CODE:
        flush_rich(r);
        r->in_code = true;
        r->code_label = ansi_inline_attribute(r->arena, &((MD_BLOCK_CODE_DETAIL *)detail)->lang, LABEL_MAX);
        break;
    case MD_BLOCK_TABLE: begin_table(r, detail); break;
    case MD_BLOCK_P: flush_rich(r); break;
    default: break;
    }
    return markdown_budget_over(&r->budget);
}

static enum ansi_align align_of(const MD_BLOCK_TD_DETAIL *d)
{
    return d->align == MD_ALIGN_RIGHT ? ANSI_RIGHT : d->align == MD_ALIGN_CENTER ? ANSI_CENTER : ANSI_LEFT;
}

static void end_list(struct renderer *r)
{
    r->depth--;
    bool nested = false;
    for (size_t i = 0; i < r->depth && i < DEPTH_MAX; i++)
        nested |= r->in[i].kind == ITEM;
    r->gap |= !nested;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    switch (type) {
    case MD_BLOCK_UL:
    case MD_BLOCK_OL: end_list(r); break;
    case MD_BLOCK_LI:
        flush_rich(r);
        flush_marker(r);
        r->depth--;
        break;
    case MD_BLOCK_QUOTE:
        flush_rich(r);
        r->depth--;
        r->gap = true;
        break;
    case MD_BLOCK_H:
        ansi_inline_style(&r->line, 0);
        flush_rich(r);
        r->gap = true;
        break;
    case MD_BLOCK_P:
        flush_rich(r);
        r->gap = true;
        break;
    case MD_BLOCK_CODE:
        flush_code(r);
        r->in_code = false;
        break;
    case MD_BLOCK_TABLE: flush_table(r); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: add_cell(r, align_of(detail)); break;
    default: break;
    }
    return r->out->failed || markdown_budget_over(&r->budget);
}

/* ---- spans and text ---- */

static int enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    ansi_inline_enter(&r->line, type, detail);
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    (void)detail;
    ansi_inline_leave(&r->line, type);
    return 0;
}

static void add_text(struct renderer *r, MD_TEXTTYPE type, struct str text)
{
    if (r->in_code)
        terminal_text_add(&r->code, text);
    else
        ansi_inline_add(&r->line, type, text);
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct renderer *r = arg;
    struct str rest = {s, size}, before;
    while (markdown_cjk_cut_mark(&rest, &before))
        add_text(r, type, before);
    add_text(r, type, rest);
    return (r->in_code && r->out->failed) || markdown_budget_over(&r->budget);
}

/* ---- the whole ---- */

static bool render(struct str text, struct ansi_look look, struct strbuf *out)
{
    const MD_PARSER parser = {.flags = MARKDOWN_FLAGS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = on_text};
    AUTO(arena) a = arena_new();
    struct renderer r = {.out = out,
        .look = look,
        .arena = a,
        .line = {.arena = a, .styled = look.styled},
        .budget = {.cpu_us = CPU_US}};
    strbuf_init(&r.line.rich, 8 * text.len + PREFIX_MAX);
    strbuf_init(&r.code, 4 * text.len + 1);
    bool ok = md_parse(text.s, (MD_SIZE)text.len, &parser, &r) == 0 && !r.budget.over;
    strbuf_release(&r.line.rich);
    strbuf_release(&r.code);
    return ok;
}

void ansi_markdown(struct str text, struct ansi_look look, struct strbuf *out)
{
    size_t start = out->len;
    AUTO_STRBUF formulas, copy = {0};
    strbuf_init(&formulas, TEX_TEXT_FACTOR * (text.len + 1));
    if (text.len <= MARKDOWN_TEXT_MAX && !markdown_cost_exceeds(text, COST_MAX)) {
        tex_text_markdown(text, &formulas);
        struct str guarded = markdown_guarded_copy(formulas.failed ? text : strbuf_str(&formulas), &copy);
        if (render(guarded, look, out))
            return;
        strbuf_rewind(out, start);
    }
    ansi_as_it_is(text, look, out);
}
