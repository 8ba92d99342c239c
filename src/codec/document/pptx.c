/* PowerPoint (ISO 29500-1, 19 and 21). */
#include <stdlib.h>

#include "codec/document/document_private.h"
#include "codec/document/document_slide.h"

#define SLIDES_MAX 10000

enum {
    SLIDE_ID = 1,
    SLIDE,
    SHAPE,
    PLACE,
    PROPERTIES,
    PICTURE,
    P,
    P_PR,
    NO_BULLET,
    BULLET,
    R,
    LINK,
    T,
    BREAK,
    TABLE,
    ROW,
    CELL
};

static const struct xml_tag slide_tags[] = {{NS_A, "t", T}, {NS_A, "r", R}, {NS_A, "p", P},
    {NS_A, "pPr", P_PR}, {NS_A, "buNone", NO_BULLET}, {NS_A, "buChar", BULLET}, {NS_A, "buAutoNum", BULLET},
    {NS_A, "br", BREAK}, {NS_A, "hlinkClick", LINK}, {NS_A, "tbl", TABLE}, {NS_A, "tr", ROW},
    {NS_A, "tc", CELL}, {NS_P, "sp", SHAPE}, {NS_P, "ph", PLACE}, {NS_P, "cNvPr", PROPERTIES},
    {NS_P, "pic", PICTURE}, {NS_P, "sld", SLIDE}, {NS_P, "notes", SLIDE}, {NS_P, "timing", XML_SKIP},
    {NS_P, "extLst", XML_SKIP}, {0}};

/* What a shape is for. */
enum place { FREE, TITLE, BODY, FURNITURE };

struct pptx {
    struct document *d;
    struct relations relations; /* of the presentation, then of a slide */
    struct {
        struct str *list; /* the parts of the slides */
        size_t n, room;
    } slides;
    struct document_slide slide;
    bool notes, hidden, in_picture;
    enum place place;
    struct strbuf text; /* of the paragraph */
    unsigned level;
    bool in_paragraph, bullet;
    size_t run;     /* where it begins in `text` */
    struct str url; /* of the run */
};

static void on_slide_id(void *arg, int tag, xml_attributes at)
{
    struct pptx *x = arg;
    const struct relation *r = relations_find(&x->relations, xml_reference(at, "id"));
    (void)tag;
    x->d->limits.full = x->d->limits.full || x->slides.n == SLIDES_MAX;
    if (r && !r->external)
        *DOCUMENT_GROW(&x->slides) = r->target;
}

static enum place place_of(const char *type)
{
    static const struct {
        const char *type;
        enum place place;
    } places[] = {{"title", TITLE}, {"ctrTitle", TITLE}, {"body", BODY}, {"obj", BODY}, {"subTitle", FREE},
        {"dt", FURNITURE}, {"ftr", FURNITURE}, {"hdr", FURNITURE}, {"sldNum", FURNITURE},
        {"sldImg", FURNITURE}};
    for (size_t i = 0; type && i < ARRAY_LEN(places); i++)
        if (strcmp(type, places[i].type) == 0)
            return places[i].place;
    return type ? FREE : BODY;
}

static void end_paragraph(struct pptx *x)
{
    struct document_out *out = &x->d->out;
    struct str text = strbuf_str(&x->text);
    x->in_paragraph = false;
    x->d->limits.full = x->d->limits.full || x->text.failed;
    if (x->hidden || x->place == FURNITURE)
        return;
    if (x->place == TITLE && !x->notes)
        document_slide_title(&x->slide, text);
    else if (x->bullet && !x->notes)
        document_item(out, x->level, "-", text);
    else
        document_block(out, "", text);
}

