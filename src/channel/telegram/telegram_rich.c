/*
 * Rich messages (Bot API 10.1): a tree of blocks instead of a text. Bots send them, and people forward those.
 * The blocks become Markdown. Emphasis is left out, as in other messages. Of a block or text of an unknown
 * type the fields are read that the known ones have.
 *
 * Recursion is limited by TELEGRAM_UPDATE_SHAPE. A text that grows beyond TELEGRAM_UPDATE_MAX by its
 * indentation is no text.
 */
#include <string.h>

#include "channel/telegram/telegram_private.h"

#define HEADINGS 6

struct rich {
    struct telegram *bot;
    struct telegram_rich *out;
};

/* ---- texts: a string, a list of texts, or an object with a text ---- */

static void add_text(struct rich *r, struct strbuf *b, const json_t *text);

/* A text on its own, without line feeds. */
static void take_line(struct rich *r, struct strbuf *b, const json_t *text)
{
    size_t from = b->len;
    add_text(r, b, text);
    for (size_t i = from; i < b->len; i++)
        if (b->s[i] == '\n')
            b->s[i] = ' ';
}

static bool is_us(struct rich *r, const json_t *mention)
{
    struct str name;
    int64_t id;
    if (json_get_int(json_object_get(mention, "user"), "id", &id))
        return id == r->bot->bot_id;
    if (!json_get_str(mention, "username", &name))
        return false;
    return telegram_is_named(r->bot, name.len && name.s[0] == '@' ? str_from(name, 1) : name);
}

static void add_formatted(struct rich *r, struct strbuf *b, const json_t *text, struct str type)
{
    struct str value;
    AUTO_STRBUF inner;
    strbuf_init(&inner, TELEGRAM_UPDATE_MAX);
    add_text(r, &inner, json_object_get(text, "text"));
    struct str words = inner.len ? strbuf_str(&inner) : STR("");
    r->out->mentions_us |= is_us(r, text);
    if (str_is(type, "custom_emoji") && json_get_str(text, "alternative_text", &value))
        strbuf_addstr(b, value);
    else if (str_is(type, "mathematical_expression") && json_get_str(text, "expression", &value))
        strbuf_addf(b, "$%.*s$", STR_FMT(value));
    else if (str_is(type, "url") && json_get_str(text, "url", &value))
        telegram_add_link(b, words, value);
    else if (str_is(type, "code"))
        telegram_add_code(b, words);
    else
        strbuf_addstr(b, words);
    b->failed |= inner.failed;
}

static void add_text(struct rich *r, struct strbuf *b, const json_t *text)
{
    struct str type = STR("");
    const json_t *part;
    size_t i;
    if (json_is_string(text)) {
        strbuf_add(b, json_string_value(text), json_string_length(text));
    } else if (json_is_array(text)) {
        json_array_foreach(text, i, part)
        {
            add_text(r, b, part);
        }
    } else if (json_is_object(text)) {
        json_get_str(text, "type", &type);
        add_formatted(r, b, text, type);
    }
}

/* ---- parts of blocks ---- */

static void add_blocks(struct rich *r, struct strbuf *b, const json_t *blocks);

/* Appends lines: the first one after `first`, the others after `next`. Blank ones have no trailing space. */
static void add_lines(struct strbuf *b, struct str lines, const char *first, const char *next)
{
    const char *lead = first;
    while (lines.s && lines.len) {
        struct str line = str_cut(&lines, '\n');
        size_t n = strlen(lead);
        while (!line.len && n && lead[n - 1] == ' ')
            n--;
        strbuf_add(b, lead, n);
        strbuf_addstr(b, line);
        if (lines.s && lines.len)
            strbuf_addc(b, '\n');
        lead = next;
    }
}

static void add_separated(struct strbuf *b, size_t from, const char *separator, const struct strbuf *part)
{
    if (part->len && b->len > from)
        strbuf_adds(b, separator);
    if (part->len)
        strbuf_add(b, part->s, part->len);
    b->failed |= part->failed;
}

static const char *marker_of(struct strbuf *space, const json_t *item)
{
    int64_t value;
    if (json_get_int(item, "value", &value))
        strbuf_addf(space, "%lld. ", (long long)value);
    else if (json_is_true(json_object_get(item, "has_checkbox")))
        strbuf_adds(space, json_is_true(json_object_get(item, "is_checked")) ? "- [x] " : "- [ ] ");
    else
        strbuf_adds(space, "- ");
    return space->s;
}

static void add_items(struct rich *r, struct strbuf *b, const json_t *items)
{
    static const char spaces[] = "                        ";
    size_t i, from = b->len;
    const json_t *item;
    json_array_foreach(items, i, item)
    {
        AUTO_STRBUF inner, lines, marker;
        strbuf_init(&inner, TELEGRAM_UPDATE_MAX);
        strbuf_init(&lines, TELEGRAM_UPDATE_MAX);
        strbuf_init(&marker, sizeof spaces - 1);
        add_blocks(r, &inner, json_object_get(item, "blocks"));
        const char *first = marker_of(&marker, item);
        size_t indent = json_object_get(item, "value") ? marker.len : 2;
        add_lines(&lines, strbuf_str(&inner), first, spaces + sizeof spaces - 1 - indent);
        lines.failed |= inner.failed;
        add_separated(b, from, "\n", &lines);
    }
}

