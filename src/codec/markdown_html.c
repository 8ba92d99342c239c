/*
 * The renderer: md4c's callbacks append to one buffer. A block tag begins on a line of its own
 * (line_start()), as in CommonMark's examples. What md4c does not tell at the start of a thing waits for its
 * first text: whether a code span is a formula (markdown_math.h), and where www.example.com leads.
 *
 * Hostile text cannot make it slow or big beyond the buffer's cap: a full buffer stops the parser, and blocks
 * and spans deeper than DEPTH_MAX keep their text but get no tags (a browser would not nest them either).
 */
#include "codec/markdown_html.h"

#include <md4c.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/html.h"
#include "codec/url.h"

#define DEPTH_MAX 64
#define LANG_MAX  32
#define TITLE_MAX 1000 /* bytes of a link's title as HTML; a longer one is dropped */

struct renderer {
    struct strbuf *out;
    size_t start; /* where our part of out begins */
    struct str source;
    struct ends *ends; /* NULL: nobody wants them */

    struct math *math; /* NULL: none */
    size_t math_next;  /* the first of its spans that the parser has not passed */
    size_t math_met;   /* how many came back */
    bool math_broken;  /* one swallowed what follows it */

    unsigned block_depth;
    MD_SPANTYPE spans[DEPTH_MAX]; /* open ones; images and code are kept apart */
    unsigned span_depth, spans_beyond;
    unsigned inner_links; /* md4c finds bare addresses in the text of links, too; they get no tag */
    bool in_table;
    bool in_code;           /* in a code block */
    bool in_formula;        /* in a code block or code span that is a formula */
    bool code_span_pending; /* entered, nothing written yet */
    const char *task_box;   /* of an item whose text has not begun; NULL: none */
    size_t code_indent;     /* columns of white space before the next text of a code block */

    bool link_open;          /* an <a> is written and must be closed */
    bool link_pending;       /* http://www...: an address without a scheme in the text, or a link we drop */
    struct strbuf link;      /* href of the link or image, decoded */
    struct strbuf title;     /* HTML */
    unsigned images;         /* images are open, one in the other's alt text */
    bool image_link;         /* the outermost is written as a link */
    size_t image_text_start; /* where its alt text begins */
};

static struct str attr_str(const MD_ATTRIBUTE *a)
{
    return (struct str){a->text, a->size};
}

static void add(struct renderer *r, const char *s)
{
    strbuf_adds(r->out, s);
}

static void line_start(struct renderer *r)
{
    if (r->out->len > r->start && r->out->s[r->out->len - 1] != '\n')
        strbuf_addc(r->out, '\n');
}

static size_t source_offset(const struct renderer *r, const char *s)
{
    uintptr_t at = (uintptr_t)s - (uintptr_t)r->source.s;
    return at < r->source.len ? at : SIZE_MAX;
}

/* Character references. */

static bool decode_number(struct str ref, struct strbuf *out)
{
    if (ref.len < 4 || ref.s[1] != '#')
        return false;
    bool hex = ref.s[2] == 'x' || ref.s[2] == 'X';
    uint32_t cp = 0;
    for (size_t i = hex ? 3 : 2; i + 1 < ref.len && cp <= 0x10FFFF; i++) {
        char c = ref.s[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
        cp = cp * (hex ? 16 : 10) + digit;
    }
    char utf8[4];
    size_t n = cp ? utf8_put(cp, utf8) : 0;
    if (!n)
        n = utf8_put(UTF8_REPLACEMENT, utf8);
    strbuf_add(out, utf8, n);
    return true;
}

/* The names that matter in an address; false for others. */
static bool decode_name(struct str ref, struct strbuf *out)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(ref, names[i].name)) {
            strbuf_addc(out, names[i].c);
            return true;
        }
    return false;
}

/* In HTML a named reference can stay one: the browser knows all 2,231 of them and shows others as they are.
 */
static void add_reference(struct strbuf *out, struct str ref)
{
    char utf8[4];
    struct strbuf one;
    strbuf_init(&one, sizeof utf8);
    if (decode_number(ref, &one))
        html_escape(out, strbuf_str(&one));
    else
        strbuf_addstr(out, ref);
    strbuf_release(&one);
}

/* An attribute as HTML. */
static void add_attribute(struct strbuf *out, const MD_ATTRIBUTE *a)
{
    for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
        size_t from = a->substr_offsets[i], to = a->substr_offsets[i + 1];
        struct str part = {a->text + from, to - from};
        if (a->substr_types[i] == MD_TEXT_ENTITY)
            add_reference(out, part);
        else
            html_escape(out, part);
    }
}

