/* md4c shows what is a link: brackets without a definition are plain text for it. */
#include "codec/markdown/growing/markdown_references.h"

#include <md4c.h>
#include <stdlib.h>
#include <string.h>

#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/markdown_line.h"

#define LABEL_MAX 100 /* bytes */
#define OPEN_MAX  8   /* nested brackets; a link with more is rare */

struct finder {
    struct str text;
    struct strbuf *out;
    size_t done; /* the text up to here is written */
    struct math_ranges math;
    size_t math_next; /* its first formula that the parser has not passed */
    struct markdown_budget budget;
    unsigned links;        /* open links and images */
    size_t open[OPEN_MAX]; /* the brackets of this block that are open */
    size_t n;
};

static bool is_letter(char c)
{
    return (unsigned char)c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

bool markdown_may_be_reference(struct str text, size_t open, size_t close)
{
    char before = open ? text.s[open - 1] : ' ';
    bool follows = before == '_' || before == ']' || before == ')' || (before >= '0' && before <= '9') ||
                   ((before | 0x20) >= 'a' && (before | 0x20) <= 'z');
    unsigned letters = 0;
    for (size_t i = open + 1; i < close && letters < 2; i++)
        letters += is_letter(text.s[i]);
    return !follows && letters == 2 && text.s[open + 1] != '^';
}

/* The end of the label whose bracket is at `at`, behind its closing bracket. An empty one stands for the text
 * of the link. 0: it is no label. */
static size_t label_end(struct str text, size_t at)
{
    size_t i = at + 1;
    while (i < text.len && i - at <= LABEL_MAX && !strchr("[]\\`<|\n\r", text.s[i]))
        i++;
    bool is_label = i < text.len && text.s[i] == ']' && text.s[at + 1] != '^';
    return is_label ? i + 1 : 0;
}

static bool in_formula(struct finder *f, size_t at)
{
    const struct math_ranges *m = &f->math;
    while (f->math_next < m->n && m->ranges[f->math_next].end <= at)
        f->math_next++;
    return f->math_next < m->n && m->ranges[f->math_next].at <= at;
}

static void take_bracket(struct finder *f, size_t at)
{
    if (line_is_escaped(f->text, at) || in_formula(f, at))
        return;
    if (f->text.s[at] == '[') {
        if (f->n == OPEN_MAX) /* the outermost is forgotten */
            memmove(f->open, f->open + 1, --f->n * sizeof *f->open);
        f->open[f->n++] = at;
        return;
    }
    size_t end = at + 1 < f->text.len && f->text.s[at + 1] == '[' ? label_end(f->text, at + 1) : 0;
    if (!f->n || !markdown_may_be_reference(f->text, f->open[--f->n], at) || !end)
        return;
    strbuf_addstr(f->out, (struct str){f->text.s + f->done, at + 1 - f->done});
    strbuf_adds(f->out, MARKDOWN_NO_ADDRESS);
    f->done = end;
}

static int on_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    (void)type;
    (void)detail;
    struct finder *f = arg;
    f->n = f->links = 0; /* md4c 0.4.8 does not close all spans */
    return markdown_budget_over(&f->budget);
}

static int on_enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    struct finder *f = arg;
    f->links += type == MD_SPAN_A || type == MD_SPAN_IMG;
    return 0;
}

static int on_leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    struct finder *f = arg;
    f->links -= f->links && (type == MD_SPAN_A || type == MD_SPAN_IMG);
    return 0;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct finder *f = arg;
    uintptr_t from = (uintptr_t)s - (uintptr_t)f->text.s;
    if (type == MD_TEXT_NORMAL && !f->links && from < f->text.len)
        for (size_t i = from; i < from + size && i < f->text.len; i++)
            if (f->text.s[i] == '[' || f->text.s[i] == ']')
                take_bracket(f, i);
    return markdown_budget_over(&f->budget);
}

bool markdown_without_references(struct str text, struct strbuf *out)
{
    const MD_PARSER parser = {
        .flags = MARKDOWN_FLAGS,
        .enter_block = on_block,
        .leave_block = on_block,
        .enter_span = on_enter_span,
        .leave_span = on_leave_span,
        .text = on_text,
    };
    if (!text.len || !memmem(text.s, text.len, "][", 2))
        return false;
    AUTO_STRBUF copy;
    struct finder f = {.out = out, .budget = {.cpu_us = MARKDOWN_CPU_US}};
    f.text = markdown_guarded_copy(text, &copy);
    if (copy.failed || markdown_cost_exceeds(f.text, MARKDOWN_ADDRESS_COST_MAX))
        return false;
    strbuf_init(out, 2 * f.text.len); /* an empty label is shorter than the address */
    math_find(f.text, MARKDOWN_FLAGS, &f.math);
    bool parsed = md_parse(f.text.s, (MD_SIZE)f.text.len, &parser, &f) == 0;
    free(f.math.ranges);
    if (!parsed || !f.done)
        return false;
    strbuf_addstr(out, str_from(f.text, f.done));
    return !out->failed;
}
