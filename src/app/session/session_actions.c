#include "app/session/session_actions.h"

#include "app/jobs/helper_notify.h"
#include "app/session/tags.h"
#include "app/session/workspace.h"
#include "app/summary/summary.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "store/account/library.h"
#include "store/job.h"
#include "store/message/comparison.h"
#include "store/session/temporary.h"

/* ---- title, model, place in the lists ---- */

struct changing {
    int64_t owner, now;
    const char *session;
    const struct session_change *change;
};

/* A temporary chat stays. Plans the jobs that its turns have not planned. */
static enum rc change_keep(struct db *db, const struct changing *t, struct err *e)
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

static enum rc change_place(struct db *db, const struct changing *t, struct err *e)
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

static enum rc change_persona(struct db *db, const struct changing *t, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct library_entry persona;
    int64_t id = t->change->persona_id;
    if (id && store_library_get(db, a, t->owner, LIBRARY_PERSONA, id, &persona, NULL) != RC_OK)
        return err_say(e, RC_BAD_INPUT, "library.no_persona");
    return store_session_set_persona(db, t->owner, t->session, id, e);
}

/* Effort, persona, temperature and length of the answers in this session. */
static enum rc change_answers(struct db *db, const struct changing *t, struct err *e)
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

static enum rc change_tags(struct db *db, const struct changing *t, struct err *e)
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
    const struct changing *t = arg;
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
    struct changing t = {.owner = owner, .session = session, .change = &clean, .now = clock_wall_ms()};
    if (rc != RC_OK)
        return rc;
    return change->keeps ? helper_write(s, change->keeps->server.data_dir, change_tx, &t, e)
                         : store_write(s, change_tx, &t, e);
}

/* ---- head ---- */

struct heading {
    int64_t owner, message, now;
    const char *session;
    const struct config *config;
};

/* The user has chosen an answer. The jobs for title, topic and summary are planned for it. */
static enum rc choose(
    struct db *db, const struct heading *t, const struct session *s, int64_t leaf, struct err *e)
{
    enum rc rc = store_comparison_choose(db, t->owner, s->id, leaf, t->now, e);
    if (rc == RC_OK && !s->named)
        rc = store_job_add_wanted(db, JOB_TITLE, t->owner, s->id, t->now, t->now, e);
    return rc == RC_OK ? summary_plan(db, t->config, t->owner, s->id, t->now, e) : rc;
}

static enum rc set_head_tx(struct db *db, void *arg, struct err *e)
{
    const struct heading *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    struct message m;
    int64_t leaf;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK)
        rc = store_message_get(db, a, t->owner, t->message, &m, e);
    if (rc == RC_OK && m.session_id != s.id)
        rc = err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)t->message);
    if (rc != RC_OK)
        return rc;
    if (m.compared && s.running_turns)
        return err_say(e, RC_CONFLICT, "chat.stop_first");
    rc = store_message_leaf(db, t->owner, t->message, &leaf, e);
    if (rc == RC_OK && m.compared)
        return choose(db, t, &s, leaf, e);
    return rc == RC_OK ? store_session_set_head(db, t->owner, s.id, leaf, e) : rc;
}

enum rc session_set_head(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, struct err *e)
{
    struct heading t = {
        .owner = owner, .session = session, .message = message, .config = c, .now = clock_wall_ms()};
    enum rc rc = store_write(s, set_head_tx, &t, e);
    if (rc == RC_OK)
        helper_notify(c->server.data_dir);
    return rc;
}

/* ---- last view ---- */

struct seeing {
    int64_t owner, now;
    const char *session;
};

static enum rc seen_tx(struct db *db, void *arg, struct err *e)
{
    const struct seeing *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK)
        rc = store_session_seen(db, t->owner, s.id, t->now, e);
    return rc == RC_OK ? store_job_want_session(db, t->owner, s.id, t->now, e) : rc;
}

enum rc session_seen(struct store *s, int64_t owner, const char *session, int64_t now, struct err *e)
{
    struct seeing t = {.owner = owner, .session = session, .now = now};
    return store_write(s, seen_tx, &t, e);
}

void session_visited(struct store *s, int64_t owner, const char *session, int64_t now)
{
    struct seeing t = {.owner = owner, .session = session, .now = now};
    store_write_visit(s, seen_tx, &t);
}
