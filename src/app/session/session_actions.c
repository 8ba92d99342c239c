#include "app/session/session_actions.h"

#include <stdio.h>

#include "app/summary/compact.h"
#include "app/summary/summary.h"
#include "app/jobs/helper_notify.h"
#include "app/session/workspace.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "store/job.h"
#include "store/summary.h"

#define DETAIL_MAX 96

/* What all of them start with. */
struct target {
    int64_t owner;
    const char *session;
    int64_t message; /* where one is named */
};

static enum rc find_session(
    struct db *db, struct arena *a, const struct target *t, struct session *out, struct err *e)
{
    return store_session_get(db, a, t->owner, t->session, out, e);
}

/* Title and model */

struct change_tx {
    struct target at;
    const struct chat_change *change;
};

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct change_tx *t = arg;
    const struct chat_change *c = t->change;
    enum rc rc = RC_OK;
    if (c->title)
        rc = store_session_rename(db, t->at.owner, t->at.session, c->title, e);
    if (rc == RC_OK && c->choice)
        rc = store_session_set_model(db, t->at.owner, t->at.session, c->choice->name, c->choice->model, e);
    if (rc == RC_OK && c->pin != CHAT_PIN_STAYS)
        rc = store_session_pin(db, t->at.owner, t->at.session, c->pin == CHAT_PIN, e);
    if (rc == RC_OK && c->workspace)
        rc = store_session_set_workspace(
            db, t->at.owner, t->at.session, *c->workspace ? c->workspace : NULL, e);
    return rc;
}

enum rc chat_change(
    struct store *s, int64_t owner, const char *session, const struct chat_change *change, struct err *e)
{
    if (change->title && !*change->title)
        return err_say(e, RC_BAD_INPUT, "A title needs at least one character.");
    if (change->title && utf8_count(str_of(change->title)) > SESSION_TITLE_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "A title may have at most %d characters.", SESSION_TITLE_CHARS_MAX);
    AUTO(arena) a = arena_new();
    struct chat_change clean = *change;
    enum rc rc =
        change->workspace ? workspace_name(a, str_of(change->workspace), &clean.workspace, e) : RC_OK;
    struct change_tx t = {{owner, session, 0}, &clean};
    return rc == RC_OK ? store_write(s, change_tx, &t, e) : rc;
}

/* Removing a session */

struct delete_tx {
    struct target at;
    const struct auth_client *from;
};

enum rc chat_delete_in(
    struct db *db, int64_t owner, const char *session, const struct auth_client *from, struct err *e)
{
    enum rc rc = store_session_delete(db, owner, session, e);
    return rc == RC_OK ? store_audit(db, from->now, owner, "session_deleted", session, from->address, e) : rc;
}

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct delete_tx *t = arg;
    return chat_delete_in(db, t->at.owner, t->at.session, t->from, e);
}

enum rc chat_delete(
    struct store *s, int64_t owner, const char *session, const struct auth_client *from, struct err *e)
{
    struct delete_tx t = {{owner, session, 0}, from};
    return store_write(s, delete_tx, &t, e);
}

/* Head and looks */

static enum rc head_tx(struct db *db, void *arg, struct err *e)
{
    const struct target *t = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    struct message m;
    int64_t leaf;
    enum rc rc = find_session(db, a, t, &session, e);
    if (rc == RC_OK)
        rc = store_message_get(db, a, t->owner, t->message, &m, e);
    if (rc == RC_OK && m.session_id != session.id)
        rc = err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)t->message);
    if (rc == RC_OK)
        rc = store_message_leaf(db, t->owner, t->message, &leaf, e);
    return rc == RC_OK ? store_session_set_head(db, t->owner, session.id, leaf, e) : rc;
}

enum rc chat_set_head(struct store *s, int64_t owner, const char *session, int64_t message, struct err *e)
{
    struct target t = {owner, session, message};
    return store_write(s, head_tx, &t, e);
}

struct seen_tx {
    struct target at;
    int64_t now;
};

