/*
 * The renderer: md4c's callbacks append to one buffer. A block's tag begins on a new line (line_start()), as
 * in CommonMark's examples. Two decisions wait for the first text of a span, because md4c does not report
 * them at its start: whether a code span is a formula (markdown_math.h), and the address of www.example.com.
 *
 * Malicious text can make it neither slow nor large: a full buffer and a used-up budget stop the parser.
 * Blocks and spans deeper than MARKDOWN_DEPTH_MAX keep their text but get no tags (a browser would not nest
 * them either).
 */
#include "base/mem.h"
#include "codec/html.h"
#include "codec/markdown/markdown_cjk.h"
#include "codec/markdown/markdown_element.h"
#include "codec/markdown/markdown_render.h"
#include "codec/url.h"

#define TABLE_NAME_MAX 160  /* bytes as HTML; one with a longer head has no name */
#define TITLE_MAX      1000 /* bytes of a link's title as HTML; longer ones are dropped */

static void line_start(struct renderer *r)
{
    if (r->out->len > r->start && r->out->s[r->out->len - 1] != '\n')
        strbuf_addc(r->out, '\n');
}

/* Lists and tables. */

static void enter_item(struct renderer *r, const MD_BLOCK_LI_DETAIL *d)
{
    markdown_add(r, d->is_task ? "<li class=\"task\">" : "<li>");
    if (d->is_task)
        r->task_box = d->task_mark == ' ' ? " disabled> " : " disabled checked> ";
}

/* The box is next to the item's text, which may be in a paragraph, and is named by it. */
static void write_task_box(struct renderer *r)
{
    if (!r->task_box)
        return;
    markdown_add(r, "<label><input type=\"checkbox\"");
    markdown_add(r, r->task_box);
    r->task_box = NULL;
    r->in_task_label = true;
}

/* At the end of the text. The box of an item without text has no name, so screen readers skip it. */
static void end_task_box(struct renderer *r)
{
    if (r->task_box) {
        markdown_add(r, "<input type=\"checkbox\" aria-hidden=\"true\"");
        markdown_add(r, r->task_box);
    }
    if (r->in_task_label)
        markdown_add(r, "</label>");
    r->task_box = NULL;
    r->in_task_label = false;
}

static void enter_cell(struct renderer *r, const char *tag, const MD_BLOCK_TD_DETAIL *d)
{
    static const char *const classes[] = {
        [MD_ALIGN_DEFAULT] = "",
        [MD_ALIGN_LEFT] = " class=\"align-left\"",
        [MD_ALIGN_CENTER] = " class=\"align-center\"",
        [MD_ALIGN_RIGHT] = " class=\"align-right\"",
    };
    markdown_add(r, tag);
    markdown_add(r, classes[d->align]);
    markdown_add(r, ">");
}

/* A table is named by its head: "place, height". */
static void enter_table(struct renderer *r)
{
    r->in_table = true;
    strbuf_clear(&r->table_name);
    markdown_add(r, "<div class=\"table-scroll\"");
    r->table_name_at = r->out->len;
    markdown_add(r, " tabindex=\"0\">");
}

static void enter_head_cell(struct renderer *r)
{
    r->in_head_cell = true;
    if (r->table_name.len && r->table_name.s[r->table_name.len - 1] != ' ')
        strbuf_adds(&r->table_name, ", ");
}

static void add_to_name(struct renderer *r, struct str text)
{
    if (r->table_name.len || str_trim(text).len)
        html_escape(&r->table_name, text);
}

static void add_normal_to_name(struct renderer *r, struct str text)
{
    struct str before;
    struct markdown_element e;
    while (markdown_cut_element(&text, &before, &e)) {
        add_to_name(r, before);
        add_to_name(r, e.kind == MARKDOWN_BREAK ? STR(" ") : e.text);
    }
    add_to_name(r, text);
}

static void insert(struct strbuf *out, size_t at, struct str s)
{
    size_t tail = out->len - at;
    strbuf_addstr(out, s);
    if (out->failed)
        return;
    memmove(out->s + at + s.len, out->s + at, tail);
    memcpy(out->s + at, s.s, s.len);
}

