/*
 * First the delimiters: a parse of the unchanged text shows which $ and \( are plain text rather than code, a
 * link's address or an escape, and in which paragraph. Then they are paired:
 * - \( with \), \[ with \], $$ with $$ inside one paragraph;
 * - $ with the next $ in it, when the first has no letter or digit before and no space after it, and the
 *   second no space before and no letter or digit after it ("$5 and $10" is not a formula);
 * - \[ or $$ alone on a line with \] or $$ alone on a line, with any text but an empty line between them;
 * - \begin{align} or the like at the start of a line with \end{align} in its paragraph.
 * A formula that contains a backtick is left unchanged.
 */
#include "codec/markdown/markdown_math_private.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "codec/markdown/markdown_line.h"

/* Bytes after an opening delimiter after which the text is not held back for its formula. */
#define OPEN_DOLLAR_MAX 120
#define OPEN_MAX        1000
#define OPEN_BLOCK_MAX  4000

#define COMMAND_MAX 32 /* bytes of \begin{alignat*} and some blanks */

static void note(struct math_finder *f, size_t at, enum math_kind kind)
{
    f->delims = math_grow(f->delims, f->n, &f->room, sizeof *f->delims);
    f->delims[f->n++] =
        (struct math_delim){at, kind, f->leaf, f->block == MD_BLOCK_P || f->block == MD_BLOCK_LI};
}

/* The bytes of `command` with the name of an environment that is a displayed formula of its own in KaTeX, if
 * `s` begins with them; else 0. `*cut`: `s` ends within them. */
static size_t environment(struct str s, struct str command, bool *cut)
{
    static const char *const names[] = {
        "align}", "align*}", "alignat}", "alignat*}", "equation}", "equation*}", "gather}", "gather*}"};
    *cut = s.len > 1 && s.len <= command.len && str_starts(command, s);
    if (!str_starts(s, command))
        return 0;
    struct str rest = str_from(s, command.len);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct str name = str_of(names[i]);
        if (str_starts(rest, name))
            return command.len + name.len;
        *cut = *cut || str_starts(name, rest);
    }
    return 0;
}

/* An opener that the end of the text cuts is noted, too: a growing text holds it back. */
static void note_environment(struct math_finder *f, size_t at)
{
    size_t end = f->text.len - at > COMMAND_MAX ? at + COMMAND_MAX : f->text.len, n;
    struct str s = str_trim(math_between(f->text, at, end));
    bool cut;
    if (environment(s, STR("\\begin{"), &cut) || cut)
        note(f, at, MATH_BEGIN);
    else if ((n = environment(s, STR("\\end{"), &cut)))
        note(f, at + n, MATH_END);
}

static int on_block_end(MD_BLOCKTYPE type, void *detail, void *arg)
{
    (void)detail;
    struct math_finder *f = arg;
    f->leaf++;
    f->links = 0; /* md4c 0.4.8 does not close all */
    f->block = type;
    return 0;
}

static int on_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct math_finder *f = arg;
    on_block_end(type, detail, arg);
    f->last_leaf = f->leaf;
    return 0;
}

static int on_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    ((struct math_finder *)arg)->links += type == MD_SPAN_A || type == MD_SPAN_IMG;
    return 0;
}

static int on_span_end(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    ((struct math_finder *)arg)->links -= type == MD_SPAN_A || type == MD_SPAN_IMG;
    return 0;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct math_finder *f = arg;
    uintptr_t from = (uintptr_t)s - (uintptr_t)f->text.s;
    f->last_leaf = f->leaf;
    if (type != MD_TEXT_NORMAL || f->links || from >= f->text.len)
        return 0;
    for (size_t i = from; i < from + size; i++) {
        char c = f->text.s[i];
        if (c == '$') {
            size_t run = 1;
            while (i + run < from + size && f->text.s[i + run] == '$')
                run++;
            if (run <= 2 && !line_is_escaped(f->text, i))
                note(f, i, run == 1 ? MATH_DOLLAR : MATH_DOLLARS);
            i += run - 1;
        } else if (c == '\\' && !line_is_escaped(f->text, i)) {
            note_environment(f, i);
        } else if ((c == '(' || c == ')' || c == '[' || c == ']') && line_is_escaped(f->text, i)) {
            note(f, i - 1,
                c == '('   ? MATH_ROUND_OPEN
                : c == ')' ? MATH_ROUND_CLOSE
                : c == '[' ? MATH_SQUARE_OPEN
                           : MATH_SQUARE_CLOSE);
        }
    }
    return 0;
}

