/*
 * Tables as text. A phone shows about 40 columns of a fixed-width font without breaking lines; a wider table,
 * or one with links, becomes lines.
 */
#include <string.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_doc.h"

#define TABLE_WIDTH_MAX 40
#define COLUMN_GAP      2

/* Columns that a character takes, as terminals count: none for marks that combine, two for East Asian wide
 * ones and emoji. */
static size_t char_width(uint32_t c)
{
    bool joins = (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F) ||
                 (c >= 0x20D0 && c <= 0x20FF);
    bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
    return joins ? 0 : wide ? 2 : 1;
}

static size_t width(struct str s)
{
    size_t n = 0;
    while (s.len)
        n += char_width(utf8_next(&s, NULL));
    return n;
}

static const struct tg_doc *cell(const struct tg_table *t, size_t row, size_t column)
{
    return &t->cells[row * t->columns + column];
}

static struct str cell_text(const struct tg_table *t, size_t row, size_t column)
{
    return str_trim(strbuf_str(&cell(t, row, column)->text));
}

static size_t column_width(const struct tg_table *t, size_t column)
{
    size_t most = 0;
    for (size_t row = 0; row < t->rows; row++) {
        size_t n = width(cell_text(t, row, column));
        most = n > most ? n : most;
    }
    return most;
}

bool tg_table_fits(const struct tg_table *t)
{
    size_t all = 0;
    for (size_t i = 0; i < t->rows * t->columns; i++) {
        struct str text = str_trim(strbuf_str(&t->cells[i].text));
        if (memchr(text.s, '\n', text.len))
            return false;
        for (size_t r = 0; r < t->cells[i].runs_n; r++)
            if (t->cells[i].runs[r].style.link)
                return false;
    }
    for (size_t column = 0; column < t->columns && all <= TABLE_WIDTH_MAX; column++)
        all += column_width(t, column) + (column ? COLUMN_GAP : 0);
    return all <= TABLE_WIDTH_MAX;
}

static void add_blanks(struct strbuf *out, size_t n, char c)
{
    while (n--)
        strbuf_addc(out, c);
}

void tg_table_text(const struct tg_table *t, struct strbuf *out)
{
    size_t widths[TABLE_WIDTH_MAX + 1] = {0}; /* a column has at least its gap */
    for (size_t column = 0; column < t->columns; column++)
        widths[column] = column_width(t, column);
    for (size_t row = 0; row < t->rows; row++) {
        size_t blanks = 0;
        for (size_t column = 0; column < t->columns; column++) {
            struct str s = cell_text(t, row, column);
            size_t pad = widths[column] - width(s);
            blanks += (column ? COLUMN_GAP : 0) + (t->right[column] ? pad : 0);
            if (s.len) { /* no blanks at the end of a line */
                add_blanks(out, blanks, ' ');
                blanks = 0;
            }
            strbuf_addstr(out, s);
            blanks += t->right[column] ? 0 : pad;
        }
        strbuf_addc(out, '\n');
        if (row > 0)
            continue;
        for (size_t column = 0; column < t->columns; column++) {
            add_blanks(out, column ? COLUMN_GAP : 0, ' ');
            add_blanks(out, widths[column], '-');
        }
        strbuf_addc(out, '\n');
    }
    strbuf_truncate(out, out->len - 1);
}

void tg_table_lines(const struct tg_table *t, struct tg_doc *out)
{
    const struct tg_style normal = {0}, bold = {.bits = STYLE_BOLD};
    for (size_t row = 1; row < t->rows; row++) {
        if (out->text.len)
            tg_doc_add(out, t->columns > 2 ? STR("\n\n") : STR("\n"), normal);
        tg_doc_append(out, cell(t, row, 0), bold);
        tg_doc_trim_end(out);
        for (size_t column = 1; column < t->columns; column++) {
            struct str head = cell_text(t, 0, column);
            if (!cell_text(t, row, column).len)
                continue;
            tg_doc_add(out, t->columns > 2 ? STR("\n") : STR(": "), normal);
            if (t->columns > 2 && head.len) {
                tg_doc_add(out, head, normal);
                tg_doc_add(out, STR(": "), normal);
            }
            tg_doc_append(out, cell(t, row, column), normal);
            tg_doc_trim_end(out);
        }
    }
    if (t->rows == 1) /* a head only */
        for (size_t column = 0; column < t->columns; column++) {
            tg_doc_add(out, column ? STR(", ") : STR(""), normal);
            tg_doc_append(out, cell(t, 0, column), bold);
        }
}
