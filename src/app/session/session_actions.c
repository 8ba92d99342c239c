#include "app/session/session_actions.h"

#include "app/summary/compact.h"
#include "app/summary/summary.h"
#include "app/jobs/helper_notify.h"
#include "app/session/tags.h"
#include "app/session/workspace.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "store/account/library.h"
#include "store/channel/chat.h"
#include "store/job.h"
#include "store/memory/summary.h"
#include "store/message/comparison.h"
#include "store/session/temporary.h"

struct action;
typedef enum rc action_fn(
    struct db *db, struct arena *a, const struct action *t, const struct session *s, struct err *e);

/* One struct for all actions: the session, and the arguments of each. */
struct action {
    action_fn *run; /* for in_session() */
    int64_t owner;
    const char *session;
    int64_t message, now;
    const struct config *config;
    const struct session_change *change;
    struct summary_range range;
    struct str text;
    int64_t pasted_from; /* source of the text */
    int64_t *edited;     /* the message that has the text */
    const char *keep;
};

/* The closure of actions that need the session's row. */
static enum rc in_session(struct db *db, void *arg, struct err *e)
{
    const struct action *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    return rc == RC_OK ? t->run(db, a, t, &s, e) : rc;
}

/* ---- title, model, place in the lists ---- */

/* A temporary chat stays. Plans the jobs that its turns have not planned. */
static enum rc change_keep(struct db *db, const struct action *t, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct config *c = t->change->keeps;
    struct session s;
    if (!c)
        return RC_OK;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc != RC_OK || !s.ends_at)
        return rc;
    rc = store_temporary_keep(db, t->owner, s.id, e);
    if (rc == RC_OK && !s.named && s.head_id)
        rc = store_job_add_wanted(db, JOB_TITLE, t->owner, s.id, t->now, t->now, e);
    if (rc == RC_OK)
        rc = summary_plan(db, c, t->owner, s.id, t->now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, t->owner, 0, t->now, t->now, e) : rc;
}

static enum rc change_place(struct db *db, const struct action *t, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct session s;
    if (t->change->place == SESSION_PLACE_STAYS)
        return RC_OK;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK)
        rc = session_lasting(&s, e);
    return rc == RC_OK ? store_session_set_place(db, t->owner, s.id, t->change->place, t->now, NULL, e) : rc;
}

static enum rc change_persona(struct db *db, const struct action *t, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct library_entry persona;
    int64_t id = t->change->persona_id;
    if (id && store_library_get(db, a, t->owner, LIBRARY_PERSONA, id, &persona, NULL) != RC_OK)
        return err_say(e, RC_BAD_INPUT, "library.no_persona");
    return store_session_set_persona(db, t->owner, t->session, id, e);
}

/* Effort, persona, temperature and length of the answers in this session. */
static enum rc change_answers(struct db *db, const struct action *t, struct err *e)
{
    const struct session_change *c = t->change;
    enum rc rc = RC_OK;
    if (c->effort)
        rc = store_session_set_effort(db, t->owner, t->session, *c->effort ? c->effort : NULL, e);
    if (rc == RC_OK && c->sets_persona)
        rc = change_persona(db, t, e);
    if (rc == RC_OK && c->sets_temperature)
        rc = store_session_set_temperature(db, t->owner, t->session, c->temperature, e);
    if (rc == RC_OK && c->sets_answer_tokens)
        rc = store_session_set_answer_tokens(db, t->owner, t->session, c->answer_tokens, e);
    return rc;
}

static enum rc change_tags(struct db *db, const struct action *t, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct session_change *c = t->change;
    struct session s;
    if (!c->tags && !c->tag && !c->without_tag)
        return RC_OK;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK && c->tags)
        rc = tags_set(db, t->owner, s.id, str_of(c->tags), t->now, e);
    if (rc == RC_OK && c->tag)
        rc = tags_add(db, t->owner, s.id, str_of(c->tag), t->now, e);
    if (rc == RC_OK && c->without_tag)
        rc = tags_remove(db, t->owner, s.id, str_of(c->without_tag), e);
    return rc;
}

static bool is_effort(const char *s)
{
    return !*s || strcmp(s, "low") == 0 || strcmp(s, "medium") == 0 || strcmp(s, "high") == 0;
}

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct action *t = arg;
    const struct session_change *c = t->change;
    enum rc rc = change_keep(db, t, e);
    if (rc == RC_OK && c->title)
        rc = store_session_rename(db, t->owner, t->session, c->title, e);
    if (rc == RC_OK && c->choice)
        rc = store_session_set_model(db, t->owner, t->session, c->choice->name, c->choice->model, e);
    if (rc == RC_OK)
        rc = change_answers(db, t, e);
    if (rc == RC_OK)
        rc = change_place(db, t, e);
    if (rc == RC_OK && c->workspace)
        rc = store_session_set_workspace(db, t->owner, t->session, *c->workspace ? c->workspace : NULL, e);
    return rc == RC_OK ? change_tags(db, t, e) : rc;
}

