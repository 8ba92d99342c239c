/*
 * md4c shows what is open: a delimiter that it passes as text, in the last block and outside of spans, has no
 * closing partner yet. The text is cut at its end and closed with delimiters, so that the renderer needs no
 * special case. After a cut the rest is checked again.
 */
#include "codec/markdown/growing/markdown_unfinished.h"

#include <md4c.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/markdown/growing/markdown_unfinished_private.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_element.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/markdown_line.h"
#include "codec/markdown/markdown_math.h"

#define CUTS_MAX 8 /* rounds for one text; each but the last one cuts */

/* A longer line counts as text. */
#define TABLE_HEAD_MAX 2000

#define OPEN_ELEMENT_MAX (MARKDOWN_ELEMENT_MAX + sizeof "<sub></sub>")

/* ---- finding open delimiters ---- */

static void begin_leaf(struct unfinished *f, MD_BLOCKTYPE type)
{
    f->leaf = type;
    f->fence = 0;
    f->leaf_at = SIZE_MAX;
    f->leaf_depth = f->containers;
    f->in_quote = f->quotes > 0;
    f->text_end = 0;
    f->spans = 0; /* md4c 0.4.8 does not close all */
    f->n = 0;
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct unfinished *f = arg;
    f->quotes += type == MD_BLOCK_QUOTE;
    f->containers += markdown_is_container(type);
    /* The missing cells of an incomplete row are empty cells. */
    bool is_cell = type == MD_BLOCK_TH || type == MD_BLOCK_TD;
    f->cell_waits = is_cell;
    if (!is_cell)
        begin_leaf(f, type);
    if (type == MD_BLOCK_CODE)
        f->fence = ((MD_BLOCK_CODE_DETAIL *)detail)->fence_char;
    return markdown_budget_over(&f->budget);
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    (void)detail;
    struct unfinished *f = arg;
    f->quotes -= type == MD_BLOCK_QUOTE;
    f->containers -= markdown_is_container(type);
    return 0;
}

static int on_enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)type;
    (void)detail;
    ((struct unfinished *)arg)->spans++;
    return 0;
}

static int on_leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)type;
    (void)detail;
    struct unfinished *f = arg;
    f->spans -= f->spans > 0;
    return 0;
}

static void note(struct unfinished *f, size_t at)
{
    struct unfinished_mark *last = f->n ? &f->marks[f->n - 1] : NULL;
    if (last && last->at + last->len == at && f->text.s[last->at] == f->text.s[at]) {
        last->len++;
        return;
    }
    if (!f->marks || f->n == f->room) {
        f->room = f->room ? 2 * f->room : 16;
        f->marks = xrealloc(f->marks, f->room * sizeof *f->marks);
    }
    f->marks[f->n++] = (struct unfinished_mark){at, 1};
}

/* Runs for every character. */
static bool is_delimiter(char c)
{
    switch (c) {
    case '*':
    case '_':
    case '~':
    case '`':
    case '[':
    case '<':
    case '$':
    case '\\': return true;
    default: return false;
    }
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct unfinished *f = arg;
    uintptr_t from = (uintptr_t)s - (uintptr_t)f->text.s;
    if (from >= f->text.len)
        return 0;
    if (f->cell_waits)
        begin_leaf(f, MD_BLOCK_TD);
    f->cell_waits = false;
    if (f->leaf_at == SIZE_MAX)
        f->leaf_at = from;
    f->text_end = 0;
    if (type != MD_TEXT_NORMAL || f->spans)
        return markdown_budget_over(&f->budget);
    f->text_end = from + size;
    for (size_t i = from; i < from + size && i < f->text.len; i++)
        if (is_delimiter(f->text.s[i]) && !line_is_escaped(f->text, i))
            note(f, i);
    return markdown_budget_over(&f->budget);
}

/* `text` is guarded. False: it cannot be parsed. */
static bool look(struct unfinished *f, struct str text, size_t len)
{
    const MD_PARSER parser = {
        .flags = MARKDOWN_FLAGS,
        .enter_block = on_enter_block,
        .leave_block = on_leave_block,
        .enter_span = on_enter_span,
        .leave_span = on_leave_span,
        .text = on_text,
    };
    f->source = text;
    f->text = (struct str){text.s, len};
    f->quotes = f->containers = 0;
    f->cell_waits = false;
    begin_leaf(f, MD_BLOCK_DOC);
    return md_parse(text.s, (MD_SIZE)text.len, &parser, f) == 0;
}

/* ---- lines that are held back ---- */

/* The start of the last line, which is incomplete. */
static size_t last_line(const struct unfinished *f, struct str *line)
{
    struct str text = f->text;
    size_t end = text.len;
    if (!f->is_cut && end && text.s[end - 1] == '\r') /* may be half of a CRLF */
        end--;
    size_t at = line_start_at(text, end);
    *line = (struct str){text.s + at, end - at};
    return at;
}

/* The start of the last line of a paragraph, which may be the first row of a table; SIZE_MAX: it is none. */
static size_t open_table(const struct unfinished *f, size_t last_at, struct str last)
{
    size_t at = last_at;
    if ((f->leaf != MD_BLOCK_P && f->leaf != MD_BLOCK_LI) || f->leaf_at == SIZE_MAX)
        return SIZE_MAX;
    if (last.len == 0 && at > f->leaf_at) {
        at -= at > 1 && f->text.s[at - 1] == '\n' && f->text.s[at - 2] == '\r' ? 2 : 1;
        at = line_start_at(f->text, at);
    }
    size_t from = f->leaf_at > at ? f->leaf_at : at;
    struct str row = line_without_quotes(str_from((struct str){f->text.s, line_end_at(f->text, from)}, from));
    return row.len && row.s[0] == '|' && row.len <= TABLE_HEAD_MAX ? at : SIZE_MAX;
}

