/*
 * First the delimiters: a parse of the unchanged text shows which $ and \( are plain text rather than code, a
 * link's address or an escape, and in which paragraph. Then they are paired:
 * - \( with \), \[ with \], $$ with $$ inside one paragraph;
 * - $ with the next $ in it, when the first has no letter or digit before and no space after it, and the
 *   second no space before and no letter or digit after it ("$5 and $10" is not a formula);
 * - \[ or $$ alone on a line with \] or $$ alone on a line, with any text but an empty line between them.
 * A formula that contains a backtick is left unchanged.
 */
#include "codec/markdown/markdown_math.h"

#include "codec/markdown/markdown_line.h"

#include <md4c.h>
#include <stdlib.h>

#include "base/mem.h"

#define CODE_TICKS_MAX 16 /* md4c accepts code spans of up to 32 */

/* Bytes after an opening delimiter after which the text is not held back for its formula. */
#define OPEN_DOLLAR_MAX 120
#define OPEN_MAX        1000
#define OPEN_BLOCK_MAX  4000

enum kind { DOLLAR, DOLLARS, ROUND_OPEN, ROUND_CLOSE, SQUARE_OPEN, SQUARE_CLOSE };

struct delim {
    size_t at; /* position of its first byte; all but DOLLAR have two bytes */
    enum kind kind;
    unsigned leaf; /* number of the block that contains it */
    bool paragraph;
};

/* A search for the line that closes a block. All openers between its start and `end` have the same result. */
struct search {
    size_t end;    /* the line where it ended */
    size_t closer; /* 0: none */
};

struct finder {
    struct str text;
    struct search searches[2]; /* the last ones for $$ and for \[ */
    size_t tick;               /* the first backtick after the last formula's start */
    bool ticks_known;
    struct delim *delims;
    size_t n, room;
    unsigned leaf, links;
    unsigned last_leaf; /* the last one with text, or that began after it */
    MD_BLOCKTYPE block;
};

static size_t delim_len(const struct delim *d)
{
    return d->kind == DOLLAR ? 1 : 2;
}

static void *grow(void *p, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return p;
    *room = *room ? *room * 2 : 16;
    return xrealloc(p, *room * size);
}

static void note(struct finder *f, size_t at, enum kind kind)
{
    f->delims = grow(f->delims, f->n, &f->room, sizeof *f->delims);
    f->delims[f->n++] = (struct delim){at, kind, f->leaf, f->block == MD_BLOCK_P || f->block == MD_BLOCK_LI};
}

static bool escaped(struct str text, size_t at)
{
    size_t slashes = 0;
    while (slashes < at && text.s[at - 1 - slashes] == '\\')
        slashes++;
    return slashes % 2;
}

static int on_block_end(MD_BLOCKTYPE type, void *detail, void *arg)
{
    (void)detail;
    struct finder *f = arg;
    f->leaf++;
    f->block = type;
    return 0;
}

static int on_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct finder *f = arg;
    on_block_end(type, detail, arg);
    f->last_leaf = f->leaf;
    return 0;
}

static int on_span(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    ((struct finder *)arg)->links += type == MD_SPAN_A || type == MD_SPAN_IMG;
    return 0;
}

static int on_span_end(MD_SPANTYPE type, void *detail, void *arg)
{
    (void)detail;
    ((struct finder *)arg)->links -= type == MD_SPAN_A || type == MD_SPAN_IMG;
    return 0;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
    struct finder *f = arg;
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
            if (run <= 2 && !escaped(f->text, i))
                note(f, i, run == 1 ? DOLLAR : DOLLARS);
            i += run - 1;
        } else if ((c == '(' || c == ')' || c == '[' || c == ']') && escaped(f->text, i)) {
            note(f, i - 1,
                c == '('   ? ROUND_OPEN
                : c == ')' ? ROUND_CLOSE
                : c == '[' ? SQUARE_OPEN
                           : SQUARE_CLOSE);
        }
    }
    return 0;
}

static bool find_delims(struct finder *f, unsigned md_flags)
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

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool may_open(struct str t, const struct delim *d)
{
    if (d->kind != DOLLAR)
        return true;
    return (d->at == 0 || !is_word(t.s[d->at - 1])) && d->at + 1 < t.len && !is_space(t.s[d->at + 1]);
}

