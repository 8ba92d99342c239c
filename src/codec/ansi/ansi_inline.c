#include "codec/ansi/ansi_inline.h"

#include "codec/ansi/ansi_wrap.h"
#include "codec/ansi/terminal_text.h"
#include "codec/markdown/markdown_element.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/tex_text.h"

void ansi_inline_style(struct ansi_inline *l, unsigned styles)
{
    if (styles != l->styles)
        ansi_mark(&l->rich, styles);
    l->styles = styles;
}

struct str ansi_inline_attribute(struct arena *a, const MD_ATTRIBUTE *value, size_t columns)
{
    AUTO_STRBUF clean;
    strbuf_init(&clean, 4 * value->size + 16);
    terminal_text_add_line(&clean, (struct str){value->text ? value->text : "", value->size}, columns);
    return arena_str(a, strbuf_str(&clean));
}

/* ---- spans ---- */

static unsigned style_of(MD_SPANTYPE type)
{
    switch (type) {
    case MD_SPAN_EM: return ANSI_ITALIC;
    case MD_SPAN_STRONG: return ANSI_BOLD;
    case MD_SPAN_DEL: return ANSI_STRIKE;
    case MD_SPAN_CODE: return ANSI_CODE;
    case MD_SPAN_A:
    case MD_SPAN_IMG: return ANSI_UNDERLINE;
    default: return 0;
    }
}

/* True for an address that has a meaning outside of a page: not for a path, nor for the placeholder of an
 * unfinished link. */
static bool is_address(struct str s)
{
    return str_starts_nocase(s, STR("mailto:")) || (s.len && memmem(s.s, s.len, "://", 3));
}

void ansi_inline_enter(struct ansi_inline *l, MD_SPANTYPE type, void *detail)
{
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
        struct str to = type == MD_SPAN_A
                            ? ansi_inline_attribute(l->arena, &((MD_SPAN_A_DETAIL *)detail)->href, SIZE_MAX)
                            : ansi_inline_attribute(l->arena, &((MD_SPAN_IMG_DETAIL *)detail)->src, SIZE_MAX);
        l->link_to = is_address(to) ? to : (struct str){"", 0};
        ansi_inline_style(l, l->styles | ANSI_UNDERLINE);
        l->link_from = l->rich.len;
        return;
    }
    if (type == MD_SPAN_CODE && !l->styled)
        strbuf_addc(&l->rich, '`');
    ansi_inline_style(l, l->styles | style_of(type));
}

/* True when the text of the open link is its address. The text of a bare address lacks "http://" or
 * "mailto:". */
static bool shows_address(const struct ansi_inline *l)
{
    struct str to = l->link_to, text = {l->rich.s + l->link_from, l->rich.len - l->link_from};
    return text.len && text.len <= to.len && memcmp(to.s + to.len - text.len, text.s, text.len) == 0;
}

static void add_address(struct ansi_inline *l)
{
    unsigned before = l->styles;
    strbuf_addc(&l->rich, ' ');
    ansi_inline_style(l, ANSI_DIM);
    strbuf_addf(&l->rich, "(%.*s)", STR_FMT(l->link_to));
    ansi_inline_style(l, before);
}

void ansi_inline_leave(struct ansi_inline *l, MD_SPANTYPE type)
{
    if (type == MD_SPAN_CODE && !l->styled)
        strbuf_addc(&l->rich, '`');
    bool address = (type == MD_SPAN_A || type == MD_SPAN_IMG) && l->link_to.len && !shows_address(l);
    ansi_inline_style(l, l->styles & ~style_of(type));
    if (address)
        add_address(l);
}

/* ---- text ---- */

static void add_normal(struct ansi_inline *l, struct str text)
{
    struct str before;
    struct markdown_element e;
    AUTO_STRBUF shown;
    strbuf_init(&shown, TEX_SCRIPT_FACTOR * MARKDOWN_ELEMENT_MAX);
    while (markdown_cut_element(&text, &before, &e)) {
        terminal_text_add_flat(&l->rich, before);
        strbuf_clear(&shown);
        markdown_element_text(&e, MARKDOWN_SUB_LOWERED, &shown);
        terminal_text_add_flat(&l->rich, strbuf_str(&shown));
        strbuf_adds(&l->rich, e.kind == MARKDOWN_BREAK ? "\n" : "");
    }
    terminal_text_add_flat(&l->rich, text);
}

static void add_code(struct ansi_inline *l, struct str text)
{
    struct str before;
    while (l->in_table && markdown_cut_bar(&text, &before))
        terminal_text_add_flat(&l->rich, before);
    terminal_text_add_flat(&l->rich, text);
}

void ansi_inline_add(struct ansi_inline *l, MD_TEXTTYPE type, struct str text)
{
    switch (type) {
    case MD_TEXT_NULLCHAR: strbuf_adds(&l->rich, "\uFFFD"); break;
    case MD_TEXT_BR: strbuf_addc(&l->rich, '\n'); break;
    case MD_TEXT_SOFTBR: strbuf_addc(&l->rich, ' '); break;
    case MD_TEXT_ENTITY: terminal_entity_add(&l->rich, text); break;
    case MD_TEXT_CODE: add_code(l, text); break;
    default: add_normal(l, text);
    }
}
