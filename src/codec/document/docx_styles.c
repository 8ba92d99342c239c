#include "codec/document/docx_styles.h"

#include <stdlib.h>

#define BASED_MAX  16 /* styles that are based on each other */
#define STYLES_MAX 20000
#define LABEL_MAX  128
#define LEVEL_TEXT "%1."

struct style {
    struct str id, based_on;
    struct docx_form form;
};

struct level {
    const char *text; /* "%1.%2"; NULL: not described */
    bool bullet, none, decimal;
    enum numeral form;
    int64_t start, count; /* count: of the last item; 0: none yet */
};

/* An abstractNum: lists that share it continue each other. */
struct pattern {
    int id;
    struct level levels[DOCX_LEVELS];
};

/* A num. */
struct list {
    int id, pattern;
    int64_t starts[DOCX_LEVELS]; /* DOCX_UNSET: as the pattern */
    bool begun;
};

struct docx_styles {
    struct {
        struct style *list;
        size_t n, room;
    } styles;
    struct {
        struct pattern *list;
        size_t n, room;
    } patterns;
    struct {
        struct list *list;
        size_t n, room;
    } lists;
    struct document *d;
    int at, override; /* level that is read; of a num: DOCX_UNSET: none */
    bool in_list;
};

void docx_styles_free(struct docx_styles *s)
{
    if (!s)
        return;
    free(s->styles.list);
    free(s->patterns.list);
    free(s->lists.list);
    free(s);
}

/* ---- styles.xml ---- */

enum {
    STYLE = 1,
    NAME,
    BASED_ON,
    OUTLINE,
    NUM_ID,
    NUM_LEVEL,
    ABSTRACT,
    LEVEL,
    START,
    FORMAT,
    TEXT,
    LEGAL,
    NUM,
    ABSTRACT_ID,
    OVERRIDE,
    START_OVERRIDE
};

static const char *val(xml_attributes at)
{
    return xml_attribute(at, "val");
}

/* Word has English names for its own styles in all languages. */
static int heading_of_name(const char *name)
{
    static const char heading[] = "heading ";
    if (str_eq_nocase(str_of(name), STR("title")))
        return 1;
    if (!str_starts_nocase(str_of(name), str_of(heading)))
        return DOCX_UNSET;
    return (int)xml_number(name + strlen(heading), 1, DOCX_LEVELS, DOCX_UNSET);
}

int docx_outline_heading(const char *value)
{
    int level = (int)xml_number(value, 0, DOCX_LEVELS, DOCX_LEVELS);
    return level < DOCX_LEVELS ? level + 1 : DOCX_NO_HEADING;
}

static void on_style(void *arg, int tag, xml_attributes at)
{
    struct docx_styles *s = arg;
    struct style *now = s->styles.n ? &s->styles.list[s->styles.n - 1] : NULL;
    if (tag == STYLE) {
        s->d->limits.full = s->d->limits.full || s->styles.n == STYLES_MAX;
        const char *id = xml_attribute(at, "styleId");
        *DOCUMENT_GROW(&s->styles) = (struct style){
            .id = arena_str(s->d->arena, str_of(id ? id : "")), .form = {DOCX_UNSET, DOCX_UNSET, DOCX_UNSET}};
        return;
    }
    const char *value = val(at);
    if (!now || !value)
        return;
    if (tag == NAME && now->form.heading == DOCX_UNSET)
        now->form.heading = heading_of_name(value);
    if (tag == BASED_ON)
        now->based_on = arena_str(s->d->arena, str_of(value));
    if (tag == OUTLINE)
        now->form.heading = docx_outline_heading(value);
    if (tag == NUM_ID)
        now->form.list = (int)xml_number(value, 0, INT32_MAX, 0);
    if (tag == NUM_LEVEL)
        now->form.level = (int)xml_number(value, 0, DOCX_LEVELS - 1, 0);
}

static int by_id(const void *x, const void *y)
{
    return document_compare(((const struct style *)x)->id, ((const struct style *)y)->id);
}