static void name_table(struct renderer *r)
{
    struct strbuf *name = &r->table_name, *out = r->out;
    while (name->len && strchr(", ", name->s[name->len - 1]))
        strbuf_truncate(name, name->len - 1);
    if (name->failed || name->len == 0 || out->failed)
        return;
    insert(out, r->table_name_at, STR("\""));
    insert(out, r->table_name_at, strbuf_str(name));
    insert(out, r->table_name_at, STR(" role=\"region\" aria-label=\""));
}

static unsigned heading_level(const MD_BLOCK_H_DETAIL *d)
{
    return d->level + 2 > 6 ? 6 : d->level + 2;
}

/* A top-level block takes its direction from its first letter. Inner blocks have no direction of their
 * own: otherwise their text would not count for the outer block, whose marks and borders follow its text. */
static void block_tag(struct renderer *r, const char *open, const char *end)
{
    markdown_add(r, open);
    if (r->block_depth == 1)
        markdown_add(r, " dir=\"auto\"");
    markdown_add(r, end);
}

static void list_tag(struct renderer *r, const MD_BLOCK_OL_DETAIL *d)
{
    block_tag(r, "<ol", "");
    if (d->start != 1)
        strbuf_addf(r->out, " start=\"%u\"", d->start);
    markdown_add(r, ">\n");
}

/* md4c's callbacks. A non-zero return stops it. */

static int status(struct renderer *r)
{
    return r->out->failed || r->math_broken || markdown_budget_over(r->budget);
}

static bool in_link(const struct renderer *r)
{
    for (unsigned i = 0; i < r->span_depth; i++)
        if (r->spans[i] == MD_SPAN_A)
            return true;
    return false;
}

static void open_span(struct renderer *r, MD_SPANTYPE type, void *detail)
{
    if (type == MD_SPAN_A && in_link(r)) {
        r->inner_links++;
        return;
    }
    if (r->span_depth == MARKDOWN_DEPTH_MAX) {
        r->spans_beyond++;
        return;
    }
    r->spans[r->span_depth++] = type;
    if (type == MD_SPAN_A)
        markdown_enter_link(r, detail);
    else
        markdown_add(r, type == MD_SPAN_EM ? "<em>" : type == MD_SPAN_STRONG ? "<strong>" : "<del>");
}

/* Closes spans until `depth` are open. */
static void close_spans(struct renderer *r, unsigned depth)
{
    while (r->span_depth > depth) {
        MD_SPANTYPE type = r->spans[--r->span_depth];
        if (type == MD_SPAN_A)
            markdown_leave_link(r);
        else
            markdown_add(r, type == MD_SPAN_EM ? "</em>" : type == MD_SPAN_STRONG ? "</strong>" : "</del>");
    }
}

/* md4c 0.4.8 does not close a span whose end is in the address of a link. The next closing tag closes the
 * open ones, the end of the block the rest. */
static void close_span(struct renderer *r, MD_SPANTYPE type)
{
    if (type == MD_SPAN_A && r->inner_links) {
        r->inner_links--;
        return;
    }
    if (r->spans_beyond) {
        r->spans_beyond--;
        return;
    }
    for (unsigned i = r->span_depth; i-- > 0;)
        if (r->spans[i] == type) {
            close_spans(r, i);
            return;
        }
}