/* The address of a link as text into `r->link`, and whether it may be one. */
static bool take_address(struct renderer *r, const MD_ATTRIBUTE *a)
{
    strbuf_clear(&r->link);
    for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
        size_t from = a->substr_offsets[i], to = a->substr_offsets[i + 1];
        struct str part = {a->text + from, to - from};
        if (a->substr_types[i] != MD_TEXT_ENTITY)
            strbuf_addstr(&r->link, part);
        else if (!decode_number(part, &r->link) && !decode_name(part, &r->link))
            return false; /* we cannot check what we cannot read */
    }
    return !r->link.failed && url_link_allowed(strbuf_str(&r->link));
}

/* Links and images. */

/* Escapes what RFC 3986 does not allow, but no % that is there already. */
static void add_url(struct renderer *r, struct str url)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < url.len; i++) {
        unsigned char c = (unsigned char)url.s[i];
        if (c >= 0x80 || c <= 0x20 || strchr("\"<>[\\]^`{|}\x7F", c)) {
            strbuf_addc(r->out, '%');
            strbuf_addc(r->out, hex[c >> 4]);
            strbuf_addc(r->out, hex[c & 15]);
        } else {
            html_escape(r->out, (struct str){url.s + i, 1});
        }
    }
}

static void open_link(struct renderer *r, struct str scheme, struct str rest)
{
    add(r, "<a href=\"");
    add_url(r, scheme);
    add_url(r, rest);
    if (r->title.len) {
        add(r, "\" title=\"");
        strbuf_addstr(r->out, strbuf_str(&r->title));
    }
    add(r, "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">");
    r->link_open = true;
}

static void take_title(struct renderer *r, const MD_ATTRIBUTE *title)
{
    strbuf_clear(&r->title);
    add_attribute(&r->title, title);
    if (r->title.failed)
        strbuf_clear(&r->title);
}

static void enter_link(struct renderer *r, const MD_SPAN_A_DETAIL *d)
{
    take_title(r, &d->title);
    if (take_address(r, &d->href))
        open_link(r, STR(""), strbuf_str(&r->link));
    else
        r->link_pending = str_starts(strbuf_str(&r->link), STR("http://www."));
}

/* md4c makes http://www.example.com of a bare www.example.com; we make it https. */
static void settle_link(struct renderer *r, bool is_text, struct str text)
{
    if (!r->link_pending)
        return;
    r->link_pending = false;
    struct str rest = {r->link.s + 7, r->link.len - 7};
    if (is_text && str_starts(text, STR("www.")) && str_eq(text, rest))
        open_link(r, STR("https://"), rest);
}

static void leave_link(struct renderer *r)
{
    settle_link(r, false, STR(""));
    if (r->link_open)
        add(r, "</a>");
    r->link_open = false;
}

static void enter_image(struct renderer *r, const MD_SPAN_IMG_DETAIL *d)
{
    if (r->images++ > 0)
        return;
    take_title(r, &d->title);
    r->image_link = !r->link_open && take_address(r, &d->src);
    if (r->image_link)
        open_link(r, STR(""), strbuf_str(&r->link));
    r->image_text_start = r->out->len;
}

static void leave_image(struct renderer *r)
{
    if (--r->images > 0 || !r->image_link)
        return;
    if (r->out->len == r->image_text_start)
        html_escape(r->out, strbuf_str(&r->link)); /* a link needs a name */
    leave_link(r);
}

/* Formulas. */

/* The formula whose place holds the offset, or NULL. */
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

static void settle_code_span(struct renderer *r, size_t at)
{
    if (!r->code_span_pending)
        return;
    r->code_span_pending = false;
    const struct math_span *s = formula_at(r, at, false);
    r->in_formula = s != NULL;
    if (r->images)
        return;
    add(r, !s           ? "<code>"
           : s->display ? "<span class=\"math\" data-display>"
                        : "<span class=\"math\" data-tex>");
}

static void leave_code_span(struct renderer *r)
{
    settle_code_span(r, SIZE_MAX);
    if (!r->images)
        add(r, r->in_formula ? "</span>" : "</code>");
    r->in_formula = false;
}

/* In a table `\|` is how a code span writes a bar; md4c passes the backslash on. */
static void add_code_text(struct renderer *r, struct str text)
{
    while (r->in_table && !r->in_formula && text.len) {
        const char *bar = memmem(text.s, text.len, "\\|", 2);
        size_t n = bar ? (size_t)(bar - text.s) : text.len;
        html_escape(r->out, (struct str){text.s, n});
        n += bar != NULL;
        text = (struct str){text.s + n, text.len - n};
        if (bar) {
            strbuf_addc(r->out, '|');
            text = (struct str){text.s + 1, text.len - 1};
        }
    }
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
        "<button type=\"button\" class=\"code-copy\" hidden>Copy</button></div><pre><code",
        n, word);
    if (n)
        strbuf_addf(out, " class=\"language-%.*s\"", n, word);
    strbuf_addc(out, '>');
}

