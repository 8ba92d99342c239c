/*
 * Markdown as a text with styles. codec/markdown is the only parser: its HTML, which has few and known
 * elements that are closed in order, is walked here.
 *
 * Space between blocks is written late: a block requests line ends, and the next text writes the requested
 * number. So the result has no line ends at its start or end, and empty blocks leave no gap.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/telegram/telegram_doc.h"
#include "codec/html.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_element.h"
#include "codec/markdown/tex_text.h"

#define LISTS_MAX   12 /* deeper lists are not indented further */
#define INDENT      "  "
#define RULE        "———"
#define HTML_FACTOR 6 /* markdown.h */
#define HTML_MORE   512

struct list {
    bool ordered;
    unsigned next;
};

struct walk {
    struct tg_doc *d; /* where text goes: the document, or a cell of a table */
    struct tg_doc *whole;
    struct tg_style style;
    unsigned bold, italic, strike, code; /* depth of each */
    unsigned quotes, quote_count;        /* depth; number of top-level quotations so far */
    unsigned last_quote;                 /* of the last text */
    unsigned newlines;                   /* line ends before the next text */
    bool blank;                          /* the last text ends in white space that is not needed twice */
    struct list lists[LISTS_MAX];
    unsigned depth;
    const char *marker; /* of an item without text yet */
    char marker_text[24];
    size_t block_at;   /* in the text: where the block begins */
    unsigned skip;     /* depth of elements whose text is not shown */
    bool pre, is_math; /* inside of a block of code; of a formula or of raised or lowered text */
    bool plain;        /* the text is too complex, and is shown as typed */
    struct strbuf tex;
    struct str href; /* of the open link that needs its address as text; .s NULL: none */
    size_t link_at;
    struct tg_table table;
    size_t cells_n, cells_room;
};

/* ---- text ---- */

static void request_line_ends(struct walk *w, unsigned newlines)
{
    if (w->newlines < newlines)
        w->newlines = newlines;
}

/* A block inside of a list is near to its neighbours. */
static unsigned gap(const struct walk *w)
{
    return w->depth ? 1 : 2;
}

/* Writes the line ends and indentation between the last text and the next one. */
static void begin_text(struct walk *w)
{
    struct tg_style between = {.quote = w->last_quote == w->style.quote ? w->style.quote : 0};
    if (w->d->text.len == 0 || w->newlines)
        w->blank = true;
    for (; w->newlines; w->newlines--) {
        if (w->d->text.len)
            tg_doc_add(w->d, STR("\n"), between);
        if (w->newlines > 1)
            continue;
        unsigned indent = w->marker ? w->depth - 1 : w->depth;
        if (!w->pre)
            for (unsigned i = 0; i < indent; i++)
                tg_doc_add(w->d, STR(INDENT), (struct tg_style){.quote = w->style.quote});
    }
    if (w->marker)
        tg_doc_add(w->d, str_of(w->marker), (struct tg_style){.quote = w->style.quote});
    w->marker = NULL;
    w->last_quote = w->style.quote;
}

static void add_raw(struct walk *w, struct str s)
{
    if (!s.len)
        return;
    begin_text(w);
    tg_doc_add(w->d, s, w->style);
    w->blank = isspace((unsigned char)s.s[s.len - 1]);
}

static void end_block(struct walk *w, unsigned newlines)
{
    if (!w->pre && w->d->text.len)
        tg_doc_trim_end(w->d);
    request_line_ends(w, newlines);
}

/* Words of a paragraph: white space is one blank or line end, and none at the start of a block. */
static void add_words(struct walk *w, struct str s)
{
    while (s.len) {
        size_t n = 0;
        if (isspace((unsigned char)s.s[0])) {
            bool line = false;
            for (; n < s.len && isspace((unsigned char)s.s[n]); n++)
                line |= s.s[n] == '\n';
            bool start = w->newlines || w->marker || w->d->text.len == 0;
            if (!start && !w->blank)
                tg_doc_add(w->d, line ? STR("\n") : STR(" "), w->style);
            w->blank = true;
        } else {
            while (n < s.len && !isspace((unsigned char)s.s[n]))
                n++;
            add_raw(w, (struct str){s.s, n});
        }
        s = str_from(s, n);
    }
}

