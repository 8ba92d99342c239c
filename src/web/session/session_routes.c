/* The list of sessions, and what is done to sessions and messages without script. */
#include "app/session/session_actions.h"
#include "codec/url.h"
#include "web/session/session_list.h"
#include "web/page/pages.h"
#include "web/http/respond.h"
#include "web/chat/transcript.h"
#include "web/chat/message_view.h"
#include "web/page/humanize.h"

#define NEXT_URL_MAX 2048

/* The list */

static void add_param(struct strbuf *url, enum field field, struct str value)
{
    if (!value.len)
        return;
    strbuf_addf(url, "%c%s=", strchr(url->s, '?') ? '&' : '?', field_name(field));
    url_encode(url, value);
}

/* The list as it is looked at, from the key `after` on. */
static const char *list_url(const struct req *r, struct str after)
{
    AUTO_STRBUF url;
    strbuf_init(&url, NEXT_URL_MAX);
    strbuf_adds(&url, "/sessions");
    add_param(&url, F_AFTER, after);
    add_param(&url, F_Q, req_str(r, F_Q));
    add_param(&url, F_SHOW, req_str(r, F_SHOW));
    add_param(&url, F_WORKSPACE, req_str(r, F_WORKSPACE));
    return arena_strndup(r->arena, url.s, url.len);
}

/* Where a change comes back to. */
static const char *here_url(const struct req *r)
{
    const char *url = list_url(r, req_str(r, F_AFTER));
    return strlen(url) <= PAGE_PATH_MAX ? url : "/sessions";
}

/* `path`, then "workspace=..." behind `sep` when there is one. */
static const char *url_within(struct arena *a, const char *path, char sep, const char *workspace)
{
    AUTO_STRBUF url;
    strbuf_init(&url, NEXT_URL_MAX);
    strbuf_adds(&url, path);
    if (workspace) {
        strbuf_addf(&url, "%cworkspace=", sep);
        url_encode(&url, str_of(workspace));
    }
    return arena_strndup(a, url.s, url.len);
}

static void view_filters(struct req *r, const struct listing *l, struct view *v)
{
    static const char active[] = "/sessions", archived[] = "/sessions?show=archived";
    struct arena *a = r->arena;
    bool in_archive = l->show == SESSIONS_ARCHIVED;
    const char *path = in_archive ? archived : active;
    char sep = in_archive ? '&' : '?';
    view_text(v, "workspace", l->workspace);
    view_text(v, "new_url", url_within(a, "/", '?', l->workspace));
    view_text(v, "search_url", url_within(a, "/search", '?', l->workspace));
    view_text(v, "active_url", url_within(a, active, '?', l->workspace));
    view_text(v, "archived_url", url_within(a, archived, '&', l->workspace));
    view_text(v, "all_url", path);
    view_bool(v, "any_workspaces", l->workspaces_n > 0);
    struct view *list = view_list(v, "workspaces");
    for (size_t i = 0; i < l->workspaces_n; i++) {
        struct view *item = view_item(list);
        view_text(item, "name", l->workspaces[i]);
        view_text(item, "filter_url", url_within(a, path, sep, l->workspaces[i]));
        view_bool(item, "current", l->workspace && strcmp(l->workspace, l->workspaces[i]) == 0);
    }
}

enum rc page_sessions(struct req *r, struct resp *out, struct err *e)
{
    struct listing l;
    struct view *v;
    enum rc rc = listing_read(r, &l, e);
    if (rc == RC_OK)
        rc = page_view(r, "Sessions", AT_SESSIONS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any", l.n > 0);
    view_bool(v, "only_active", l.show == SESSIONS_ACTIVE);
    view_bool(v, "only_archived", l.show == SESSIONS_ARCHIVED);
    view_text(v, "q", req_str(r, F_Q).len ? req_text(r, F_Q) : NULL);
    view_filters(r, &l, v);
    const char *here = here_url(r);
    view_text(v, "back", here);
    view_text(v, "edit", arena_printf(r->arena, "%s%cedit=", here, strchr(here, '?') ? '&' : '?'));
    view_text(v, "next_url", l.next ? list_url(r, str_of(l.next)) : NULL);
    struct view *list = view_list(v, "sessions");
    for (size_t i = 0; i < l.n; i++) {
        struct view *row = view_item(list);
        view_session_line(r->arena, row, &l.rows[i], r->now);
        view_bool(row, "edited", str_is(req_str(r, F_EDIT), l.rows[i].pub));
    }
    return resp_page(r, out, 200, "sessions", v, e);
}

enum rc page_rename(struct req *r, struct resp *out, struct err *e)
{
    struct chat_change change = {.title = req_text(r, F_TITLE), .workspace = req_text(r, F_WORKSPACE)};
    if (change.workspace && !*change.title)
        change.title = NULL; /* the form holds both; who leaves the title empty leaves it as it is */
    enum rc rc = chat_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    if (rc == RC_OK)
        page_done(
            out, page_local_path(r, F_BACK, "/sessions"), change.workspace ? "session_saved" : "renamed");
    return rc;
}

static enum rc set_pin(struct req *r, struct resp *out, enum chat_pin pin, struct err *e)
{
    struct chat_change change = {.pin = pin};
    enum rc rc = chat_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    if (rc == RC_OK)
        page_done(out, page_local_path(r, F_BACK, "/sessions"), pin == CHAT_PIN ? "pinned" : "unpinned");
    return rc;
}

enum rc page_pin(struct req *r, struct resp *out, struct err *e)
{
    return set_pin(r, out, CHAT_PIN, e);
}

enum rc page_unpin(struct req *r, struct resp *out, struct err *e)
{
    return set_pin(r, out, CHAT_UNPIN, e);
}

/* Questions before something is lost */

struct question {
    const char *title, *text, *action, *cancel_url;
};

/* `why`: the answer was yes, but it could not be done (NULL: not tried yet). */
static enum rc ask(
    struct req *r, struct resp *out, const struct question *q, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, q->title, AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "title", q->title);
    view_text(v, "text", q->text);
    view_text(v, "action", q->action);
    view_text(v, "danger_label", "Delete");
    view_text(v, "cancel_url", q->cancel_url);
    struct view *fields = view_list(v, "fields");
    if (req_has(r, F_BACK)) {
        struct view *back = view_item(fields);
        view_text(back, "name", field_name(F_BACK));
        view_text(back, "value", req_text(r, F_BACK));
    }
    return why ? page_problem(r, out, "confirm", v, why, e) : resp_page(r, out, 200, "confirm", v, e);
}

