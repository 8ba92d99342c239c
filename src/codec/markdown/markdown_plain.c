/* Markdown as plain text on one line, for search results: the words that the page shows. */
#include <md4c.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/html.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_cjk.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_element.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/markdown_math.h"
#include "codec/markdown/tex_text.h"

struct words {
    struct strbuf *out;
    struct markdown_budget budget;
};

static void add_blank(struct strbuf *out)
{
    if (out->len && out->s[out->len - 1] != ' ')
        strbuf_addc(out, ' ');
}

static int on_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    (void)type;
    (void)detail;
    struct words *w = arg;
    add_blank(w->out);
    return markdown_budget_over(&w->budget);
}

static int on_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)type;
    (void)detail;
    (void)arg;
    return 0;
}

static void add_words(struct strbuf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.s[i] <= ' ')
            add_blank(out);
        else
            strbuf_addc(out, text.s[i]);
}

/* Unknown ones stay as they are. */
static void add_reference(struct strbuf *out, struct str ref)
{
    char utf8[4];
    struct str c = html_reference(ref, utf8);
    add_words(out, c.len ? c : ref);
}

static void add_normal(struct strbuf *out, struct str text)
{
    struct str before;
    struct markdown_element e;
    AUTO_STRBUF shown;
    strbuf_init(&shown, TEX_SCRIPT_FACTOR * MARKDOWN_ELEMENT_MAX);
    while (markdown_cut_element(&text, &before, &e)) {
        add_words(out, before);
        strbuf_clear(&shown);
        markdown_element_text(&e, MARKDOWN_SUB_PLAIN, &shown); /* people search for H2O */
        add_words(out, e.kind == MARKDOWN_BREAK ? STR(" ") : strbuf_str(&shown));
    }
    add_words(out, text);
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct words *w = arg;
    struct str text = {s, size}, before;
    switch (type) {
    case MD_TEXT_NULLCHAR:
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR: add_blank(w->out); break;
    case MD_TEXT_ENTITY: add_reference(w->out, text); break;
    case MD_TEXT_NORMAL:
        while (markdown_cjk_cut_mark(&text, &before))
            add_normal(w->out, before);
        add_normal(w->out, text);
        break;
    case MD_TEXT_CODE:
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH: add_words(w->out, text); break;
    }
    return markdown_budget_over(&w->budget);
}

/* A formula is shown without its delimiters. `text` is a guarded copy. */
static void blank_delimiters(char *text, size_t len)
{
    struct math_ranges r;
    math_find((struct str){text, len}, MARKDOWN_FLAGS, &r);
    for (size_t i = 0; i < r.n; i++) {
        const struct math_range *f = &r.ranges[i];
        memset(text + f->at, ' ', f->delimiter);
        memset(text + f->end - f->delimiter, ' ', f->delimiter);
    }
    free(r.ranges);
}

bool markdown_plain(struct str text, struct strbuf *out)
{
    const MD_PARSER parser = {
        .flags = MARKDOWN_FLAGS,
        .enter_block = on_block,
        .leave_block = on_block,
        .enter_span = on_span,
        .leave_span = on_span,
        .text = on_text,
    };
    if (markdown_cost_exceeds(text, MARKDOWN_PLAIN_COST_MAX))
        return false;
    struct words w = {.out = out, .budget = {.cpu_us = MARKDOWN_PLAIN_CPU_US}};
    AUTO_STRBUF copy;
    struct str guarded = markdown_guarded_copy(text, &copy);
    blank_delimiters(copy.s, guarded.len);
    bool ok = md_parse(guarded.s, (MD_SIZE)guarded.len, &parser, &w) == 0 && !w.budget.over;
    while (out->len && out->s[out->len - 1] == ' ')
        strbuf_truncate(out, out->len - 1);
    return ok && !out->failed;
}