bool math_find_delims(struct math_finder *f, unsigned md_flags)
{
    const MD_PARSER parser = {
        .flags = md_flags,
        .enter_block = on_block,
        .leave_block = on_block_end,
        .enter_span = on_span,
        .leave_span = on_span_end,
        .text = on_text,
    };
    return md_parse(f->text.s, (MD_SIZE)f->text.len, &parser, f) == 0;
}

/* A letter or digit of a script that has spaces between words. Chinese, Japanese and Korean text has none
 * around a formula. From U+2000 on are punctuation, symbols and these. */
static bool is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= 0xC0 && c < 0x2000);
}

static bool word_ends_at(struct str t, size_t at)
{
    size_t from = at;
    while (from && (t.s[--from] & 0xC0) == 0x80)
        ;
    struct str last = math_between(t, from, at);
    return last.len && is_word(utf8_next(&last, NULL));
}

static bool word_begins_at(struct str t, size_t at)
{
    struct str rest = math_between(t, at, t.len);
    return rest.len && is_word(utf8_next(&rest, NULL));
}

/* True if only indentation and the markers of quotes and list items precede it on its line. */
static bool begins_line(struct str t, size_t at)
{
    while (at > 0 && t.s[at - 1] != '\n' && t.s[at - 1] != '\r')
        if (!strchr(" \t>*+-.)0123456789", t.s[--at]))
            return false;
    return true;
}

static bool may_open(struct str t, const struct math_delim *d)
{
    if (d->kind == MATH_BEGIN)
        return begins_line(t, d->at);
    if (d->kind != MATH_DOLLAR)
        return true;
    return !word_ends_at(t, d->at) && d->at + 1 < t.len && !str_is_space(t.s[d->at + 1]);
}

static bool may_close(struct str t, const struct math_delim *d)
{
    if (d->kind != MATH_DOLLAR)
        return true;
    return !str_is_space(t.s[d->at - 1]) && !word_begins_at(t, d->at + 1);
}

/* Of the kinds that open a formula. */
static const enum math_kind closing[] = {
    [MATH_DOLLAR] = MATH_DOLLAR,
    [MATH_DOLLARS] = MATH_DOLLARS,
    [MATH_ROUND_OPEN] = MATH_ROUND_CLOSE,
    [MATH_SQUARE_OPEN] = MATH_SQUARE_CLOSE,
    [MATH_BEGIN] = MATH_END,
};

static bool only_closes(enum math_kind kind)
{
    return kind == MATH_ROUND_CLOSE || kind == MATH_SQUARE_CLOSE || kind == MATH_END;
}

size_t math_closer(const struct math_finder *f, size_t i)
{
    const struct math_delim *open = &f->delims[i];
    if (only_closes(open->kind) || !may_open(f->text, open))
        return 0;
    for (size_t j = i + 1; j < f->n && f->delims[j].leaf == open->leaf; j++) {
        const struct math_delim *d = &f->delims[j];
        if (d->kind == closing[open->kind])
            return may_close(f->text, d) ? j : 0;
        if (d->kind == open->kind)
            return 0; /* the nearest opener wins, which also bounds the search */
    }
    return 0;
}

bool math_usable(struct math_finder *f, size_t from, size_t to)
{
    if (f->tick < from || !f->ticks_known) {
        const char *tick = memchr(f->text.s + from, '`', f->text.len - from);
        f->tick = tick ? (size_t)(tick - f->text.s) : f->text.len;
        f->ticks_known = true;
    }
    return f->tick >= to && str_trim(math_between(f->text, from, to)).len;
}

