/*
 * OpenDocument (OASIS ODF 1.3): texts, sheets and presentations have the same elements. A paragraph is
 * written when it ends. Paragraphs of a note are kept for the end of the text.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/document/document_slide.h"
#include "codec/document/odf_sheet.h"
#include "codec/document/odf_styles.h"

#define NOTES_MAX 100000
#define LABEL_MAX 128

enum {
    SHEETS = 1,
    H,
    P,
    SPACE,
    TAB,
    BREAK,
    LINK,
    LIST,
    ITEM,
    NOTE,
    NOTE_BODY,
    TABLE,
    ROW,
    CELL,
    COVERED,
    PAGE,
    FRAME,
    PAGE_NOTES,
    WORDS,
    ENCRYPTED,
    INLINE
};

static const struct xml_tag tags[] = {
    {NS_TEXT, "p", P},
    {NS_TEXT, "span", INLINE},
    {NS_TABLE, "table-cell", CELL},
    {NS_TABLE, "table-row", ROW},
    {NS_TABLE, "covered-table-cell", COVERED},
    {NS_TABLE, "table", TABLE},
    {NS_TEXT, "h", H},
    {NS_TEXT, "s", SPACE},
    {NS_TEXT, "tab", TAB},
    {NS_TEXT, "line-break", BREAK},
    {NS_TEXT, "a", LINK},
    {NS_TEXT, "list", LIST},
    {NS_TEXT, "list-item", ITEM},
    {NS_TEXT, "note", NOTE},
    {NS_TEXT, "note-body", NOTE_BODY},
    {NS_OFFICE, "spreadsheet", SHEETS},
    {NS_DRAW, "page", PAGE},
    {NS_DRAW, "frame", FRAME},
    {NS_PRESENTATION, "notes", PAGE_NOTES},
    {NS_SVG, "desc", WORDS},
    {NS_TEXT, "note-citation", XML_SKIP},
    {NS_TEXT, "tracked-changes", XML_SKIP},
    {NS_TEXT, "hidden-text", XML_SKIP},
    {NS_TEXT, "ruby-text", XML_SKIP},
    {NS_TABLE, "tracked-changes", XML_SKIP},
    {NS_TABLE, "shapes", XML_SKIP},
    {NS_OFFICE, "annotation", XML_SKIP},
    {NS_OFFICE, "automatic-styles", XML_SKIP},
    {NS_OFFICE, "forms", XML_SKIP},
    {NS_SVG, "title", XML_SKIP},
    {0},
};

struct paragraph {
    struct paragraph *outer;
    struct strbuf text;
    int heading; /* 0: none */
    size_t link;
    struct str url; /* of the open link that begins at `link` */
};

struct odf {
    struct document *d;
    struct odf_styles styles;
    struct odf_sheet sheet;
    struct document_slide slide;
    struct paragraph *p; /* the innermost open one */
    struct strbuf notes, words;
    unsigned notes_n, note_depth;
    bool is_sheets, in_title, in_page_notes, has_page_notes, in_furniture;
    unsigned page;
    struct str list_styles[ODF_LEVELS]; /* of the open lists */
    unsigned level;                     /* open lists */
    int64_t counts[ODF_LEVELS];
    bool item; /* the label of the next paragraph is due */
};

/* ---- lists ---- */

static void begin_list(struct odf *x, xml_attributes at)
{
    const char *style = xml_attribute(at, "style-name"), *on = xml_attribute(at, "continue-numbering");
    if (x->level < ODF_LEVELS) {
        struct str outer = x->level ? x->list_styles[x->level - 1] : (struct str){0};
        x->list_styles[x->level] = style ? arena_str(x->d->arena, str_of(style)) : outer;
    }
    bool continued = (on && strcmp(on, "true") == 0) || xml_attribute(at, "continue-list");
    if (x->level < ODF_LEVELS && !continued)
        x->counts[x->level] = -1;
    x->level++;
}

