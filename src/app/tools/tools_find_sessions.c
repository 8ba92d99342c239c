/*
 * The tool search_sessions: the user's other sessions, as quotes with dates and links:
 * {"sessions":[{"id","title","date","url","messages":[{"id","role","date","text","url","match"}]}]}
 */
#include "app/tools/tools_private.h"

#include "app/search/search.h"
#include "base/clock.h"
#include "codec/words/snippet.h"

#define SESSIONS      5
#define PER_SESSION   3
#define QUOTE_BYTES   600
#define CONTEXT_BYTES 200
#define RESULT_MAX    ((size_t)28 * 1024) /* bytes of the sessions, as JSON */
#define SESSION_MAX   ((size_t)250)       /* of a session besides title and messages */

/* ---- arguments ---- */

static enum rc read_day(
    const json_t *args, const char *name, const struct time_zone *z, int64_t *out, struct err *e)
{
    struct str text;
    if (!json_object_get(args, name))
        return RC_OK;
    if (!json_get_str(args, name, &text) || !search_date(text, z, out))
        return err_tell(e, RC_BAD_INPUT, "\"%s\" must be a day such as \"2026-11-20\".", name);
    return RC_OK;
}

static enum rc read_query(const json_t *args, struct str *out, struct err *e)
{
    json_get_str(args, "query", out);
    return str_trim(*out).len ? RC_OK : err_tell(e, RC_BAD_INPUT, "\"query\" is blank.");
}

/* ---- result ---- */

struct result {
    struct arena *a;
    const struct lang *lang;
    const struct search_hits *found;
    size_t used, most; /* bytes, as JSON */
    int per_session;
};

/* False when it does not fit. */
static bool add_quote(struct result *r, struct view *v, const char *key, struct str text, size_t bytes)
{
    AUTO_STRBUF json;
    struct snippet s = snippet_of(r->a, text, &r->found->words, bytes);
    strbuf_init(&json, TOOL_RESULT_MAX);
    strbuf_adds(&json, s.cut_head ? "…" : "");
    strbuf_addstr(&json, s.whole);
    strbuf_adds(&json, s.cut_end ? "…" : "");
    const char *copy = arena_strndup(r->a, json.s, json.len);
    strbuf_clear(&json);
    json_add_string(&json, str_of(copy));
    if (json.failed || r->used + json.len > r->most)
        return false;
    r->used += json.len;
    view_text(v, key, copy);
    return true;
}

static void add_day(struct result *r, struct view *v, int64_t at)
{
    char date[CLOCK_RFC3339_SIZE];
    clock_rfc3339(at, date);
    view_text(v, "date", arena_strdup(r->a, date));
}

static void add_message(struct result *r, struct view *list, const struct search_hit *h)
{
    struct view *v = view_item(list);
    r->used += TOOL_PLACE_MAX;
    if (!add_quote(r, v, "text", h->message.text, QUOTE_BYTES))
        view_text(v, "text", "…"); /* no room: the link remains */
    if (h->before.id)
        add_quote(r, v, "before", h->before.text, CONTEXT_BYTES);
    if (h->after.id)
        add_quote(r, v, "after", h->after.text, CONTEXT_BYTES);
    view_text(v, "id", arena_printf(r->a, "%lld", (long long)h->message.id));
    view_text(v, "role", message_role_name(h->message.role));
    add_day(r, v, h->message.created_at);
    view_text(v, "url", tool_message_url(r->a, h->session_id, h->message.id));
    view_bool(v, "match", h->has_words);
}

/* Adds the session of hit `first`, with its best messages. False when it does not fit. */
static bool add_session(struct result *r, struct view *list, size_t first)
{
    const struct search_hit *hits = r->found->hits;
    const char *title =
        hits[first].session_title ? hits[first].session_title : lang_text(r->lang, "chat.new");
    size_t size = SESSION_MAX + json_string_size(str_of(title));
    if (r->used + size + TOOL_PLACE_MAX > r->most)
        return false;
    r->used += size;
    struct view *v = view_item(list);
    view_text(v, "id", hits[first].session_id);
    view_text(v, "title", title);
    view_text(v, "url", arena_printf(r->a, "/s/%s", hits[first].session_id));
    add_day(r, v, hits[first].message.created_at);
    struct view *messages = view_list(v, "messages");
    int n = 0;
    for (size_t i = first; i < r->found->n && n < r->per_session && r->used + TOOL_PLACE_MAX <= r->most; i++)
        if (hits[i].message.session_id == hits[first].message.session_id) {
            add_message(r, messages, &hits[i]);
            n++;
        }
    return true;
}

static bool came_before(const struct search_hits *f, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (f->hits[i].message.session_id == f->hits[at].message.session_id)
            return true;
    return false;
}

static enum rc search_sessions(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct search_request request = {.owner = c->owner, .not_in = c->session_id, .limit = SEARCH_HITS_MAX};
    struct search_where where = {c->store, c->config, c->providers};
    struct search_hits found;
    struct result r = {.a = a, .lang = tool_lang(c), .found = &found, .most = tool_part(c, RESULT_MAX)};
    int top = tool_arg_int(args, "top_k", SESSIONS), n = 0;
    r.per_session = tool_arg_int(args, "messages_per_session", PER_SESSION);
    enum rc rc = read_query(args, &request.text, e);
    if (rc == RC_OK)
        rc = read_day(args, "after", c->zone, &request.after, e);
    if (rc == RC_OK)
        rc = read_day(args, "before", c->zone, &request.before, e);
    if (rc == RC_OK)
        rc = search_run(&where, &request, a, &found, e);
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(result, "sessions");
    for (size_t i = 0; i < found.n && n < top; i++)
        if (!came_before(&found, i)) {
            if (!add_session(&r, list, i))
                break;
            n++;
        }
    return RC_OK;
}

/* clang-format off */
static const struct tool rows[] = {
    {{"search_sessions",
         "Searches the user's other sessions. "
         "Returns quotes with their dates and links, the best session first. "
         "Use it when the user refers to an earlier conversation.",
         TOOL_OBJECT("\"query\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":500,"
                         "\"description\":\"Names and words that were probably used.\"},"
                     "\"after\":{\"type\":\"string\",\"description\":\"Only from this day on, YYYY-MM-DD.\"},"
                     "\"before\":{\"type\":\"string\",\"description\":\"Only before this day, YYYY-MM-DD.\"},"
                     "\"top_k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,"
                         "\"description\":\"The number of sessions. The default is 5.\"},"
                     "\"messages_per_session\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5,"
                         "\"description\":\"The number of quotes per session. The default is 3.\"}",
             "\"query\"")},
        {"tool.find_sessions", "search", NULL}, search_sessions, true, TOOL_READS},
};
/* clang-format on */
const struct tool_group tools_find_sessions = {rows, ARRAY_LEN(rows), TOOL_SET_SESSIONS};
