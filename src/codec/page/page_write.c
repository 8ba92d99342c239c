#include "codec/page/page_write.h"

#include <ctype.h>
#include <stdio.h>

#include "base/mem.h"
#include "codec/page/page_script.h"
#include "codec/page/page_table.h"

#define NUMBER_MAX   1000000000L /* of an item of a list */
#define SCRIPTS_MAX  4           /* inside each other; deeper ones have no mark */
#define LANGUAGE_MAX 20          /* bytes of the name of a programming language */

struct list {
    bool ordered;
    long next;
};

struct writer {
    struct page_visitor v;
    struct page_lines *l;
    bool only_articles, in_table;
    unsigned articles, pre, code; /* open ones */
    struct list lists[PAGE_LINES_DEPTH_MAX];
    size_t depth;               /* of lists */
    bool brackets[SCRIPTS_MAX]; /* opened before the text of a superscript or subscript */
    size_t scripts;
    struct page_table table;
    struct str language;
};

/* Line ends around an element: 2 with an empty line, 0 within a line. */
static unsigned breaks_of(GumboTag tag)
{
    switch (tag) {
    case GUMBO_TAG_P:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_DIR:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_LISTING:
    case GUMBO_TAG_XMP:
    case GUMBO_TAG_PLAINTEXT:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6: return 2;
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_LEGEND:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH: return 1;
    default: return 0;
    }
}

static bool is_heading(GumboTag tag)
{
    return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6;
}

static bool is_list(GumboTag tag)
{
    return tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL || tag == GUMBO_TAG_MENU || tag == GUMBO_TAG_DIR;
}

/* Preformatted text becomes a fence; not in a cell or a heading. */
static bool is_code_block(GumboTag tag)
{
    return tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_LISTING || tag == GUMBO_TAG_XMP ||
           tag == GUMBO_TAG_PLAINTEXT;
}

static bool is_code(GumboTag tag)
{
    return tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD || tag == GUMBO_TAG_SAMP || tag == GUMBO_TAG_TT;
}

/* The class "language-x" or "lang-x" of <pre> or of the <code> in it. */
static struct str language_of(const GumboNode *element)
{
    struct str classes = page_attribute(element, "class");
    while (classes.len) {
        struct str one = str_cut(&classes, ' ');
        struct str start = str_starts(one, STR("language-")) ? STR("language-") : STR("lang-");
        if (!str_starts(one, start))
            continue;
        one = str_from(one, start.len);
        bool good = one.len && one.len <= LANGUAGE_MAX;
        for (size_t i = 0; i < one.len && good; i++)
            good = isalnum((unsigned char)one.s[i]) || one.s[i] == '+' || one.s[i] == '#' || one.s[i] == '-';
        if (good)
            return one;
    }
    return (struct str){0};
}

/* The sign beside a heading that links to the heading itself. */
static bool is_permalink(const GumboNode *element)
{
    static const char *const signs[] = {"#", "\u00A7", "\u00B6", "\u200B", "\U0001F517"};
    const GumboVector *children = &element->v.element.children;
    const GumboNode *text = children->length == 1 ? children->data[0] : NULL;
    return page_tag(element) == GUMBO_TAG_A && text && text->type == GUMBO_NODE_TEXT &&
           str_starts(page_attribute(element, "href"), STR("#")) && STR_IN(str_of(text->v.text.text), signs);
}

static void write_picture(struct writer *w, const GumboNode *element)
{
    struct str alt = str_trim(page_attribute(element, "alt"));
    if (!alt.len)
        return;
    page_lines_add(w->l, STR("["));
    page_lines_text(w->l, alt);
    w->l->space = false;
    page_lines_add(w->l, STR("]"));
}

static void begin_list(struct writer *w, const GumboNode *element, GumboTag tag)
{
    if (w->depth++ < PAGE_LINES_DEPTH_MAX)
        w->lists[w->depth - 1] =
            (struct list){tag == GUMBO_TAG_OL, page_number(element, "start", NUMBER_MAX, 1)};
}

static void begin_item(struct writer *w, const GumboNode *element)
{
    struct list *list = w->depth && w->depth <= PAGE_LINES_DEPTH_MAX ? &w->lists[w->depth - 1] : NULL;
    char first[PAGE_LINES_MARK_MAX] = "- ", later[PAGE_LINES_MARK_MAX] = {0};
    if (list && list->ordered) {
        list->next = page_number(element, "value", NUMBER_MAX, list->next);
        snprintf(first, sizeof first, "%ld. ", list->next++);
    }
    memset(later, ' ', strlen(first));
    page_lines_push(w->l, first, later);
}

static void begin_script(struct writer *w, const GumboNode *element)
{
    w->l->script = NULL;
    if (w->scripts++ >= SCRIPTS_MAX)
        return;
    w->l->bracket = &w->brackets[w->scripts - 1];
    *w->l->bracket = false;
    w->l->script = page_script_mark(element);
}

static void end_script(struct writer *w)
{
    w->l->script = NULL;
    if (w->scripts-- > SCRIPTS_MAX || !w->brackets[w->scripts])
        return;
    w->l->space = false;
    page_lines_add(w->l, STR(")"));
}

