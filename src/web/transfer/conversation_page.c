#include "web/transfer/conversation_page.h"

#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/humanize.h"
#include "codec/base64.h"
#include "web/page/reading_view.h"
#include "web/page/views.h"

#define STYLE       "css/reading.css"
#define STYLE_MAX   ((size_t)64 * 1024)
#define PART_MAX    ((size_t)32 * 1024 * 1024) /* bytes of one message as HTML */
#define MESSAGE     "partials/reading"
#define END_OF_PAGE "</ol>\n</main>\n</body>\n</html>\n"

struct page {
    const struct web *web;
    int64_t owner;
    const struct conversation *c;
    struct reading reading;
    export_put_fn *put;
    void *arg;
    struct strbuf part;
};

static enum rc render(struct page *p, const char *template_name, const struct view *v, struct err *e)
{
    strbuf_clear(&p->part);
    return templates_render(p->web->templates, p->reading.locale->lang, template_name, v, &p->part, e);
}

/* One that was deleted meanwhile stays empty. */
static enum rc put_picture(struct page *p, const char *pub, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct picture found;
    struct str data = {0};
    struct db *db = store_read(p->web->store);
    enum rc rc = store_picture_get(db, a, p->owner, pub, &found, &data, e);
    store_read_done(p->web->store, db);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    AUTO_STRBUF text;
    strbuf_init(&text, BASE64_SIZE(data.len));
    base64_add(&text, data);
    return p->put(p->arg, strbuf_str(&text), e);
}

/* Writes the data of pictures into their places, so that memory holds one picture. */
static enum rc put_with_pictures(struct page *p, const struct message *m, struct err *e)
{
    static const char place[] = READING_NO_DATA;
    struct str rest = strbuf_str(&p->part);
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < m->pictures_n; i++) {
        const char *at = memmem(rest.s, rest.len, place, sizeof place - 1);
        if (!at)
            return err_set(e, RC_INTERNAL, "the template of a message shows no pictures");
        size_t n = (size_t)(at - rest.s) + sizeof place - 2; /* the quote follows the data */
        rc = p->put(p->arg, (struct str){rest.s, n}, e);
        if (rc == RC_OK)
            rc = put_picture(p, m->pictures[i].pub, e);
        rest = str_from(rest, n);
    }
    return rc == RC_OK ? p->put(p->arg, rest, e) : rc;
}

static enum rc message(void *arg, struct arena *a, size_t i, const struct message *m, struct err *e)
{
    struct page *p = arg;
    if (!reading_has_text(&p->reading, m) && !p->c->steps[i].begins)
        return RC_OK;
    struct view *v = view_new(a);
    view_bool(v, "branch", p->c->steps[i].begins);
    reading_view(a, v, &p->reading, m, i + 1);
    enum rc rc = render(p, MESSAGE, v, e);
    return rc == RC_OK ? put_with_pictures(p, m, e) : rc;
}

static enum rc head(struct page *p, struct arena *a, struct err *e)
{
    const struct locale *l = p->reading.locale;
    const struct session *s = &p->c->session;
    char path[FS_PATH_MAX], at[CLOCK_RFC3339_SIZE];
    AUTO_STRBUF style;
    strbuf_init(&style, STYLE_MAX);
    enum rc rc = fs_join(path, p->web->config->server.static_dir, STYLE, e);
    if (rc == RC_OK)
        rc = fs_read(path, &style, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(a);
    const char *title = session_title(l->lang, s->title);
    clock_rfc3339(s->created_at, at);
    view_text(v, "lang", lang_code(l->lang));
    view_text(v, "title", title);
    view_text(v, "title_text", humanize_isolated(a, title));
    view_text(v, "created_at", at);
    view_text(v, "created_exact", humanize_exact(a, l, s->created_at));
    view_html(v, "style_html", (struct markup){strbuf_str(&style)});
    rc = render(p, "reading-head", v, e);
    return rc == RC_OK ? p->put(p->arg, strbuf_str(&p->part), e) : rc;
}

enum rc conversation_page(const struct web *w, int64_t owner, const struct conversation *c,
    const struct conversation_options *options, export_put_fn *put, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct page p = {.web = w,
        .owner = owner,
        .c = c,
        .reading = {.locale = &options->locale,
            .you = lang_text(options->locale.lang, "script.you"),
            .models = true,
            .reasoning = options->reasoning},
        .put = put,
        .arg = arg};
    strbuf_init(&p.part, PART_MAX);
    enum rc rc = head(&p, a, e);
    if (rc == RC_OK)
        rc = conversation_each(w->store, owner, c, message, &p, e);
    if (rc == RC_OK)
        rc = put(arg, STR(END_OF_PAGE), e);
    strbuf_release(&p.part);
    return rc;
}
