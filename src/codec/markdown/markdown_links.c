/*
 * Links and images. An address is decoded before it is checked (codec/url.h) and encoded again, so that the
 * browser gets the checked address. A refused link keeps its text. An image becomes a link.
 */
#include "base/utf8.h"
#include "codec/html.h"
#include "codec/markdown/markdown_render.h"
#include "codec/url.h"

/* Character references. */

static bool decode_number(struct str ref, struct strbuf *out)
{
    if (ref.len < 4 || ref.s[1] != '#')
        return false;
    bool hex = ref.s[2] == 'x' || ref.s[2] == 'X';
    uint32_t cp = 0;
    for (size_t i = hex ? 3 : 2; i + 1 < ref.len && cp <= 0x10FFFF; i++) {
        char c = ref.s[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
        cp = cp * (hex ? 16 : 10) + digit;
    }
    char utf8[4];
    size_t n = cp ? utf8_put(cp, utf8) : 0;
    if (!n)
        n = utf8_put(UTF8_REPLACEMENT, utf8);
    strbuf_add(out, utf8, n);
    return true;
}

/* Decodes the names that matter in an address; false for others. */
static bool decode_name(struct str ref, struct strbuf *out)
{
    static const struct {
        const char *name;
        char c;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(ref, names[i].name)) {
            strbuf_addc(out, names[i].c);
            return true;
        }
    return false;
}

/* In HTML a named reference is kept: the browser knows all 2,231 of them and shows unknown ones as text. */
void markdown_add_reference(struct strbuf *out, struct str ref)
{
    char utf8[4];
    struct strbuf one;
    strbuf_init(&one, sizeof utf8);
    if (decode_number(ref, &one))
        html_escape(out, strbuf_str(&one));
    else
        strbuf_addstr(out, ref);
    strbuf_release(&one);
}

/* Appends an attribute as HTML. */
static void add_attribute(struct strbuf *out, const MD_ATTRIBUTE *a)
{
    for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
        size_t from = a->substr_offsets[i], to = a->substr_offsets[i + 1];
        struct str part = {a->text + from, to - from};
        if (a->substr_types[i] == MD_TEXT_ENTITY)
            markdown_add_reference(out, part);
        else
            html_escape(out, part);
    }
}

/* Writes the decoded address of a link to `r->link`. False: it is not allowed. */
static bool take_address(struct renderer *r, const MD_ATTRIBUTE *a)
{
    strbuf_clear(&r->link);
    for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
        size_t from = a->substr_offsets[i], to = a->substr_offsets[i + 1];
        struct str part = {a->text + from, to - from};
        if (a->substr_types[i] != MD_TEXT_ENTITY)
            strbuf_addstr(&r->link, part);
        else if (!decode_number(part, &r->link) && !decode_name(part, &r->link))
            return false; /* a reference that we cannot decode */
    }
    struct str address = strbuf_str(&r->link);
    return !r->link.failed && (url_link_allowed(address) || url_link_inside(address));
}

/* Links and images. */

/* Escapes characters that RFC 3986 does not allow, but no existing %. */
static void add_url(struct renderer *r, struct str url)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < url.len; i++) {
        unsigned char c = (unsigned char)url.s[i];
        if (c >= 0x80 || c <= 0x20 || strchr("\"<>[\\]^`{|}\x7F", c)) {
            strbuf_addc(r->out, '%');
            strbuf_addc(r->out, hex[c >> 4]);
            strbuf_addc(r->out, hex[c & 15]);
        } else {
            html_escape(r->out, (struct str){url.s + i, 1});
        }
    }
}

static void open_link(struct renderer *r, struct str scheme, struct str rest)
{
    markdown_add(r, "<a href=\"");
    add_url(r, scheme);
    add_url(r, rest);
    if (r->title.len) {
        markdown_add(r, "\" title=\"");
        strbuf_addstr(r->out, strbuf_str(&r->title));
    }
    markdown_add(
        r, url_link_inside(rest) ? "\">" : "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">");
    r->link_open = true;
}

static void take_title(struct renderer *r, const MD_ATTRIBUTE *title)
{
    strbuf_clear(&r->title);
    add_attribute(&r->title, title);
    if (r->title.failed)
        strbuf_clear(&r->title);
}

void markdown_enter_link(struct renderer *r, const MD_SPAN_A_DETAIL *d)
{
    take_title(r, &d->title);
    if (take_address(r, &d->href))
        open_link(r, STR(""), strbuf_str(&r->link));
    else
        r->link_pending = str_starts(strbuf_str(&r->link), STR("http://www."));
}

/* md4c makes http://www.example.com from www.example.com; we use https. */
void markdown_decide_link(struct renderer *r, bool is_text, struct str text)
{
    if (!r->link_pending)
        return;
    r->link_pending = false;
    struct str rest = {r->link.s + 7, r->link.len - 7};
    if (is_text && str_starts(text, STR("www.")) && str_eq(text, rest))
        open_link(r, STR("https://"), rest);
}

void markdown_leave_link(struct renderer *r)
{
    markdown_decide_link(r, false, STR(""));
    if (r->link_open)
        markdown_add(r, "</a>");
    r->link_open = false;
}

void markdown_enter_image(struct renderer *r, const MD_SPAN_IMG_DETAIL *d)
{
    if (r->images++ > 0)
        return;
    take_title(r, &d->title);
    r->image_link = !r->link_open && take_address(r, &d->src);
    if (r->image_link)
        open_link(r, STR(""), strbuf_str(&r->link));
    r->image_text_start = r->out->len;
}

void markdown_leave_image(struct renderer *r)
{
    if (--r->images > 0 || !r->image_link)
        return;
    if (r->out->len == r->image_text_start)
        html_escape(r->out, strbuf_str(&r->link)); /* a link needs a name */
    markdown_leave_link(r);
}
