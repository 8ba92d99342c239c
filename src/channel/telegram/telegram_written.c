/* Texts of people as Markdown. Entities are what the person has formatted beside the text; those that a model
 * needs to understand it become Markdown: links behind words, and code. Offsets count UTF-16 units. */
#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"
#include "codec/markdown/markdown_write.h"

/* ---- pieces ---- */

void telegram_add_link(struct strbuf *b, struct str words, struct str url)
{
    struct str core = str_trim(words);
    if (!core.len || !url.len || str_eq(core, url)) {
        strbuf_addstr(b, words);
        return;
    }
    strbuf_add(b, words.s, (size_t)(core.s - words.s));
    markdown_write_link(b, core, url);
    strbuf_addstr(b, str_from(words, (size_t)(core.s - words.s) + core.len));
}

void telegram_add_code(struct strbuf *b, struct str code)
{
    if (str_trim(code).len)
        markdown_write_code(b, code);
    else
        strbuf_addstr(b, code);
}

void telegram_add_fence(struct strbuf *b, struct str code, struct str language)
{
    size_t n = 0;
    while (n < language.len && !isspace((unsigned char)language.s[n]) && language.s[n] != '`')
        n++;
    if (b->len && b->s[b->len - 1] != '\n')
        strbuf_addc(b, '\n');
    markdown_write_fenced(b, (struct str){language.s, n}, code);
}

/* ---- entities ---- */

/* A place in a text, in bytes and UTF-16 units. It moves forwards only, so a text is counted once. */
struct place {
    struct str rest;
    int64_t unit;
};

/* False: beyond the text, behind the place, or inside of a character. */
static bool move_to(struct place *p, int64_t unit)
{
    while (p->unit < unit && p->rest.len)
        p->unit += utf8_next(&p->rest, NULL) >= 0x10000 ? 2 : 1;
    return p->unit == unit;
}

/* A part of the text with its entity. */
struct marked {
    const json_t *entity;
    struct str type;
    size_t at, end;
};

static bool find_part(struct str text, struct place *p, struct marked *m)
{
    int64_t offset, length;
    if (!json_get_int(m->entity, "offset", &offset) || !json_get_int(m->entity, "length", &length) ||
        offset < 0 || length < 1 || offset > (int64_t)text.len || length > (int64_t)text.len ||
        !move_to(p, offset))
        return false;
    m->at = text.len - p->rest.len;
    if (!move_to(p, offset + length))
        return false;
    m->end = text.len - p->rest.len;
    return true;
}

static bool is_written(const struct marked *m)
{
    return str_is(m->type, "text_link") || str_is(m->type, "code") || str_is(m->type, "pre");
}

static void add_marked(struct strbuf *b, struct str words, const struct marked *m)
{
    struct str value = STR("");
    if (str_is(m->type, "code")) {
        telegram_add_code(b, words);
    } else if (str_is(m->type, "pre")) {
        json_get_str(m->entity, "language", &value);
        telegram_add_fence(b, words, value);
    } else {
        json_get_str(m->entity, "url", &value);
        telegram_add_link(b, words, value);
    }
}

/* Entities come by offset. One that begins inside of another one is left out. */
static void add_all(struct strbuf *b, struct str text, size_t from, const json_t *entities)
{
    struct place p = {.rest = text};
    size_t i, at = from;
    const json_t *entity;
    bool ended_fence = false;
    json_array_foreach(entities, i, entity)
    {
        struct marked m = {.entity = entity};
        if (!json_get_str(entity, "type", &m.type) || !is_written(&m) || !find_part(text, &p, &m) ||
            m.at < at)
            continue;
        if (ended_fence && m.at > at && text.s[at] != '\n')
            strbuf_addc(b, '\n');
        strbuf_add(b, text.s + at, m.at - at);
        add_marked(b, (struct str){text.s + m.at, m.end - m.at}, &m);
        ended_fence = str_is(m.type, "pre");
        at = m.end;
    }
    if (ended_fence && at < text.len && text.s[at] != '\n')
        strbuf_addc(b, '\n');
    strbuf_add(b, text.s + at, text.len - at);
}

struct str telegram_written(struct arena *a, struct str text, size_t from, const json_t *entities)
{
    AUTO_STRBUF b;
    strbuf_init(&b, TELEGRAM_UPDATE_MAX);
    add_all(&b, text, from, entities);
    struct str out = b.failed ? str_from(text, from) : strbuf_str(&b);
    return arena_str(a, out);
}