static bool may_close(struct str t, const struct delim *d)
{
    if (d->kind != DOLLAR)
        return true;
    return !is_space(t.s[d->at - 1]) && (d->at + 1 == t.len || !is_word(t.s[d->at + 1]));
}

/* The index of the delimiter that closes the one at `i`; 0: none. */
static size_t closer(const struct finder *f, size_t i)
{
    const struct delim *open = &f->delims[i];
    static const enum kind wanted[] = {
        [DOLLAR] = DOLLAR,
        [DOLLARS] = DOLLARS,
        [ROUND_OPEN] = ROUND_CLOSE,
        [SQUARE_OPEN] = SQUARE_CLOSE,
        [ROUND_CLOSE] = DOLLAR,
        [SQUARE_CLOSE] = DOLLAR,
    };
    if (open->kind == ROUND_CLOSE || open->kind == SQUARE_CLOSE || !may_open(f->text, open))
        return 0;
    for (size_t j = i + 1; j < f->n && f->delims[j].leaf == open->leaf; j++) {
        const struct delim *d = &f->delims[j];
        if (d->kind == wanted[open->kind])
            return may_close(f->text, d) ? j : 0;
        if (d->kind == open->kind)
            return 0; /* the nearest opener wins, which also bounds the search */
    }
    return 0;
}

static struct str between(struct str t, size_t from, size_t to)
{
    return (struct str){t.s + from, to - from};
}

/* True for a formula that is not empty and contains no backtick. Calls have ascending `from`, so each byte
 * is searched once. */
static bool usable(struct finder *f, size_t from, size_t to)
{
    if (f->tick < from || !f->ticks_known) {
        const char *tick = memchr(f->text.s + from, '`', f->text.len - from);
        f->tick = tick ? (size_t)(tick - f->text.s) : f->text.len;
        f->ticks_known = true;
    }
    return f->tick >= to && str_trim(between(f->text, from, to)).len;
}

/* Removes a last line with only the marks of quotes before the closing delimiter: md4c 0.4.8 leaves a
 * backtick behind when a code span begins and ends at the end of a line. */
static struct str without_last_line(struct str tex)
{
    size_t n = tex.len;
    while (n && strchr(" \t>", tex.s[n - 1]))
        n--;
    if (n && (tex.s[n - 1] == '\n' || tex.s[n - 1] == '\r'))
        tex.len = n - 1;
    return tex;
}

/* True if only indentation and the markers of quotes and list items precede it on its line. */
static bool begins_line(struct str t, size_t at)
{
    while (at > 0 && t.s[at - 1] != '\n' && t.s[at - 1] != '\r')
        if (!strchr(" \t>*+-.)0123456789", t.s[--at]))
            return false;
    return true;
}

/* Continues from the end of an opener's line to the line that ends the search. */
static struct search search_closer(struct str t, enum kind kind, size_t at)
{
    const char *close = kind == SQUARE_OPEN ? "\\]" : "$$", *again = kind == SQUARE_OPEN ? "\\[" : "";
    for (at = line_after(t, at); at < t.len; at = line_after(t, at)) {
        size_t from = at, to = line_end_at(t, at);
        while (from < to && (t.s[from] == ' ' || t.s[from] == '\t' || t.s[from] == '>'))
            from++;
        struct str line = str_trim(between(t, from, to));
        if (line.len == 0 || str_is(line, again))
            return (struct search){.end = at};
        if (str_is(line, close))
            return (struct search){.end = at, .closer = from};
    }
    return (struct search){.end = t.len};
}

/* For \[ or $$ alone on its line: the search for the \] or $$ alone on its own line; else NULL. */
static const struct search *block_search(struct finder *f, const struct delim *open)
{
    struct str t = f->text;
    if (!open->paragraph || (open->kind != SQUARE_OPEN && open->kind != DOLLARS) || !begins_line(t, open->at))
        return NULL;
    size_t at = line_end_at(t, open->at);
    if (str_trim(between(t, open->at, at)).len != 2)
        return NULL;
    struct search *last = &f->searches[open->kind == SQUARE_OPEN];
    if (at >= last->end)
        *last = search_closer(t, open->kind, at);
    return last;
}

/* The end of the block formula; 0: none. */
static size_t block_closer(struct finder *f, const struct delim *open)
{
    const struct search *s = block_search(f, open);
    return s ? s->closer : 0;
}

