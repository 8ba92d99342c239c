#include "web/page/due_view.h"

#include <string.h>

#include "app/reminding/reminding.h"
#include "base/humanize.h"
#include "store/reminder_delivery.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"

#define DUE_READ_MAX 100
#define DUE_HTML_MAX ((size_t)64 * 1024)

static void view_due(
    const struct req *r, struct view *v, const struct reminder_due *d, const struct reminder *m)
{
    const struct locale l = req_locale(r);
    bool schedule = strcmp(m->kind, REMINDER_PROMPT) == 0;
    const char *late = reminding_late_words(r->arena, &l, d->due_at, d->told_at, d->missed);
    view_id(r->arena, v, "id", m->id);
    view_str(v, "text", m->text);
    view_bool(v, "schedule", schedule);
    view_text(v, "words", late ? late : humanize_moment(r->arena, &l, d->due_at));
    view_text(v, "session_url", m->session ? session_url(r->arena, m->session) : NULL);
}

/* "2 more reminders"; NULL: `shown` are all. */
static const char *more_words(const struct req *r, size_t n, size_t shown)
{
    return n > shown ? lang_count(r->arena, r->lang, "reminders.more_due", (int64_t)(n - shown), NULL) : NULL;
}

/* A deleted reminder is not shown any more. */
static enum rc read_due(struct req *r, struct db *db, struct view *v, struct err *e)
{
    struct reminder_due *list;
    size_t n, shown = 0;
    enum rc rc = store_reminder_due_shown(db, r->arena, r->who.user_id, DUE_READ_MAX, &list, &n, e);
    if (rc != RC_OK || n == 0)
        return rc;
    struct view *due = view_obj(v, "due"), *items = view_list(due, "items");
    for (size_t i = n; i-- > 0 && shown < DUE_SHOWN_MAX;) {
        struct reminder m;
        rc = store_reminder_get(db, r->arena, r->who.user_id, list[i].reminder_id, &m, e);
        if (rc == RC_OK) {
            view_due(r, view_item(items), &list[i], &m);
            shown++;
        } else if (rc != RC_NOT_FOUND) {
            return rc;
        }
    }
    view_text(due, "back",
        r->surface == SURFACE_PAGE && r->method == HTTP_GET && path_is_local(r->path)
            ? arena_strndup(r->arena, r->path.s, r->path.len)
            : "/reminders");
    view_text(due, "all", lang_count(r->arena, r->lang, "reminders.all_due", (int64_t)n, NULL));
    view_text(due, "count", lang_count(r->arena, r->lang, "reminders.count_due", (int64_t)n, NULL));
    view_text(due, "number", n > 1 ? arena_printf(r->arena, "%zu", n) : NULL);
    view_text(due, "more", more_words(r, n, DUE_IN_CORNER));
    view_text(due, "rest", more_words(r, n, DUE_SHOWN_MAX));
    return RC_OK;
}

enum rc due_view(struct req *r, struct view *v, struct err *e)
{
    /* known since the request's login was read, unless the request changes something or takes time */
    if (r->method == HTTP_GET && r->who.nothing_due)
        return RC_OK;
    struct db *db = store_read_state(r->web->store);
    enum rc rc = read_due(r, db, v, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc due_html(struct req *r, struct str *html, struct err *e)
{
    struct view *v = view_new(r->arena);
    AUTO_STRBUF out;
    strbuf_init(&out, DUE_HTML_MAX);
    view_text(v, "csrf", r->csrf);
    enum rc rc = due_view(r, v, e);
    if (rc == RC_OK)
        rc = templates_render(r->web->templates, r->lang, "partials/due", v, &out, e);
    if (rc == RC_OK)
        *html = arena_str(r->arena, strbuf_str(&out));
    return rc;
}