static void end_text(struct renderer *r)
{
    if (r->images) {
        r->images = 1;
        markdown_leave_image(r);
    }
    r->spans_beyond = r->inner_links = 0;
    close_spans(r, 0);
    end_task_box(r);
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    if (type == MD_BLOCK_DOC)
        return 0;
    if (type != MD_BLOCK_P)
        end_text(r);
    line_start(r);
    if (r->block_depth++ >= MARKDOWN_DEPTH_MAX && markdown_is_container(type))
        return status(r);
    switch (type) {
    case MD_BLOCK_QUOTE: block_tag(r, "<blockquote", ">\n"); break;
    case MD_BLOCK_UL: block_tag(r, "<ul", ">\n"); break;
    case MD_BLOCK_OL: list_tag(r, detail); break;
    case MD_BLOCK_LI: enter_item(r, detail); break;
    case MD_BLOCK_HR: markdown_add(r, "<hr />\n"); break;
    case MD_BLOCK_H:
        strbuf_addf(r->out, "<h%u", heading_level(detail));
        block_tag(r, "", ">");
        break;
    case MD_BLOCK_CODE: markdown_enter_code(r, detail); break;
    case MD_BLOCK_P:
        block_tag(r, "<p", ">");
        write_task_box(r);
        break;
    case MD_BLOCK_TABLE:
        enter_table(r);
        block_tag(r, "<table", ">\n");
        break;
    case MD_BLOCK_THEAD: markdown_add(r, "<thead>\n"); break;
    case MD_BLOCK_TBODY: markdown_add(r, "<tbody>\n"); break;
    case MD_BLOCK_TR: markdown_add(r, "<tr>\n"); break;
    case MD_BLOCK_TH:
        enter_cell(r, "<th", detail);
        enter_head_cell(r);
        break;
    case MD_BLOCK_TD: enter_cell(r, "<td", detail); break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML: break; /* raw HTML is off */
    }
    return status(r);
}

static void leave_block(struct renderer *r, MD_BLOCKTYPE type, void *detail)
{
    switch (type) {
    case MD_BLOCK_QUOTE:
        line_start(r);
        markdown_add(r, "</blockquote>\n");
        break;
    case MD_BLOCK_UL: markdown_add(r, "</ul>\n"); break;
    case MD_BLOCK_OL: markdown_add(r, "</ol>\n"); break;
    case MD_BLOCK_LI: markdown_add(r, "</li>\n"); break;
    case MD_BLOCK_H: strbuf_addf(r->out, "</h%u>\n", heading_level(detail)); break;
    case MD_BLOCK_CODE: markdown_leave_code(r); break;
    case MD_BLOCK_P: markdown_add(r, "</p>\n"); break;
    case MD_BLOCK_TABLE:
        r->in_table = false;
        markdown_add(r, "</table></div>\n");
        break;
    case MD_BLOCK_THEAD:
        markdown_add(r, "</thead>\n");
        name_table(r);
        break;
    case MD_BLOCK_TBODY: markdown_add(r, "</tbody>\n"); break;
    case MD_BLOCK_TR: markdown_add(r, "</tr>\n"); break;
    case MD_BLOCK_TH:
        r->in_head_cell = false;
        markdown_add(r, "</th>\n");
        break;
    case MD_BLOCK_TD: markdown_add(r, "</td>\n"); break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HR:
    case MD_BLOCK_HTML: break;
    }
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    if (type == MD_BLOCK_DOC)
        return 0;
    end_text(r);
    if (--r->block_depth < MARKDOWN_DEPTH_MAX || !markdown_is_container(type))
        leave_block(r, type, detail);
    if (r->block_depth == 0 && r->ends)
        ends_add(r->ends, r->out->len);
    return status(r);
}

static int on_enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    write_task_box(r);
    markdown_decide_link(r, false, STR(""));
    if (type == MD_SPAN_IMG) {
        markdown_enter_image(r, detail);
    } else if (type == MD_SPAN_CODE) {
        r->code_span_pending = true;
    } else if (!r->images) {
        open_span(r, type, detail);
    }
    return status(r);
}

static int on_leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    struct renderer *r = arg;
    if (type == MD_SPAN_IMG) {
        if (r->images)
            markdown_leave_image(r);
    } else if (type == MD_SPAN_CODE) {
        markdown_leave_code_span(r);
    } else if (!r->images) {
        close_span(r, type);
    }
    return status(r);
}

static void add_break(struct renderer *r)
{
    markdown_add(r, r->images ? "\n" : "<br />\n");
}

/* `on_line`: the number of a note stands on the line and is not raised. */
static void add_element(struct renderer *r, const struct markdown_element *e, bool on_line)
{
    static const char *const names[] = {
        [MARKDOWN_SUB] = "sub", [MARKDOWN_SUP] = "sup", [MARKDOWN_KBD] = "kbd", [MARKDOWN_NOTE] = "sup"};
    if (e->kind == MARKDOWN_BREAK) {
        add_break(r);
        return;
    }
    bool note = e->kind == MARKDOWN_NOTE, tagged = !r->images && !on_line;
    if (tagged)
        strbuf_addf(r->out, "<%s>", names[e->kind]);
    markdown_add(r, note ? "[" : "");
    html_escape(r->out, e->text);
    markdown_add(r, note ? "]" : "");
    if (tagged)
        strbuf_addf(r->out, "</%s>", names[e->kind]);
}