/* The text between the empty lines around `at`: no code span extends beyond it. */
static struct str stretch(struct str t, size_t at)
{
    size_t from = line_start_at(t, at), to = at;
    while (from > 0) {
        bool crlf = from > 1 && t.s[from - 1] == '\n' && t.s[from - 2] == '\r';
        size_t before = line_start_at(t, from - (crlf ? 2 : 1));
        if (str_trim(between(t, before, from)).len == 0)
            break;
        from = before;
    }
    do
        to = line_after(t, to);
    while (to < t.len && str_trim(between(t, to, line_end_at(t, to))).len);
    return between(t, from, to);
}

/* The length of a run of backticks that the text does not contain; 0: none. */
static size_t free_ticks(struct str t)
{
    unsigned used = 0;
    for (size_t i = 0; i < t.len; i++) {
        size_t run = 0;
        while (i + run < t.len && t.s[i + run] == '`')
            run++;
        if (run && run <= CODE_TICKS_MAX)
            used |= 1u << run;
        i += run;
    }
    for (size_t n = 1; n <= CODE_TICKS_MAX; n++)
        if (!(used & 1u << n))
            return n;
    return 0;
}

static void add_span(struct math *m, struct math_span s)
{
    m->spans = grow(m->spans, m->n, &m->room, sizeof *m->spans);
    m->spans[m->n++] = s;
}

static void add_ticks(struct strbuf *b, size_t n)
{
    while (n--)
        strbuf_addc(b, '`');
}

static void write_block(struct math *m, struct str t, const struct delim *open, size_t close)
{
    size_t body = line_end_at(t, open->at);
    add_ticks(&m->text, 3);
    struct math_span s = {.at = m->text.len, .source = open->at, .display = true, .block = true};
    strbuf_adds(&m->text, "math");
    strbuf_addstr(&m->text, between(t, body, close));
    s.end = m->text.len;
    add_ticks(&m->text, 3);
    add_span(m, s);
}

static void write_inline(struct math *m, const struct delim *open, struct str tex, size_t ticks)
{
    add_ticks(&m->text, ticks);
    bool display = open->kind == DOLLARS || open->kind == SQUARE_OPEN;
    struct math_span s = {.at = m->text.len, .source = open->at, .display = display};
    strbuf_addstr(&m->text, without_last_line(tex));
    s.end = m->text.len;
    add_ticks(&m->text, ticks);
    add_span(m, s);
}

static unsigned times_lost(const struct math_lost *lost, size_t at)
{
    unsigned times = 0;
    for (size_t i = 0; i < lost->n; i++)
        times += lost->at[i] == at;
    return times;
}

static void rewrite(struct finder *f, const struct math_lost *lost, struct math *m)
{
    struct str t = f->text;
    size_t done = 0, ticks = 0, ticks_end = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct delim *open = &f->delims[i];
        if (open->at < done)
            continue;
        unsigned times = times_lost(lost, open->at);
        size_t close = times == 0 ? block_closer(f, open) : 0;
        if (close && usable(f, open->at + 2, close)) {
            strbuf_addstr(&m->text, between(t, done, open->at));
            write_block(m, t, open, close);
            done = close + 2;
            continue;
        }
        size_t j = times < 2 ? closer(f, i) : 0;
        if (!j)
            continue;
        if (open->at >= ticks_end) {
            struct str around = stretch(t, open->at);
            ticks = free_ticks(around);
            ticks_end = (size_t)(around.s - t.s) + around.len;
        }
        size_t tex_at = open->at + delim_len(open);
        struct str tex = between(t, tex_at, f->delims[j].at);
        size_t end = f->delims[j].at + delim_len(&f->delims[j]);
        /* Three or more backticks at the start of a line would open a block if the span continued on the
         * next line. */
        bool alone = (open->at == 0 || t.s[open->at - 1] != '`') && (end == t.len || t.s[end] != '`');
        if (!ticks || !usable(f, tex_at, f->delims[j].at) || !alone ||
            (ticks > 2 && memchr(tex.s, '\n', tex.len)))
            continue;
        strbuf_addstr(&m->text, between(t, done, open->at));
        write_inline(m, open, tex, ticks);
        done = end;
        i = j;
    }
    strbuf_addstr(&m->text, between(t, done, t.len));
}