static void write_label(struct odf *x, unsigned level, struct strbuf *out)
{
    const struct odf_list_style *style = odf_styles_list(&x->styles, x->list_styles[level]);
    const struct odf_level *l = style ? &style->levels[level] : NULL;
    if (!l || !l->numbered) {
        strbuf_addc(out, '-');
        return;
    }
    x->counts[level] = x->counts[level] < 0 ? l->start : x->counts[level] + 1;
    strbuf_addstr(out, l->before);
    unsigned first = (unsigned)l->shown <= level ? level + 1 - (unsigned)l->shown : 0;
    for (unsigned i = first; i <= level; i++) {
        if (i > first)
            strbuf_addc(out, '.');
        numeral_add(out, style->levels[i].form, x->counts[i] < 0 ? 1 : x->counts[i]);
    }
    strbuf_addstr(out, l->after);
}

/* ---- paragraphs ---- */

static void begin_paragraph(struct odf *x, int heading)
{
    struct paragraph *p = xcalloc(1, sizeof *p);
    strbuf_init(&p->text, x->d->out.text.cap);
    p->outer = x->p;
    p->heading = heading;
    x->p = p;
}

static void free_paragraph(struct odf *x)
{
    struct paragraph *p = x->p;
    x->p = p->outer;
    strbuf_release(&p->text);
    free(p);
}

static void write_note(struct odf *x, struct str text)
{
    if (!text.len)
        return;
    if (x->notes.len)
        strbuf_addc(&x->notes, x->note_depth == 2 ? ' ' : '\n');
    if (x->note_depth == 1)
        strbuf_addf(&x->notes, "[^%u]: ", x->notes_n);
    strbuf_addstr(&x->notes, text);
    x->note_depth = 2;
}

static void write_item(struct odf *x, struct paragraph *p, struct str text)
{
    unsigned level = x->level < ODF_LEVELS ? x->level - 1 : ODF_LEVELS - 1;
    AUTO_STRBUF label;
    strbuf_init(&label, LABEL_MAX);
    write_label(x, level, &label);
    x->item = false;
    if (p->heading && label.len && label.s[0] != '-') {
        strbuf_addc(&label, ' ');
        strbuf_addstr(&label, text);
        document_heading(&x->d->out, (unsigned)p->heading, label.failed ? text : strbuf_str(&label));
    } else if (p->heading)
        document_heading(&x->d->out, (unsigned)p->heading, text);
    else
        document_item(&x->d->out, level, label.len ? label.s : "-", text);
}

static void write_paragraph(struct odf *x, struct paragraph *p)
{
    struct document_out *out = &x->d->out;
    struct str text = str_trim(strbuf_str(&p->text));
    if (!text.len || x->in_furniture)
        return;
    if (x->note_depth)
        write_note(x, text);
    else if (x->sheet.in_cell) {
        strbuf_adds(&x->sheet.text, x->sheet.text.len ? "\n" : "");
        strbuf_addstr(&x->sheet.text, text);
    } else if (x->in_title && x->slide.open)
        document_slide_title(&x->slide, text);
    else if (x->in_page_notes && !x->has_page_notes) {
        document_block(out, "Notes:\n\n", text);
        x->has_page_notes = true;
    } else if (x->item && x->level && !x->in_page_notes)
        write_item(x, p, text);
    else if (p->heading)
        document_heading(out, (unsigned)p->heading, text);
    else
        document_block(out, "", text);
}

static void end_paragraph(struct odf *x)
{
    if (!x->p)
        return;
    write_paragraph(x, x->p);
    x->d->limits.full = x->d->limits.full || x->p->text.failed || x->notes.failed;
    free_paragraph(x);
}

static void add(struct odf *x, struct str text)
{
    if (x->p)
        strbuf_addstr(&x->p->text, text);
}

