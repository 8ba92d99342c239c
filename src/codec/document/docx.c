/*
 * Word (ISO 29500-1, 17). A paragraph is written when it ends. One within another, that of a text box, is
 * therefore written before it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/document/docx_fields.h"
#include "codec/document/docx_styles.h"

#define NOTES_MAX 100000

enum {
    P = 1,
    PPR,
    RPR,
    STYLE,
    OUTLINE,
    NUM_ID,
    NUM_LEVEL,
    R,
    VANISH,
    TEXT,
    TAB,
    BREAK,
    HYPHEN,
    SYMBOL,
    DELETED,
    LINK,
    FIELD,
    INSTRUCTION,
    NOTE_REF,
    END_REF,
    NOTE,
    TABLE,
    ROW,
    ROW_PR,
    CELL,
    SPAN,
    BEFORE,
    PICTURE,
    M_TEXT,
    M_NUM,
    M_DEN,
    M_SUP,
    M_SUB,
    M_ROOT
};

static const struct xml_tag tags[] = {
    {NS_W, "r", R},
    {NS_W, "t", TEXT},
    {NS_W, "rPr", RPR},
    {NS_W, "p", P},
    {NS_W, "pPr", PPR},
    {NS_W, "pStyle", STYLE},
    {NS_W, "tc", CELL},
    {NS_W, "tr", ROW},
    {NS_W, "tbl", TABLE},
    {NS_W, "outlineLvl", OUTLINE},
    {NS_W, "numId", NUM_ID},
    {NS_W, "ilvl", NUM_LEVEL},
    {NS_W, "vanish", VANISH},
    {NS_W, "tab", TAB},
    {NS_W, "ptab", TAB},
    {NS_W, "br", BREAK},
    {NS_W, "cr", BREAK},
    {NS_W, "noBreakHyphen", HYPHEN},
    {NS_W, "sym", SYMBOL},
    {NS_W, "del", DELETED},
    {NS_W, "moveFrom", DELETED},
    {NS_W, "hyperlink", LINK},
    {NS_W, "fldChar", FIELD},
    {NS_W, "instrText", INSTRUCTION},
    {NS_W, "footnoteReference", NOTE_REF},
    {NS_W, "endnoteReference", END_REF},
    {NS_W, "footnote", NOTE},
    {NS_W, "endnote", NOTE},
    {NS_W, "trPr", ROW_PR},
    {NS_W, "gridSpan", SPAN},
    {NS_W, "gridBefore", BEFORE},
    {NS_WP, "docPr", PICTURE},
    {NS_M, "t", M_TEXT},
    {NS_M, "num", M_NUM},
    {NS_M, "den", M_DEN},
    {NS_M, "sup", M_SUP},
    {NS_M, "sub", M_SUB},
    {NS_M, "rad", M_ROOT},
    {NS_W, "tabs", XML_SKIP},
    {NS_W, "pPrChange", XML_SKIP},
    {NS_W, "rPrChange", XML_SKIP},
    {NS_W, "tblPr", XML_SKIP},
    {NS_W, "tblPrEx", XML_SKIP},
    {NS_W, "tblGrid", XML_SKIP},
    {NS_W, "trPrChange", XML_SKIP},
    {NS_W, "tcPrChange", XML_SKIP},
    {NS_W, "sectPr", XML_SKIP},
    {NS_W, "sdtPr", XML_SKIP},
    {NS_W, "sdtEndPr", XML_SKIP},
    {NS_W, "rt", XML_SKIP},
    {NS_W, "rubyPr", XML_SKIP},
    {NS_W, "delInstrText", XML_SKIP},
    {0},
};

struct paragraph {
    struct paragraph *outer;
    struct strbuf text;
    const char *style;
    struct docx_form form;
    bool joined; /* its end was deleted: the next one continues it */
    size_t link;
    struct str url; /* of the open link that begins at `link` */
};

struct note {
    bool end; /* an endnote */
    int64_t id;
    unsigned number;
};

struct docx {
    struct document *d;
    struct relations relations;
    struct docx_styles *styles;
    struct paragraph *p; /* the innermost open one */
    struct docx_fields fields;
    struct strbuf carry; /* text of a joined paragraph */
    struct {
        struct note *list; /* in the order of the text */
        size_t n, room;
    } notes;
    unsigned deleted; /* open elements with deleted text */
    bool in_ppr, in_row_pr, hidden;
    bool in_notes, end_notes; /* notes are read */
    bool muted;               /* a note without a reference */
    char mark[32];            /* "[^1]: ", before the next block */
};