static enum rc seen_tx(struct db *db, void *arg, struct err *e)
{
    const struct seen_tx *t = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    enum rc rc = find_session(db, a, &t->at, &session, e);
    return rc == RC_OK ? store_session_seen(db, t->at.owner, session.id, t->now, e) : rc;
}

enum rc chat_seen(struct store *s, int64_t owner, const char *session, int64_t now, struct err *e)
{
    struct seen_tx t = {{owner, session, 0}, now};
    return store_write(s, seen_tx, &t, e);
}

/* Messages */

/* For what leaves the helper something to do. */
static enum rc write_and_wake(struct store *s, const struct config *c, store_fn *tx, void *arg, struct err *e)
{
    enum rc rc = store_write(s, tx, arg, e);
    if (rc == RC_OK)
        helper_wake(c->server.data_dir);
    return rc;
}

struct text_tx {
    struct target at;
    const struct config *config;
    struct str text;
};

static enum rc text_tx(struct db *db, void *arg, struct err *e)
{
    const struct text_tx *t = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    enum rc rc = find_session(db, a, &t->at, &session, e);
    if (rc == RC_OK)
        rc = store_message_set_text(db, t->at.owner, session.id, t->at.message, t->text, e);
    if (rc == RC_OK)
        rc = compact_forget(db, t->at.owner, session.id, t->at.message, clock_wall_ms(), e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, t->config, t->at.owner, session.id, t->at.message, clock_wall_ms(), e);
    if (rc == RC_OK)
        rc = store_job_add(db, JOB_EMBED, t->at.owner, 0, clock_wall_ms(), clock_wall_ms(), e);
    return rc;
}

enum rc chat_edit_text(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, struct str text, struct err *e)
{
    if (str_trim(text).len == 0)
        return err_say(e, RC_BAD_INPUT, "A message needs some text.");
    if (text.len > (size_t)c->limits.message_bytes)
        return err_say(e, RC_TOO_BIG, "A message may have at most %lld KB.",
            (long long)(c->limits.message_bytes / 1024));
    struct text_tx t = {{owner, session, message}, c, text};
    return write_and_wake(s, c, text_tx, &t, e);
}

struct delete_message_tx {
    struct target at;
    const struct config *config;
    const struct auth_client *from;
};

/* An answer that called tools is several messages; to the person it is one, and a model could do nothing with
 * a part. */
static enum rc first_of_answer(
    struct db *db, struct arena *a, const struct target *t, int64_t *first, struct err *e)
{
    struct message m;
    enum rc rc = store_message_get(db, a, t->owner, t->message, &m, e);
    *first = t->message;
    while (rc == RC_OK && m.role != ROLE_USER && m.parent_id) {
        *first = m.id;
        rc = store_message_get(db, a, t->owner, m.parent_id, &m, e);
    }
    return rc;
}

static enum rc delete_message_tx(struct db *db, void *arg, struct err *e)
{
    const struct delete_message_tx *t = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    int64_t first;
    enum rc rc = find_session(db, a, &t->at, &session, e);
    if (rc == RC_OK)
        rc = first_of_answer(db, a, &t->at, &first, e);
    if (rc == RC_OK)
        rc = store_message_delete(db, t->at.owner, session.id, first, e);
    if (rc == RC_OK)
        rc = compact_forget(db, t->at.owner, session.id, first, t->from->now, e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, t->config, t->at.owner, session.id, first, t->from->now, e);
    if (rc != RC_OK)
        return rc;
    char detail[DETAIL_MAX];
    snprintf(detail, sizeof detail, "%s %lld", t->at.session, (long long)t->at.message);
    return store_audit(db, t->from->now, t->at.owner, "message_deleted", detail, t->from->address, e);
}

enum rc chat_delete_message(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, const struct auth_client *from, struct err *e)
{
    struct delete_message_tx t = {{owner, session, message}, c, from};
    return write_and_wake(s, c, delete_message_tx, &t, e);
}

/* Summaries on request */

struct ask_summary {
    struct target at;
    struct summary_range range;
    int64_t now;
};