/* True when a paragraph or an item of a list has no text yet. */
static bool begins_block(struct str out)
{
    const char *tag = out.s[out.len - 1] == '>' ? memrchr(out.s, '<', out.len) : NULL;
    struct str last = tag ? str_from(out, (size_t)(tag - out.s)) : STR("");
    return str_starts(last, STR("<p")) || str_starts(last, STR("<li"));
}

/* Notes in consecutive lines have lines of their own. True when `text` begins with a note. */
static bool begin_note(struct renderer *r, struct str text)
{
    const struct str broken = STR("<br />\n");
    size_t n = r->out->len;
    if (n == r->start || !markdown_begins_note(text))
        return false;
    if (r->out->s[n - 1] != '\n') /* the text so far does not end with a line end */
        return begins_block(strbuf_str(r->out));
    if (n < broken.len || memcmp(r->out->s + n - broken.len, broken.s, broken.len) != 0)
        add_break(r);
    return true;
}

static void add_normal(struct renderer *r, struct str text)
{
    struct str before;
    struct markdown_element e;
    bool note = begin_note(r, text);
    while (markdown_cut_element(&text, &before, &e)) {
        html_escape(r->out, before);
        add_element(r, &e, note);
        note = false;
    }
    html_escape(r->out, text);
}

static void add_text(struct renderer *r, MD_TEXTTYPE type, struct str text)
{
    if (r->in_code) {
        markdown_code_text(r, text);
        return;
    }
    write_task_box(r);
    markdown_decide_link(r, type == MD_TEXT_NORMAL, text);
    if (r->in_head_cell && type == MD_TEXT_NORMAL)
        add_normal_to_name(r, text);
    else if (r->in_head_cell && type == MD_TEXT_CODE)
        add_to_name(r, text);
    if (type == MD_TEXT_CODE)
        markdown_decide_code_span(r, markdown_source_offset(r, text.s));
    switch (type) {
    case MD_TEXT_NULLCHAR: markdown_add(r, "\xEF\xBF\xBD"); break;
    case MD_TEXT_BR: add_break(r); break;
    case MD_TEXT_SOFTBR: markdown_add(r, "\n"); break;
    case MD_TEXT_ENTITY: markdown_add_reference(r->out, text); break;
    case MD_TEXT_CODE: markdown_add_code_text(r, text); break;
    case MD_TEXT_NORMAL: add_normal(r, text); break;
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH: html_escape(r->out, text); break;
    }
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct renderer *r = arg;
    struct str rest = {s, size}, before;
    while (markdown_cjk_cut_mark(&rest, &before))
        add_text(r, type, before);
    add_text(r, type, rest);
    return status(r);
}

bool markdown_render(struct str text, struct math *math, unsigned md_flags, struct markdown_budget *budget,
    struct strbuf *out, struct ends *ends)
{
    const MD_PARSER parser = {
        .flags = md_flags,
        .enter_block = on_enter_block,
        .leave_block = on_leave_block,
        .enter_span = on_enter_span,
        .leave_span = on_leave_span,
        .text = on_text,
    };
    struct renderer r = {
        .out = out,
        .start = out->len,
        .source = math ? strbuf_str(&math->text) : text,
        .ends = ends,
        .budget = budget,
        .math = math,
    };
    strbuf_init(&r.link, URL_LINK_MAX);
    strbuf_init(&r.title, TITLE_MAX);
    strbuf_init(&r.table_name, TABLE_NAME_MAX);
    if (md_parse(r.source.s, (MD_SIZE)r.source.len, &parser, &r) < 0)
        out->failed = true;
    strbuf_release(&r.link);
    strbuf_release(&r.title);
    strbuf_release(&r.table_name);
    return !math || out->failed || budget->over || (!r.math_broken && r.math_met == math->n);
}