/* ---- paragraphs ---- */

static void begin_paragraph(struct docx *x)
{
    struct paragraph *p = xcalloc(1, sizeof *p);
    strbuf_init(&p->text, x->d->out.text.cap);
    p->outer = x->p;
    p->form = (struct docx_form){DOCX_UNSET, DOCX_UNSET, DOCX_UNSET};
    strbuf_addstr(&p->text, strbuf_str(&x->carry));
    strbuf_clear(&x->carry);
    x->p = p;
}

static void free_paragraph(struct docx *x)
{
    struct paragraph *p = x->p;
    x->p = p->outer;
    strbuf_release(&p->text);
    free(p);
}

/* Also counts the items of lists without text. */
static void write_paragraph(struct docx *x, struct paragraph *p)
{
    struct document_out *out = &x->d->out;
    struct str text = strbuf_str(&p->text);
    AUTO_STRBUF label;
    strbuf_init(&label, 512);
    docx_styles_apply(x->styles, p->style, &p->form);
    bool item = p->form.list > 0 && str_trim(text).len && docx_styles_label(x->styles, &p->form, &label);
    if (x->muted)
        return;
    if (*x->mark && str_trim(text).len) {
        document_block(out, x->mark, text);
        *x->mark = '\0';
    } else if (p->form.heading > DOCX_NO_HEADING) {
        if (item && label.s[0] != '-') {
            strbuf_addc(&label, ' ');
            strbuf_addstr(&label, str_trim(text));
            text = strbuf_str(&label);
        }
        AUTO_STRBUF line;
        strbuf_init(&line, text.len);
        for (size_t i = 0; i < text.len; i++)
            strbuf_addc(&line, text.s[i] == '\n' ? ' ' : text.s[i]);
        document_heading(out, (unsigned)p->form.heading, strbuf_str(&line));
    } else if (item && label.len)
        document_item(out, (unsigned)(p->form.level > 0 ? p->form.level : 0), label.s, text);
    else
        document_block(out, "", text);
}

static void end_link(struct paragraph *p)
{
    document_link(&p->text, p->link, p->url);
    p->url = (struct str){0};
}

static void end_paragraph(struct docx *x)
{
    struct paragraph *p = x->p;
    if (!p)
        return;
    docx_fields_cut(&x->fields, &p->text);
    if (p->joined)
        strbuf_addstr(&x->carry, strbuf_str(&p->text));
    else
        write_paragraph(x, p);
    x->d->limits.full = x->d->limits.full || p->text.failed || x->carry.failed;
    free_paragraph(x);
}

static void add(struct docx *x, struct str text)
{
    if (x->p && !x->deleted && !x->hidden)
        strbuf_addstr(&x->p->text, text);
}

/* ---- runs ---- */

static bool is_on(xml_attributes at)
{
    static const char *const off[] = {"0", "false", "off"};
    const char *value = xml_attribute(at, "val");
    return !value || !STR_IN(str_of(value), off);
}

/* Fonts of symbols have their characters from U+F000 on. */
static uint32_t symbol(const char *font, int64_t code)
{
    static const char greek[] = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", small[] = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    static const struct {
        char font;
        unsigned char code;
        uint32_t sign;
    } signs[] = {{'S', 0xB7, 0x2022}, {'S', 0xA3, 0x2264}, {'S', 0xB3, 0x2265}, {'S', 0xB9, 0x2260},
        {'S', 0xB1, 0xB1}, {'S', 0xB4, 0xD7}, {'S', 0xB0, 0xB0}, {'S', 0xA5, 0x221E}, {'S', 0xAE, 0x2192},
        {'S', 0xAC, 0x2190}, {'S', 0xDE, 0x21D2}, {'S', 0xBB, 0x2248}, {'S', 0xE5, 0x2211},
        {'S', 0xD6, 0x221A}, {'W', 0xFC, 0x2713}, {'W', 0xFB, 0x2717}, {'W', 0xFE, 0x2611},
        {'W', 0xFD, 0x2612}, {'W', 0xA8, 0x2610}, {'W', 0x6F, 0x2610}, {'W', 0xE0, 0x2192},
        {'W', 0xDF, 0x2190}, {'W', 0xA7, 0x25AA}, {'W', 0x6C, 0x25CF}, {'W', 0xD8, 0x27A2},
        {'W', 0x4A, 0x263A}, {'W', 0x28, 0x260E}, {'W', 0x2A, 0x2709}};
    char kind = font && strcmp(font, "Symbol") == 0 ? 'S' : font && strcmp(font, "Wingdings") == 0 ? 'W' : 0;
    int64_t low = code & 0xFF;
    if ((code >> 8) != 0xF0 && !kind)
        return (uint32_t)code;
    for (size_t i = 0; i < ARRAY_LEN(signs); i++)
        if (signs[i].font == kind && signs[i].code == low)
            return signs[i].sign;
    if (kind != 'S')
        return 0;
    struct str letters = low >= 'a' && low <= 'z' ? str_of(small) : str_of(greek);
    int64_t at = low >= 'a' && low <= 'z' ? low - 'a' : low - 'A';
    uint32_t sign = at >= 0 && at < 26 ? utf8_at(str_from(letters, 2 * (size_t)at), 0) : 0;
    return sign ? sign : low >= ' ' && low < 0x41 ? (uint32_t)low : 0;
}

