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
        add_apart(b, alt);
        return;
    }
    json_get_str(one, "type", &type);
    if (str_is(type, "hidden"))
        return;
    if (json_get_str(one, "url", &url) && str_starts(url, STR("http"))) {
        json_get_str(one, "title", &title);
        add_apart(b, str_of(arena_printf(a, "(%s)", import_link(a, title.len ? title : url, url))));
        return;
    }
    const char *name = str_is(type, "file") ? import_line_of(a, one, "name", IMPORT_WORD_MAX) : NULL;
    if (name)
        add_apart(b, str_of(arena_printf(a, "(%s)", name)));
}

static bool shows_something(const json_t *one)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    add_reference(&b, one);
    return b.len > 0;
}

/* The references by their marks. Of several for one mark the first with something to show counts. */
static json_t *by_mark(const json_t *list)
{
    json_t *out = json_object();
    struct str mark;
    for (size_t i = 0; i < json_array_size(list) && i < REFERENCES_MAX; i++) {
        json_t *one = json_array_get(list, i);
        if (!json_get_str(one, "matched_text", &mark))
            continue;
        const json_t *before = json_object_get(out, mark.s);
        if (!before || !shows_something(before))
            json_object_set(out, mark.s, one);
    }
    return out;
}

static const json_t *reference_of(const json_t *references, struct str mark)
{
    return json_object_getn(references, mark.s, mark.len);
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
        add_reference(out, reference_of(references, whole));
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
    const json_t *one = end ? reference_of(references, whole) : NULL;
    if (one)
        add_reference(out, one);
    else
        strbuf_add(out, rest->s, n);
    n = one ? whole.len : n;
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