/* Continues from the end of an opener's line to the line that ends the search. */
static struct math_search search_closer(struct str t, enum math_kind kind, size_t at)
{
    const char *close = kind == MATH_SQUARE_OPEN ? "\\]" : "$$",
               *again = kind == MATH_SQUARE_OPEN ? "\\[" : "";
    for (at = line_after(t, at); at < t.len; at = line_after(t, at)) {
        size_t from = at, to = line_end_at(t, at);
        while (from < to && (t.s[from] == ' ' || t.s[from] == '\t' || t.s[from] == '>'))
            from++;
        struct str line = str_trim(math_between(t, from, to));
        if (line.len == 0 || str_is(line, again))
            return (struct math_search){.end = at};
        if (str_is(line, close))
            return (struct math_search){.end = at, .closer = from};
    }
    return (struct math_search){.end = t.len};
}

/* For \[ or $$ alone on its line: the search for the \] or $$ alone on its own line; else NULL. */
static const struct math_search *block_search(struct math_finder *f, const struct math_delim *open)
{
    struct str t = f->text;
    if (!open->paragraph || (open->kind != MATH_SQUARE_OPEN && open->kind != MATH_DOLLARS) ||
        !begins_line(t, open->at))
        return NULL;
    size_t at = line_end_at(t, open->at);
    if (str_trim(math_between(t, open->at, at)).len != 2)
        return NULL;
    struct math_search *last = &f->searches[open->kind == MATH_SQUARE_OPEN];
    if (at >= last->end)
        *last = search_closer(t, open->kind, at);
    return last;
}

size_t math_block_closer(struct math_finder *f, const struct math_delim *open)
{
    const struct math_search *s = block_search(f, open);
    return s ? s->closer : 0;
}

/* ---- a growing text ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True when later text may still close the formula at `i`. */
static bool is_open(struct math_finder *f, size_t i)
{
    struct str t = f->text;
    const struct math_delim *open = &f->delims[i];
    struct str rest = math_between(t, open->at, t.len);
    const struct math_search *s = block_search(f, open);
    if (memchr(rest.s, '`', rest.len) || only_closes(open->kind))
        return false;
    if (s)
        return s->end == t.len && rest.len <= OPEN_BLOCK_MAX;
    if (open->leaf != f->last_leaf || !may_open(t, open) ||
        rest.len > (open->kind == MATH_BEGIN ? OPEN_BLOCK_MAX : OPEN_MAX))
        return false;
    if (open->kind == MATH_DOLLAR && (is_digit(rest.s[1]) || rest.len > OPEN_DOLLAR_MAX)) /* "$5", "$PATH" */
        return false;
    for (size_t j = i + 1; j < f->n; j++)
        if (f->delims[j].kind == open->kind || f->delims[j].kind == closing[open->kind])
            return false;
    return true;
}

static void add_range(struct math_ranges *out, const struct math_delim *open, size_t close)
{
    size_t n = math_delim_len(open);
    out->ranges = math_grow(out->ranges, out->n, &out->room, sizeof *out->ranges);
    out->ranges[out->n++] = (struct math_range){open->at, close + n, n, math_is_display(open)};
}

void math_find(struct str text, unsigned md_flags, struct math_ranges *out)
{
    *out = (struct math_ranges){.open = SIZE_MAX};
    struct math_finder f = {.text = text};
    bool any = memchr(text.s, '$', text.len) || memmem(text.s, text.len, "\\(", 2) ||
               memmem(text.s, text.len, "\\[", 2) || memmem(text.s, text.len, "\\b", 2);
    if (any && math_find_delims(&f, md_flags))
        for (size_t i = 0, done = 0; i < f.n && out->open == SIZE_MAX; i++) {
            const struct math_delim *open = &f.delims[i];
            size_t close = open->at < done ? 0 : math_block_closer(&f, open), j = 0;
            if (open->at < done)
                continue;
            if (!close && (j = math_closer(&f, i)))
                close = f.delims[j].at;
            if (close && math_usable(&f, open->at + math_delim_len(open), close)) {
                add_range(out, open, close);
                done = out->ranges[out->n - 1].end;
            } else if (!close && is_open(&f, i)) {
                out->open = open->at;
            }
        }
    free(f.delims);
}