static void add_text(struct walk *w, struct str html)
{
    if (w->skip)
        return;
    AUTO_STRBUF b;
    strbuf_init(&b, 2 * html.len + 8);
    html_decode(&b, html);
    if (w->is_math)
        strbuf_addstr(&w->tex, strbuf_str(&b));
    else if (w->pre || w->plain || w->code)
        add_raw(w, strbuf_str(&b));
    else
        add_words(w, strbuf_str(&b));
}

/* ---- tags ---- */

static bool attribute(struct str tag, const char *name, struct str *out)
{
    char wanted[32];
    int n = snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = memmem(tag.s, tag.len, wanted, (size_t)n);
    if (!at)
        return false;
    *out = (struct str){at + n, tag.len - (size_t)(at + n - tag.s)};
    *out = str_cut(out, '"');
    return true;
}

static bool has(struct str tag, const char *words)
{
    return memmem(tag.s, tag.len, words, strlen(words)) != NULL;
}

static void set_bit(struct walk *w, unsigned *depth, unsigned bit, bool open)
{
    if (open)
        ++*depth;
    else if (*depth)
        --*depth;
    w->style.bits = *depth ? w->style.bits | bit : w->style.bits & ~bit;
}

static void open_link(struct walk *w, struct str tag)
{
    struct str href;
    AUTO_STRBUF b;
    if (!attribute(tag, "href", &href))
        return;
    strbuf_init(&b, 2 * href.len + 8);
    html_decode(&b, href);
    struct str address = strbuf_str(&b);
    const struct str mail = STR("mailto:");
    begin_text(w);
    w->href = (struct str){0};
    w->link_at = w->d->text.len;
    if (str_starts(address, STR("https://")))
        w->style.link = tg_doc_word(w->d, address);
    else if (str_starts(address, mail)) /* no link in a message: the address follows the words */
        w->href = arena_str(w->d->a, str_from(address, mail.len));
}

static void close_link(struct walk *w)
{
    size_t from = w->link_at < w->d->text.len ? w->link_at : w->d->text.len;
    struct str shown = str_trim(str_from(strbuf_str(&w->d->text), from));
    w->style.link = 0;
    if (w->href.s && !str_eq(shown, w->href)) {
        add_words(w, STR(" ("));
        add_raw(w, w->href);
        add_raw(w, STR(")"));
    }
    w->href = (struct str){0};
}

static void open_list(struct walk *w, struct str tag, bool ordered)
{
    struct str start;
    int64_t first = 1;
    if (attribute(tag, "start", &start))
        str_to_int(start, 0, INT32_MAX, &first);
    end_block(w, gap(w));
    if (w->depth < LISTS_MAX)
        w->lists[w->depth] = (struct list){ordered, (unsigned)first};
    w->depth++;
}

static void open_item(struct walk *w)
{
    static const char *const bullets[] = {"• ", "◦ ", "▪ "};
    struct list *l = &w->lists[(w->depth < LISTS_MAX ? w->depth : LISTS_MAX) - (w->depth > 0)];
    end_block(w, w->newlines ? w->newlines : 1);
    if (l->ordered)
        snprintf(w->marker_text, sizeof w->marker_text, "%u. ", l->next++);
    else
        snprintf(w->marker_text, sizeof w->marker_text, "%s",
            bullets[(w->depth ? w->depth - 1 : 0) % ARRAY_LEN(bullets)]);
    w->marker = w->marker_text;
}

static void close_item(struct walk *w)
{
    if (w->marker)
        begin_text(w);
    end_block(w, 1);
}

static void open_quote(struct walk *w)
{
    end_block(w, gap(w));
    if (w->quotes++ == 0)
        w->style.quote = ++w->quote_count;
}

static void close_quote(struct walk *w)
{
    end_block(w, gap(w));
    if (w->quotes && --w->quotes == 0)
        w->style.quote = 0;
}

static void open_code_block(struct walk *w)
{
    if (w->plain)
        return;
    end_block(w, gap(w));
    if (w->marker) { /* an item that begins with code */
        begin_text(w);
        request_line_ends(w, 1);
    }
    w->pre = true;
    w->block_at = w->d->text.len;
    w->style.bits = 0;
    w->style.pre = tg_doc_word(w->d, STR(""));
}

