#include "web/session/session_resource.h"

#include "app/library/library.h"
#include "store/session/tag.h"
#include "web/http/resource.h"
#include "web/http/web.h"

void session_keywords(struct arena *a, struct view *v, const struct session *s)
{
    struct view *list = view_list(v, "keywords");
    for (struct str rest = str_of(s->keywords); rest.len;) {
        struct str word = str_trim(str_cut(&rest, ','));
        view_item_text(list, arena_strndup(a, word.s, word.len));
    }
}

static void view_tags(struct arena *a, struct view *v, const struct session *s)
{
    struct view *list = view_list(v, "tags");
    struct tag t;
    for (struct str rest = str_of(s->tags); session_tag_next(a, &rest, &t);)
        view_item_text(list, t.name);
}

static void view_context(struct arena *a, const struct lang *l, struct view *v, const struct session *s)
{
    struct view *c = view_obj(v, "context");
    int64_t percent = s->context_window > 0 ? s->context_tokens * 100 / s->context_window : 0;
    view_int(c, "tokens", s->context_tokens);
    view_int(c, "window", s->context_window);
    view_int(c, "percent", percent > 100 ? 100 : percent);
    view_bool(c, "known", s->context_window > 0);
    view_bool(c, "compacting", s->compacting);
    view_text(c, "error", said_words(a, l, s->compact_error));
}

void session_resource(struct arena *a, const struct lang *l, struct view *v, const struct session *s)
{
    view_text(v, "id", s->pub);
    view_text(v, "title", s->title);
    view_bool(v, "named", s->named);
    view_text(v, "url", session_url(a, s->pub));
    view_bool(v, "running", s->running_turns > 0);
    view_bool(v, "unread", s->active_at > s->seen_at);
    view_bool(v, "pinned", s->pinned);
    view_bool(v, "archived", s->archived_at != 0);
    view_text(v, "archived_by", !s->archived_at ? NULL : s->archived_by_user ? "user" : "idle");
    view_int(v, "message_count", s->message_count);
    view_text(v, "topic", s->topic);
    session_keywords(a, v, s);
    view_text(v, "workspace", s->workspace);
    view_tags(a, v, s);
    view_text(v, "channel", s->channel);
    view_text(v, "effort", s->effort);
    view_text(v, "persona", s->persona_id ? id_text(a, s->persona_id) : NULL);
    view_text(v, "temperature", temperature_text(a, s->temperature));
    view_int(v, "answer_tokens", s->answer_tokens);
    view_at(v, "created_at", s->created_at);
    view_bool(v, "temporary", s->ends_at != 0);
    if (s->ends_at)
        view_at(v, "ends_at", s->ends_at);
    else
        view_null(v, "ends_at");
    view_at(v, "active_at", s->active_at);
    view_context(a, l, v, s);
}

enum rc session_of_path(const struct req *r, struct session *out, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), out, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc session_answer(struct req *r, struct resp *out, int status, struct err *e)
{
    struct session s;
    enum rc rc = session_of_path(r, &s, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    return resp_json(out, status, v, e);
}
