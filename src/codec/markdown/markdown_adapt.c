/*
 * One walk over the lines finds the line below the head of a table: GitHub's rule tells it from other text,
 * so it needs no parser. Code is not changed. The walk is simpler than the parser where that does no harm: an
 * empty line before a table and a blank before a bar are not shown.
 */
#include "codec/markdown/markdown_adapt.h"

#include <string.h>

#include "codec/markdown/markdown_cjk.h"
#include "codec/markdown/markdown_line.h"

#define COLUMN_MIN  3 /* md4c's */
#define CODE_INDENT 4

struct place {
    struct str text;
    struct strbuf *out;
    size_t done; /* the text up to here is written */
    size_t head; /* start of the previous line, when it may be the head of a table; SIZE_MAX: it may not */
    bool head_begins; /* that line is the first one of its block */
    bool in_table, in_list;
    size_t content; /* the column where the text of the list's last item begins */
    char fence;     /* of an open code block; 0: none */
    size_t fence_width;
};

/* ---- one line ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t columns_of(struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n = s.s[i] == '\t' ? n / 4 * 4 + 4 : n + 1;
    return n;
}

static size_t indent_of(struct str line)
{
    return columns_of((struct str){line.s, line.len - line_without_indent(line).len});
}

/* The next bar from `i` on that separates cells, or the end of the line. */
static size_t next_bar(struct str s, size_t i)
{
    while (i < s.len && s.s[i] != '|')
        i = s.s[i] == '`' ? line_after_code(s, i) : s.s[i] == '\\' ? i + 2 : i + 1;
    return i < s.len ? i : s.len;
}

/* The length of the marker of a list item with text; 0: none. */
static size_t marker_of(struct str inner)
{
    size_t n = line_item_marker(inner);
    return n && n < inner.len && is_blank(inner.s[n]) ? n : 0;
}

static size_t cells_of(struct str row)
{
    size_t bars = 0, last = 0;
    row = str_trim(row);
    for (size_t i = 0; (i = next_bar(row, i)) < row.len; last = ++i)
        bars += i > 0;
    return bars + (last < row.len);
}

/* The columns of a line below a head, and the hyphens that it lacks for md4c. 0: it is none. */
static size_t below_head(struct str line, size_t *lacks)
{
    size_t n = 0, i = 0;
    bool bars = false;
    line = str_trim(line);
    *lacks = 0;
    if (line.len && line.s[0] == '|')
        i++, bars = true;
    while (i < line.len) {
        while (i < line.len && is_blank(line.s[i]))
            i++;
        size_t from = i, hyphens;
        i += i < line.len && line.s[i] == ':';
        for (hyphens = i; i < line.len && line.s[i] == '-'; i++)
            ;
        hyphens = i - hyphens;
        i += i < line.len && line.s[i] == ':';
        *lacks += i - from < COLUMN_MIN ? COLUMN_MIN - (i - from) : 0;
        while (i < line.len && is_blank(line.s[i]))
            i++;
        if (!hyphens || (i < line.len && line.s[i] != '|'))
            return 0;
        n++;
        bars |= i < line.len;
        i++;
    }
    return bars ? n : 0;
}

/* ---- writing ---- */

static void write_until(struct place *p, size_t at)
{
    strbuf_addstr(p->out, (struct str){p->text.s + p->done, at - p->done});
    p->done = at;
}

static void write_below(struct place *p, size_t at, struct str line, size_t columns, size_t cells)
{
    size_t end = at + line.len;
    while (end > at && is_blank(p->text.s[end - 1]))
        end--;
    for (size_t i = at; i < end;) {
        size_t from = i, n;
        if (p->text.s[i] != ':' && p->text.s[i] != '-') {
            i++;
            continue;
        }
        while (i < end && (p->text.s[i] == ':' || p->text.s[i] == '-'))
            i++;
        write_until(p, from + (p->text.s[from] == ':'));
        for (n = i - from; n < COLUMN_MIN; n++)
            strbuf_addc(p->out, '-');
    }
    write_until(p, end);
    for (bool closed = p->text.s[end - 1] == '|'; columns < cells; columns++)
        strbuf_adds(p->out, closed ? "---|" : "|---");
}

/* Writes a row with a blank before each bar after a bare address: md4c takes such a bar as a part of the
 * address. */
static void write_row(struct place *p, size_t at, struct str line)
{
    for (size_t i = 0, word; (i = next_bar(line, i)) < line.len; i++) {
        for (word = i; word && !is_blank(line.s[word - 1]) && line.s[word - 1] != '|';)
            word--;
        struct str s = {line.s + word, i - word};
        if (!memmem(s.s, s.len, "://", 3) && !memmem(s.s, s.len, "www.", 4))
            continue;
        write_until(p, at + i);
        strbuf_addc(p->out, ' ');
    }
}