void docx_styles_apply(const struct docx_styles *s, const char *style, struct docx_form *form)
{
    struct style key = {.id = str_of(style ? style : "")};
    for (int i = 0; i < BASED_MAX && key.id.len && s->styles.n; i++) {
        const struct style *x = bsearch(&key, s->styles.list, s->styles.n, sizeof key, by_id);
        if (!x)
            return;
        form->heading = form->heading == DOCX_UNSET ? x->form.heading : form->heading;
        form->level = form->level == DOCX_UNSET ? x->form.level : form->level;
        form->list = form->list == DOCX_UNSET ? x->form.list : form->list;
        key.id = x->based_on;
    }
}

/* ---- numbering.xml ---- */

static void set_format(struct level *l, const char *value)
{
    static const struct {
        const char *name;
        enum numeral form;
    } forms[] = {{"lowerLetter", NUMERAL_LETTER}, {"upperLetter", NUMERAL_CAPITAL},
        {"lowerRoman", NUMERAL_ROMAN}, {"upperRoman", NUMERAL_ROMAN_CAPITAL}};
    l->bullet = strcmp(value, "bullet") == 0;
    l->none = strcmp(value, "none") == 0;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (strcmp(value, forms[i].name) == 0)
            l->form = forms[i].form;
}

static void on_pattern(struct docx_styles *s, int tag, const char *value)
{
    if (!s->patterns.n || s->at == DOCX_UNSET)
        return;
    struct level *l = &s->patterns.list[s->patterns.n - 1].levels[s->at];
    if (tag == START)
        l->start = xml_number(value, 0, INT32_MAX, 1);
    if (tag == FORMAT)
        set_format(l, value);
    if (tag == TEXT)
        l->text = arena_strdup(s->d->arena, value);
    if (tag == LEGAL)
        l->decimal = true;
}

static void on_list(struct docx_styles *s, int tag, const char *value)
{
    struct list *now = &s->lists.list[s->lists.n - 1];
    if (tag == ABSTRACT_ID)
        now->pattern = (int)xml_number(value, 0, INT32_MAX, 0);
    if (tag == START_OVERRIDE && s->override != DOCX_UNSET)
        now->starts[s->override] = xml_number(value, 0, INT32_MAX, 1);
}

static void on_numbering(void *arg, int tag, xml_attributes at)
{
    struct docx_styles *s = arg;
    if (tag == ABSTRACT || tag == NUM)
        s->d->limits.full = s->d->limits.full || s->patterns.n + s->lists.n >= STYLES_MAX;
    if (tag == ABSTRACT) {
        struct pattern *p = DOCUMENT_GROW(&s->patterns);
        p->id = (int)xml_number(xml_attribute(at, "abstractNumId"), 0, INT32_MAX, 0);
        for (int i = 0; i < DOCX_LEVELS; i++)
            p->levels[i].start = 1;
        s->in_list = false;
        s->at = DOCX_UNSET;
    } else if (tag == NUM) {
        struct list *l = DOCUMENT_GROW(&s->lists);
        l->id = (int)xml_number(xml_attribute(at, "numId"), 0, INT32_MAX, 0);
        for (int i = 0; i < DOCX_LEVELS; i++)
            l->starts[i] = DOCX_UNSET;
        s->in_list = true;
        s->override = DOCX_UNSET;
    } else if (tag == LEVEL || tag == OVERRIDE)
        *(tag == LEVEL ? &s->at : &s->override) =
            (int)xml_number(xml_attribute(at, "ilvl"), 0, DOCX_LEVELS - 1, 0);
    else if (s->in_list)
        on_list(s, tag, val(at));
    else if (val(at) || tag == LEGAL)
        on_pattern(s, tag, val(at));
}

static struct pattern *pattern_of(struct docx_styles *s, int id)
{
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.list[i].id == id)
            return &s->patterns.list[i];
    return NULL;
}

static int by_number(const void *x, const void *y)
{
    int i = ((const struct list *)x)->id, j = ((const struct list *)y)->id;
    return (i > j) - (i < j);
}