static void add_symbol(struct docx *x, xml_attributes at)
{
    const char *code = xml_attribute(at, "char");
    uint32_t sign = symbol(xml_attribute(at, "font"), code ? strtol(code, NULL, 16) & 0xFFFF : 0);
    AUTO_STRBUF one;
    strbuf_init(&one, 8);
    if (sign >= ' ')
        strbuf_addcp(&one, sign);
    add(x, strbuf_str(&one));
}

static void begin_link(struct docx *x, xml_attributes at)
{
    const struct relation *r = relations_find(&x->relations, xml_reference(at, "id"));
    if (!x->p || !r || !r->external || !document_is_address(r->target))
        return;
    x->p->link = x->p->text.len;
    const char *anchor = xml_attribute(at, "anchor");
    x->p->url = anchor ? str_of(arena_printf(x->d->arena, "%s#%s", r->target.s, anchor)) : r->target;
}

static void on_picture(struct docx *x, xml_attributes at)
{
    const char *words = xml_attribute(at, "descr");
    if (!words || !*words)
        return;
    add(x, STR("["));
    add(x, str_trim(str_of(words)));
    add(x, STR("]"));
}

/* ---- notes ---- */

static void refer(struct docx *x, bool end, xml_attributes at)
{
    if (x->in_notes || x->deleted || x->hidden || !x->p)
        return;
    x->d->limits.full = x->d->limits.full || x->notes.n == NOTES_MAX;
    struct note *note = DOCUMENT_GROW(&x->notes);
    *note = (struct note){
        end, xml_number(xml_attribute(at, "id"), INT32_MIN, INT32_MAX, 0), (unsigned)x->notes.n};
    strbuf_addf(&x->p->text, "[^%u]", note->number);
}

static int by_id(const void *a, const void *b)
{
    const struct note *i = a, *j = b;
    if (i->end != j->end)
        return i->end < j->end ? -1 : 1;
    return (i->id > j->id) - (i->id < j->id);
}

static void begin_note(struct docx *x, xml_attributes at)
{
    struct note key = {
        .end = x->end_notes, .id = xml_number(xml_attribute(at, "id"), INT32_MIN, INT32_MAX, 0)};
    struct note *note = x->notes.n ? bsearch(&key, x->notes.list, x->notes.n, sizeof key, by_id) : NULL;
    x->muted = !note;
    if (note)
        snprintf(x->mark, sizeof x->mark, "[^%u]: ", note->number);
}

/* ---- events ---- */

static void on_property(struct docx *x, int tag, xml_attributes at)
{
    struct paragraph *p = x->p;
    const char *value = xml_attribute(at, "val");
    if (!p || !x->in_ppr || !value)
        return;
    if (tag == STYLE)
        p->style = arena_strdup(x->d->arena, value);
    if (tag == NUM_ID)
        p->form.list = (int)xml_number(value, 0, INT32_MAX, 0);
    if (tag == NUM_LEVEL)
        p->form.level = (int)xml_number(value, 0, DOCX_LEVELS - 1, 0);
    if (tag == OUTLINE)
        p->form.heading = docx_outline_heading(value);
}

/* In properties an empty element marks the end of the paragraph or the row. */
static void begin_deleted(struct docx *x)
{
    if (x->in_ppr && x->p)
        x->p->joined = true;
    else if (x->in_row_pr)
        document_table_drop_row(&x->d->out);
    x->deleted++;
}