/* The messages of the request: ids on the path that ends in the range's last message, else in the head. */
static enum rc find_range(struct db *db, struct arena *a, const struct ask_summary *t,
    const struct session *s, int64_t *first, int64_t *last, struct err *e)
{
    struct message *path;
    size_t n, talk = 0;
    int64_t end = t->range.to ? t->range.to : s->head_id;
    *first = *last = 0;
    if (!end)
        return err_say(e, RC_CONFLICT, "There is nothing to summarise yet.");
    if (!t->range.last && !t->range.from && !t->range.to)
        return RC_OK;
    enum rc rc = store_message_path(db, a, t->at.owner, s->id, end, MESSAGE_PATH_MAX, &path, &n, NULL, e);
    if (rc != RC_OK || n == 0)
        return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "message %lld", (long long)end) : rc;
    size_t from = n;
    while (from > 0 && (!t->range.last || talk < (size_t)t->range.last) && path[from - 1].id >= t->range.from)
        talk += path[--from].role != ROLE_TOOL;
    if (talk == 0 || (t->range.from && path[from].id != t->range.from))
        return err_say(e, RC_BAD_INPUT, "These two messages are not the ends of one conversation.");
    *first = path[from].id;
    *last = end;
    return RC_OK;
}

static enum rc ask_summary_tx(struct db *db, void *arg, struct err *e)
{
    const struct ask_summary *t = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    int64_t first, last;
    enum rc rc = find_session(db, a, &t->at, &session, e);
    if (rc == RC_OK)
        rc = find_range(db, a, t, &session, &first, &last, e);
    if (rc == RC_OK)
        rc = store_summary_request(db, t->at.owner, session.id, first, last, t->now, e);
    return rc == RC_OK ? store_job_add(db, JOB_SUMMARISE, t->at.owner, session.id, t->now, t->now, e) : rc;
}

enum rc chat_summarise(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct summary_range *range, int64_t now, struct err *e)
{
    struct ask_summary t = {{owner, session, 0}, *range, now};
    return write_and_wake(s, c, ask_summary_tx, &t, e);
}

/* Compaction on request */

struct ask_compact {
    struct target at;
    const char *keep;
    int64_t now;
};

static enum rc ask_compact_tx(struct db *db, void *arg, struct err *e)
{
    const struct ask_compact *t = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    struct compaction before = {0};
    struct message *path;
    size_t n;
    enum rc rc = find_session(db, a, &t->at, &session, e);
    if (rc != RC_OK)
        return rc;
    rc = store_compaction_on_path(db, a, t->at.owner, session.id, session.head_id, &before, NULL);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return err_set(e, rc, "look up of a compaction");
    rc = store_message_path_below(
        db, a, t->at.owner, session.id, session.head_id, before.last_id, &path, &n, NULL, e);
    if (rc != RC_OK)
        return rc;
    if (compact_border(path, n) == 0)
        return err_say(e, RC_CONFLICT,
            "There is nothing to compact yet: the last %d messages always stay as they are.", COMPACT_KEPT);
    struct compaction_request r = {.session_id = session.id,
        .head_id = session.head_id,
        .keep = t->keep,
        .by_user = true,
        .asked_at = t->now};
    rc = store_compaction_request(db, t->at.owner, &r, e);
    return rc == RC_OK ? store_job_add(db, JOB_COMPACT, t->at.owner, session.id, t->now, t->now, e) : rc;
}

enum rc chat_compact(struct store *s, const struct config *c, int64_t owner, const char *session,
    const char *keep, int64_t now, struct err *e)
{
    struct str wish = str_trim(str_of(keep ? keep : ""));
    if (utf8_count(wish) > COMPACT_WISH_MAX)
        return err_say(
            e, RC_BAD_INPUT, "What is to be kept may have at most %d characters.", COMPACT_WISH_MAX);
    AUTO_FREE char *trimmed = xstrndup(wish.s, wish.len);
    struct ask_compact t = {{owner, session, 0}, trimmed, now};
    return write_and_wake(s, c, ask_compact_tx, &t, e);
}