/* Replaces the id of its pattern by the place of it. */
static void put_in_order(struct docx_styles *s)
{
    if (s->styles.n)
        qsort(s->styles.list, s->styles.n, sizeof *s->styles.list, by_id);
    if (s->lists.n)
        qsort(s->lists.list, s->lists.n, sizeof *s->lists.list, by_number);
    for (size_t i = 0; i < s->lists.n; i++) {
        struct pattern *p = pattern_of(s, s->lists.list[i].pattern);
        s->lists.list[i].pattern = p ? (int)(p - s->patterns.list) : DOCX_UNSET;
    }
}

static void write_number(const struct pattern *p, int level, bool decimal, struct strbuf *out)
{
    const struct level *l = &p->levels[level];
    if (!l->bullet && !l->none)
        numeral_add(out, decimal ? NUMERAL_DECIMAL : l->form, l->count ? l->count : l->start);
}

static void write_label(const struct pattern *p, int level, struct strbuf *out)
{
    const struct level *l = &p->levels[level];
    for (const char *t = l->text ? l->text : LEVEL_TEXT; *t && out->len < LABEL_MAX; t++) {
        if (*t == '%' && t[1] >= '1' && t[1] < '1' + DOCX_LEVELS)
            write_number(p, *++t - '1', l->decimal, out);
        else
            strbuf_addc(out, *t);
    }
}

bool docx_styles_label(struct docx_styles *s, const struct docx_form *form, struct strbuf *out)
{
    struct list key = {.id = form->list};
    struct list *list = s->lists.n ? bsearch(&key, s->lists.list, s->lists.n, sizeof key, by_number) : NULL;
    int level = form->level == DOCX_UNSET ? 0 : form->level;
    if (!list || list->pattern == DOCX_UNSET)
        return false;
    struct pattern *p = &s->patterns.list[list->pattern];
    for (int i = 0; !list->begun && i < DOCX_LEVELS; i++)
        if (list->starts[i] != DOCX_UNSET) {
            p->levels[i].start = list->starts[i];
            p->levels[i].count = 0;
        }
    list->begun = true;
    struct level *l = &p->levels[level];
    l->count = l->count ? l->count + 1 : l->start;
    for (int i = level + 1; i < DOCX_LEVELS; i++)
        p->levels[i].count = 0;
    if (l->bullet)
        strbuf_addc(out, '-');
    else if (!l->none)
        write_label(p, level, out);
    return true;
}

/* ---- both ---- */

enum rc docx_styles_read(
    struct document *d, const struct relations *relations, struct docx_styles **out, struct err *e)
{
    static const struct xml_tag style_tags[] = {{NS_W, "style", STYLE}, {NS_W, "name", NAME},
        {NS_W, "basedOn", BASED_ON}, {NS_W, "outlineLvl", OUTLINE}, {NS_W, "numId", NUM_ID},
        {NS_W, "ilvl", NUM_LEVEL}, {NS_W, "tblStylePr", XML_SKIP}, {NS_W, "pPrChange", XML_SKIP},
        {NS_W, "latentStyles", XML_SKIP}, {0}};
    static const struct xml_tag numbering_tags[] = {{NS_W, "abstractNum", ABSTRACT}, {NS_W, "lvl", LEVEL},
        {NS_W, "start", START}, {NS_W, "numFmt", FORMAT}, {NS_W, "lvlText", TEXT}, {NS_W, "isLgl", LEGAL},
        {NS_W, "num", NUM}, {NS_W, "abstractNumId", ABSTRACT_ID}, {NS_W, "lvlOverride", OVERRIDE},
        {NS_W, "startOverride", START_OVERRIDE}, {0}};
    static const struct xml_ops style_ops = {.start = on_style}, numbering_ops = {.start = on_numbering};
    struct docx_styles *s = *out = xcalloc(1, sizeof *s);
    s->d = d;
    const struct relation *styles = relations_of_type(relations, STR("/styles")),
                          *numbering = relations_of_type(relations, STR("/numbering"));
    enum rc rc = styles ? document_part(d, styles->target, style_tags, &style_ops, s, e) : RC_OK;
    if (rc == RC_OK && numbering)
        rc = document_part(d, numbering->target, numbering_tags, &numbering_ops, s, e);
    put_in_order(s);
    return rc;
}