static void on_start(void *arg, int tag, xml_attributes at)
{
    struct docx *x = arg;
    struct document_out *out = &x->d->out;
    switch (tag) {
    case P: begin_paragraph(x); break;
    case PPR: x->in_ppr = true; break;
    case STYLE:
    case OUTLINE:
    case NUM_ID:
    case NUM_LEVEL: on_property(x, tag, at); break;
    case R: x->hidden = false; break;
    case VANISH: x->hidden = x->hidden || (!x->in_ppr && is_on(at)); break;
    case TAB: add(x, STR("\t")); break;
    case BREAK: add(x, STR("\n")); break;
    case HYPHEN: add(x, STR("-")); break;
    case SYMBOL: add_symbol(x, at); break;
    case DELETED: begin_deleted(x); break;
    case LINK: begin_link(x, at); break;
    case FIELD:
        if (!x->deleted && x->p)
            docx_fields_char(&x->fields, xml_attribute(at, "fldCharType"), &x->p->text);
        break;
    case NOTE_REF:
    case END_REF: refer(x, tag == END_REF, at); break;
    case NOTE: begin_note(x, at); break;
    case TABLE: document_table_begin(out, false); break;
    case ROW: document_table_row(out); break;
    case ROW_PR: x->in_row_pr = true; break;
    case CELL: document_table_cell(out); break;
    case SPAN: document_table_span(out, (unsigned)xml_number(xml_attribute(at, "val"), 1, 64, 1)); break;
    case BEFORE: document_table_skip(out, (unsigned)xml_number(xml_attribute(at, "val"), 0, 64, 0)); break;
    case PICTURE: on_picture(x, at); break;
    case M_NUM:
    case M_DEN: add(x, STR("(")); break;
    case M_SUP: add(x, STR("^(")); break;
    case M_SUB: add(x, STR("_(")); break;
    case M_ROOT: add(x, STR("√(")); break;
    default: break;
    }
}

static void on_end(void *arg, int tag)
{
    struct docx *x = arg;
    switch (tag) {
    case P: end_paragraph(x); break;
    case PPR: x->in_ppr = false; break;
    case R: x->hidden = false; break;
    case ROW_PR: x->in_row_pr = false; break;
    case DELETED: x->deleted -= x->deleted > 0; break;
    case LINK:
        if (x->p)
            end_link(x->p);
        break;
    case NOTE:
        x->muted = false;
        *x->mark = '\0';
        break;
    case TABLE: document_table_end(&x->d->out); break;
    case M_NUM: add(x, STR(")/")); break;
    case M_DEN:
    case M_SUP:
    case M_SUB:
    case M_ROOT: add(x, STR(")")); break;
    default: break;
    }
}

static void on_text(void *arg, int tag, struct str text)
{
    struct docx *x = arg;
    if (tag == TEXT || tag == M_TEXT)
        add(x, text);
    else if (tag == INSTRUCTION && !x->deleted)
        docx_fields_instruction(&x->fields, text);
}

static enum rc read_part(struct docx *x, struct str part, struct err *e)
{
    static const struct xml_ops ops = {on_start, on_end, on_text};
    relations_release(&x->relations);
    enum rc rc = relations_read(x->d, part, &x->relations, e);
    return rc == RC_OK ? document_part(x->d, part, tags, &ops, x, e) : rc;
}

/* The notes at the end of the text, if the main part refers to any. */
static enum rc read_notes(struct docx *x, struct str footnotes, struct str endnotes, struct err *e)
{
    x->in_notes = true;
    if (!x->notes.n)
        return RC_OK;
    qsort(x->notes.list, x->notes.n, sizeof *x->notes.list, by_id);
    enum rc rc = footnotes.len ? read_part(x, footnotes, e) : RC_OK;
    x->end_notes = true;
    return rc == RC_OK && endnotes.len ? read_part(x, endnotes, e) : rc;
}

static struct str part_of_type(const struct relations *r, struct str type)
{
    const struct relation *found = relations_of_type(r, type);
    return found ? found->target : (struct str){0};
}

enum rc docx_read(struct document *d, struct str main, struct err *e)
{
    struct docx x = {.d = d};
    strbuf_init(&x.carry, d->out.text.cap);
    enum rc rc = relations_read(d, main, &x.relations, e);
    struct str footnotes = part_of_type(&x.relations, STR("/footnotes")),
               endnotes = part_of_type(&x.relations, STR("/endnotes"));
    if (rc == RC_OK)
        rc = docx_styles_read(d, &x.relations, &x.styles, e);
    if (rc == RC_OK)
        rc = read_part(&x, main, e);
    if (rc == RC_OK)
        rc = read_notes(&x, footnotes, endnotes, e);
    while (x.p)
        free_paragraph(&x);
    strbuf_release(&x.carry);
    free(x.notes.list);
    docx_styles_free(x.styles);
    relations_release(&x.relations);
    return rc;
}
