/* The chat page: a new chat, a session, a branch of it, or an older part. */
#include "web/chat/chat_page.h"

#include "app/models/speech.h"
#include "app/session/session_actions.h"
#include "app/turn/turn.h"
#include "base/clock.h"
#include "base/rand.h"
#include "store/job.h"
#include "store/trash/trash.h"
#include "web/chat/context_gauge.h"
#include "web/chat/transcript.h"
#include "web/command/command_routes.h"
#include "web/http/resource.h"
#include "web/http/respond.h"
#include "web/library/library_view.h"
#include "web/models/models_resource.h"
#include "web/page/pages.h"
#include "web/page/sidebar.h"
#include "web/page/views.h"
#include "web/session/session_view.h"

#define CLIENT_ID_BYTES 16

#define EXAMPLES     3
#define SESSIONS_NEW 5 /* an account with fewer gets the examples */

/* Each uses a tool: the memory, the to-do list, the search. The offline model understands all of them. */
static const char *const examples[EXAMPLES] = {
    "chat.example_memory",
    "chat.example_task",
    "chat.example_search",
};

static enum rc view_examples(const struct req *r, struct view *v, struct err *e)
{
    const struct session_filter all = {.show = SESSIONS_ALL};
    int64_t *ids;
    size_t n = 0;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_ids(db, r->arena, r->who.user_id, &all, SESSIONS_NEW, &ids, &n, e);
    store_read_done(r->web->store, db);
    view_bool(v, "is_beginner", n < SESSIONS_NEW);
    struct view *list = view_list(v, "examples");
    for (size_t i = 0; i < EXAMPLES; i++)
        view_text(view_item(list), "text", lang_text(r->lang, examples[i]));
    return rc;
}

static enum rc show(
    struct req *r, struct resp *out, struct view *v, const struct chat_outcome *outcome, struct err *e)
{
    char client_id[2 * CLIENT_ID_BYTES + 1];
    rand_hex(client_id, CLIENT_ID_BYTES);
    view_text(v, "new_client_id", client_id);
    view_int(v, "message_bytes", r->web->config->limits.message_bytes);
    if (speech_is_on(r->web->config))
        view_int(view_obj(v, "speech"), "seconds", r->web->config->speech.max_seconds);
    if (!outcome)
        return resp_page(r, out, 200, "chat", v, e);
    view_text(v, "draft", outcome->text);
    if (outcome->reply) {
        command_reply_view(r, view_obj(v, "command"), req_text(r, F_SESSION), outcome->typed, outcome->reply);
        return resp_page(r, out, 200, "chat", v, e);
    }
    struct view *p = view_obj(v, "problem");
    view_text(p, "text",
        outcome->no_message ? said_words(r->arena, r->lang, err_stored(outcome->why))
                            : public_text(r, outcome->why));
    view_bool(p, "retry", outcome->retry && !outcome->gone_on);
    view_bool(p, "gone_on", outcome->gone_on);
    view_text(p, "branch", id_text(r->arena, outcome->branch_id));
    if (outcome->why->retry_after_s)
        resp_header(out, "Retry-After", "%d", outcome->why->retry_after_s);
    return resp_page(r, out, http_status(outcome->why->rc), "chat", v, e);
}

/* The new chat of this address, or of this form, is a temporary one. */
static bool wants_temporary(const struct req *r)
{
    return str_is(req_str(r, F_TEMPORARY), "1") || str_is(req_str(r, F_TEMPORARY), "yes");
}

/* Adds the notice of a temporary chat with its lifetime. `ends_at` 0: the chat has not begun. */
static void view_temporary(struct req *r, struct view *v, int64_t ends_at)
{
    struct view *t = view_obj(v, "temporary");
    view_text(t, "lead",
        lang_count(r->arena, r->lang, "chat.temporary_lead", r->web->config->temporary.minutes, NULL));
    view_int(t, "messages", r->web->config->temporary.messages);
    if (!ends_at)
        return;
    view_int(t, "left_ms", ends_at > r->now ? ends_at - r->now : 0);
    const struct locale l = req_locale(r);
    int64_t left = (ends_at - r->now + MS_PER_MIN - 1) / MS_PER_MIN;
    view_time(r->arena, t, &l, "ends_at", "ends_words", "ends_exact", ends_at);
    view_text(t, "left",
        lang_count(r->arena, r->lang, "script_later.erased_in_minutes", left > 0 ? left : 0, NULL));
}