/* The elements that are more than line ends. */
static void begin(struct writer *w, const GumboNode *element, GumboTag tag)
{
    struct page_lines *l = w->l;
    bool in_line = l->aside || l->flat;
    if (is_heading(tag)) {
        char mark[PAGE_LINES_MARK_MAX] = "###### ";
        if (!in_line)
            page_lines_push(l, mark + (GUMBO_TAG_H6 - tag), "");
        l->flat++;
    } else if (is_code_block(tag) && !in_line) {
        w->pre++;
        w->language = language_of(element);
        page_lines_apart(l, true);
    } else if (is_code(tag) && !w->code++) {
        page_lines_code_begin(l);
    } else if (tag == GUMBO_TAG_Q) {
        page_lines_add(l, STR("\""));
    } else if (tag == GUMBO_TAG_SUP || tag == GUMBO_TAG_SUB) {
        begin_script(w, element);
    } else if (in_line) {
        return;
    } else if (is_list(tag)) {
        begin_list(w, element, tag);
    } else if (tag == GUMBO_TAG_LI) {
        begin_item(w, element);
    } else if (tag == GUMBO_TAG_DD) {
        page_lines_push(l, ": ", "  ");
    } else if (tag == GUMBO_TAG_BLOCKQUOTE) {
        page_lines_push(l, "> ", "> ");
    } else if (tag == GUMBO_TAG_TABLE && page_table_has_data(element)) {
        page_table_init(&w->table);
        w->in_table = true;
    }
}

static void finish(struct writer *w, GumboTag tag)
{
    struct page_lines *l = w->l;
    if (is_heading(tag))
        l->flat--;
    bool in_line = l->aside || l->flat;
    if (is_heading(tag)) {
        if (!in_line)
            page_lines_pop(l);
    } else if (is_code(tag) && !--w->code) {
        page_lines_code_end(l);
    } else if (tag == GUMBO_TAG_Q) {
        page_lines_add(l, STR("\""));
    } else if (tag == GUMBO_TAG_SUP || tag == GUMBO_TAG_SUB) {
        end_script(w);
    } else if (in_line) {
        return;
    } else if (is_list(tag)) {
        w->depth--;
    } else if (tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DD || tag == GUMBO_TAG_BLOCKQUOTE) {
        page_lines_pop(l);
    } else if (tag == GUMBO_TAG_TABLE && w->in_table) {
        page_table_release(&w->table);
        w->in_table = false;
    }
}

static void break_for(struct writer *w, GumboTag tag)
{
    unsigned n = breaks_of(tag);
    if (n)
        page_lines_break(w->l, is_list(tag) && w->depth ? 1 : n);
}

/* True when the tag is of the table that is being written. */
static bool table_begins(struct writer *w, GumboTag tag)
{
    if (!w->in_table)
        return false;
    if (tag == GUMBO_TAG_TR)
        page_table_row(&w->table);
    else if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH)
        page_lines_apart(w->l, false);
    else
        return false;
    return true;
}

static bool table_ends(struct writer *w, const GumboNode *element, GumboTag tag)
{
    if (!w->in_table)
        return false;
    if (tag == GUMBO_TAG_TR)
        page_table_row_end(&w->table, w->l);
    else if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH)
        page_table_cell(&w->table, element, page_lines_joined(w->l));
    else
        return false;
    return true;
}

static bool write_enter(struct page_visitor *v, const GumboNode *element)
{
    struct writer *w = (struct writer *)v;
    GumboTag tag = page_tag(element);
    if (tag == GUMBO_TAG_ARTICLE)
        w->articles++;
    if (w->only_articles && !w->articles)
        return true;
    if (w->pre) {
        w->pre += is_code_block(tag);
        if (!w->language.len)
            w->language = language_of(element);
        if (tag == GUMBO_TAG_BR)
            page_lines_br(w->l);
        else
            break_for(w, tag);
        return true;
    }
    if (tag == GUMBO_TAG_BR) {
        page_lines_br(w->l);
    } else if (tag == GUMBO_TAG_IMG) {
        write_picture(w, element);
    } else if (w->l->flat && is_permalink(element)) {
        return false;
    } else if (tag == GUMBO_TAG_MATH && page_attribute(element, "alttext").len) {
        page_lines_text(w->l, page_attribute(element, "alttext"));
        return false;
    } else if (!table_begins(w, tag)) {
        break_for(w, tag);
        begin(w, element, tag);
    }
    return true;
}

static void write_leave(struct page_visitor *v, const GumboNode *element)
{
    struct writer *w = (struct writer *)v;
    GumboTag tag = page_tag(element);
    bool left_out = w->only_articles && !w->articles;
    if (tag == GUMBO_TAG_ARTICLE)
        w->articles--;
    if (left_out)
        return;
    if (w->pre && (!is_code_block(tag) || --w->pre)) {
        break_for(w, tag);
        return;
    }
    if (is_code_block(tag) && w->l->exact)
        page_lines_fence(w->l, page_lines_joined(w->l), w->language);
    else if (!table_ends(w, element, tag)) {
        finish(w, tag);
        break_for(w, tag);
    }
}

static void write_text(struct page_visitor *v, struct str text)
{
    struct writer *w = (struct writer *)v;
    if (w->only_articles && !w->articles)
        return;
    page_lines_text(w->l, text);
    v->stop = w->l->full;
}

void page_write(const GumboNode *from, bool articles, struct page_lines *l)
{
    struct writer w = {.v = {write_enter, write_leave, write_text, false}, .l = l, .only_articles = articles};
    page_walk(from, &w.v);
    page_table_release(&w.table);
}

struct str page_write_line(const GumboNode *from, struct page_lines *l)
{
    page_lines_apart(l, false);
    page_write(from, false, l);
    return page_lines_joined(l);
}