static void enter_code(struct renderer *r, const MD_BLOCK_CODE_DETAIL *d)
{
    r->in_code = true;
    r->code_indent = 0;
    r->in_formula = formula_at(r, source_offset(r, d->lang.text), true) != NULL;
    if (r->in_formula)
        add(r, "<div class=\"math\" data-display>");
    else
        markdown_code_head(r->out, attr_str(&d->lang));
}

static void leave_code(struct renderer *r)
{
    if (r->in_formula) {
        if (r->out->len && r->out->s[r->out->len - 1] == '\n')
            strbuf_truncate(r->out, r->out->len - 1);
        add(r, "</div>\n");
    } else {
        add(r, MARKDOWN_CODE_FOOT);
    }
    r->in_code = r->in_formula = false;
}

/*
 * md4c hands the indentation of a code line over as spaces, but a makefile needs its tabs: they are taken
 * from the source. The line's columns are counted to find where the `code_indent` columns before `at` begin.
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

static void code_text(struct renderer *r, struct str text)
{
    size_t at = source_offset(r, text.s);
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

/* Lists and tables. */

static void enter_item(struct renderer *r, const MD_BLOCK_LI_DETAIL *d)
{
    add(r, d->is_task ? "<li class=\"task\">" : "<li>");
    if (d->is_task)
        r->task_box = d->task_mark == ' ' ? "<input type=\"checkbox\" disabled aria-label=\"To do\"> "
                                          : "<input type=\"checkbox\" disabled checked aria-label=\"Done\"> ";
}

/* The box stands beside the item's text, which may be in a paragraph of its own. */
static void settle_task(struct renderer *r)
{
    if (r->task_box)
        add(r, r->task_box);
    r->task_box = NULL;
}

static void enter_cell(struct renderer *r, const char *tag, const MD_BLOCK_TD_DETAIL *d)
{
    static const char *const classes[] = {
        [MD_ALIGN_DEFAULT] = "",
        [MD_ALIGN_LEFT] = " class=\"align-left\"",
        [MD_ALIGN_CENTER] = " class=\"align-center\"",
        [MD_ALIGN_RIGHT] = " class=\"align-right\"",
    };
    add(r, tag);
    add(r, classes[d->align]);
    add(r, ">");
}

static void heading_tag(struct renderer *r, const char *open, unsigned level)
{
    strbuf_addf(r->out, "%s%u>", open, level + 2 > 6 ? 6 : level + 2);
}

/* md4c's callbacks. A non-zero return stops it. */

static int status(const struct renderer *r)
{
    return r->out->failed || r->math_broken;
}

static bool is_container(MD_BLOCKTYPE type)
{
    return type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_LI;
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
    if (r->span_depth == DEPTH_MAX) {
        r->spans_beyond++;
        return;
    }
    r->spans[r->span_depth++] = type;
    if (type == MD_SPAN_A)
        enter_link(r, detail);
    else
        add(r, type == MD_SPAN_EM ? "<em>" : type == MD_SPAN_STRONG ? "<strong>" : "<del>");
}

/* Down to `depth` open ones. */
static void close_spans(struct renderer *r, unsigned depth)
{
    while (r->span_depth > depth) {
        MD_SPANTYPE type = r->spans[--r->span_depth];
        if (type == MD_SPAN_A)
            leave_link(r);
        else
            add(r, type == MD_SPAN_EM ? "</em>" : type == MD_SPAN_STRONG ? "</strong>" : "</del>");
    }
}