static enum rc ask_session(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct session s;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), &s, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct question q = {
        .title = arena_printf(r->arena, "Delete “%s”?", s.title ? s.title : "New chat"),
        .text = arena_printf(r->arena, "All of it is lost (%s). This cannot be undone.",
            words_count(r->arena, s.message_count, "message", "messages")),
        .action = arena_printf(r->arena, "/sessions/%s/delete", s.pub),
        .cancel_url = page_local_path(r, F_BACK, "/sessions"),
    };
    return ask(r, out, &q, why, e);
}

enum rc page_delete_ask(struct req *r, struct resp *out, struct err *e)
{
    return ask_session(r, out, NULL, e);
}

enum rc page_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc = chat_delete(r->web->store, r->who.user_id, req_text(r, F_SESSION), &from, &why);
    if (rc == RC_OK)
        page_done(out, page_local_path(r, F_BACK, "/sessions"), "deleted");
    else if (page_can_say(rc))
        return ask_session(r, out, &why, e);
    else
        *e = why;
    return rc;
}

/* Messages */

static enum rc ask_message(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct transcript t;
    int64_t id = req_int(r, F_MESSAGE);
    const char *session = req_text(r, F_SESSION);
    enum rc rc = transcript_one(r, session, id, &t, e);
    if (rc != RC_OK)
        return rc;
    struct question q = {
        .title = "Delete this message?",
        .text = t.leaf == id ? "This cannot be undone."
                             : "What follows it in this conversation goes with it. This cannot be undone.",
        .action = arena_printf(r->arena, "/sessions/%s/messages/%lld/delete", session, (long long)id),
        .cancel_url = arena_printf(r->arena, "/s/%s?at=%lld#m-%lld", session, (long long)id, (long long)id),
    };
    return ask(r, out, &q, why, e);
}

enum rc page_message_delete_ask(struct req *r, struct resp *out, struct err *e)
{
    return ask_message(r, out, NULL, e);
}

enum rc page_message_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc = chat_delete_message(
        r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &from, &why);
    if (rc == RC_OK)
        page_done(out, arena_printf(r->arena, "/s/%s", session), "message_deleted");
    else if (page_can_say(rc))
        return ask_message(r, out, &why, e);
    else
        *e = why;
    return rc;
}

/* The message is F_AT here: the button stands in the form of /s/{session}/edit, which sends F_MESSAGE in its
 * body. F_PARENT is the end of the branch that was looked at, absent when it is the session's own: the reader
 * comes back to that one. */
enum rc page_message_text(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    long long id = (long long)req_int(r, F_AT);
    struct err why = ERR_INIT;
    enum rc rc =
        chat_edit_text(r->web->store, r->web->config, r->who.user_id, session, id, req_str(r, F_TEXT), &why);
    if (rc == RC_OK && req_has(r, F_PARENT))
        resp_redirect(out, "/s/%s?at=%lld&done=saved#m-%lld", session, (long long)req_int(r, F_PARENT), id);
    else if (rc == RC_OK)
        resp_redirect(out, "/s/%s?done=saved#m-%lld", session, id);
    else if (page_can_say(rc))
        return page_chat_show(r, out, &(struct chat_trouble){.why = &why, .text = req_text(r, F_TEXT)}, e);
    else
        *e = why;
    return rc;
}
