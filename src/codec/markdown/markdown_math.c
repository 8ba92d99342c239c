/*
 * A formula inside a paragraph becomes a code span with a run of backticks that the text around it does not
 * contain; one on separate lines becomes a fenced code block.
 */
#include "codec/markdown/markdown_math_private.h"

#include <stdlib.h>

#include "codec/markdown/markdown_line.h"

#define CODE_TICKS_MAX 16 /* md4c accepts code spans of up to 32 */

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

/* The text between the empty lines around `at`: no code span extends beyond it. */
static struct str stretch(struct str t, size_t at)
{
    size_t from = line_start_at(t, at), to = at;
    while (from > 0) {
        bool crlf = from > 1 && t.s[from - 1] == '\n' && t.s[from - 2] == '\r';
        size_t before = line_start_at(t, from - (crlf ? 2 : 1));
        if (str_trim(math_between(t, before, from)).len == 0)
            break;
        from = before;
    }
    do
        to = line_after(t, to);
    while (to < t.len && str_trim(math_between(t, to, line_end_at(t, to))).len);
    return math_between(t, from, to);
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
    m->spans = math_grow(m->spans, m->n, &m->room, sizeof *m->spans);
    m->spans[m->n++] = s;
}

static void add_ticks(struct strbuf *b, size_t n)
{
    while (n--)
        strbuf_addc(b, '`');
}

static void write_block(struct math *m, struct str t, const struct math_delim *open, size_t close)
{
    size_t body = line_end_at(t, open->at);
    add_ticks(&m->text, 3);
    struct math_span s = {.at = m->text.len, .source = open->at, .display = true, .block = true};
    strbuf_adds(&m->text, "math");
    strbuf_addstr(&m->text, math_between(t, body, close));
    s.end = m->text.len;
    add_ticks(&m->text, 3);
    add_span(m, s);
}

static void write_inline(struct math *m, const struct math_delim *open, struct str tex, size_t ticks)
{
    add_ticks(&m->text, ticks);
    struct math_span s = {.at = m->text.len, .source = open->at, .display = math_is_display(open)};
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

static void rewrite(struct math_finder *f, const struct math_lost *lost, struct math *m)
{
    struct str t = f->text;
    size_t done = 0, ticks = 0, ticks_end = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct math_delim *open = &f->delims[i];
        if (open->at < done)
            continue;
        unsigned times = times_lost(lost, open->at);
        size_t close = times == 0 ? math_block_closer(f, open) : 0;
        if (close && math_usable(f, open->at + 2, close)) {
            strbuf_addstr(&m->text, math_between(t, done, open->at));
            write_block(m, t, open, close);
            done = close + 2;
            continue;
        }
        size_t j = times < 2 ? math_closer(f, i) : 0;
        if (!j)
            continue;
        if (open->at >= ticks_end) {
            struct str around = stretch(t, open->at);
            ticks = free_ticks(around);
            ticks_end = (size_t)(around.s - t.s) + around.len;
        }
        size_t tex_at = open->at + math_delim_len(open);
        struct str tex = math_between(t, tex_at, f->delims[j].at);
        size_t end = f->delims[j].at + math_delim_len(&f->delims[j]);
        /* Three or more backticks at the start of a line would open a block if the span continued on the
         * next line. */
        bool alone = (open->at == 0 || t.s[open->at - 1] != '`') && (end == t.len || t.s[end] != '`');
        if (!ticks || !math_usable(f, tex_at, f->delims[j].at) || !alone ||
            (ticks > 2 && memchr(tex.s, '\n', tex.len)))
            continue;
        strbuf_addstr(&m->text, math_between(t, done, open->at));
        write_inline(m, open, tex, ticks);
        done = end;
        i = j;
    }
    strbuf_addstr(&m->text, math_between(t, done, t.len));
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
        if (at[1] == '(' || at[1] == '[' || at[1] == 'b')
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
    struct math_finder f = {.text = text};
    if (math_find_delims(&f, md_flags) && f.n > 1)
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
    bool only_broken = false; /* the formulas inside of it are not the cause */
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
