#include "web/page/sidebar.h"

#include "base/humanize.h"
#include "web/http/web.h"
#include "web/page/html_cache.h"
#include "web/page/views.h"

#define SIDEBAR_HTML_MAX (512 * 1024)

const char *session_key_text(struct arena *a, struct session_key key)
{
    return arena_printf(a, "%s%lld.%lld", key.pinned ? "p" : "", (long long)key.at, (long long)key.id);
}

bool session_key_parse(struct str text, struct session_key *out)
{
    out->pinned = text.len && text.s[0] == 'p';
    if (out->pinned)
        text = str_from(text, 1);
    struct str at = str_cut(&text, '.');
    return text.s && str_to_int(at, 0, INT64_MAX, &out->at) && str_to_int(text, 1, INT64_MAX, &out->id);
}

/* The heading above a session, by the calendar of the user. */
static const char *group_of(struct req *r, const struct locale *l, const struct session *s)
{
    return s->pinned ? lang_text(r->lang, "script_later.pinned")
                     : humanize_day_group(r->arena, l, s->active_at);
}

/* The groups that scripts look for. NULL: another one. */
static const char *kind_of(const struct req *r, const struct session *s)
{
    bool today = humanize_day_number(r->zone, s->active_at) == humanize_day_number(r->zone, r->now);
    return s->pinned ? "pinned" : today ? "today" : NULL;
}

static struct view *view_group(struct view *groups, const char *label, const char *kind)
{
    struct view *group = view_item(groups);
    view_text(group, "label", label);
    view_text(group, "kind", kind);
    return view_list(group, "sessions");
}

static void view_row(const struct lang *l, struct view *rows, struct session *s, int64_t current)
{
    struct view *row = view_item(rows);
    bool is_current = s->id == current;
    if (is_current)
        s->seen_at = s->active_at;
    session_row_view(l, row, s);
    view_bool(row, "current", is_current);
}

/* Adds the open session when it is not in the first part: above all others. */
static enum rc view_beyond(struct req *r, struct db *db, struct view *v, int64_t current, struct err *e)
{
    struct session s;
    struct err why = ERR_INIT;
    enum rc rc = store_session_by_id(db, r->arena, r->who.user_id, current, &s, &why);
    if (rc == RC_NOT_FOUND) /* deleted meanwhile */
        return RC_OK;
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    const char *label = lang_text(r->lang, s.archived_by_user ? "script_later.archived" : "chat.open");
    view_row(r->lang, view_group(view_list(v, "beyond"), label, NULL), &s, current);
    return RC_OK;
}

static enum rc view_part(struct req *r, struct db *db, const struct sidebar_part *part, struct view *v,
    int64_t *changes, struct err *e)
{
    struct session *rows;
    size_t n, limit = (size_t)part->limit;
    enum rc rc =
        store_session_sidebar(db, r->arena, r->who.user_id, part->after, part->limit + 1, &rows, &n, e);
    if (rc != RC_OK)
        return rc;
    *changes = n ? rows[0].sidebar_changes : -1;
    struct view *groups = view_list(v, "groups"), *in = NULL;
    const char *label = NULL;
    const struct locale l = req_locale(r);
    bool met = !part->current || part->after.id;
    for (size_t i = 0; i < n && i < limit; i++) {
        const char *here = group_of(r, &l, &rows[i]);
        if (!label || strcmp(label, here) != 0)
            in = view_group(groups, label = here, kind_of(r, &rows[i]));
        view_row(r->lang, in, &rows[i], part->current);
        met = met || rows[i].id == part->current;
    }
    view_text(v, "next",
        n > limit ? session_key_text(r->arena, session_key_of(&rows[limit - 1], SESSIONS_BY_ACTIVITY))
                  : NULL);
    rc = met ? RC_OK : view_beyond(r, db, v, part->current, e);
    view_bool(v, "none", n == 0 && met && !part->after.id);
    return rc;
}

/* `changes`: the count of changes to the owner's sessions that the HTML shows; -1: unknown. */
static enum rc render(
    struct req *r, const struct sidebar_part *part, struct str *html, int64_t *changes, struct err *e)
{
    struct view *v = view_new(r->arena);
    struct db *db = store_read(r->web->store);
    enum rc rc = view_part(r, db, part, v, changes, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    AUTO_STRBUF out;
    strbuf_init(&out, SIDEBAR_HTML_MAX);
    rc = templates_render(r->web->templates, r->lang, "partials/sidebar-sessions", v, &out, e);
    if (rc == RC_OK)
        *html = arena_str(r->arena, strbuf_str(&out));
    return rc;
}

enum rc sidebar_html(struct req *r, const struct sidebar_part *part, struct str *html, struct err *e)
{
    int64_t changes;
    return render(r, part, html, &changes, e);
}

/* The cache key of the first part's HTML: the user, the count of changes to the sessions, the current
 * session, the language, and the user's day, because sessions are grouped by "Today" and "Yesterday". */
static struct str cache_key(struct req *r, int64_t changes, int64_t current)
{
    return str_of(arena_printf(r->arena, "sidebar %s %lld %lld %lld %ld %s", lang_code(r->lang),
        (long long)r->who.user_id, (long long)changes, (long long)current,
        humanize_day_number(r->zone, r->now), r->who.time_zone));
}

/* One entry per user and current session. Negative, because ids of messages are positive. */
static int64_t cache_id(const struct req *r, int64_t current)
{
    return current ? -current : INT64_MIN + r->who.user_id;
}

enum rc sidebar_view(struct req *r, struct view *v, int64_t current, struct err *e)
{
    struct sidebar_part part = {.current = current, .limit = SIDEBAR_SESSIONS};
    struct str html, key = cache_key(r, r->who.sidebar_changes, current);
    int64_t changes;
    if (!html_cache_get(r->web->html, cache_id(r, current), key, r->arena, &html)) {
        enum rc rc = render(r, &part, &html, &changes, e);
        if (rc != RC_OK)
            return rc;
        if (changes >= 0)
            html_cache_put(r->web->html, cache_id(r, current), cache_key(r, changes, current), html);
    }
    view_html(v, "sidebar_html", (struct markup){html});
    return RC_OK;
}
