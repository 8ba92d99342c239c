#include "codec/page/page_text.h"

#include "base/utf8.h"
#include "codec/page/page_charset.h"
#include "codec/page/page_tree.h"
#include "codec/page/page_walk.h"
#include "codec/page/page_write.h"

#define ENOUGH       200 /* visible bytes of <main> or of all <article> elements */
#define ARTICLES_MIN 3   /* the elements <article> have at least 1/3 of the visible bytes */
#define TITLE_ROOM   (8 * PAGE_TITLE_MAX)

/* What is found before the text is written. */
struct look {
    struct page_visitor v;
    const GumboNode *title, *graph, *heading, *body,
        *main;                        /* the first ones; of <main> that with most text */
    unsigned mains, articles;         /* open ones */
    size_t seen, main_at, article_at; /* visible bytes; before the open ones */
    size_t in_main, in_articles;      /* of the best one, of all */
};

static bool is_main(const GumboNode *element)
{
    return page_tag(element) == GUMBO_TAG_MAIN || page_has_role(element, "main");
}

static bool look_enter(struct page_visitor *v, const GumboNode *element)
{
    struct look *k = (struct look *)v;
    GumboTag tag = page_tag(element);
    if (tag == GUMBO_TAG_TITLE) {
        k->title = k->title ? k->title : element;
        return false;
    }
    if (tag == GUMBO_TAG_META && !k->graph && str_is(page_attribute(element, "property"), "og:title"))
        k->graph = element;
    if (tag == GUMBO_TAG_H1 && !k->heading)
        k->heading = element;
    if (tag == GUMBO_TAG_BODY)
        k->body = element;
    if (is_main(element) && !k->mains++)
        k->main_at = k->seen;
    if (tag == GUMBO_TAG_ARTICLE && !k->articles++)
        k->article_at = k->seen;
    return true;
}

static void look_leave(struct page_visitor *v, const GumboNode *element)
{
    struct look *k = (struct look *)v;
    if (is_main(element) && !--k->mains && k->seen - k->main_at > k->in_main) {
        k->in_main = k->seen - k->main_at;
        k->main = element;
    }
    if (page_tag(element) == GUMBO_TAG_ARTICLE && !--k->articles)
        k->in_articles += k->seen - k->article_at;
}

static void look_text(struct page_visitor *v, struct str text)
{
    ((struct look *)v)->seen += str_trim(text).len;
}

static struct str title_of(struct arena *a, const struct look *k)
{
    struct page_lines l;
    page_lines_init(&l, TITLE_ROOM);
    struct str title = {0};
    if (k->title)
        title = page_write_line(k->title, &l);
    if (!title.len && k->graph) {
        page_lines_apart(&l, false);
        page_lines_text(&l, page_attribute(k->graph, "content"));
        title = page_lines_joined(&l);
    }
    if (!title.len && k->heading)
        title = page_write_line(k->heading, &l);
    title = arena_str(a, str_trim(utf8_head(title, PAGE_TITLE_MAX)));
    page_lines_release(&l);
    return title;
}

static struct str text_of(struct arena *a, const struct look *k, const GumboNode *root, size_t max)
{
    struct page_lines l;
    page_lines_init(&l, max);
    if (k->in_main >= ENOUGH)
        page_write(k->main, false, &l);
    else
        page_write(k->body ? k->body : root,
            k->in_articles >= ENOUGH && k->in_articles >= k->seen / ARTICLES_MIN, &l);
    struct str text = arena_str(a, str_trim(utf8_head(strbuf_str(&l.out), max)));
    page_lines_release(&l);
    return text;
}

/* The tree is in an arena of its own, because it can be much larger than the text. */
static enum rc read_utf8(struct arena *a, struct str html, size_t max, struct page_text *out, struct err *e)
{
    AUTO(arena) tree = arena_new();
    const GumboNode *root;
    enum rc rc = page_tree_read(tree, html, &root, e);
    if (rc != RC_OK)
        return rc;
    struct look k = {.v = {look_enter, look_leave, look_text, false}};
    page_walk(root, &k.v);
    out->title = title_of(a, &k);
    out->text = text_of(a, &k, root, max);
    return RC_OK;
}

enum rc page_text_read(
    struct arena *a, struct str html, struct str charset, size_t max, struct page_text *out, struct err *e)
{
    if (html.len > PAGE_HTML_MAX)
        return err_set(e, RC_TOO_BIG, "a document of more than %d MiB", PAGE_HTML_MAX >> 20);
    AUTO_STRBUF utf8;
    strbuf_init(&utf8, 3 * html.len);
    page_charset_decode(html, charset, &utf8);
    return read_utf8(a, strbuf_str(&utf8), max, out, e);
}