/* A row, filled with empty cells up to `columns`. */
static void add_row(struct rich *r, struct strbuf *b, const json_t *row, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        AUTO_STRBUF cell;
        strbuf_init(&cell, TELEGRAM_UPDATE_MAX);
        take_line(r, &cell, json_object_get(json_array_get(row, i), "text"));
        strbuf_adds(b, i ? " " : "| ");
        for (size_t k = 0; k < cell.len; k++) {
            if (cell.s[k] == '|')
                strbuf_addc(b, '\\');
            strbuf_addc(b, cell.s[k]);
        }
        strbuf_adds(b, " |");
        b->failed |= cell.failed;
    }
}

/* The first row is the head. */
static void add_table(struct rich *r, struct strbuf *b, const json_t *rows)
{
    size_t i, columns = 0;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (json_array_size(row) > columns)
            columns = json_array_size(row);
    }
    json_array_foreach(rows, i, row)
    {
        strbuf_adds(b, i ? "\n" : "");
        add_row(r, b, row, columns);
        for (size_t k = 0; i == 0 && k < columns; k++)
            strbuf_adds(b, k ? "---|" : "\n|---|");
    }
}

/* ---- blocks ---- */

static void add_heading(struct rich *r, struct strbuf *b, const json_t *block)
{
    int64_t size = HEADINGS;
    json_get_int(block, "size", &size);
    for (int64_t i = 0; i < (size < 1 || size > HEADINGS ? HEADINGS : size); i++)
        strbuf_addc(b, '#');
    strbuf_addc(b, ' ');
    take_line(r, b, json_object_get(block, "text"));
}

static void add_pre(struct rich *r, struct strbuf *b, const json_t *block)
{
    struct str language = STR("");
    AUTO_STRBUF code;
    strbuf_init(&code, TELEGRAM_UPDATE_MAX);
    add_text(r, &code, json_object_get(block, "text"));
    json_get_str(block, "language", &language);
    telegram_add_fence(b, code.len ? strbuf_str(&code) : STR(""), language);
    b->failed |= code.failed;
}

/* The members that blocks of all other types have. */
static void add_fields(struct rich *r, struct strbuf *b, const json_t *block)
{
    static const char *const texts[] = {"text", "summary"}, *const after[] = {"caption", "credit"};
    size_t from = b->len;
    AUTO_STRBUF part;
    strbuf_init(&part, TELEGRAM_UPDATE_MAX);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        add_text(r, b, json_object_get(block, texts[i]));
    add_blocks(r, &part, json_object_get(block, "blocks"));
    add_separated(b, from, "\n\n", &part);
    strbuf_clear(&part);
    add_items(r, &part, json_object_get(block, "items"));
    add_separated(b, from, "\n\n", &part);
    strbuf_clear(&part);
    add_table(r, &part, json_object_get(block, "cells"));
    add_separated(b, from, "\n\n", &part);
    for (size_t i = 0; i < ARRAY_LEN(after); i++) {
        strbuf_clear(&part);
        add_text(r, &part, json_object_get(block, after[i]));
        add_separated(b, from, "\n\n", &part);
    }
}

static void add_quotation(struct rich *r, struct strbuf *b, const json_t *block)
{
    AUTO_STRBUF inner;
    strbuf_init(&inner, TELEGRAM_UPDATE_MAX);
    add_fields(r, &inner, block);
    add_lines(b, strbuf_str(&inner), "> ", "> ");
    b->failed |= inner.failed;
}

/* Names a photo, a map and others as channel_update.left_out does. */
static void note_media(struct rich *r, struct str type)
{
    static const struct {
        const char *type, *left_out;
    } media[] = {{"photo", "photo"}, {"video", "video"}, {"animation", "animation"}, {"audio", "audio"},
        {"voice_note", "voice"}, {"map", "location"}};
    for (size_t i = 0; i < ARRAY_LEN(media) && !r->out->left_out; i++)
        if (str_is(type, media[i].type))
            r->out->left_out = media[i].left_out;
}

static void add_block(struct rich *r, struct strbuf *b, const json_t *block)
{
    struct str type = STR(""), value;
    json_get_str(block, "type", &type);
    note_media(r, type);
    if (str_is(type, "heading"))
        add_heading(r, b, block);
    else if (str_is(type, "pre"))
        add_pre(r, b, block);
    else if (str_is(type, "mathematical_expression") && json_get_str(block, "expression", &value))
        strbuf_addf(b, "$$\n%.*s\n$$", STR_FMT(value));
    else if (str_is(type, "blockquote") || str_is(type, "pullquote"))
        add_quotation(r, b, block);
    else
        add_fields(r, b, block);
}

static void add_blocks(struct rich *r, struct strbuf *b, const json_t *blocks)
{
    size_t i, from = b->len;
    const json_t *block;
    json_array_foreach(blocks, i, block)
    {
        AUTO_STRBUF part;
        strbuf_init(&part, TELEGRAM_UPDATE_MAX);
        add_block(r, &part, block);
        add_separated(b, from, "\n\n", &part);
    }
}

void telegram_read_rich(struct telegram *t, struct arena *a, const json_t *message, struct telegram_rich *out)
{
    struct rich r = {.bot = t, .out = out};
    AUTO_STRBUF b;
    *out = (struct telegram_rich){.text = STR("")};
    strbuf_init(&b, TELEGRAM_UPDATE_MAX);
    add_blocks(&r, &b, json_object_get(json_object_get(message, "rich_message"), "blocks"));
    if (!b.failed && b.len)
        out->text = arena_str(a, strbuf_str(&b));
}