enum rc session_change(
    struct store *s, int64_t owner, const char *session, const struct session_change *change, struct err *e)
{
    if (change->title && !*change->title)
        return err_say(e, RC_BAD_INPUT, "chat.title_empty");
    if (change->title && utf8_count(str_of(change->title)) > SESSION_TITLE_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "chat.title_long", arg_int("max", SESSION_TITLE_CHARS_MAX));
    if (change->effort && !is_effort(change->effort))
        return err_say(e, RC_BAD_INPUT, "chat.bad_effort");
    AUTO(arena) a = arena_new();
    struct session_change clean = *change;
    enum rc rc =
        change->workspace ? workspace_name(a, str_of(change->workspace), &clean.workspace, e) : RC_OK;
    struct action t = {.owner = owner, .session = session, .change = &clean, .now = clock_wall_ms()};
    if (rc != RC_OK)
        return rc;
    return change->keeps ? helper_write(s, change->keeps->server.data_dir, change_tx, &t, e)
                         : store_write(s, change_tx, &t, e);
}

/* ---- head and last view ---- */

/* The user has chosen an answer. The jobs for title, topic and summary are planned for it. */
static enum rc choose(
    struct db *db, const struct action *t, const struct session *s, int64_t leaf, struct err *e)
{
    enum rc rc = store_comparison_choose(db, t->owner, s->id, leaf, t->now, e);
    if (rc == RC_OK && !s->named)
        rc = store_job_add_wanted(db, JOB_TITLE, t->owner, s->id, t->now, t->now, e);
    return rc == RC_OK ? summary_plan(db, t->config, t->owner, s->id, t->now, e) : rc;
}

static enum rc set_head(
    struct db *db, struct arena *a, const struct action *t, const struct session *s, struct err *e)
{
    struct message m;
    int64_t leaf;
    enum rc rc = store_message_get(db, a, t->owner, t->message, &m, e);
    if (rc == RC_OK && m.session_id != s->id)
        rc = err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)t->message);
    if (rc == RC_OK && m.compared && s->running_turns)
        return err_say(e, RC_CONFLICT, "chat.stop_first");
    if (rc == RC_OK)
        rc = store_message_leaf(db, t->owner, t->message, &leaf, e);
    if (rc == RC_OK && m.compared)
        return choose(db, t, s, leaf, e);
    return rc == RC_OK ? store_session_set_head(db, t->owner, s->id, leaf, e) : rc;
}

enum rc session_set_head(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, struct err *e)
{
    struct action t = {.run = set_head,
        .owner = owner,
        .session = session,
        .message = message,
        .config = c,
        .now = clock_wall_ms()};
    enum rc rc = store_write(s, in_session, &t, e);
    if (rc == RC_OK)
        helper_notify(c->server.data_dir);
    return rc;
}

static enum rc seen(
    struct db *db, struct arena *a, const struct action *t, const struct session *s, struct err *e)
{
    (void)a;
    enum rc rc = store_session_seen(db, t->owner, s->id, t->now, e);
    return rc == RC_OK ? store_job_want_session(db, t->owner, s->id, t->now, e) : rc;
}

enum rc session_seen(struct store *s, int64_t owner, const char *session, int64_t now, struct err *e)
{
    struct action t = {.run = seen, .owner = owner, .session = session, .now = now};
    return store_write(s, in_session, &t, e);
}

void session_visited(struct store *s, int64_t owner, const char *session, int64_t now)
{
    struct action t = {.run = seen, .owner = owner, .session = session, .now = now};
    store_write_visit(s, in_session, &t);
}

/* ---- messages ---- */

/* Facts and compactions of the old version stay. Only the summary of the session is made again. */
static enum rc add_version(struct db *db, const struct action *t, const struct session *s, struct err *e)
{
    enum rc rc = store_message_add_edited(db, t->owner, s->id, t->message, t->text, t->now, t->edited, e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, t->config, t->owner, s->id, t->message, t->now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, t->owner, 0, t->now, t->now, e) : rc;
}

enum rc session_edit_in(struct db *db, const struct config *c, const struct session_edit *m, struct err *e)
{
    enum rc rc = store_message_set_text(db, m->owner, m->session_id, m->message, m->text, m->pasted_from, e);
    if (rc == RC_OK)
        rc = compact_forget(db, m->owner, m->session_id, m->message, m->now, e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, c, m->owner, m->session_id, m->message, m->now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, m->owner, 0, m->now, m->now, e) : rc;
}

static enum rc edit_text(
    struct db *db, struct arena *a, const struct action *t, const struct session *s, struct err *e)
{
    struct message m;
    enum rc rc = store_message_get(db, a, t->owner, t->message, &m, e);
    *t->edited = t->message;
    if (rc == RC_OK && str_trim(t->text).len == 0 && m.pictures_n == 0)
        return err_say(e, RC_BAD_INPUT, "chat.needs_text");
    if (rc != RC_OK)
        return rc;
    if (m.role == ROLE_ASSISTANT)
        return add_version(db, t, s, e);
    const struct session_edit edit = {.owner = t->owner,
        .session_id = s->id,
        .message = t->message,
        .text = t->text,
        .pasted_from = t->pasted_from,
        .now = t->now};
    rc = session_edit_in(db, t->config, &edit, e);
    return rc == RC_OK && m.client_id ? store_channel_message_detach(db, t->owner, m.client_id, e) : rc;
}