static void close_code_block(struct walk *w)
{
    if (w->plain)
        return;
    if (w->d->text.len > w->block_at && w->d->text.s[w->d->text.len - 1] == '\n') {
        strbuf_truncate(&w->d->text, w->d->text.len - 1);
        while (w->d->runs_n && w->d->runs[w->d->runs_n - 1].at >= w->d->text.len)
            w->d->runs_n--;
    }
    w->style.pre = 0;
    w->newlines = 0; /* of a block without text */
    request_line_ends(w, w->d->text.len ? gap(w) : 0);
    w->pre = false;
}

static void open_code(struct walk *w, struct str tag)
{
    struct str class;
    const struct str language = STR("language-");
    if (!w->pre)
        set_bit(w, &w->code, STYLE_CODE, true);
    else if (attribute(tag, "class", &class) && str_starts(class, language))
        w->d->words[w->style.pre - 1] = arena_str(w->d->a, str_from(class, language.len));
}

static void close_code(struct walk *w)
{
    if (!w->pre)
        set_bit(w, &w->code, STYLE_CODE, false);
}

static void close_math(struct walk *w)
{
    AUTO_STRBUF b;
    strbuf_init(&b, TEX_TEXT_FACTOR * (w->tex.len + 1));
    tex_text(strbuf_str(&w->tex), &b);
    w->is_math = false;
    strbuf_clear(&w->tex);
    if (w->pre)
        return;
    add_raw(w, str_trim(strbuf_str(&b)));
}

static void set_script(struct walk *w, enum tex_line line, bool open)
{
    if (!open) {
        AUTO_STRBUF b;
        strbuf_init(&b, TEX_SCRIPT_FACTOR * (w->tex.len + 1));
        markdown_script_text(line, strbuf_str(&w->tex), &b);
        add_words(w, strbuf_str(&b));
    }
    w->is_math = open;
    strbuf_clear(&w->tex);
}

/* ---- tables ---- */

static void open_cell(struct walk *w, struct str tag)
{
    struct tg_table *t = &w->table;
    if (w->cells_n == w->cells_room) {
        w->cells_room = w->cells_room ? w->cells_room * 2 : 16;
        t->cells = xrealloc(t->cells, w->cells_room * sizeof *t->cells);
        t->right = xrealloc(t->right, w->cells_room * sizeof *t->right);
    }
    if (t->rows == 1)
        t->right[t->columns++] = has(tag, "align-right");
    w->d = &t->cells[w->cells_n++];
    tg_doc_init(w->d, w->whole->a, w->whole->text.cap);
    w->newlines = 0;
}

static void close_table(struct walk *w)
{
    struct tg_table *t = &w->table;
    w->d = w->whole;
    end_block(w, gap(w));
    if (w->cells_n == t->rows * t->columns && w->cells_n) {
        begin_text(w);
        if (tg_table_fits(t)) {
            AUTO_STRBUF b;
            strbuf_init(&b, w->d->text.cap);
            tg_table_text(t, &b);
            struct tg_style pre = {.quote = w->style.quote, .pre = tg_doc_word(w->d, STR(""))};
            tg_doc_add(w->d, strbuf_str(&b), pre);
        } else {
            struct tg_doc lines;
            tg_doc_init(&lines, w->d->a, w->d->text.cap);
            tg_table_lines(t, &lines);
            tg_doc_append(w->d, &lines, w->style);
            tg_doc_release(&lines);
        }
    }
    for (size_t i = 0; i < w->cells_n; i++)
        tg_doc_release(&t->cells[i]);
    free(t->cells);
    free(t->right);
    *t = (struct tg_table){0};
    w->cells_n = w->cells_room = 0;
    request_line_ends(w, gap(w));
}

/* ---- elements ---- */

static void heading(struct walk *w, bool open)
{
    end_block(w, gap(w));
    set_bit(w, &w->bold, STYLE_BOLD, open);
}

