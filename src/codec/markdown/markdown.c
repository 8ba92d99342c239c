/*
 * Formulas are found first and hidden from md4c (markdown_math.h), then the text is rendered. A formula can
 * be lost if its place does not allow the block or the code span that replaces it. The text is then rendered
 * again with fewer formulas: first only those inside paragraphs, then none.
 *
 * The time is bounded twice. markdown_cost() estimates the steps of md4c that are quadratic and cannot be
 * interrupted. It decides on bare links and on whether to parse at all. All other steps are linear; a budget
 * of processor time, checked in md4c's callbacks, ends them when they take too long.
 */
#include "codec/markdown/markdown.h"

#include <md4c.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "codec/html.h"
#include "codec/markdown/markdown_adapt.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_html.h"

#define TRIES        4
#define BUDGET_CALLS 256 /* md4c's callbacks between two reads of the clock, which is a system call */

/* The smaller limit: a text whose bound is below it reaches neither. */
#define MARKDOWN_COST_MAX                                                              \
    (MARKDOWN_ADDRESS_COST_MAX < MARKDOWN_BRACKET_COST_MAX ? MARKDOWN_ADDRESS_COST_MAX \
                                                           : MARKDOWN_BRACKET_COST_MAX)

bool markdown_budget_over(struct markdown_budget *b)
{
    if (b->over || ++b->calls % BUDGET_CALLS)
        return b->over;
    int64_t now_us = clock_cpu_us();
    if (!b->cpu_until_us)
        b->cpu_until_us = now_us + b->cpu_us;
    return b->over = now_us >= b->cpu_until_us;
}

void ends_add(struct ends *ends, size_t len)
{
    if (ends->n == ends->room) {
        ends->room = ends->room ? ends->room * 2 : 4;
        ends->at = xrealloc(ends->at, ends->room * sizeof *ends->at);
    }
    ends->at[ends->n++] = len;
}

static bool render_with_math(
    struct str text, unsigned md_flags, struct markdown_budget *budget, struct strbuf *out, struct ends *ends)
{
    struct math_lost lost = {0};
    size_t start = out->len;
    bool done = false, again = true;
    for (int i = 0; i < TRIES && again && !done; i++) {
        struct math m;
        if (!math_rewrite(text, md_flags, &lost, &m))
            break;
        done = markdown_render(text, &m, md_flags, budget, out, ends);
        if (!done) {
            strbuf_truncate(out, start);
            ends->n = 0;
            again = math_note_lost(&m, &lost);
        }
        math_release(&m);
    }
    return done;
}

/* False: the text is too costly or its HTML too large; `out` is then incomplete. */
static bool render(int64_t cpu_us, struct str text, struct strbuf *out, struct ends *ends)
{
    struct markdown_cost cost = {0};
    if (markdown_cost_bound(text.len) > MARKDOWN_COST_MAX)
        cost = markdown_cost(text);
    if (cost.brackets > MARKDOWN_BRACKET_COST_MAX)
        return false;
    struct markdown_budget budget = {.cpu_us = cpu_us};
    unsigned md_flags = MARKDOWN_FLAGS;
    if (cost.addresses > MARKDOWN_ADDRESS_COST_MAX)
        md_flags &= ~(unsigned)MD_FLAG_PERMISSIVEAUTOLINKS;
    if (!render_with_math(text, md_flags, &budget, out, ends))
        markdown_render(text, NULL, md_flags, &budget, out, ends);
    return !out->failed && !budget.over;
}

static void add_plain(struct str text, struct strbuf *out, struct ends *ends)
{
    strbuf_adds(out, MARKDOWN_PLAIN_HTML "<pre dir=\"auto\">");
    html_escape(out, text);
    strbuf_adds(out, "</pre></div>\n");
    ends->n = 0;
    ends_add(ends, out->len);
}

struct str markdown_guarded_copy(struct str text, struct strbuf *copy)
{
    strbuf_init(copy, MARKDOWN_ADAPT_FACTOR * text.len + 1 + MARKDOWN_GUARD);
    markdown_adapt(copy, text);
    if (text.len && text.s[text.len - 1] != '\n')
        strbuf_addc(copy, '\n');
    markdown_guard(copy);
    return strbuf_str(copy);
}

enum rc markdown_blocks_within(
    int64_t cpu_us, struct str text, struct strbuf *out, markdown_end_fn *end, void *arg, struct err *e)
{
    if (text.len > MARKDOWN_TEXT_MAX)
        return err_set(e, RC_TOO_BIG, "a Markdown text of %zu bytes is too long", text.len);
    if (out->failed)
        return err_set(e, RC_TOO_BIG, "the buffer for HTML has failed before");
    struct ends ends = {0};
    AUTO_STRBUF copy;
    size_t start = out->len;
    if (!render(cpu_us, markdown_guarded_copy(text, &copy), out, &ends)) {
        strbuf_rewind(out, start);
        add_plain(text, out, &ends);
    }
    if (!out->failed && end)
        for (size_t i = 0; i < ends.n; i++)
            end(arg, ends.at[i]);
    free(ends.at);
    if (out->failed)
        return err_set(e, RC_TOO_BIG, "a Markdown text has more than %zu bytes of HTML", out->cap);
    return RC_OK;
}

enum rc markdown_blocks(struct str text, struct strbuf *out, markdown_end_fn *end, void *arg, struct err *e)
{
    return markdown_blocks_within(MARKDOWN_CPU_US, text, out, end, arg, e);
}

enum rc markdown_html(struct str text, struct strbuf *out, struct err *e)
{
    return markdown_blocks(text, out, NULL, NULL, e);
}