enum rc session_edit_text(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, struct str text, int64_t pasted_from, int64_t *out, struct err *e)
{
    if (text.len > (size_t)c->limits.message_bytes)
        return err_say(e, RC_TOO_BIG, "chat.message_limit", arg_int("max", c->limits.message_bytes / 1024));
    struct action t = {.run = edit_text,
        .owner = owner,
        .session = session,
        .message = message,
        .now = clock_wall_ms(),
        .config = c,
        .text = text,
        .pasted_from = pasted_from,
        .edited = out};
    return helper_write(s, c->server.data_dir, in_session, &t, e);
}

/* ---- summaries on request ---- */

/* The messages of the request: ids on the path that ends in the range's last message, or in the head. */
static enum rc find_range(struct db *db, struct arena *a, const struct action *t, const struct session *s,
    struct message_range *out, struct err *e)
{
    struct message *path;
    size_t n, talk = 0;
    int64_t end = t->range.to ? t->range.to : s->head_id;
    *out = (struct message_range){.session_id = s->id};
    if (!end)
        return err_say(e, RC_CONFLICT, "chat.nothing_to_summarise");
    if (!t->range.last && !t->range.from && !t->range.to)
        return RC_OK;
    enum rc rc = store_message_path(
        db, a, &(struct path_query){.owner = t->owner, .session_id = s->id, .head = end}, &path, &n, e);
    if (rc != RC_OK || n == 0)
        return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "message %lld does not exist", (long long)end) : rc;
    size_t from = n;
    while (from > 0 && (!t->range.last || talk < (size_t)t->range.last) && path[from - 1].id >= t->range.from)
        talk += path[--from].role != ROLE_TOOL;
    if (talk == 0 || (t->range.from && path[from].id != t->range.from))
        return err_say(e, RC_BAD_INPUT, "chat.other_branch");
    out->first = path[from].id;
    out->last = end;
    return RC_OK;
}

static enum rc ask_summary(
    struct db *db, struct arena *a, const struct action *t, const struct session *s, struct err *e)
{
    struct message_range range;
    enum rc rc = session_lasting(s, e);
    if (rc == RC_OK)
        rc = find_range(db, a, t, s, &range, e);
    if (rc == RC_OK)
        rc = store_summary_request(db, t->owner, range, t->now, e);
    return rc == RC_OK ? store_job_add_wanted(db, JOB_SUMMARISE, t->owner, s->id, t->now, t->now, e) : rc;
}

enum rc session_summarise(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct summary_range *range, int64_t now, struct err *e)
{
    struct action t = {.run = ask_summary, .owner = owner, .session = session, .now = now, .range = *range};
    return helper_write(s, c->server.data_dir, in_session, &t, e);
}

/* ---- compaction on request ---- */

static enum rc ask_compact(
    struct db *db, struct arena *a, const struct action *t, const struct session *s, struct err *e)
{
    struct compaction before = {0};
    struct message *path;
    size_t n;
    enum rc rc = session_lasting(s, e);
    if (rc != RC_OK)
        return rc;
    rc = store_compaction_on_path(db, a, t->owner, s->id, s->head_id, &before, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    rc = store_message_path(db, a,
        &(struct path_query){
            .owner = t->owner, .session_id = s->id, .head = s->head_id, .below = before.last_id},
        &path, &n, e);
    if (rc != RC_OK)
        return rc;
    /* the helper has the list of tools and decides */
    struct context_frame f = {
        .window = s->context_window ? s->context_window : t->config->context.model_window};
    f.reserve = f.window / CONTEXT_SHARE_TOOLS;
    if (compact_border(t->config, &f, path, n) == 0)
        return err_say(
            e, RC_CONFLICT, "chat.nothing_to_compact", arg_int("keep", t->config->context.compact_keep));
    struct compaction_request r = {
        .session_id = s->id, .head_id = s->head_id, .keep = t->keep, .by_user = true, .asked_at = t->now};
    rc = store_compaction_request(db, t->owner, &r, e);
    return rc == RC_OK ? store_job_add_wanted(db, JOB_COMPACT, t->owner, s->id, t->now, t->now, e) : rc;
}

enum rc session_compact(struct store *s, const struct config *c, int64_t owner, const char *session,
    const char *keep, int64_t now, struct err *e)
{
    struct str note = str_trim(str_of(keep ? keep : ""));
    if (utf8_count(note) > COMPACT_KEEP_MAX)
        return err_say(e, RC_BAD_INPUT, "chat.keep_too_long", arg_int("max", COMPACT_KEEP_MAX));
    AUTO_FREE char *trimmed = xstrndup(note.s, note.len);
    struct action t = {
        .run = ask_compact, .owner = owner, .session = session, .now = now, .keep = trimmed, .config = c};
    return helper_write(s, c->server.data_dir, in_session, &t, e);
}
