#include "codec/markdown/growing/markdown_append.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/html.h"

/* True when the character cannot be a part of markup, of a reference like &amp;, or of a bare address. A dot
 * after www is a part of one. The last character of a link is not plain either, because a link can begin
 * inside of a span and end behind it. */
static bool is_plain(char c, char before)
{
    switch (c) {
    case '!':
    case '#':
    case '$':
    case '&':
    case ')':
    case '*':
    case '/':
    case '<':
    case '>':
    case '@':
    case '[':
    case '\\':
    case ']':
    case '_':
    case '`':
    case '|':
    case '~':
    case 0x7F: return false;
    case '.': return (before | 0x20) != 'w';
    case '\x90': return before != '\xB7'; /* the end of MARKDOWN_CJK_MARK, which is not shown */
    default: return (unsigned char)c >= ' ';
    }
}

static bool is_plain_text(struct str s, char before)
{
    for (size_t i = 0; i < s.len; before = s.s[i++])
        if (!is_plain(s.s[i], before))
            return false;
    return true;
}

static bool is_letter(char c)
{
    return (unsigned char)c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool last_line_has_letter(struct str text)
{
    for (size_t i = text.len; i && text.s[i - 1] != '\n' && text.s[i - 1] != '\r'; i--)
        if (is_letter(text.s[i - 1]))
            return true;
    return false;
}

static struct str last_word(struct str text)
{
    size_t at = text.len;
    while (at && (unsigned char)text.s[at - 1] > ' ')
        at--;
    return str_from(text, at);
}

static size_t spaces_at_end(struct str s)
{
    size_t n = 0;
    while (n < s.len && s.s[s.len - 1 - n] == ' ')
        n++;
    return n;
}

static bool ends_with(struct str s, struct str end)
{
    return s.len >= end.len && memcmp(s.s + s.len - end.len, end.s, end.len) == 0;
}

/* The length of the blocks' closing tags at the end of the HTML. */
static size_t foot_of(struct str html)
{
    static const struct str tags[] = {{"</p>\n", 5}, {"</li>\n", 6}, {"</ul>\n", 6}, {"</ol>\n", 6},
        {"</blockquote>\n", 14}, {"</h3>\n", 6}, {"</h4>\n", 6}, {"</h5>\n", 6}, {"</h6>\n", 6}};
    struct str rest = html;
    for (size_t i = 0; i < ARRAY_LEN(tags);) {
        bool found = ends_with(rest, tags[i]);
        rest.len -= found ? tags[i].len : 0;
        i = found ? 0 : i + 1;
    }
    return html.len - rest.len;
}

void markdown_run_begin(struct markdown_run *r, struct str text, struct str html)
{
    size_t foot = foot_of(html);
    *r = (struct markdown_run){0};
    /* A definition of a link can hide text, and more text can show it. */
    if (!foot || foot == html.len || html.s[html.len - foot - 1] == '>' || !last_line_has_letter(text) ||
        !is_plain_text(last_word(text), 0) || memmem(text.s, text.len, "]:", 2))
        return;
    *r = (struct markdown_run){.on = true,
        .last = text.s[text.len - 1],
        .spaces = spaces_at_end(text),
        .foot = foot,
        .body16 = utf8_utf16_len((struct str){html.s, html.len - foot})};
}

static struct str without_line_ends(struct str s)
{
    while (s.len && s.s[s.len - 1] == '\n')
        s.len--;
    return s;
}

bool markdown_run_take(
    struct markdown_run *r, struct str piece, struct str html, size_t *keep16, struct strbuf *fresh)
{
    struct str line = without_line_ends(piece);
    if (!r->on || (line.len && r->lines) || !is_plain_text(line, r->last)) {
        r->on = false;
        return false;
    }
    *keep16 = r->body16;
    size_t spaces = spaces_at_end(line);
    if (spaces == line.len) {
        r->spaces += spaces;
    } else {
        for (; r->spaces; r->spaces--)
            strbuf_addc(fresh, ' ');
        html_escape(fresh, (struct str){line.s, line.len - spaces});
        r->body16 += utf8_utf16_len(strbuf_str(fresh));
        strbuf_add(fresh, html.s + html.len - r->foot, r->foot);
        r->spaces = spaces;
    }
    r->lines += piece.len - line.len;
    r->last = piece.s[piece.len - 1];
    return true;
}

bool markdown_run_has_ended(const struct markdown_run *r, struct str html, char next)
{
    static const struct str head = {"<p ", 3}, foot = {"</p>\n", 5};
    return r->on && r->lines >= 2 && r->foot == foot.len && str_starts(html, head) &&
           (unsigned char)next > ' ';
}