/* Adds model, effort and persona: those of the request (a refused form, or a link of the page /models), else
 * those of the session `s` (NULL: a new chat), else the user's usual ones. After a command the request's do
 * not count, because the command may have changed those of the session. */
static enum rc view_chosen(const struct req *r, struct view *v, const struct session *s,
    const struct chat_outcome *outcome, struct err *e)
{
    bool asks = !s || !outcome || !outcome->reply || outcome->reply->unknown;
    const struct provider_choice *c =
        asks && req_str(r, F_CHOICE).len ? providers_find(r->web->providers, req_text(r, F_CHOICE)) : NULL;
    if (!c && s && s->provider)
        c = providers_by_name(r->web->providers, s->provider, s->model);
    const char *effort = asks && req_has(r, F_EFFORT) ? req_text(r, F_EFFORT) : s ? s->effort : NULL;
    int64_t persona = asks && req_has(r, F_PERSONA) ? req_int(r, F_PERSONA) : s ? s->persona_id : 0;
    model_choices_view(r, v, c ? c : usual_choice(r), effort);
    return personas_view(r, v, persona, e);
}

/* The workspace before the title. NULL: none. */
static void view_within(const struct req *r, struct view *v, const char *workspace)
{
    view_text(v, "within", workspace);
    view_text(v, "within_url", workspace ? workspace_url(r->arena, workspace) : NULL);
    view_text(v, "files_url", workspace ? workspace_page_url(r->arena, str_of(workspace)) : NULL);
}

static enum rc show_new(struct req *r, struct resp *out, const struct chat_outcome *outcome, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "chat.new"), AT_CHAT, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    if ((rc = context_gauge_view(r, NULL, v, e)) != RC_OK)
        return rc;
    view_bool(v, "empty", true);
    const char *workspace = req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL;
    view_text(v, "workspace", workspace);
    view_within(r, v, workspace);
    if (wants_temporary(r))
        view_temporary(r, v, 0);
    const char *set = r->who.settings.value[SETTING_MODEL];
    view_bool(v, "asks_choice", req_str(r, F_CHOICE).len > 0);
    view_bool(v, "sets_choice", set && *set);
    if ((rc = view_chosen(r, v, NULL, outcome, e)) != RC_OK || (rc = view_examples(r, v, e)) != RC_OK)
        return rc;
    return show(r, out, v, outcome, e);
}

enum rc page_new(struct req *r, struct resp *out, struct err *e)
{
    return show_new(r, out, NULL, e);
}

/* True when the session's title or summary waits behind those of sessions that were used later. */
static bool waits_behind(const struct req *r, const struct session *s)
{
    bool waits = false;
    struct db *db = store_read(r->web->store);
    (void)store_job_is_behind(db, r->who.user_id, s->id, r->now, &waits, NULL);
    store_read_done(r->web->store, db);
    return waits;
}

/* Records the visit. A failure to write it is not shown to the user. */
static void note_seen(struct req *r, struct session *s)
{
    if (s->active_at <= s->seen_at && !waits_behind(r, s))
        return;
    session_visited(r->web->store, r->who.user_id, s->pub, r->now);
    s->seen_at = r->now;
}

/* A message of the shown branch; 0: the session's own branch. A refused form names the branch by F_PARENT,
 * else by the message that it changes. */
static int64_t branch_of(const struct req *r)
{
    if (r->method == HTTP_GET || !(req_int(r, F_PARENT) || req_int(r, F_MESSAGE)))
        return req_int(r, F_AT);
    return req_int(r, F_PARENT) ? req_int(r, F_PARENT) : req_int(r, F_MESSAGE);
}

/* Adds the addresses of the parts before and after this one, on the same branch. */
static void view_part_urls(const struct req *r, const struct transcript *t, struct view *v)
{
    struct arena *a = r->arena;
    const char *at = branch_of(r) ? arena_printf(a, "at=%lld&", (long long)branch_of(r)) : "";
    const char *url = session_url(a, t->session.pub);
    if (t->older)
        view_text(v, "older_url", arena_printf(a, "%s?%sbefore=%lld", url, at, (long long)t->older));
    if (!t->newer)
        return;
    view_text(v, "newer_url", arena_printf(a, "%s?%safter=%lld", url, at, (long long)t->newer));
    view_text(v, "end_url",
        t->leaf == t->session.head_id ? url : arena_printf(a, "%s?at=%lld", url, (long long)t->leaf));
}