/* Writes an empty line, with the marks of the quotes of `line`, before the line at `at`. */
static void write_border(struct place *p, size_t at, struct str line)
{
    size_t quotes = (size_t)(line_without_quotes(line).s - line.s);
    while (quotes && is_blank(line.s[quotes - 1]))
        quotes--;
    write_until(p, at);
    if (p->text.s[at - 1] == '\r') /* a CR alone ends that line, and an LF behind it would belong to it */
        strbuf_addc(p->out, '\n');
    strbuf_addstr(p->out, (struct str){line.s, quotes});
    strbuf_addc(p->out, '\n');
}

/* "[^1]: Smith" would be the definition of a link, which is not shown. */
static bool take_footnote(struct place *p, struct str inner)
{
    const char *end = str_starts(inner, STR("[^")) ? memchr(inner.s, ']', inner.len) : NULL;
    if (!end)
        return false;
    struct str rest = {end + 1, inner.len - (size_t)(end + 1 - inner.s)};
    if (str_starts(rest, STR("\\:"))) /* adapted before */
        return true;
    if (!str_starts(rest, STR(":")))
        return false;
    write_until(p, (size_t)(rest.s - p->text.s));
    strbuf_addc(p->out, '\\');
    return true;
}

/* ---- the walk ---- */

static bool is_code(const struct place *p, struct str line)
{
    return indent_of(line) >= (p->in_list ? p->content : 0) + CODE_INDENT;
}

/* True when the line at `at` is below a head; both are then written. */
static bool take_table(struct place *p, size_t at, struct str line)
{
    size_t lacks, next, columns;
    bool whole;
    if (p->head == SIZE_MAX || is_code(p, line))
        return false;
    struct str head = line_at(p->text, p->head, &whole, &next), inner = line_without_quotes(line);
    struct str row = line_without_quotes(head);
    size_t marker = marker_of(row), cells = cells_of(str_from(row, marker));
    if (next_bar(head, 0) == head.len || !(columns = below_head(inner, &lacks)))
        return false;
    if (!p->head_begins && (columns != cells || is_code(p, head)))
        return false;
    if (!p->head_begins)
        write_border(p, p->head, head);
    write_row(p, p->head, head);
    if (lacks || columns < cells)
        write_below(p, at + (size_t)(inner.s - line.s), inner, columns, cells);
    return true;
}

static bool is_heading(struct str inner)
{
    size_t n = 0;
    while (n < inner.len && inner.s[n] == '#')
        n++;
    return n >= 1 && n <= 6 && (n == inner.len || is_blank(inner.s[n]));
}

static void end_block(struct place *p)
{
    p->head = SIZE_MAX;
    p->in_table = false;
    p->fence = 0;
}

static void note_item(struct place *p, struct str line, struct str inner, size_t marker)
{
    if (!marker)
        return;
    p->in_list = true;
    p->content = columns_of((struct str){line.s, line.len - inner.len + marker}) + 1;
}

static void pass_line(struct place *p, size_t at, struct str line)
{
    struct str inner = line_without_quotes(line);
    if (p->fence) {
        if (line_closes_fence(inner, p->fence, p->fence_width))
            end_block(p);
        return;
    }
    size_t width = line_fence_width(inner), marker = marker_of(inner);
    if (line_is_blank(inner) || is_heading(inner) || width) {
        if (p->in_table && !line_is_blank(inner) && !is_code(p, line))
            write_border(p, at, line);
        end_block(p);
        p->fence = width ? inner.s[0] : 0;
        p->fence_width = width;
        return;
    }
    bool begins = p->head == SIZE_MAX || marker;
    if (!marker && !is_code(p, line) && take_footnote(p, inner)) {
        end_block(p);
        return;
    }
    if (p->in_table && !marker) {
        write_row(p, at, line);
        return;
    }
    p->in_table = !marker && take_table(p, at, line);
    if (p->in_table)
        return;
    p->in_list &= !begins || marker || indent_of(line) > 0;
    note_item(p, line, inner, marker);
    p->head = at;
    p->head_begins = begins;
}

static bool may_have_tables(struct str text)
{
    return text.len && (memchr(text.s, '|', text.len) || memmem(text.s, text.len, "[^", 2));
}

bool markdown_may_need_adapting(struct str text)
{
    return may_have_tables(text) || markdown_cjk_may_need(text);
}

void markdown_adapt(struct strbuf *out, struct str text)
{
    AUTO_STRBUF marked = {0};
    if (markdown_cjk_may_need(text)) {
        strbuf_init(&marked, 2 * text.len);
        markdown_cjk_adapt(&marked, text);
        text = strbuf_str(&marked);
    }
    struct place p = {.text = text, .out = out, .head = SIZE_MAX};
    if (may_have_tables(text))
        for (size_t at = 0, next; at < text.len; at = next) {
            bool whole;
            struct str line = line_at(text, at, &whole, &next);
            if (!whole)
                next = text.len;
            pass_line(&p, at, line);
        }
    write_until(&p, text.len);
}
