/*
 * The head is the first line of its block, so the second line is the only one that can be the line below a
 * head. Another row may consist of hyphens, too: it stays. Code is not changed.
 */
#include "codec/markdown/markdown_table.h"

#include <string.h>

#include "codec/markdown/markdown_line.h"

#define COLUMN_MIN  3 /* md4c's */
#define CODE_INDENT 4

struct place {
    size_t lines; /* of the block so far */
    bool bars;    /* its last line has a bar */
    char fence;   /* of an open code block; 0: none */
    size_t fence_width;
};

static bool is_column(char c)
{
    return c == '-' || c == ':';
}

/* The hyphens that the column at `at` lacks; *end is its end. False: it is none. */
static bool read_column(struct str line, size_t at, size_t *end, size_t *lacks)
{
    size_t i = at + (line.s[at] == ':'), hyphens = i;
    while (i < line.len && line.s[i] == '-')
        i++;
    hyphens = i - hyphens;
    i += i < line.len && line.s[i] == ':';
    *end = i;
    *lacks = i - at < COLUMN_MIN ? COLUMN_MIN - (i - at) : 0;
    return hyphens > 0;
}

/* The hyphens that all columns of the line lack. 0 also for a line that is not below a head. */
static size_t line_lacks(struct str line)
{
    size_t sum = 0;
    bool bars = false;
    for (size_t i = 0; i < line.len;) {
        size_t lacks;
        if (is_column(line.s[i])) {
            if (!read_column(line, i, &i, &lacks) || (i < line.len && is_column(line.s[i])))
                return 0;
            sum += lacks;
        } else if (strchr("| \t\r\n", line.s[i])) {
            bars |= line.s[i++] == '|';
        } else {
            return 0;
        }
    }
    return bars ? sum : 0;
}

static void add_line(struct strbuf *out, struct str line)
{
    size_t from = 0;
    for (size_t i = 0; i < line.len;) {
        size_t lacks = 0, at = i;
        if (!is_column(line.s[i])) {
            i++;
            continue;
        }
        read_column(line, at, &i, &lacks);
        at += line.s[at] == ':';
        strbuf_addstr(out, (struct str){line.s + from, at - from});
        while (lacks--)
            strbuf_addc(out, '-');
        from = at;
    }
    strbuf_addstr(out, (struct str){line.s + from, line.len - from});
}

static bool is_indented_code(struct str line)
{
    size_t n = 0;
    while (n < line.len && line.s[n] == ' ')
        n++;
    return n >= CODE_INDENT || (n < line.len && line.s[n] == '\t');
}

/* Moves past a line; true when it may be the line below a head. */
static bool pass_line(struct place *p, struct str line)
{
    struct str inner = line_without_quotes(line);
    if (p->fence) {
        if (line_closes_fence(inner, p->fence, p->fence_width))
            *p = (struct place){0};
        return false;
    }
    size_t width = line_fence_width(inner);
    if (width) {
        *p = (struct place){.fence = inner.s[0], .fence_width = width};
        return false;
    }
    if (line_is_blank(inner) || inner.s[0] == '#') {
        *p = (struct place){0};
        return false;
    }
    bool below_head = p->lines == 1 && p->bars && !is_indented_code(line);
    p->lines++;
    p->bars = memchr(inner.s, '|', inner.len) != NULL;
    return below_head;
}

/* Appends to `out` if it is not NULL. Returns the bytes added. */
static size_t walk(struct str text, struct strbuf *out)
{
    struct place p = {0};
    size_t sum = 0, done = 0;
    if (!text.len || !memchr(text.s, '|', text.len))
        done = text.len;
    for (size_t at = done, next; at < text.len; at = next) {
        bool whole;
        struct str line = line_at(text, at, &whole, &next);
        if (!whole)
            next = text.len;
        if (!pass_line(&p, line))
            continue;
        size_t quotes = (size_t)(line_without_quotes(line).s - line.s);
        struct str inner = {line.s + quotes, line.len - quotes};
        size_t lacks = line_lacks(inner);
        sum += lacks;
        if (out && lacks) {
            strbuf_addstr(out, (struct str){text.s + done, at + quotes - done});
            add_line(out, inner);
            done = at + line.len;
        }
    }
    if (out)
        strbuf_addstr(out, (struct str){text.s + (sum ? done : 0), text.len - (sum ? done : 0)});
    return sum;
}

size_t markdown_tables_more(struct str text)
{
    return walk(text, NULL);
}

void markdown_add_tables(struct strbuf *out, struct str text)
{
    walk(text, out);
}
