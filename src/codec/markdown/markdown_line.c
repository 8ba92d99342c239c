#include "codec/markdown/markdown_line.h"

#include <stdint.h>
#include <string.h>

#include "codec/html.h"

bool line_is_blank(struct str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r\n", line.s[i]))
            return false;
    return true;
}

typedef unsigned char lane __attribute__((vector_size(16)));

static bool has_line_end(const char *p)
{
    lane v;
    uint64_t hit[2];
    memcpy(&v, p, sizeof v);
    __auto_type found = (v == '\n') | (v == '\r');
    memcpy(hit, &found, sizeof hit);
    return (hit[0] | hit[1]) != 0;
}

struct str line_at(struct str text, size_t at, bool *whole, size_t *next)
{
    size_t end = at;
    while (text.len - end >= sizeof(lane) && !has_line_end(text.s + end))
        end += sizeof(lane);
    while (end < text.len && text.s[end] != '\n' && text.s[end] != '\r')
        end++;
    *whole = end + 1 < text.len || (end < text.len && text.s[end] == '\n');
    *next = end;
    if (*whole)
        *next += text.s[end] == '\r' && text.s[end + 1] == '\n' ? 2 : 1;
    return (struct str){text.s + at, end - at};
}

bool line_begins_anew(struct str line)
{
    size_t i = 0;
    if (!line.len || (unsigned char)line.s[0] <= ' ')
        return false;
    if (strchr("-+*", line.s[0]))
        i = 1;
    else if (line.s[0] >= '0' && line.s[0] <= '9') {
        while (i < line.len && line.s[i] >= '0' && line.s[i] <= '9')
            i++;
        if (i == line.len)
            return i > 9;
        if (line.s[i] != '.' && line.s[i] != ')')
            return true;
        i++;
    } else {
        return true;
    }
    return i < line.len && line.s[i] != ' ' && line.s[i] != '\t';
}

size_t line_fence_width(struct str line)
{
    size_t n = 0;
    if (!line.len || (line.s[0] != '`' && line.s[0] != '~'))
        return 0;
    while (n < line.len && line.s[n] == line.s[0])
        n++;
    if (n < 3 || (line.s[0] == '`' && memchr(line.s + n, '`', line.len - n)))
        return 0;
    return n;
}

bool line_is_escaped(struct str text, size_t at)
{
    size_t slashes = 0;
    while (slashes < at && text.s[at - 1 - slashes] == '\\')
        slashes++;
    return slashes % 2;
}

struct str line_without_indent(struct str line)
{
    while (line.len && (line.s[0] == ' ' || line.s[0] == '\t'))
        line = str_from(line, 1);
    return line;
}

bool line_closes_fence(struct str line, char mark, size_t width)
{
    size_t n = 0;
    while (n < line.len && line.s[n] == mark)
        n++;
    bool wide = n >= width;
    while (n < line.len && line.s[n] == ' ') /* md4c 0.4.8 accepts no tab here */
        n++;
    return wide && n == line.len;
}

void line_add_code(struct strbuf *out, struct str line, bool from_start)
{
    if (!from_start || !line_is_blank(line)) {
        html_escape(out, line);
        return;
    }
    for (size_t i = 0, column = 0; i < line.len; i++)
        do
            strbuf_addc(out, ' ');
        while (++column % 4 && line.s[i] == '\t');
}

bool line_may_close_fence(struct str line, char mark)
{
    struct str inner = line_without_indent(line);
    size_t n = 0;
    while (n < inner.len && inner.s[n] == mark)
        n++;
    return line_is_blank(str_from(inner, n));
}

/* ---- incomplete lines ---- */

#define OPEN_LINE_MAX  200 /* bytes of markers */
#define LABEL_MAX      40  /* bytes of a reference's definition; a longer one is shown until it is complete */
#define DEFINITION_MAX 300

struct str line_without_quotes(struct str line)
{
    while (line.len && (line.s[0] == ' ' || line.s[0] == '\t' || line.s[0] == '>'))
        line = str_from(line, 1);
    return line;
}

size_t line_item_marker(struct str s)
{
    size_t n = 0;
    if (s.len && strchr("-+*", s.s[0]))
        return 1;
    while (n < s.len && n < 10 && s.s[n] >= '0' && s.s[n] <= '9')
        n++;
    return n && n < 10 && n < s.len && (s.s[n] == '.' || s.s[n] == ')') ? n + 1 : 0;
}

static bool only(struct str s, const char *chars)
{
    for (size_t i = 0; i < s.len; i++)
        if (!s.s[i] || !strchr(chars, s.s[i]))
            return false;
    return true;
}

/* An incomplete box of a task: "[", "[ ", "[x", "[x]". */
static bool is_open_box(struct str s)
{
    static const char *const shapes[] = {"[", " xX", "]"};
    for (size_t i = 0; i < s.len; i++)
        if (i == 3 || !s.s[i] || !strchr(shapes[i], s.s[i]))
            return false;
    return s.len > 0;
}

bool line_is_open(struct str line)
{
    bool in_item = false;
    line = line_without_quotes(line);
    for (size_t n; (n = line_item_marker(line)) && n < line.len && (line.s[n] == ' ' || line.s[n] == '\t');
         in_item = true)
        line = line_without_quotes(str_from(line, n));
    line = str_trim(line);
    if (line.len > OPEN_LINE_MAX)
        return false;
    return only(line, "-+*=_|: \t") || only(line, "#") || only(line, "`~") || line_fence_width(line) ||
           line_item_marker(line) == line.len || (line.len < 10 && only(line, "0123456789")) ||
           (in_item && is_open_box(line));
}

bool line_is_open_definition(struct str line)
{
    size_t n = 1;
    if (!line.len || line.s[0] != '[' || line.len > DEFINITION_MAX)
        return false;
    while (n < line.len && line.s[n] != ']')
        n++;
    return n <= LABEL_MAX && (n == line.len || (n + 1 < line.len && line.s[n + 1] == ':'));
}

size_t line_start_at(struct str t, size_t at)
{
    while (at > 0 && t.s[at - 1] != '\n' && t.s[at - 1] != '\r')
        at--;
    return at;
}

size_t line_end_at(struct str t, size_t at)
{
    while (at < t.len && t.s[at] != '\n' && t.s[at] != '\r')
        at++;
    return at;
}

size_t line_after(struct str t, size_t at)
{
    at = line_end_at(t, at);
    if (at < t.len)
        at += t.s[at] == '\r' && at + 1 < t.len && t.s[at + 1] == '\n' ? 2 : 1;
    return at;
}

#define CODE_TICKS_MAX 32 /* md4c's; bounds the searches for closing backticks, too */

size_t line_after_code(struct str s, size_t i)
{
    size_t width = 0, run = 0;
    while (i + width < s.len && s.s[i + width] == '`')
        width++;
    for (size_t at = i + width; at < s.len && width <= CODE_TICKS_MAX; at++) {
        run = s.s[at] == '`' ? run + 1 : 0;
        if (run == width && (at + 1 == s.len || s.s[at + 1] != '`'))
            return at + 1;
    }
    return i + width;
}