static void on_start(void *arg, int tag, xml_attributes at)
{
    struct pptx *x = arg;
    struct document_out *out = &x->d->out;
    const char *value;
    switch (tag) {
    case SLIDE:
        value = xml_attribute(at, "show");
        x->hidden = value && (strcmp(value, "0") == 0 || strcmp(value, "false") == 0);
        break;
    case SHAPE: x->place = FREE; break;
    case PLACE: x->place = place_of(xml_attribute(at, "type")); break;
    case PICTURE: x->in_picture = true; break;
    case PROPERTIES:
        value = xml_attribute(at, "descr");
        if (x->in_picture && !x->hidden && value && *value)
            document_block(out, "", str_of(arena_printf(x->d->arena, "[%s]", value)));
        break;
    case P:
        strbuf_clear(&x->text);
        x->in_paragraph = true;
        x->level = 0;
        x->bullet = x->place == BODY && !out->table;
        break;
    case P_PR: x->level = (unsigned)xml_number(xml_attribute(at, "lvl"), 0, 8, 0); break;
    case NO_BULLET: x->bullet = false; break;
    case BULLET: x->bullet = x->in_paragraph; break;
    case R:
        x->run = x->text.len;
        x->url = (struct str){0};
        break;
    case LINK: {
        const struct relation *r = relations_find(&x->relations, xml_reference(at, "id"));
        if (r && r->external && document_is_address(r->target))
            x->url = r->target;
        break;
    }
    case BREAK: strbuf_addc(&x->text, '\n'); break;
    case TABLE: document_table_begin(out, false); break;
    case ROW: document_table_row(out); break;
    case CELL: document_table_cell(out); break;
    default: break;
    }
}

static void on_end(void *arg, int tag)
{
    struct pptx *x = arg;
    switch (tag) {
    case SHAPE: x->place = FREE; break;
    case PICTURE: x->in_picture = false; break;
    case P: end_paragraph(x); break;
    case R:
        if (x->url.len)
            document_link(&x->text, x->run, x->url);
        x->url = (struct str){0};
        break;
    case TABLE: document_table_end(&x->d->out); break;
    default: break;
    }
}

static void on_text(void *arg, int tag, struct str text)
{
    struct pptx *x = arg;
    if (tag == T && x->in_paragraph)
        strbuf_addstr(&x->text, text);
}

static enum rc read_part(struct pptx *x, struct str part, struct err *e)
{
    static const struct xml_ops ops = {on_start, on_end, on_text};
    x->place = FREE;
    x->in_picture = x->in_paragraph = false;
    return document_part(x->d, part, slide_tags, &ops, x, e);
}

/* The notes come after the heading "Notes:", if there are any. */
static enum rc read_notes(struct pptx *x, struct err *e)
{
    struct document_out *out = &x->d->out;
    const struct relation *notes = relations_of_type(&x->relations, STR("/notesSlide"));
    if (!notes || notes->external || x->hidden)
        return RC_OK;
    struct str part = notes->target;
    size_t before = out->text.len;
    document_block(out, "", STR("Notes:"));
    size_t begun = out->text.len;
    x->notes = true;
    enum rc rc = read_part(x, part, e);
    x->notes = false;
    if (out->text.len == begun)
        strbuf_truncate(&out->text, before);
    return rc;
}

static enum rc read_slide(struct pptx *x, size_t i, struct err *e)
{
    relations_release(&x->relations);
    enum rc rc = relations_read(x->d, x->slides.list[i], &x->relations, e);
    document_slide_begin(&x->slide, &x->d->out, (unsigned)i + 1);
    if (rc == RC_OK)
        rc = read_part(x, x->slides.list[i], e);
    if (rc == RC_OK)
        rc = read_notes(x, e);
    document_slide_end(&x->slide, &x->d->out);
    return rc;
}

enum rc pptx_read(struct document *d, struct str main, struct err *e)
{
    static const struct xml_tag tags[] = {{NS_P, "sldId", SLIDE_ID}, {0}};
    static const struct xml_ops ops = {.start = on_slide_id};
    struct pptx x = {.d = d};
    strbuf_init(&x.text, d->out.text.cap);
    enum rc rc = relations_read(d, main, &x.relations, e);
    if (rc == RC_OK)
        rc = document_part(d, main, tags, &ops, &x, e);
    for (size_t i = 0; rc == RC_OK && i < x.slides.n; i++)
        rc = read_slide(&x, i, e);
    strbuf_release(&x.text);
    free(x.slides.list);
    relations_release(&x.relations);
    return rc;
}