static size_t cut_line(const struct unfinished *f)
{
    struct str line;
    size_t at = last_line(f, &line);
    if (f->leaf == MD_BLOCK_CODE && f->leaf_at == SIZE_MAX && line_is_open(line))
        return at; /* the opening fence */
    if (f->leaf == MD_BLOCK_CODE) {
        struct str inner = f->in_quote ? line_without_quotes(line) : line;
        return f->fence && line_may_close_fence(inner, f->fence) ? at : f->text.len;
    }
    size_t table = open_table(f, at, line);
    if (table != SIZE_MAX)
        return table;
    if (f->leaf == MD_BLOCK_P && f->leaf_depth == 0 && f->leaf_at == at && line_is_open_definition(line))
        return at;
    return line.len && line_is_open(line) ? at : f->text.len;
}

/* ---- delimiters ---- */

/* The start of an element without its end; SIZE_MAX: there is none. */
static size_t open_element(const struct unfinished *f)
{
    size_t found = SIZE_MAX;
    for (size_t i = f->n; i-- > 0;) {
        size_t at = f->marks[i].at + f->marks[i].len - 1;
        if (f->text.len - at > OPEN_ELEMENT_MAX)
            break;
        if ((f->text.s[at] == '<' || f->text.s[at] == '[') && markdown_element_is_open(str_from(f->text, at)))
            found = at;
    }
    return found;
}

/* Delimiters at the very end: the next letter decides what they are. */
static size_t cut_end(const struct unfinished *f)
{
    size_t end = f->text.len;
    if (f->leaf == MD_BLOCK_CODE)
        return end;
    size_t element = open_element(f);
    if (element != SIZE_MAX)
        return element;
    if (f->n && f->text.s[f->marks[f->n - 1].at] == '<') {
        struct str last = str_from(f->text, f->marks[f->n - 1].at);
        if (last.len < sizeof "<https://" - 1 && unfinished_is_autolink(last))
            return f->marks[f->n - 1].at;
    }
    for (size_t i = f->n; i-- > 0 && f->marks[i].at + f->marks[i].len == end && f->text.s[end - 1] != '<';)
        end = f->marks[i].at;
    if (end && f->text.s[end - 1] == '!' &&
        (end == f->text.len ? end == 1 || str_is_space(f->text.s[end - 2]) : f->text.s[end] == '['))
        end--; /* the ! of an image */
    return end;
}

/* The start of an open formula. Complete formulas hide the delimiters in them. */
static size_t cut_formula(struct unfinished *f)
{
    struct math_ranges r;
    size_t kept = 0, at = 0;
    math_find(f->source, MARKDOWN_FLAGS, &r);
    for (size_t i = 0; i < f->n; i++) {
        while (at < r.n && r.ranges[at].end <= f->marks[i].at)
            at++;
        if (at == r.n || f->marks[i].at < r.ranges[at].at)
            f->marks[kept++] = f->marks[i];
    }
    f->n = kept;
    free(r.ranges);
    return r.open < f->text.len && !unfinished_has_ended(f) ? r.open : f->text.len;
}

/* ---- the interface ---- */

/* True when text is open at its end, outside of spans and without an open delimiter. */
static bool ends_in_text(const struct unfinished *f)
{
    size_t end = f->text.len;
    while (end && f->text.s[end - 1] == ' ')
        end--;
    bool is_text = f->leaf == MD_BLOCK_P || f->leaf == MD_BLOCK_LI || f->leaf == MD_BLOCK_H;
    return is_text && f->n == 0 && end && f->text_end == end;
}

bool markdown_unfinished(struct str text, struct strbuf *out, bool *in_text)
{
    struct unfinished f = {.budget = {.cpu_us = MARKDOWN_CPU_US}};
    AUTO_STRBUF wide = {0};
    if (markdown_may_need_adapting(text)) {
        strbuf_init(&wide, MARKDOWN_ADAPT_FACTOR * text.len);
        markdown_adapt(&wide, text);
        text = strbuf_str(&wide);
    }
    size_t len = text.len;
    f.whole = text;
    bool ok = !markdown_cost_exceeds(text, MARKDOWN_ADDRESS_COST_MAX / CUTS_MAX);
    for (int i = 0; ok && i < CUTS_MAX; i++) {
        strbuf_clear(out);
        strbuf_addstr(out, (struct str){text.s, len});
        if (len && text.s[len - 1] != '\n')
            strbuf_addc(out, '\n');
        markdown_guard(out);
        f.is_cut = len < text.len;
        ok = !out->failed && look(&f, strbuf_str(out), len);
        size_t cut = ok ? cut_line(&f) : len;
        if (cut == len && ok)
            cut = cut_end(&f);
        if (cut == len && ok && f.leaf != MD_BLOCK_CODE)
            cut = cut_formula(&f);
        if (cut == len)
            break;
        len = cut;
    }
    struct unfinished_closing c = {0};
    if (ok) {
        strbuf_truncate(out, len);
        if (f.text.len == len)
            c = unfinished_find(&f);
        unfinished_close(&c, out);
    }
    free(f.marks);
    bool changed = ok && (len < text.len || c.n);
    if (in_text)
        *in_text = ok && !changed && ends_in_text(&f);
    return changed;
}