static void add_spaces(struct odf *x, xml_attributes at)
{
    for (int64_t n = xml_number(xml_attribute(at, "c"), 1, 100, 1); n > 0; n--)
        add(x, STR(" "));
}

/* Line ends and indentation of the XML are single blanks, and none at the start of a line. */
static void add_text(struct odf *x, struct str text)
{
    struct strbuf *out = &x->p->text;
    for (size_t i = 0; i < text.len; i++) {
        bool space = str_is_space(text.s[i]);
        if (!space)
            strbuf_addc(out, text.s[i]);
        else if (out->len && !str_is_space(out->s[out->len - 1]))
            strbuf_addc(out, ' ');
    }
}

/* ---- events ---- */

static void begin_paragraph_of(struct odf *x, int tag, xml_attributes at)
{
    int heading = 0;
    if (tag == H)
        heading = (int)xml_number(xml_attribute(at, "outline-level"), 1, 10, 1);
    else if (odf_styles_is_title(&x->styles, xml_attribute(at, "style-name")))
        heading = 1;
    begin_paragraph(x, heading);
}

static void begin_note(struct odf *x)
{
    x->d->limits.full = x->d->limits.full || x->notes_n == NOTES_MAX;
    if (x->p)
        strbuf_addf(&x->p->text, "[^%u]", ++x->notes_n);
}

static void begin_link(struct odf *x, xml_attributes at)
{
    const char *url = xml_attribute(at, "href");
    if (!x->p || !url || !document_is_address(str_of(url)))
        return;
    x->p->link = x->p->text.len;
    x->p->url = arena_str(x->d->arena, str_of(url));
}

static void begin_table(struct odf *x, xml_attributes at)
{
    const char *name = xml_attribute(at, "name"), *style = xml_attribute(at, "style-name");
    if (x->is_sheets && !x->sheet.open)
        odf_sheet_begin(
            &x->sheet, arena_str(x->d->arena, str_of(name ? name : "")), odf_styles_hides(&x->styles, style));
    else if (!x->is_sheets)
        document_table_begin(&x->d->out, false);
}

static void begin_cell(struct odf *x, xml_attributes at)
{
    unsigned n = (unsigned)xml_number(xml_attribute(at, "number-columns-repeated"), 1, 64, 1);
    if (x->is_sheets) {
        odf_sheet_cell(&x->sheet, at);
        return;
    }
    document_table_cell(&x->d->out);
    document_table_span(&x->d->out, n);
}

static void begin_page(struct odf *x)
{
    document_slide_begin(&x->slide, &x->d->out, ++x->page);
    x->has_page_notes = false;
}

static void begin_frame(struct odf *x, xml_attributes at)
{
    static const char *const furniture[] = {"header", "footer", "date-time", "page-number"};
    const char *class = xml_attribute(at, "class");
    x->in_title = class && strcmp(class, "title") == 0;
    x->in_furniture = class && STR_IN(str_of(class), furniture);
}

static void on_start(void *arg, int tag, xml_attributes at)
{
    struct odf *x = arg;
    switch (tag) {
    case SHEETS: x->is_sheets = true; break;
    case H:
    case P: begin_paragraph_of(x, tag, at); break;
    case SPACE: add_spaces(x, at); break;
    case TAB: add(x, STR("\t")); break;
    case BREAK: add(x, STR("\n")); break;
    case LINK: begin_link(x, at); break;
    case LIST: begin_list(x, at); break;
    case ITEM: x->item = true; break;
    case NOTE: begin_note(x); break;
    case NOTE_BODY: x->note_depth = 1; break;
    case TABLE: begin_table(x, at); break;
    case ROW:
        if (x->is_sheets)
            odf_sheet_row(&x->sheet, at);
        else
            document_table_row(&x->d->out);
        break;
    case CELL:
    case COVERED: begin_cell(x, at); break;
    case PAGE: begin_page(x); break;
    case FRAME: begin_frame(x, at); break;
    case PAGE_NOTES: x->in_page_notes = true; break;
    case WORDS: strbuf_clear(&x->words); break;
    default: break;
    }
}

