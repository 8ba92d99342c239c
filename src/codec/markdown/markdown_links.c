/*
 * Links and images. An address is decoded before it is checked (codec/url.h) and encoded again, so that the
 * browser gets the checked address. A refused link keeps its text. An image becomes a link.
 */
#include "codec/html.h"
#include "codec/markdown/markdown_render.h"
#include "codec/url.h"

/* Character references. */

/* In HTML a name that we do not know is kept: the browser knows all, and shows what is none as text. */
void markdown_add_reference(struct strbuf *out, struct str ref)
{
    char utf8[4];
    struct str c = html_reference(ref, utf8);
    if (c.len)
        html_escape(out, c);
    else
        strbuf_addstr(out, ref);
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
    char utf8[4];
    strbuf_clear(&r->link);
    for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
        size_t from = a->substr_offsets[i], to = a->substr_offsets[i + 1];
        struct str part = {a->text + from, to - from};
        if (a->substr_types[i] == MD_TEXT_ENTITY)
            part = html_reference(part, utf8);
        if (!part.len)
            return false; /* a reference that we cannot decode */
        strbuf_addstr(&r->link, part);
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