/* Elements that only group others are not in here. */
static void element(struct walk *w, struct str name, struct str tag, bool open)
{
    if (str_is(name, "strong"))
        set_bit(w, &w->bold, STYLE_BOLD, open);
    else if (str_is(name, "em"))
        set_bit(w, &w->italic, STYLE_ITALIC, open);
    else if (str_is(name, "del"))
        set_bit(w, &w->strike, STYLE_STRIKE, open);
    else if (str_is(name, "sub") || str_is(name, "sup"))
        set_script(w, str_is(name, "sup") ? TEX_RAISED : TEX_LOWERED, open);
    else if (str_is(name, "code"))
        open ? open_code(w, tag) : close_code(w);
    else if (str_is(name, "a"))
        open ? open_link(w, tag) : close_link(w);
    else if (str_is(name, "p"))
        end_block(w, gap(w));
    else if (name.len == 2 && name.s[0] == 'h' && isdigit((unsigned char)name.s[1]))
        heading(w, open);
    else if (str_is(name, "blockquote"))
        open ? open_quote(w) : close_quote(w);
    else if (str_is(name, "pre"))
        open ? open_code_block(w) : close_code_block(w);
    else if (str_is(name, "ul") || str_is(name, "ol")) {
        if (open) {
            open_list(w, tag, name.s[0] == 'o');
        } else {
            if (w->depth)
                w->depth--;
            end_block(w, gap(w));
        }
    } else if (str_is(name, "li"))
        open ? open_item(w) : close_item(w);
    else if (str_is(name, "br") && open) {
        tg_doc_trim_end(w->d);
        request_line_ends(w, 1);
    } else if (str_is(name, "hr")) {
        end_block(w, gap(w));
        add_raw(w, STR(RULE));
        end_block(w, gap(w));
    } else if (str_is(name, "input"))
        w->marker = has(tag, " checked") ? "☑ " : "☐ ";
    else if (str_is(name, "tr") && open)
        w->table.rows++;
    else if ((str_is(name, "th") || str_is(name, "td")) && open)
        open_cell(w, tag);
    else if (str_is(name, "table"))
        open ? end_block(w, gap(w)) : close_table(w);
}

/* True for a tag of a formula or of an element that is not shown: nothing more is done with it. */
static bool formula_or_hidden(struct walk *w, struct str name, struct str tag, bool open)
{
    bool block = str_is(name, "div");
    if (!block && !str_is(name, "span") && !str_is(name, "button") && !str_is(name, "p"))
        return false;
    if (w->skip) {
        if (open)
            w->skip++;
        else
            w->skip--;
        return true;
    }
    if (open && has(tag, " class=\"code-head\"")) {
        w->skip = 1;
        return true;
    }
    if (open && has(tag, " class=\"plain\""))
        w->plain = true;
    if (open && has(tag, " class=\"math\"")) {
        if (block)
            end_block(w, gap(w));
        w->is_math = true;
        return true;
    }
    if (!open && w->is_math) {
        close_math(w);
        if (block)
            end_block(w, gap(w));
        return true;
    }
    return false;
}

static void on_tag(struct walk *w, struct str tag)
{
    bool open = tag.len && tag.s[0] != '/';
    struct str rest = open ? tag : str_from(tag, 1);
    struct str name = str_cut(&rest, ' ');
    if (!formula_or_hidden(w, name, tag, open) && !w->skip)
        element(w, name, tag, open);
}

void tg_walk(struct tg_doc *d, struct str markdown)
{
    struct walk w = {.d = d, .whole = d};
    AUTO_STRBUF html;
    strbuf_init(&html, HTML_FACTOR * markdown.len + HTML_MORE);
    if (markdown_html(markdown, &html, NULL) != RC_OK)
        return tg_doc_add(d, markdown, (struct tg_style){0});
    strbuf_init(&w.tex, html.cap);
    for (struct str rest = strbuf_str(&html); rest.len;) {
        const char *tag = memchr(rest.s, '<', rest.len);
        size_t n = tag ? (size_t)(tag - rest.s) : rest.len;
        add_text(&w, (struct str){rest.s, n});
        rest = str_from(rest, n);
        if (!rest.len)
            break;
        rest = str_from(rest, 1);
        struct str inside = str_cut(&rest, '>');
        on_tag(&w, inside);
        if (!rest.s)
            break;
    }
    strbuf_release(&w.tex);
    tg_doc_trim_end(d);
}