static void end_words(struct odf *x)
{
    struct str words = str_trim(strbuf_str(&x->words));
    if (!words.len || x->is_sheets)
        return;
    begin_paragraph(x, 0);
    add(x, STR("["));
    add(x, words);
    add(x, STR("]"));
    end_paragraph(x);
}

static void on_end(void *arg, int tag)
{
    struct odf *x = arg;
    switch (tag) {
    case H:
    case P: end_paragraph(x); break;
    case LINK:
        if (x->p)
            document_link(&x->p->text, x->p->link, x->p->url);
        if (x->p)
            x->p->url = (struct str){0};
        break;
    case LIST: x->level -= x->level > 0; break;
    case ITEM: x->item = false; break;
    case NOTE_BODY: x->note_depth = 0; break;
    case TABLE:
        if (x->is_sheets)
            odf_sheet_end(&x->sheet, &x->d->out);
        else
            document_table_end(&x->d->out);
        break;
    case CELL:
    case COVERED:
        if (x->is_sheets)
            odf_sheet_cell_end(&x->sheet, &x->d->out);
        break;
    case PAGE: document_slide_end(&x->slide, &x->d->out); break;
    case FRAME: x->in_title = x->in_furniture = false; break;
    case PAGE_NOTES: x->in_page_notes = false; break;
    case WORDS: end_words(x); break;
    default: break;
    }
}

static void on_text(void *arg, int tag, struct str text)
{
    struct odf *x = arg;
    if (tag == WORDS)
        strbuf_addstr(&x->words, text);
    else if (x->p && (tag == P || tag == H || tag == INLINE || tag == LINK))
        add_text(x, text);
}

/* ---- encryption ---- */

static void on_encrypted(void *arg, int tag, xml_attributes at)
{
    (void)tag, (void)at;
    *(bool *)arg = true;
}

/* RC_FORBIDDEN: it has a password. */
static enum rc check_encryption(struct document *d, struct err *e)
{
    static const struct xml_tag manifest_tags[] = {{NS_MANIFEST, "encryption-data", ENCRYPTED}, {0}};
    static const struct xml_ops ops = {.start = on_encrypted};
    bool encrypted = false;
    enum rc rc = document_part(d, STR("META-INF/manifest.xml"), manifest_tags, &ops, &encrypted, e);
    return rc == RC_OK && encrypted ? err_set(e, RC_FORBIDDEN, "an encrypted document") : rc;
}

static enum rc read_content(struct odf *x, struct err *e)
{
    static const struct xml_ops ops = {on_start, on_end, on_text};
    enum rc rc = odf_styles_read(x->d, &x->styles, e);
    if (rc == RC_OK && !document_zip_find(&x->d->zip, STR("content.xml")))
        rc = err_set(e, RC_BAD_INPUT, "no content");
    if (rc == RC_OK)
        rc = document_part(x->d, STR("content.xml"), tags, &ops, x, e);
    if (rc == RC_OK)
        document_block(&x->d->out, "", strbuf_str(&x->notes));
    return rc;
}

enum rc odf_read(struct document *d, struct err *e)
{
    struct odf x = {.d = d};
    strbuf_init(&x.notes, d->out.text.cap);
    strbuf_init(&x.words, d->out.text.cap);
    odf_sheet_init(&x.sheet, d->out.text.cap);
    enum rc rc = check_encryption(d, e);
    if (rc == RC_OK)
        rc = read_content(&x, e);
    document_slide_end(&x.slide, &d->out);
    while (x.p)
        free_paragraph(&x);
    strbuf_release(&x.notes);
    strbuf_release(&x.words);
    odf_sheet_release(&x.sheet);
    odf_styles_release(&x.styles);
    return rc;
}
