/*
 * The marks of sources in ChatGPT's answers. There are two kinds. The first is between characters of the
 * private use area: U+E200, a word such as cite or entity, arguments behind U+E202 each, U+E201. U+E203 and
 * U+E204 enclose cited words. The second is 【446346422802141†L175-L190】.
 *
 * metadata.content_references has {matched_text, alt, type, title, url, name}: the mark, and the Markdown
 * that stands for it, or the parts of that. ChatGPT shows nothing for a reference of the type "hidden".
 */
#include "app/import/import_chatgpt_private.h"

#include "base/utf8.h"

#define MARKS          "\xEE\x88" /* the characters of the first kind begin so */
#define MARK_BEGIN     "\xEE\x88\x80"
#define MARK_END       "\xEE\x88\x81"
#define MARK_ENTITY    MARK_BEGIN "entity\xEE\x88\x82"
#define CITED_BEGIN    "\xEE\x88\x83"
#define CITED_END      "\xEE\x88\x84"
#define BRACKET_BEGIN  "\xE3\x80\x90"
#define BRACKET_END    "\xE3\x80\x91"
#define MARK_BYTES     3             /* of each of these characters */
#define BRACKETS_MAX   ((size_t)256) /* bytes of the second kind; other texts have these brackets, too */
#define ENTITY_BYTES   4096
#define REFERENCES_MAX ((size_t)1000) /* of one message */

/* The name in an entity's mark: ["people","Ada Lovelace",0]. */
static void add_name(struct strbuf *b, struct str mark)
{
    AUTO(json_t) list = NULL;
    struct str json = {mark.s + strlen(MARK_ENTITY), mark.len - strlen(MARK_ENTITY) - MARK_BYTES};
    if (json_parse(json, ENTITY_BYTES, &list, NULL) == RC_OK && json_is_string(json_array_get(list, 1)))
        strbuf_adds(b, json_string_value(json_array_get(list, 1)));
}

/* A source in parentheses stands apart from the word before it. */
static void add_apart(struct strbuf *b, struct str source)
{
    if (b->len && !strchr(" \n\t", b->s[b->len - 1]) && str_starts(source, STR("(")))
        strbuf_addc(b, ' ');
    strbuf_addstr(b, source);
}

/* Appends what ChatGPT shows for the reference, or nothing. */
static void add_reference(struct strbuf *b, const json_t *one)
{
    AUTO(arena) a = arena_new();
    struct str alt, type = STR(""), url, title = STR("");
    if (json_get_str(one, "alt", &alt) && alt.len) {
        strbuf_addstr(b, alt);
        return;
    }
    json_get_str(one, "type", &type);
    if (str_is(type, "hidden"))
        return;
    if (json_get_str(one, "url", &url) && str_starts(url, STR("http"))) {
        json_get_str(one, "title", &title);
        strbuf_addf(b, "(%s)", import_link(a, title.len ? title : url, url));
        return;
    }
    const char *name = str_is(type, "file") ? import_line_of(a, one, "name", IMPORT_WORD_MAX) : NULL;
    if (name)
        strbuf_addf(b, "(%s)", name);
}

/* {mark: what is shown for it}. Of several references for one mark the first with something to show counts.
 * Each one is converted once, because a text may have its mark a million times. */
static json_t *by_mark(const json_t *list)
{
    json_t *out = json_object();
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    struct str mark;
    for (size_t i = 0; i < json_array_size(list) && i < REFERENCES_MAX; i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_get_str(one, "matched_text", &mark) || json_string_length(json_object_get(out, mark.s)) > 0)
            continue;
        strbuf_clear(&b);
        add_reference(&b, one);
        json_object_set_new(out, mark.s, json_stringn(b.s, b.len));
    }
    return out;
}

/* NULL: no reference has this mark. */
static const json_t *shown_for(const json_t *references, struct str mark)
{
    return json_object_getn(references, mark.s, mark.len);
}

static void add_shown(struct strbuf *b, const json_t *shown)
{
    if (shown)
        add_apart(b, (struct str){json_string_value(shown), json_string_length(shown)});
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
        if (out->len == before && str_starts(whole, STR(MARK_ENTITY)))
            add_name(out, whole);
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

void chatgpt_resolve_marks(struct strbuf *b, const json_t *list)
{
    AUTO_STRBUF out;
    AUTO(json_t) references = by_mark(list);
    bool ended = false;
    struct str rest = strbuf_str(b);
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