static bool worth_a_look(struct str t)
{
    if (!t.len)
        return false;
    const char *dollar = memchr(t.s, '$', t.len);
    if (dollar && memchr(dollar + 1, '$', (size_t)(t.s + t.len - dollar - 1)))
        return true;
    const char *end = t.s + t.len - 1;
    for (const char *at = t.s; (at = memchr(at, '\\', (size_t)(end - at))); at++)
        if (at[1] == '(' || at[1] == '[')
            return true;
    return false;
}

bool math_rewrite(struct str text, unsigned md_flags, const struct math_lost *lost, struct math *m)
{
    *m = (struct math){0};
    if (!worth_a_look(text))
        return false;
    strbuf_init(
        &m->text, text.len * 4 + 64 + MARKDOWN_GUARD); /* "$x$" grows most: by the backticks on both sides */
    struct finder f = {.text = text};
    if (find_delims(&f, md_flags) && f.n > 1)
        rewrite(&f, lost, m);
    markdown_guard(&m->text);
    free(f.delims);
    if (m->n && !m->text.failed)
        return true;
    math_release(m);
    return false;
}

bool math_note_lost(const struct math *m, struct math_lost *lost)
{
    size_t before = lost->n;
    bool only_broken = false; /* the formulas that it swallowed are not the cause */
    for (size_t i = 0; i < m->n; i++)
        only_broken |= m->spans[i].broken;
    for (size_t i = 0; i < m->n; i++) {
        const struct math_span *s = &m->spans[i];
        if (only_broken ? !s->broken : s->met)
            continue;
        for (int times = s->block ? 1 : 2; times; times--) {
            if (lost->n == MATH_LOST_MAX)
                return false;
            lost->at[lost->n++] = s->source;
        }
    }
    return lost->n > before;
}

void math_release(struct math *m)
{
    strbuf_release(&m->text);
    free(m->spans);
    *m = (struct math){0};
}

/* ---- a growing text ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True when later text may still close the formula at `i`. */
static bool is_open(struct finder *f, size_t i)
{
    struct str t = f->text;
    const struct delim *open = &f->delims[i];
    struct str rest = between(t, open->at, t.len);
    const struct search *s = block_search(f, open);
    if (memchr(rest.s, '`', rest.len) || open->kind == ROUND_CLOSE || open->kind == SQUARE_CLOSE)
        return false;
    if (s)
        return s->end == t.len && rest.len <= OPEN_BLOCK_MAX;
    if (open->leaf != f->last_leaf || !may_open(t, open) || rest.len > OPEN_MAX)
        return false;
    if (open->kind == DOLLAR && (is_digit(rest.s[1]) || rest.len > OPEN_DOLLAR_MAX)) /* "$5", "$PATH" */
        return false;
    for (size_t j = i + 1; j < f->n; j++)
        if (f->delims[j].kind == open->kind ||
            f->delims[j].kind == (open->kind == ROUND_OPEN ? ROUND_CLOSE : SQUARE_CLOSE))
            return false;
    return true;
}

static void add_range(struct math_ranges *out, size_t at, size_t end)
{
    out->ranges = grow(out->ranges, out->n, &out->room, sizeof *out->ranges);
    out->ranges[out->n++] = (struct math_range){at, end};
}

void math_find(struct str text, unsigned md_flags, struct math_ranges *out)
{
    *out = (struct math_ranges){.open = SIZE_MAX};
    struct finder f = {.text = text};
    bool any = memchr(text.s, '$', text.len) || memmem(text.s, text.len, "\\(", 2) ||
               memmem(text.s, text.len, "\\[", 2);
    if (any && find_delims(&f, md_flags))
        for (size_t i = 0, done = 0; i < f.n && out->open == SIZE_MAX; i++) {
            const struct delim *open = &f.delims[i];
            size_t close = open->at < done ? 0 : block_closer(&f, open), j = 0;
            if (open->at < done)
                continue;
            if (!close && (j = closer(&f, i)))
                close = f.delims[j].at;
            if (close && usable(&f, open->at + delim_len(open), close))
                add_range(out, open->at, done = close + delim_len(open));
            else if (!close && is_open(&f, i))
                out->open = open->at;
        }
    free(f.delims);
}
