#include "codec/page/page_walk.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"

GumboTag page_tag(const GumboNode *element)
{
    const GumboElement *e = &element->v.element;
    if (element->type != GUMBO_NODE_ELEMENT)
        return GUMBO_TAG_UNKNOWN;
    return e->tag_namespace == GUMBO_NAMESPACE_HTML || e->tag == GUMBO_TAG_SVG || e->tag == GUMBO_TAG_MATH
               ? e->tag
               : GUMBO_TAG_UNKNOWN;
}

struct str page_attribute(const GumboNode *element, const char *name)
{
    const GumboVector *attributes = &element->v.element.attributes;
    for (unsigned i = 0; i < attributes->length; i++) {
        const GumboAttribute *a = attributes->data[i];
        if (str_eq_nocase(str_of(a->name), str_of(name)))
            return str_of(a->value);
    }
    return (struct str){0};
}

long page_number(const GumboNode *element, const char *name, long max, long absent)
{
    struct str value = str_trim(page_attribute(element, name));
    long n = 0;
    if (!value.len || !isdigit((unsigned char)value.s[0]))
        return absent;
    for (size_t i = 0; i < value.len && isdigit((unsigned char)value.s[i]) && n <= max; i++)
        n = n * 10 + value.s[i] - '0';
    return n < max ? n : max;
}

bool page_has_role(const GumboNode *element, const char *role)
{
    return str_eq_nocase(str_trim(page_attribute(element, "role")), str_of(role));
}

/* The name of an element that the library does not know, as written. */
static bool is_named(const GumboNode *element, const char *name)
{
    const GumboStringPiece *tag = &element->v.element.original_tag;
    size_t len = strlen(name);
    return element->v.element.tag == GUMBO_TAG_UNKNOWN && tag->length > len + 1 &&
           str_eq_nocase((struct str){tag->data + 1, len}, (struct str){name, len}) &&
           !isalnum((unsigned char)tag->data[len + 1]) && tag->data[len + 1] != '-';
}

/* style="..." with display:none or visibility:hidden. Style sheets are not read. */
static bool is_unseen(struct str style)
{
    while (style.len) {
        struct str value = str_cut(&style, ';'), name = str_trim(str_cut(&value, ':'));
        value = str_trim(value);
        if ((str_eq_nocase(name, STR("display")) && str_starts_nocase(value, STR("none"))) ||
            (str_eq_nocase(name, STR("visibility")) && str_starts_nocase(value, STR("hidden"))))
            return true;
    }
    return false;
}

static bool is_hidden(const GumboNode *element)
{
    struct str hidden = page_attribute(element, "hidden");
    if (hidden.s && !str_eq_nocase(hidden, STR("until-found")))
        return true;
    /* Formulas are often pictures that are hidden from screen readers, which have a text beside them. */
    if (element->v.element.tag != GUMBO_TAG_IMG &&
        str_eq_nocase(page_attribute(element, "aria-hidden"), STR("true")))
        return true;
    return is_unseen(page_attribute(element, "style"));
}

static bool has_skipped_role(const GumboNode *element)
{
    static const char *const roles[] = {"navigation", "banner", "contentinfo", "complementary", "search",
        "dialog", "alertdialog", "menu", "menubar"};
    return STR_IN_NOCASE(str_trim(page_attribute(element, "role")), roles);
}

/* "cookie-banner", "cookieConsent": whole words, because "has-cookie-banner" is a class of the page around it
 * and "tag-cookies" one of an article. */
static bool names_cookie_banner(struct str words)
{
    static const char *const about[] = {"cookies", "cookie", "consent", "gdpr"};
    static const char *const kinds[] = {
        "banner", "bar", "notice", "popup", "modal", "dialog", "overlay", "consent"};
    while (words.len) {
        struct str word = str_trim(str_cut(&words, ' '));
        for (size_t i = 0; i < ARRAY_LEN(about); i++) {
            if (!str_starts_nocase(word, str_of(about[i])))
                continue;
            struct str kind = str_from(word, strlen(about[i]));
            if (kind.len && (kind.s[0] == '-' || kind.s[0] == '_'))
                kind = str_from(kind, 1);
            if (STR_IN_NOCASE(kind, kinds))
                return true;
        }
    }
    return false;
}

/* The id of a chapter may be made of its title: <div class="section" id="cookie-consent">. */
static bool is_cookie_banner(const GumboNode *element)
{
    struct str classes = page_attribute(element, "class");
    return page_tag(element) == GUMBO_TAG_DIV &&
           (names_cookie_banner(classes) ||
               (!str_starts(classes, STR("section")) && names_cookie_banner(page_attribute(element, "id"))));
}

struct walk {
    unsigned sections, headings; /* open ones */
};

static bool is_section(GumboTag tag)
{
    return tag == GUMBO_TAG_ARTICLE || tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_SECTION;
}

/* A button can be a heading that opens the text below it. */
static bool is_heading(GumboTag tag)
{
    return (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6) || tag == GUMBO_TAG_SUMMARY;
}

static bool is_skipped(const struct walk *w, const GumboNode *element)
{
    switch (page_tag(element)) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_APPLET:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_NOFRAMES:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_DATALIST:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_OPTGROUP:
    case GUMBO_TAG_OUTPUT:
    case GUMBO_TAG_PROGRESS:
    case GUMBO_TAG_METER:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_ASIDE: return true;
    case GUMBO_TAG_BUTTON:
        if (!w->headings)
            return true;
        break;
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
        if (!w->sections)
            return true;
        break;
    case GUMBO_TAG_UNKNOWN:
        if (is_named(element, "dialog") || is_named(element, "annotation"))
            return true;
        break;
    default: break;
    }
    return has_skipped_role(element) || is_hidden(element) || is_cookie_banner(element);
}

struct frame {
    const GumboNode *element;
    unsigned next; /* child */
};

static void count(struct walk *w, const GumboNode *element, unsigned by)
{
    GumboTag tag = page_tag(element);
    if (is_section(tag))
        w->sections += by;
    if (is_heading(tag))
        w->headings += by;
}

void page_walk(const GumboNode *from, struct page_visitor *v)
{
    struct walk w = {0};
    struct frame frames[PAGE_WALK_DEPTH_MAX];
    size_t depth = 0;
    if (!v->enter(v, from))
        return;
    frames[depth++] = (struct frame){from, 0};
    count(&w, from, 1);
    while (depth && !v->stop) {
        struct frame *top = &frames[depth - 1];
        const GumboVector *children = &top->element->v.element.children;
        if (top->next == children->length) {
            count(&w, top->element, -1u);
            v->leave(v, top->element);
            depth--;
            continue;
        }
        const GumboNode *child = children->data[top->next++];
        switch (child->type) {
        case GUMBO_NODE_TEXT:
        case GUMBO_NODE_CDATA:
        case GUMBO_NODE_WHITESPACE: v->text(v, str_of(child->v.text.text)); break;
        case GUMBO_NODE_ELEMENT:
        case GUMBO_NODE_TEMPLATE:
            if (depth == PAGE_WALK_DEPTH_MAX || child->type == GUMBO_NODE_TEMPLATE || is_skipped(&w, child) ||
                !v->enter(v, child))
                break;
            count(&w, child, 1);
            frames[depth++] = (struct frame){child, 0};
            break;
        default: break;
        }
    }
}
