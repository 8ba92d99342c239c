#include "codec/ansi/ansi_table.h"

#define GAP       3 /* columns of " │ " */
#define NARROWEST 6 /* narrower columns are not readable */
#define BORDER    "│"
#define LINE      "─"
#define CROSS     "┼"

static struct str cell(const struct ansi_table *t, size_t row, size_t column)
{
    return t->cells[row * t->columns + column];
}

void ansi_table_add(struct ansi_table *t, struct arena *a, enum ansi_align align, struct str rich)
{
    if (t->n == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        struct str *more = ARENA_ARRAY(a, struct str, room);
        if (t->n)
            memcpy(more, t->cells, t->n * sizeof *more);
        t->cells = more;
        t->room = room;
    }
    if (t->n < t->columns)
        t->align[t->n] = align;
    t->cells[t->n++] = arena_str(a, rich);
}

/* Columns share the room evenly, but none gets more than its text needs. */
static void choose_widths(const size_t *natural, size_t n, size_t room, size_t *widths)
{
    size_t left = n;
    for (size_t i = 0; i < n; i++)
        widths[i] = 0;
    for (bool again = true; again && left;) {
        size_t share = room / left;
        again = false;
        for (size_t i = 0; i < n; i++)
            if (!widths[i] && natural[i] <= share) {
                widths[i] = natural[i] ? natural[i] : 1;
                room -= widths[i] < room ? widths[i] : room;
                left--;
                again = true;
            }
    }
    for (size_t i = 0; i < n && left; i++)
        if (!widths[i]) {
            widths[i] = room / left ? room / left : 1;
            room -= widths[i] < room ? widths[i] : room;
            left--;
        }
}

static void put_blanks(struct strbuf *out, size_t n)
{
    while (n--)
        strbuf_addc(out, ' ');
}

static void put_dim(struct strbuf *out, struct ansi_look look, const char *s)
{
    strbuf_adds(out, look.styled ? "\x1b[0;2m" : "");
    strbuf_adds(out, s);
    strbuf_adds(out, look.styled ? "\x1b[0m" : "");
}

static void put_aligned(struct strbuf *out, struct str line, size_t width, enum ansi_align align, bool last)
{
    size_t used = ansi_line_width(line), blanks = width > used ? width - used : 0;
    size_t before = align == ANSI_RIGHT ? blanks : align == ANSI_CENTER ? blanks / 2 : 0;
    put_blanks(out, before);
    strbuf_addstr(out, line);
    if (!last)
        put_blanks(out, blanks - before);
}

static struct str wrapped(struct str rich, bool head, size_t width, bool styled, struct arena *a)
{
    static const struct ansi_prefix none = {{"", 0}, {"", 0}, 0};
    AUTO_STRBUF text, lines;
    strbuf_init(&text, rich.len + ANSI_MARK_SIZE);
    if (head)
        ansi_mark(&text, ANSI_BOLD);
    strbuf_addstr(&text, rich);
    strbuf_init(&lines, 64 * (text.len + 1));
    ansi_wrap(strbuf_str(&text), &none, (struct ansi_look){width, styled}, &lines);
    return arena_str(a, strbuf_str(&lines));
}

static void put_row(const struct ansi_table *t, size_t row, const size_t *widths, const struct ansi_prefix *p,
    struct ansi_look look, struct arena *a, struct strbuf *out)
{
    struct str *rest = ARENA_ARRAY(a, struct str, t->columns);
    bool more = true;
    for (size_t i = 0; i < t->columns; i++)
        rest[i] = wrapped(cell(t, row, i), row == 0, widths[i], look.styled, a);
    while (more) {
        more = false;
        strbuf_addstr(out, row == 0 ? p->first : p->rest);
        for (size_t i = 0; i < t->columns; i++) {
            struct str line = rest[i].len ? str_cut(&rest[i], '\n') : (struct str){"", 0};
            put_aligned(out, line, widths[i], t->align[i], i + 1 == t->columns);
            if (i + 1 < t->columns)
                put_dim(out, look, " " BORDER " ");
            more |= rest[i].len > 0;
        }
        strbuf_addc(out, '\n');
    }
}

static void put_rule(const struct ansi_table *t, const size_t *widths, const struct ansi_prefix *p,
    struct ansi_look look, struct strbuf *out)
{
    AUTO_STRBUF rule;
    strbuf_init(&rule, 4096);
    for (size_t i = 0; i < t->columns; i++) {
        for (size_t n = 0; n < widths[i] + (i > 0) + (i + 1 < t->columns); n++)
            strbuf_adds(&rule, LINE);
        strbuf_adds(&rule, i + 1 < t->columns ? CROSS : "");
    }
    strbuf_addstr(out, p->rest);
    put_dim(out, look, rule.s);
    strbuf_addc(out, '\n');
}

/* "Head: cell" lines, with a blank line between the rows. */
static void put_records(
    const struct ansi_table *t, const struct ansi_prefix *p, struct ansi_look look, struct strbuf *out)
{
    for (size_t row = 1; row < t->rows; row++) {
        if (row > 1) {
            strbuf_addstr(out, p->rest);
            strbuf_addc(out, '\n');
        }
        for (size_t i = 0; i < t->columns; i++) {
            AUTO_STRBUF text;
            struct str head = cell(t, 0, i), body = cell(t, row, i);
            strbuf_init(&text, head.len + body.len + 16);
            ansi_mark(&text, ANSI_BOLD);
            strbuf_addstr(&text, head);
            strbuf_adds(&text, ": ");
            ansi_mark(&text, 0);
            strbuf_addstr(&text, body);
            ansi_wrap(strbuf_str(&text), p, look, out);
        }
    }
}

void ansi_table(const struct ansi_table *t, const struct ansi_prefix *p, struct ansi_look look,
    struct arena *a, struct strbuf *out)
{
    size_t *natural = ARENA_ARRAY(a, size_t, t->columns), *widths = ARENA_ARRAY(a, size_t, t->columns);
    size_t room = look.columns > p->columns ? look.columns - p->columns : 1;
    size_t gaps = GAP * (t->columns - 1);
    for (size_t i = 0; i < t->columns; i++)
        for (size_t row = 0; row < t->rows; row++) {
            size_t width = ansi_rich_width(cell(t, row, i));
            natural[i] = width > natural[i] ? width : natural[i];
        }
    if (room < gaps + NARROWEST * t->columns && t->rows > 1) {
        put_records(t, p, look, out);
        return;
    }
    choose_widths(natural, t->columns, room > gaps ? room - gaps : 1, widths);
    for (size_t row = 0; row < t->rows; row++) {
        put_row(t, row, widths, p, look, a, out);
        if (row == 0)
            put_rule(t, widths, p, look, out);
    }
}
