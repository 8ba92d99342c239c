/*
 * The marks of sources in ChatGPT's answers. There are two kinds. The first is between characters of the
 * private use area: U+E200, a word such as cite or entity, arguments behind U+E202 each, U+E201. U+E203 and
 * U+E204 enclose cited words. The second is 【446346422802141†L175-L190】.
 *
 * metadata.content_references has {matched_text, alt, type, title, url, name, items: [{title, url}]}: the
 * mark, and the Markdown that stands for it, or the parts of that. ChatGPT shows nothing for a reference of
 * the type "hidden". Until 2024 there was metadata.citations {start_ix, end_ix, metadata: {type, title, url,
 * name}}: the place of a mark of the second kind, in characters.
 *
 * Some marks have their words as arguments: entity and product_entity [id, name], products {selections: [[id,
 * name]]}, url and video with the words and an address or an id.
 */
#include "app/import/format/import_chatgpt_private.h"

#include "base/utf8.h"
#include "codec/markdown/markdown_write.h"

#define MARKS          "\xEE\x88" /* the characters of the first kind begin so */
#define MARK_BEGIN     "\xEE\x88\x80"
#define MARK_END       "\xEE\x88\x81"
#define MARK_ARGUMENT  "\xEE\x88\x82"
#define CITED_BEGIN    "\xEE\x88\x83"
#define CITED_END      "\xEE\x88\x84"
#define BRACKET_BEGIN  "\xE3\x80\x90"
#define BRACKET_END    "\xE3\x80\x91"
#define MARK_BYTES     3             /* of each of these characters */
#define BRACKETS_MAX   ((size_t)256) /* bytes of the second kind; other texts have these brackets, too */
#define ARGUMENT_BYTES 4096
#define REFERENCES_MAX ((size_t)1000) /* of one message */
#define CITATIONS_MAX  ((size_t)200)  /* each is counted from the beginning of the text */
#define PAGES_MAX      ((size_t)20)   /* of one mark */

/* ---- marks with words ---- */

/* Takes the part before the next U+E202. */
static struct str take_argument(struct str *rest)
{
    const char *end = memmem(rest->s, rest->len, MARK_ARGUMENT, MARK_BYTES);
    struct str part = {rest->s, end ? (size_t)(end - rest->s) : rest->len};
    *rest = str_from(*rest, end ? part.len + MARK_BYTES : part.len);
    return part;
}

/* ["people","Ada Lovelace",0], or several of these in {"selections":[...]}. */
static void add_names(struct strbuf *b, struct str json)
{
    AUTO(json_t) v = NULL;
    if (json_parse(json, ARGUMENT_BYTES, &v, NULL) != RC_OK)
        return;
    const json_t *list = json_object_get(v, "selections");
    if (json_is_string(json_array_get(v, 1)))
        strbuf_adds(b, json_string_value(json_array_get(v, 1)));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(json_array_get(list, i), 1));
        if (name && i)
            strbuf_adds(b, ", ");
        strbuf_adds(b, name ? name : "");
    }
}

/* Appends the words that a mark has itself. */
static void add_words(struct strbuf *b, struct str mark)
{
    struct str rest = {mark.s + MARK_BYTES, mark.len - (size_t)2 * MARK_BYTES};
    struct str kind = take_argument(&rest), words = take_argument(&rest), to = take_argument(&rest);
    if (!str_is(kind, "url") && !str_is(kind, "video"))
        add_names(b, words);
    else if (str_starts(to, STR("http")))
        markdown_write_link(b, words, to);
    else
        strbuf_addstr(b, words);
}

/* ---- references ---- */

/* Appends a link to the page, after "(" or ", ". False: it has no address. */
static bool add_page(struct strbuf *b, const char *before, const json_t *page)
{
    AUTO(arena) a = arena_new();
    const char *link = import_page(a, page, "url");
    if (link)
        strbuf_addf(b, "%s%s", before, link);
    return link != NULL;
}

/* Appends what ChatGPT shows for the reference, or nothing. */
static void add_reference(struct strbuf *b, const json_t *one)
{
    AUTO(arena) a = arena_new();
    struct str alt, type = STR("");
    const json_t *items = json_object_get(one, "items");
    size_t n = 0;
    if (json_get_str(one, "alt", &alt) && alt.len) {
        strbuf_addstr(b, alt);
        return;
    }
    json_get_str(one, "type", &type);
    if (str_is(type, "hidden"))
        return;
    for (size_t i = 0; i < json_array_size(items) && i < PAGES_MAX; i++)
        n += add_page(b, n ? ", " : "(", json_array_get(items, i));
    if (n || add_page(b, "(", one)) {
        strbuf_addc(b, ')');
        return;
    }
    const char *name = str_is(type, "file") ? import_line_of(a, one, "name", IMPORT_WORD_MAX) : NULL;
    if (name)
        strbuf_addf(b, "(%s)", name);
}

/* Of several references for one mark the first with something to show counts. Each one is converted once,
 * because a text may have its mark a million times. */
static void add_to_marks(json_t *out, struct str mark, const json_t *reference, struct strbuf *b)
{
    if (json_string_length(json_object_getn(out, mark.s, mark.len)) > 0)
        return;
    strbuf_clear(b);
    add_reference(b, reference);
    json_object_setn_new(out, mark.s, mark.len, json_stringn(b->s, b->len));
}