/* A link to a message gets the part around it: around `message`, else around `at`. */
static struct transcript_part asked_part(const struct req *r)
{
    struct transcript_part part = {.session = req_text(r, F_SESSION),
        .at = branch_of(r),
        .before = req_int(r, F_BEFORE),
        .after = req_int(r, F_AFTER)};
    if (r->method == HTTP_GET && !part.before && !part.after)
        part.around = req_has(r, F_MESSAGE) ? req_int(r, F_MESSAGE) : part.at;
    return part;
}

/* The address of the list of sessions from this one on, with the form of this session open. The key is one
 * above that of the session, because a list begins after its key. */
static const char *edit_url(struct arena *a, const struct session *s)
{
    struct session_key before = session_key_of(s, SESSIONS_BY_ACTIVITY);
    before.id++;
    return arena_printf(a, "/sessions?show=all&after=%s&edit=%s", session_key_text(a, before), s->pub);
}

static enum rc show_session(
    struct req *r, struct resp *out, struct transcript *t, const struct chat_outcome *outcome, struct err *e)
{
    struct session *s = &t->session;
    struct view *v;
    note_seen(r, s);
    enum rc rc = page_view(r, session_title(r->lang, s->title), AT_CHAT, s->id, &v, e);
    if (rc == RC_OK)
        rc = context_gauge_view(r, t, v, e);
    if (rc != RC_OK)
        return rc;
    const struct locale locale = req_locale(r);
    struct view *session = view_obj(v, "session");
    session_view(r->arena, session, &locale, s);
    view_text(session, "edit_url", edit_url(r->arena, s));
    view_within(r, v, s->workspace);
    if (s->ends_at)
        view_temporary(r, v, s->ends_at);
    transcript_view(r, t, v);
    view_bool(v, "suggests", t->annotations.suggestions.n > 0 || view_first(view_get(v, STR("questions"))));
    view_part_urls(r, t, v);
    view_bool(v, "empty", t->n == 0);
    view_bool(v, "lands", req_has(r, F_AT));
    view_text(v, t->leaf == s->head_id ? "end" : "parent", id_text(r->arena, t->leaf));
    if (t->turn)
        view_text(view_obj(v, "turn"), "id", t->turn);
    if ((rc = view_chosen(r, v, s, outcome, e)) != RC_OK)
        return rc;
    return show(r, out, v, outcome, e);
}

/* For an address that names a message which is not in this session: shows the end of the conversation and a
 * sentence, with status 404. The answer is the same for another user's message. */
static enum rc show_without(
    struct req *r, struct resp *out, const struct transcript_part *part, struct err *e)
{
    struct transcript_part rest = {.session = part->session};
    struct transcript t;
    struct trash_entry in;
    struct err why = ERR_INIT;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_trash_of_message(
        db, r->arena, r->who.user_id, part->around ? part->around : part->at, &in, NULL);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        return err_set(e, RC_NOT_FOUND, "the message is in the trash"); /* the page of errors says so */
    rc = transcript_read(r, &rest, &t, e);
    if (rc != RC_OK)
        return rc;
    err_say(&why, RC_NOT_FOUND, "chat.link_misses");
    return show_session(r, out, &t, &(struct chat_outcome){.why = &why, .no_message = true}, e);
}

enum rc page_chat_show(struct req *r, struct resp *out, const struct chat_outcome *outcome, struct err *e)
{
    if (str_is(req_str(r, F_SESSION), "new"))
        return show_new(r, out, outcome, e);
    struct transcript_part part = asked_part(r);
    struct transcript t;
    struct err why = ERR_INIT;
    enum rc rc = transcript_read(r, &part, &t, &why);
    if (rc == RC_NOT_FOUND && !outcome && (part.at || part.around || part.before || part.after))
        return show_without(r, out, &part, e);
    if (rc == RC_NOT_FOUND && outcome && part.at) { /* the branch was deleted meanwhile */
        part.at = 0;
        why = err_none();
        rc = transcript_read(r, &part, &t, &why);
    }
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    return show_session(r, out, &t, outcome, e);
}

enum rc page_chat_again(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return page_chat_show(r, out, &(struct chat_outcome){.why = why, .text = req_text(r, F_TEXT)}, e);
}

enum rc page_chat_without(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    err_say(&why, RC_NOT_FOUND, TURN_PLACE_GONE);
    return page_chat_again(r, out, &why, e);
}

enum rc page_session(struct req *r, struct resp *out, struct err *e)
{
    return page_chat_show(r, out, NULL, e);
}
