#include "codec/page/page_script.h"

#include <ctype.h>

#include "base/strbuf.h"
#include "base/utf8.h"

#define TEXT_MAX     24 /* bytes; a longer one is no exponent or index */
#define ELEMENTS_MAX 16
#define MINUS        0x2212u

struct reader {
    struct page_visitor v;
    struct strbuf text;
    unsigned elements;
    bool refers; /* to another place of the page, as the number of a footnote does */
};

static bool read_enter(struct page_visitor *v, const GumboNode *element)
{
    struct reader *r = (struct reader *)v;
    r->refers |= str_starts(page_attribute(element, "href"), STR("#"));
    v->stop = ++r->elements > ELEMENTS_MAX;
    return !v->stop;
}

static void read_leave(struct page_visitor *v, const GumboNode *element)
{
    (void)v;
    (void)element;
}

static void read_text(struct page_visitor *v, struct str text)
{
    struct reader *r = (struct reader *)v;
    strbuf_addstr(&r->text, text);
    v->stop = r->text.failed;
}

static bool is_letter(uint32_t c)
{
    bool latin = c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7, greek = c >= 0x370 && c <= 0x3FF;
    return latin || greek || (c < 0x80 && isalnum((int)c));
}

static bool is_sign(uint32_t c)
{
    return c == '-' || c == '+' || c == MINUS;
}

/* A word, or digits, perhaps with a sign before them. */
static bool is_single(struct str s)
{
    bool sign = is_sign(utf8_at(s, 0)), all = true;
    if (sign)
        utf8_next(&s, NULL);
    while (s.len && all) {
        uint32_t c = utf8_next(&s, NULL);
        all = sign ? c < 0x80 && isdigit((int)c) : is_letter(c);
    }
    return all;
}

static bool is_number(struct str s)
{
    return is_single(s) && (is_sign(utf8_at(s, 0)) || isdigit((unsigned char)s.s[0]));
}

const char *page_script_mark(const GumboNode *element)
{
    /* "1st", "XIXe", "No" are words; the others are trade marks. */
    static const char *const words[] = {"st", "nd", "rd", "th", "er", "re", "e", "o", "TM", "SM"};
    struct reader r = {.v = {read_enter, read_leave, read_text, false}};
    bool raised = page_tag(element) == GUMBO_TAG_SUP;
    strbuf_init(&r.text, TEXT_MAX);
    page_walk(element, &r.v);
    struct str text = str_trim(strbuf_str(&r.text));
    uint32_t first = utf8_at(text, 0);
    const char *mark = NULL;
    if (!r.v.stop && (is_letter(first) || is_sign(first)) && (!r.refers || is_number(text)) &&
        !(raised && STR_IN(text, words)))
        mark = is_single(text) ? (raised ? "^" : "_") : (raised ? "^(" : "_(");
    strbuf_release(&r.text);
    return mark;
}

bool page_script_fits(struct str before)
{
    size_t at = before.len;
    while (at > 0 && before.len - at < UTF8_BYTES_MAX && ((unsigned char)before.s[at - 1] & 0xC0) == 0x80)
        at--;
    uint32_t c = at ? utf8_at(before, at - 1) : 0;
    return is_letter(c) || c == ')';
}
