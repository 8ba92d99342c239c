#include "web/page/views.h"

#include "base/clock.h"
#include "web/http/web.h"
#include "web/page/html_cache.h"
#include "web/page/humanize.h"

#define SIDEBAR_SESSIONS 40
#define SIDEBAR_HTML_MAX (256 * 1024)

void view_time(struct arena *a, struct view *v, const char *iso_key, const char *words_key,
    const char *exact_key, int64_t at, int64_t now)
{
    char iso[CLOCK_RFC3339_SIZE];
    clock_rfc3339(at, iso);
    view_text(v, iso_key, iso);
    view_text(v, words_key, humanize_ago(a, at, now));
    view_text(v, exact_key, humanize_exact(a, at));
}

void view_time_words(
    struct arena *a, struct view *v, const char *words_key, const char *exact_key, int64_t at, int64_t now)
{
    view_text(v, words_key, humanize_ago(a, at, now));
    view_text(v, exact_key, humanize_exact(a, at));
}

void view_created_words(struct arena *a, struct view *v, int64_t at, int64_t now)
{
    view_time_words(a, v, "created_words", "created_exact", at, now);
}

void view_created(struct arena *a, struct view *v, int64_t at, int64_t now)
{
    view_time(a, v, "created_at", "created_words", "created_exact", at, now);
}

void view_used(struct arena *a, struct view *v, int64_t at, int64_t now)
{
    view_time(a, v, "used_at", "used_words", "used_exact", at, now);
}

void view_page_common(struct req *r, struct view *v, const char *title)
{
    view_text(v, "page_title", arena_printf(r->arena, "%s · Alfred", humanize_isolated(r->arena, title)));
    view_text(v, "nonce", r->nonce);
    if (!r->signed_in)
        return;
    view_text(v, "csrf", r->csrf);
    struct view *user = view_obj(v, "user");
    view_text(user, "name", r->who.name);
    view_bool(user, "is_admin", r->who.role == USER_ADMIN);
}

/* The sidebar */

const char *session_title(const char *title)
{
    return title ? title : "New chat";
}

void view_session_row(struct view *v, const struct session *s)
{
    view_text(v, "id", s->pub);
    view_text(v, "title", session_title(s->title));
    view_bool(v, "untitled", !s->title);
    view_bool(v, "running", s->running_turns > 0);
    view_bool(v, "unread", s->active_at > s->seen_at);
    view_bool(v, "pinned", s->pinned);
}

static void view_groups(struct req *r, struct view *v, struct session *rows, size_t n, int64_t current)
{
    struct view *groups = view_list(v, "groups"), *in = NULL;
    view_bool(v, "more", n > SIDEBAR_SESSIONS);
    const char *label = NULL;
    for (size_t i = 0; i < n && i < SIDEBAR_SESSIONS; i++) {
        const char *day = humanize_day_group(r->arena, rows[i].active_at, r->now);
        if (!label || strcmp(label, day) != 0) {
            struct view *group = view_item(groups);
            view_text(group, "label", label = day);
            in = view_list(group, "sessions");
        }
        struct view *row = view_item(in);
        bool is_current = rows[i].id == current;
        if (is_current)
            rows[i].seen_at = rows[i].active_at;
        view_session_row(row, &rows[i]);
        view_bool(row, "current", is_current);
    }
}

/* The cache key of the sidebar's HTML: the user, the count of changes to the sessions, the current
 * session, and the day, because sessions are grouped by "Today" and "Yesterday". */
static struct str sidebar_key(struct req *r, int64_t changes, int64_t current)
{
    return str_of(arena_printf(r->arena, "sidebar %lld %lld %lld %ld", (long long)r->who.user_id,
        (long long)changes, (long long)current, humanize_day_number(r->now)));
}

/* One entry per user and current session. Negative, because ids of messages are positive. */
static int64_t sidebar_id(const struct req *r, int64_t current)
{
    return current ? -current : INT64_MIN + r->who.user_id;
}

static enum rc render_sidebar(struct req *r, int64_t current, struct str *html, struct err *e)
{
    struct session *rows;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_newest(db, r->arena, r->who.user_id, SIDEBAR_SESSIONS + 1, &rows, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_groups(r, v, rows, n, current);
    AUTO_STRBUF out;
    strbuf_init(&out, SIDEBAR_HTML_MAX);
    rc = mustache_render(r->web->templates, "partials/sidebar-sessions", v, &out, e);
    if (rc != RC_OK)
        return rc;
    *html = (struct str){arena_strndup(r->arena, out.s, out.len), out.len};
    if (n > 0)
        html_cache_put(
            r->web->html, sidebar_id(r, current), sidebar_key(r, rows[0].sidebar_changes, current), *html);
    return RC_OK;
}

enum rc view_sidebar(struct req *r, struct view *v, int64_t current, struct err *e)
{
    struct str html, key = sidebar_key(r, r->who.sidebar_changes, current);
    enum rc rc = RC_OK;
    if (!html_cache_get(r->web->html, sidebar_id(r, current), key, r->arena, &html))
        rc = render_sidebar(r, current, &html, e);
    if (rc == RC_OK)
        view_html(v, "sidebar_html", (struct markup){html});
    return rc;
}