/* The mark of a citation in `text`; empty: none is at its place. */
static struct str cited_mark(struct str text, const json_t *citation)
{
    int64_t from, to;
    if (!json_get_int(citation, "start_ix", &from) || !json_get_int(citation, "end_ix", &to) || from < 0 ||
        to <= from)
        return STR("");
    text = str_from(text, utf8_cut_chars(text, (size_t)from));
    text.len = utf8_cut_chars(text, (size_t)(to - from));
    bool mark = str_starts(text, STR(BRACKET_BEGIN)) && text.len <= BRACKETS_MAX &&
                memmem(text.s, text.len, BRACKET_END, MARK_BYTES) == text.s + text.len - MARK_BYTES;
    return mark ? text : STR("");
}

/* {mark: what is shown for it} for the message with these metadata. */
static json_t *by_mark(struct str text, const json_t *metadata)
{
    const json_t *list = json_object_get(metadata, "content_references");
    const json_t *older = json_object_get(metadata, "citations");
    json_t *out = json_object();
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    struct str mark;
    for (size_t i = 0; i < json_array_size(list) && i < REFERENCES_MAX; i++)
        if (json_get_str(json_array_get(list, i), "matched_text", &mark))
            add_to_marks(out, mark, json_array_get(list, i), &b);
    for (size_t i = 0; i < json_array_size(older) && i < CITATIONS_MAX; i++) {
        const json_t *one = json_array_get(older, i), *source = json_object_get(one, "metadata");
        mark = json_is_object(source) ? cited_mark(text, one) : STR("");
        if (mark.len)
            add_to_marks(out, mark, source, &b);
    }
    return out;
}

/* ---- the text ---- */

/* NULL: no reference has this mark. */
static const json_t *shown_for(const json_t *references, struct str mark)
{
    return json_object_getn(references, mark.s, mark.len);
}

static void add_shown(struct strbuf *b, const json_t *shown)
{
    if (!shown)
        return;
    struct str s = {json_string_value(shown), json_string_length(shown)};
    if (str_starts(s, STR("(")))
        import_apart(b);
    strbuf_addstr(b, s);
}

/* Takes a mark of the first kind, or a character of its own, from the beginning of `rest`. `*ended`: no
 * further mark has an end. */
static void take_mark(struct strbuf *out, struct str *rest, const json_t *references, bool *ended)
{
    size_t n = utf8_cut_bytes(*rest, MARK_BYTES);
    bool mark = str_starts(*rest, STR(MARK_BEGIN));
    const char *end = mark && !*ended ? memmem(rest->s, rest->len, MARK_END, MARK_BYTES) : NULL;
    *ended = *ended || (mark && !end);
    if (end) {
        n = (size_t)(end - rest->s) + MARK_BYTES;
        struct str whole = {rest->s, n};
        size_t before = out->len;
        add_shown(out, shown_for(references, whole));
        if (out->len == before)
            add_words(out, whole);
    } else if (!mark && !str_starts(*rest, STR(CITED_BEGIN)) && !str_starts(*rest, STR(CITED_END))) {
        strbuf_add(out, rest->s, n);
    }
    *rest = str_from(*rest, n);
}

/* Takes a mark of the second kind. One that no reference names is text. */
static void take_brackets(struct strbuf *out, struct str *rest, const json_t *references)
{
    size_t n = MARK_BYTES, most = rest->len < BRACKETS_MAX ? rest->len : BRACKETS_MAX;
    const char *end = memmem(rest->s, most, BRACKET_END, MARK_BYTES);
    struct str whole = {rest->s, end ? (size_t)(end - rest->s) + MARK_BYTES : 0};
    const json_t *shown = end ? shown_for(references, whole) : NULL;
    if (shown)
        add_shown(out, shown);
    else
        strbuf_add(out, rest->s, n);
    n = shown ? whole.len : n;
    *rest = str_from(*rest, n);
}

static const char *next(struct str rest, const char *sign)
{
    return memmem(rest.s, rest.len, sign, strlen(sign));
}

void chatgpt_resolve_marks(struct strbuf *b, const json_t *metadata)
{
    AUTO_STRBUF out;
    bool ended = false;
    struct str rest = strbuf_str(b);
    AUTO(json_t) references = by_mark(rest, metadata);
    const char *mark = next(rest, MARKS), *bracket = next(rest, BRACKET_BEGIN);
    strbuf_init(&out, IMPORT_VALUE_MAX);
    while (mark || bracket) {
        const char *at = mark && (!bracket || mark < bracket) ? mark : bracket;
        strbuf_add(&out, rest.s, (size_t)(at - rest.s));
        rest = str_from(rest, (size_t)(at - rest.s));
        if (at == mark)
            take_mark(&out, &rest, references, &ended);
        else
            take_brackets(&out, &rest, references);
        if (mark && mark < rest.s)
            mark = next(rest, MARKS);
        if (bracket && bracket < rest.s)
            bracket = next(rest, BRACKET_BEGIN);
    }
    strbuf_addstr(&out, rest);
    strbuf_clear(b);
    strbuf_addstr(b, strbuf_str(&out));
}
