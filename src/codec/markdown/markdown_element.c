#include "codec/markdown/markdown_element.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

static const char *const breaks[] = {"<br>", "<br/>", "<br />"};
static const char *const opening[] = {
    [MARKDOWN_SUB] = "<sub>", [MARKDOWN_SUP] = "<sup>", [MARKDOWN_KBD] = "<kbd>"};
static const char *const closing[] = {
    [MARKDOWN_SUB] = "</sub>", [MARKDOWN_SUP] = "</sup>", [MARKDOWN_KBD] = "</kbd>"};

/* The text after an opening tag, up to the next tag. */
static struct str inside(struct str rest)
{
    size_t max = rest.len < MARKDOWN_ELEMENT_MAX + 1 ? rest.len : MARKDOWN_ELEMENT_MAX + 1;
    const char *end = memchr(rest.s, '<', max);
    return (struct str){rest.s, end ? (size_t)(end - rest.s) : max};
}

/* The number of digits after "[^". */
static size_t note_digits(struct str s)
{
    size_t n = 0;
    while (2 + n < s.len && isdigit((unsigned char)s.s[2 + n]))
        n++;
    return n;
}

static bool is_note(struct str s)
{
    size_t n = str_starts(s, STR("[^")) ? note_digits(s) : 0;
    return n >= 1 && n <= MARKDOWN_NOTE_DIGITS && 2 + n < s.len && s.s[2 + n] == ']';
}

bool markdown_begins_note(struct str s)
{
    if (!is_note(s))
        return false;
    struct str rest = str_from(s, note_digits(s) + 3);
    return rest.len == 0 || rest.s[0] == ':';
}

/* The element at the start of `s`. Gives its length, 0: none. */
static size_t element_at(struct str s, struct markdown_element *found)
{
    if (is_note(s)) {
        size_t n = note_digits(s);
        *found = (struct markdown_element){MARKDOWN_NOTE, {s.s + 2, n}};
        return n + 3;
    }
    for (size_t i = 0; i < ARRAY_LEN(breaks); i++)
        if (str_starts_nocase(s, str_of(breaks[i]))) {
            *found = (struct markdown_element){.kind = MARKDOWN_BREAK};
            return strlen(breaks[i]);
        }
    for (size_t i = 0; i < ARRAY_LEN(opening); i++) {
        struct str open = str_of(opening[i]), close = str_of(closing[i]);
        if (!str_starts_nocase(s, open))
            continue;
        struct str rest = str_from(s, open.len), text = inside(rest);
        if (text.len == 0 || !str_starts_nocase(str_from(rest, text.len), close))
            return 0;
        *found = (struct markdown_element){(enum markdown_element_kind)i, text};
        return open.len + text.len + close.len;
    }
    return 0;
}

bool markdown_cut_element(struct str *rest, struct str *before, struct markdown_element *found)
{
    const char *const end = rest->s + rest->len;
    for (const char *at = rest->s; at < end; at++) {
        size_t n = *at == '<' || *at == '[' ? element_at((struct str){at, (size_t)(end - at)}, found) : 0;
        if (!n)
            continue;
        *before = (struct str){rest->s, (size_t)(at - rest->s)};
        *rest = (struct str){at + n, (size_t)(end - at) - n};
        return true;
    }
    return false;
}

void markdown_script_text(enum tex_line line, struct str text, struct strbuf *out)
{
    if (str_starts(text, STR("[")))
        strbuf_addstr(out, text);
    else
        tex_script(line, text, out);
}

void markdown_element_text(const struct markdown_element *e, enum markdown_sub sub, struct strbuf *out)
{
    if (e->kind == MARKDOWN_NOTE)
        strbuf_addf(out, "[%.*s]", STR_FMT(e->text));
    else if (e->kind == MARKDOWN_SUP)
        markdown_script_text(TEX_RAISED, e->text, out);
    else if (e->kind == MARKDOWN_SUB && sub == MARKDOWN_SUB_LOWERED)
        markdown_script_text(TEX_LOWERED, e->text, out);
    else if (e->kind != MARKDOWN_BREAK)
        strbuf_addstr(out, e->text);
}

static bool is_start_of(struct str s, struct str whole)
{
    return s.len < whole.len && str_starts_nocase(whole, s);
}

static bool note_is_open(struct str s)
{
    if (!str_starts(s, STR("[^")))
        return false;
    size_t n = note_digits(s);
    return n <= MARKDOWN_NOTE_DIGITS && 2 + n == s.len;
}

bool markdown_element_is_open(struct str s)
{
    if (note_is_open(s))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(breaks); i++)
        if (is_start_of(s, str_of(breaks[i])))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(opening); i++) {
        struct str open = str_of(opening[i]);
        if (is_start_of(s, open))
            return true;
        if (!str_starts_nocase(s, open))
            continue;
        struct str rest = str_from(s, open.len), text = inside(rest);
        if (text.len > MARKDOWN_ELEMENT_MAX || memchr(text.s, '\n', text.len))
            return false;
        struct str tail = str_from(rest, text.len);
        return tail.len == 0 || (text.len && is_start_of(tail, str_of(closing[i])));
    }
    return false;
}