/* md4c 0.4.8 forgets to close a span whose end stands in the address of a link: with what it says we close
 * what is open, and at the end of a block the rest. */
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
    settle_task(r);
    if (r->images) {
        r->images = 1;
        leave_image(r);
    }
    r->spans_beyond = r->inner_links = 0;
    close_spans(r, 0);
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    if (type == MD_BLOCK_DOC)
        return 0;
    if (type != MD_BLOCK_P)
        end_text(r);
    line_start(r);
    if (r->block_depth++ >= DEPTH_MAX && is_container(type))
        return status(r);
    switch (type) {
    case MD_BLOCK_QUOTE: add(r, "<blockquote>\n"); break;
    case MD_BLOCK_UL: add(r, "<ul>\n"); break;
    case MD_BLOCK_OL:
        if (((MD_BLOCK_OL_DETAIL *)detail)->start == 1)
            add(r, "<ol>\n");
        else
            strbuf_addf(r->out, "<ol start=\"%u\">\n", ((MD_BLOCK_OL_DETAIL *)detail)->start);
        break;
    case MD_BLOCK_LI: enter_item(r, detail); break;
    case MD_BLOCK_HR: add(r, "<hr />\n"); break;
    case MD_BLOCK_H: heading_tag(r, "<h", ((MD_BLOCK_H_DETAIL *)detail)->level); break;
    case MD_BLOCK_CODE: enter_code(r, detail); break;
    case MD_BLOCK_P:
        add(r, "<p>");
        settle_task(r);
        break;
    case MD_BLOCK_TABLE:
        r->in_table = true;
        add(r, "<div class=\"table-scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>\n");
        break;
    case MD_BLOCK_THEAD: add(r, "<thead>\n"); break;
    case MD_BLOCK_TBODY: add(r, "<tbody>\n"); break;
    case MD_BLOCK_TR: add(r, "<tr>\n"); break;
    case MD_BLOCK_TH: enter_cell(r, "<th", detail); break;
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
        add(r, "</blockquote>\n");
        break;
    case MD_BLOCK_UL: add(r, "</ul>\n"); break;
    case MD_BLOCK_OL: add(r, "</ol>\n"); break;
    case MD_BLOCK_LI: add(r, "</li>\n"); break;
    case MD_BLOCK_H:
        heading_tag(r, "</h", ((MD_BLOCK_H_DETAIL *)detail)->level);
        add(r, "\n");
        break;
    case MD_BLOCK_CODE: leave_code(r); break;
    case MD_BLOCK_P: add(r, "</p>\n"); break;
    case MD_BLOCK_TABLE:
        r->in_table = false;
        add(r, "</table></div>\n");
        break;
    case MD_BLOCK_THEAD: add(r, "</thead>\n"); break;
    case MD_BLOCK_TBODY: add(r, "</tbody>\n"); break;
    case MD_BLOCK_TR: add(r, "</tr>\n"); break;
    case MD_BLOCK_TH: add(r, "</th>\n"); break;
    case MD_BLOCK_TD: add(r, "</td>\n"); break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HR:
    case MD_BLOCK_HTML: break;
    }
}

static void note_end(struct ends *ends, size_t len)
{
    if (ends->n == ends->room) {
        ends->room = ends->room ? ends->room * 2 : 16;
        ends->at = xrealloc(ends->at, ends->room * sizeof *ends->at);
    }
    ends->at[ends->n++] = len;
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    if (type == MD_BLOCK_DOC)
        return 0;
    end_text(r);
    if (--r->block_depth < DEPTH_MAX || !is_container(type))
        leave_block(r, type, detail);
    if (r->block_depth == 0 && r->ends)
        note_end(r->ends, r->out->len);
    return status(r);
}

static int on_enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    struct renderer *r = arg;
    settle_task(r);
    settle_link(r, false, STR(""));
    if (type == MD_SPAN_IMG) {
        enter_image(r, detail);
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
            leave_image(r);
    } else if (type == MD_SPAN_CODE) {
        leave_code_span(r);
    } else if (!r->images) {
        close_span(r, type);
    }
    return status(r);
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct renderer *r = arg;
    struct str text = {s, size};
    if (r->in_code) {
        code_text(r, text);
        return status(r);
    }
    settle_task(r);
    settle_link(r, type == MD_TEXT_NORMAL, text);
    if (type == MD_TEXT_CODE)
        settle_code_span(r, source_offset(r, s));
    switch (type) {
    case MD_TEXT_NULLCHAR: add(r, "\xEF\xBF\xBD"); break;
    case MD_TEXT_BR: add(r, r->images ? "\n" : "<br />\n"); break;
    case MD_TEXT_SOFTBR: add(r, "\n"); break;
    case MD_TEXT_ENTITY: add_reference(r->out, text); break;
    case MD_TEXT_CODE: add_code_text(r, text); break;
    case MD_TEXT_NORMAL:
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH: html_escape(r->out, text); break;
    }
    return status(r);
}

bool markdown_render(struct str text, struct math *math, struct strbuf *out, struct ends *ends)
{
    static const MD_PARSER parser = {
        .flags = MARKDOWN_FLAGS,
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
        .math = math,
    };
    strbuf_init(&r.link, URL_LINK_MAX);
    strbuf_init(&r.title, TITLE_MAX);
    if (md_parse(r.source.s, (MD_SIZE)r.source.len, &parser, &r) < 0)
        out->failed = true;
    strbuf_release(&r.link);
    strbuf_release(&r.title);
    return !math || out->failed || (!r.math_broken && r.math_met == math->n);
}
