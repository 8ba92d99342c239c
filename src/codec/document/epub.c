/* EPUB 2 and 3: the chapters of the spine, each a page of HTML. */
#include <stdlib.h>

#include "codec/document/document_private.h"
#include "codec/page/page_text.h"
#include "codec/url.h"

#define ITEMS_MAX 20000

enum { ROOT = 1, ITEM, CHAPTER, TITLE, METHOD };

struct item {
    struct str id, part;
    bool page;
};

struct epub {
    struct document *d;
    struct str package; /* its part */
    struct {
        struct item *list; /* by id, when the package was read */
        size_t n, room;
    } items;
    struct {
        struct str *list; /* ids in their order */
        size_t n, room;
    } chapters;
    struct strbuf title;
    bool titled, locked;
};

static void on_root(void *arg, int tag, xml_attributes at)
{
    struct epub *x = arg;
    const char *path = xml_attribute(at, "full-path");
    (void)tag;
    if (path && !x->package.len)
        x->package = arena_str(x->d->arena, str_of(path));
}

/* Fonts may be obscured, which is no protection of the text. */
static void on_method(void *arg, int tag, xml_attributes at)
{
    static const char *const fonts[] = {
        "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"};
    struct epub *x = arg;
    const char *method = xml_attribute(at, "Algorithm");
    (void)tag;
    x->locked = x->locked || !method || !STR_IN(str_of(method), fonts);
}

/* Addresses are percent-encoded, names of parts are not. */
static struct str part_of(const struct epub *x, const char *address)
{
    struct str rest = str_of(address), path = str_cut(&rest, '#'), decoded;
    if (url_decode(x->d->arena, path, URL_PLUS_IS_PLUS, &decoded, NULL) == RC_OK)
        path = decoded;
    return document_path(x->d->arena, x->package, path);
}

static void on_package(void *arg, int tag, xml_attributes at)
{
    struct epub *x = arg;
    x->d->limits.full = x->d->limits.full || x->items.n == ITEMS_MAX || x->chapters.n == ITEMS_MAX;
    const char *id = xml_attribute(at, tag == ITEM ? "id" : "idref"), *href = xml_attribute(at, "href"),
               *type = xml_attribute(at, "media-type"), *linear = xml_attribute(at, "linear");
    if (tag == ITEM && id && href)
        *DOCUMENT_GROW(&x->items) =
            (struct item){arena_str(x->d->arena, str_of(id)), part_of(x, href), type && strstr(type, "html")};
    if (tag == CHAPTER && id && !(linear && strcmp(linear, "no") == 0))
        *DOCUMENT_GROW(&x->chapters) = arena_str(x->d->arena, str_of(id));
}

static void on_package_end(void *arg, int tag)
{
    struct epub *x = arg;
    x->titled = x->titled || (tag == TITLE && x->title.len);
}

static void on_package_text(void *arg, int tag, struct str text)
{
    struct epub *x = arg;
    if (tag == TITLE && !x->titled)
        strbuf_addstr(&x->title, text);
}

static int by_id(const void *x, const void *y)
{
    return document_compare(((const struct item *)x)->id, ((const struct item *)y)->id);
}

static enum rc read_chapter(struct epub *x, struct str id, struct err *e)
{
    struct item key = {.id = id};
    const struct item *item = x->items.n ? bsearch(&key, x->items.list, x->items.n, sizeof key, by_id) : NULL;
    const struct document_zip_entry *entry =
        item && item->page ? document_zip_find(&x->d->zip, item->part) : NULL;
    if (!entry)
        return RC_OK;
    AUTO(arena) work = arena_new();
    struct str html;
    struct page_text page;
    size_t room = x->d->out.text.cap - x->d->out.text.len;
    enum rc rc = document_zip_whole(work, &x->d->zip, entry, PAGE_HTML_MAX, &html, e);
    if (rc == RC_OK)
        rc = page_text_read(work, html, (struct str){0}, room + 1, &page, e);
    if (rc == RC_OK)
        document_block(&x->d->out, "", page.text);
    return rc == RC_OK && x->d->limits.full ? err_set(e, RC_TOO_BIG, "too much text") : rc;
}

static enum rc read_book(struct epub *x, struct err *e)
{
    static const struct xml_tag root_tags[] = {{NS_CONTAINER, "rootfile", ROOT}, {0}},
                                lock_tags[] = {{NS_ENC, "EncryptionMethod", METHOD}, {0}},
                                tags[] = {{NS_OPF, "item", ITEM}, {NS_OPF, "itemref", CHAPTER},
                                    {NS_DC, "title", TITLE}, {0}};
    static const struct xml_ops root_ops = {.start = on_root}, lock_ops = {.start = on_method},
                                ops = {on_package, on_package_end, on_package_text};
    struct document *d = x->d;
    enum rc rc = document_part(d, STR("META-INF/container.xml"), root_tags, &root_ops, x, e);
    if (rc == RC_OK)
        rc = document_part(d, STR("META-INF/encryption.xml"), lock_tags, &lock_ops, x, e);
    if (rc == RC_OK && x->locked)
        rc = err_set(e, RC_FORBIDDEN, "an encrypted book");
    if (rc == RC_OK && !document_zip_find(&d->zip, x->package))
        rc = err_set(e, RC_BAD_INPUT, "no package");
    if (rc == RC_OK)
        rc = document_part(d, x->package, tags, &ops, x, e);
    if (rc != RC_OK)
        return rc;
    if (x->items.n)
        qsort(x->items.list, x->items.n, sizeof *x->items.list, by_id);
    document_heading(&d->out, 1, strbuf_str(&x->title));
    for (size_t i = 0; rc == RC_OK && i < x->chapters.n; i++)
        rc = read_chapter(x, x->chapters.list[i], e);
    return rc;
}

enum rc epub_read(struct document *d, struct err *e)
{
    struct epub x = {.d = d};
    strbuf_init(&x.title, d->out.text.cap);
    enum rc rc = read_book(&x, e);
    strbuf_release(&x.title);
    free(x.items.list);
    free(x.chapters.list);
    return rc;
}
