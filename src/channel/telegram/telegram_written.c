/* Texts of people as Markdown. Entities are what the person has formatted beside the text; those that a model
 * needs to understand it become Markdown: links behind words, and code. Offsets count UTF-16 units. */
#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"

#define FENCE_MIN 3 /* backticks */

/* ---- pieces ---- */

static size_t longest_run(struct str s, char c)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < s.len; i++) {
        run = s.s[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_times(struct strbuf *b, char c, size_t n)
{
    while (n--)
        strbuf_addc(b, c);
}

/* Characters that end an address in Markdown are encoded. */
static void add_address(struct strbuf *b, struct str url)
{
    for (size_t i = 0; i < url.len; i++) {
        unsigned char c = (unsigned char)url.s[i];
        if (c <= ' ' || strchr("()<>\\", c))
            strbuf_addf(b, "%%%02X", c);
        else
            strbuf_addc(b, (char)c);
    }
}

void telegram_add_link(struct strbuf *b, struct str words, struct str url)
{
    struct str core = str_trim(words);
    if (!core.len || !url.len || (core.len == url.len && memcmp(core.s, url.s, url.len) == 0)) {
        strbuf_addstr(b, words);
        return;
    }
    strbuf_add(b, words.s, (size_t)(core.s - words.s));
    strbuf_addc(b, '[');
    for (size_t i = 0; i < core.len; i++) {
        if (strchr("[]\\", core.s[i]))
            strbuf_addc(b, '\\');
        strbuf_addc(b, core.s[i] == '\n' ? ' ' : core.s[i]);
    }
    strbuf_adds(b, "](");
    add_address(b, url);
    strbuf_addc(b, ')');
    strbuf_addstr(b, str_from(words, (size_t)(core.s - words.s) + core.len));
}

void telegram_add_code(struct strbuf *b, struct str code)
{
    size_t marks = longest_run(code, '`') + 1;
    bool pads = code.len && (code.s[0] == '`' || code.s[code.len - 1] == '`');
    if (!str_trim(code).len) {
        strbuf_addstr(b, code);
        return;
    }
    add_times(b, '`', marks);
    strbuf_adds(b, pads ? " " : "");
    strbuf_addstr(b, code);
    strbuf_adds(b, pads ? " " : "");
    add_times(b, '`', marks);
}

/* Begins a line unless the text is at the beginning of one. */
static void begin_line(struct strbuf *b)
{
    if (b->len && b->s[b->len - 1] != '\n')
        strbuf_addc(b, '\n');
}

void telegram_add_fence(struct strbuf *b, struct str code, struct str language)
{
    size_t marks = longest_run(code, '`') + 1;
    marks = marks > FENCE_MIN ? marks : FENCE_MIN;
    begin_line(b);
    add_times(b, '`', marks);
    for (size_t i = 0; i < language.len && !isspace((unsigned char)language.s[i]) && language.s[i] != '`';
         i++)
        strbuf_addc(b, language.s[i]);
    strbuf_addc(b, '\n');
    strbuf_addstr(b, code);
    begin_line(b);
    add_times(b, '`', marks);
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
    return (struct str){arena_strndup(a, out.s ? out.s : "", out.len), out.len};
}
