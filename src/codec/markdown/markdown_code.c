/* Code spans, code blocks, and the formulas that math_rewrite() (markdown_math.h) has hidden in them. */
#include "codec/html.h"
#include "codec/markdown/markdown_render.h"

#define LANG_MAX 32

size_t markdown_source_offset(const struct renderer *r, const char *s)
{
    uintptr_t at = (uintptr_t)s - (uintptr_t)r->source.s;
    return at < r->source.len ? at : SIZE_MAX;
}

/* Formulas. */

/* The formula at the offset; NULL: none. */
static struct math_span *formula_at(struct renderer *r, size_t at, bool block)
{
    if (!r->math || at == SIZE_MAX)
        return NULL;
    while (r->math_next < r->math->n && at >= r->math->spans[r->math_next].end)
        r->math_next++;
    if (r->math_next == r->math->n)
        return NULL;
    struct math_span *s = &r->math->spans[r->math_next];
    if (at < s->at || s->block != block || s->met)
        return NULL;
    r->math_met++;
    s->met = true;
    return s;
}

bool markdown_has_formula(struct str html)
{
    static const char mark[] = " class=\"math\""; /* a text of people has no quotation mark: &quot; */
    return memmem(html.s, html.len, mark, sizeof mark - 1) != NULL;
}

void markdown_decide_code_span(struct renderer *r, size_t at)
{
    if (!r->code_span_pending)
        return;
    r->code_span_pending = false;
    const struct math_span *s = formula_at(r, at, false);
    r->in_formula = s != NULL;
    if (r->images)
        return;
    markdown_add(r, !s           ? "<code>"
                    : s->display ? "<span class=\"math\" data-display>"
                                 : "<span class=\"math\" data-tex>");
}

void markdown_leave_code_span(struct renderer *r)
{
    markdown_decide_code_span(r, SIZE_MAX);
    if (!r->images)
        markdown_add(r, r->in_formula ? "</span>" : "</code>");
    r->in_formula = false;
}

bool markdown_cut_bar(struct str *rest, struct str *before)
{
    const char *bar = memmem(rest->s, rest->len, "\\|", 2);
    if (!bar)
        return false;
    *before = (struct str){rest->s, (size_t)(bar - rest->s)};
    *rest = (struct str){bar + 1, rest->len - before->len - 1};
    return true;
}

void markdown_add_code_text(struct renderer *r, struct str text)
{
    struct str before;
    while (r->in_table && !r->in_formula && markdown_cut_bar(&text, &before))
        html_escape(r->out, before);
    html_escape(r->out, text);
}

/* Code blocks. */

static size_t sanitise_lang(struct str lang, char word[LANG_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < lang.len && n < LANG_MAX; i++) {
        char c = lang.s[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            (c && strchr("+#._-", c)))
            word[n++] = c;
    }
    return n;
}

void markdown_code_head(struct strbuf *out, struct str lang)
{
    char word[LANG_MAX];
    int n = (int)sanitise_lang(lang, word);
    strbuf_addf(out,
        "<div class=\"code\"><div class=\"code-head\"><span class=\"code-lang\">%.*s</span>"
        "<button type=\"button\" class=\"code-copy\" hidden>Copy</button></div><pre tabindex=\"0\"><code",
        n, word);
    if (n)
        strbuf_addf(out, " class=\"language-%.*s\"", n, word);
    strbuf_addc(out, '>');
}

void markdown_enter_code(struct renderer *r, const MD_BLOCK_CODE_DETAIL *d)
{
    r->in_code = true;
    r->code_indent = 0;
    r->in_formula = formula_at(r, markdown_source_offset(r, d->lang.text), true) != NULL;
    if (r->in_formula)
        markdown_add(r, "<div class=\"math\" data-display>");
    else
        markdown_code_head(r->out, (struct str){d->lang.text, d->lang.size});
}

void markdown_leave_code(struct renderer *r)
{
    if (r->in_formula) {
        if (r->out->len && r->out->s[r->out->len - 1] == '\n')
            strbuf_truncate(r->out, r->out->len - 1);
        markdown_add(r, "</div>\n");
    } else {
        markdown_add(r, MARKDOWN_CODE_FOOT);
    }
    r->in_code = r->in_formula = false;
}

/*
 * md4c passes the indentation of a code line as spaces, but a makefile needs its tabs, so they are copied
 * from the source. The columns are counted to find the start of the `code_indent` columns before `at`.
 */
static void add_code_indent(struct renderer *r, size_t at)
{
    size_t want = r->code_indent, from = at, column = 0;
    r->code_indent = 0;
    while (from > 0 && r->source.s[from - 1] != '\n' && r->source.s[from - 1] != '\r')
        from--;
    for (size_t i = from; i < at; i++)
        column = r->source.s[i] == '\t' ? column / 4 * 4 + 4 : column + 1;
    size_t begin = column - (want < column ? want : column);
    column = 0;
    for (size_t i = from; i < at; i++) {
        size_t next = r->source.s[i] == '\t' ? column / 4 * 4 + 4 : column + 1;
        if (column >= begin)
            strbuf_addc(r->out, r->source.s[i]);
        else
            for (size_t c = begin; c < next; c++)
                strbuf_addc(r->out, ' '); /* the rest of a tab that began before */
        column = next;
    }
}

void markdown_code_text(struct renderer *r, struct str text)
{
    size_t at = markdown_source_offset(r, text.s);
    if (at == SIZE_MAX && text.len && text.s[0] == ' ') {
        r->code_indent += text.len;
        return;
    }
    if (at != SIZE_MAX) {
        struct math_span *s = r->in_formula ? &r->math->spans[r->math_next] : NULL;
        if (s && at >= s->end)
            s->broken = r->math_broken = true;
        add_code_indent(r, at);
    }
    for (; r->code_indent; r->code_indent--)
        strbuf_addc(r->out, ' ');
    html_escape(r->out, text);
}
