/* The delimiters that are open at the end of a growing text, and their closing. */
#include "codec/markdown/growing/markdown_unfinished_private.h"

#include "base/mem.h"
#include "codec/markdown/growing/markdown_references.h"
#include "codec/markdown/markdown_line.h"

#define OPEN_LINK "]" MARKDOWN_NO_ADDRESS

/* Bytes after an opening delimiter after which it counts as text. */
#define EMPHASIS_MAX 400
#define CODE_MAX     400
#define LINK_MAX     2000

static bool is_ascii_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool unfinished_is_autolink(struct str s)
{
    static const char *const schemes[] = {"<https://", "<http://", "<mailto:"};
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        size_t n = strlen(schemes[i]);
        if (memcmp(schemes[i], s.s, s.len < n ? s.len : n) == 0)
            return true;
    }
    return false;
}

static void push(struct unfinished_closing *c, struct unfinished_mark m, const char *close)
{
    if (c->n < UNFINISHED_OPEN_MAX)
        c->open[c->n++] = (struct unfinished_open){m.at, m.len, close};
}

static bool opens_emphasis(struct str t, struct unfinished_mark m)
{
    char c = t.s[m.at];
    size_t next = m.at + m.len;
    if (t.len - m.at > EMPHASIS_MAX || m.len > 3 || next >= t.len || str_is_space(t.s[next]))
        return false;
    if (c == '~' && m.len != 2) /* "~5 minutes" */
        return false;
    return m.at == 0 || !is_ascii_word(t.s[m.at - 1]); /* "2*3" */
}

/* The end of the text of a link that begins at `at`: its "]", or the text's end. */
static size_t link_text_end(struct str t, size_t at)
{
    unsigned depth = 0;
    for (size_t i = at + 1; i < t.len; i++) {
        if (line_is_escaped(t, i))
            continue;
        if (t.s[i] == '[')
            depth++;
        else if (t.s[i] == ']' && depth-- == 0)
            return i;
    }
    return t.len;
}

/* An address, maybe with a title, that is incomplete. */
static bool is_open_address(struct str s)
{
    unsigned depth = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (str_is_space(s.s[i])) {
            struct str title = str_trim(str_from(s, i));
            return title.len == 0 || strchr("\"'(", title.s[0]);
        }
        if (s.s[i] == '(')
            depth++;
        else if (s.s[i] == ')' && depth-- == 0)
            return false;
    }
    return true;
}

/* `whole`: the text `t` with what is held back at its end. */
static void close_link(struct unfinished_closing *c, struct str t, struct str whole, struct unfinished_mark m)
{
    if (t.len - m.at > LINK_MAX)
        return;
    m = (struct unfinished_mark){m.at + m.len - 1, 1}; /* of "[[a" the second */
    char before = m.at ? t.s[m.at - 1] : ' ';
    if (is_ascii_word(before) || before == ']') /* "a[i][j]" */
        return;
    size_t end = link_text_end(t, m.at);
    char next = end + 1 < whole.len ? whole.s[end + 1] : ' ';
    bool address = next == '(' && (end + 2 > t.len || is_open_address(str_from(t, end + 2)));
    bool reference =
        next == '[' && markdown_may_be_reference(t, m.at, end) && link_text_end(t, end + 1) + 1 >= t.len;
    if (end < t.len && !address && !reference)
        return;
    push(c, m, OPEN_LINK);
    if (end < c->end)
        c->end = end;
}

static void close_autolink(struct unfinished_closing *c, struct str t, struct unfinished_mark m)
{
    struct str rest = str_from(t, m.at);
    if (m.len != 1 || !unfinished_is_autolink(rest) || rest.len > LINK_MAX)
        return;
    for (size_t i = 1; i < rest.len; i++)
        if (str_is_space(rest.s[i]) || rest.s[i] == '<' || rest.s[i] == '>')
            return;
    push(c, m, ">");
}

bool unfinished_has_ended(const struct unfinished *f)
{
    unsigned lines = 0;
    for (size_t i = f->text.len; i && str_is_space(f->text.s[i - 1]); i--) {
        /* A CR at the end may be half of a CRLF. */
        bool is_alone = i < f->text.len ? f->text.s[i] != '\n' : f->is_cut;
        lines += f->text.s[i - 1] == '\n' || (f->text.s[i - 1] == '\r' && is_alone);
    }
    bool in_lines = f->leaf == MD_BLOCK_P || f->leaf == MD_BLOCK_LI;
    return lines > in_lines;
}

/* The start of a row's last cell. */
static size_t cell_start(struct str t)
{
    size_t at = t.len;
    while (at && (t.s[at - 1] != '|' || line_is_escaped(t, at - 1)))
        at--;
    return at;
}

struct unfinished_closing unfinished_find(const struct unfinished *f)
{
    struct unfinished_closing c = {.end = f->text.len};
    size_t from = f->leaf == MD_BLOCK_TD ? cell_start(f->text) : 0;
    if (f->leaf == MD_BLOCK_CODE || unfinished_has_ended(f))
        return c;
    for (size_t i = 0; i < f->n && f->marks[i].at < c.end; i++) {
        struct unfinished_mark m = f->marks[i];
        if (m.at < from)
            continue;
        switch (f->text.s[m.at]) {
        case '`':
            if (f->text.len - m.at > CODE_MAX)
                break;
            push(&c, m, NULL);
            return c; /* the rest is code */
        case '[': close_link(&c, f->text, f->whole, m); break;
        case '<': close_autolink(&c, f->text, m); break;
        case '*':
        case '_':
        case '~':
            if (opens_emphasis(f->text, m))
                push(&c, m, NULL);
            break;
        default: break;
        }
    }
    return c;
}

/* Back to `from`. A backtick at the end of code may belong to the closing delimiter. */
static void trim_end(struct strbuf *out, size_t from, bool in_code)
{
    while (
        out->len > from && (str_is_space(out->s[out->len - 1]) || (in_code && out->s[out->len - 1] == '`')))
        strbuf_truncate(out, out->len - 1);
}

/* An opening delimiter with no text after it is dropped. */
void unfinished_close(const struct unfinished_closing *c, struct strbuf *out)
{
    if (c->n)
        strbuf_truncate(out, c->end);
    for (size_t i = c->n; i-- > 0;) {
        const struct unfinished_open *o = &c->open[i];
        trim_end(out, o->at + o->len, out->s[o->at] == '`');
        if (out->len <= o->at + o->len) {
            strbuf_truncate(out, o->at);
        } else if (o->close) {
            strbuf_adds(out, o->close);
        } else {
            for (size_t n = 0; n < o->len; n++)
                strbuf_addc(out, out->s[o->at]);
        }
    }
}
