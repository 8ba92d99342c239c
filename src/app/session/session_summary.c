/* Summaries and compactions on request (session_actions.h). */
#include "app/session/session_actions.h"

#include "app/jobs/helper_notify.h"
#include "app/summary/compact.h"
#include "base/utf8.h"
#include "store/job.h"
#include "store/memory/summary.h"
#include "store/session/temporary.h"

/* ---- summaries ---- */

struct summarising {
    int64_t owner, now;
    const char *session;
    struct summary_range range;
};

/* The messages of the request: ids on the path that ends in the range's last message, or in the head. Both 0:
 * the whole session. */
static enum rc find_range(struct db *db, struct arena *a, const struct summarising *t,
    const struct session *s, struct message_range *out, struct err *e)
{
    const struct summary_range *r = &t->range;
    struct message *path;
    size_t n, talk = 0;
    int64_t end = r->to ? r->to : s->head_id;
    *out = (struct message_range){.session_id = s->id};
    if (!end)
        return err_say(e, RC_CONFLICT, "chat.nothing_to_summarise");
    if (!r->last && !r->from && !r->to)
        return RC_OK;
    enum rc rc = store_message_path(
        db, a, &(struct path_query){.owner = t->owner, .session_id = s->id, .head = end}, &path, &n, e);
    if (rc != RC_OK || n == 0)
        return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "message %lld does not exist", (long long)end) : rc;
    size_t from = n;
    while (from > 0 && (!r->last || talk < (size_t)r->last) && path[from - 1].id >= r->from)
        talk += path[--from].role != ROLE_TOOL;
    if (talk == 0 || (r->from && path[from].id != r->from))
        return err_say(e, RC_BAD_INPUT, "chat.other_branch");
    out->first = path[from].id;
    out->last = end;
    return RC_OK;
}

static enum rc summarise_tx(struct db *db, void *arg, struct err *e)
{
    const struct summarising *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    struct message_range range;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK)
        rc = session_lasting(&s, e);
    if (rc == RC_OK)
        rc = find_range(db, a, t, &s, &range, e);
    if (rc == RC_OK)
        rc = store_summary_request(db, t->owner, range, t->now, e);
    return rc == RC_OK ? store_job_add_wanted(db, JOB_SUMMARISE, t->owner, s.id, t->now, t->now, e) : rc;
}

enum rc session_summarise(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct summary_range *range, int64_t now, struct err *e)
{
    struct summarising t = {.owner = owner, .session = session, .now = now, .range = *range};
    return helper_write(s, c->server.data_dir, summarise_tx, &t, e);
}

/* ---- compaction ---- */

struct compacting {
    int64_t owner, now;
    const char *session;
    const char *keep;
    const struct config *config;
};

static enum rc compact_tx(struct db *db, void *arg, struct err *e)
{
    const struct compacting *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    struct compaction before = {0};
    struct message *path;
    size_t n;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK)
        rc = session_lasting(&s, e);
    if (rc != RC_OK)
        return rc;
    rc = store_compaction_on_path(db, a, t->owner, s.id, s.head_id, &before, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    rc = store_message_path(db, a,
        &(struct path_query){
            .owner = t->owner, .session_id = s.id, .head = s.head_id, .below = before.last_id},
        &path, &n, e);
    if (rc != RC_OK)
        return rc;
    /* the helper has the list of tools and decides */
    struct context_frame f = {
        .window = s.context_window ? s.context_window : t->config->context.model_window};
    f.reserve = f.window / CONTEXT_SHARE_TOOLS;
    if (compact_border(t->config, &f, path, n) == 0)
        return err_say(
            e, RC_CONFLICT, "chat.nothing_to_compact", arg_int("keep", t->config->context.compact_keep));
    struct compaction_request r = {
        .session_id = s.id, .head_id = s.head_id, .keep = t->keep, .by_user = true, .asked_at = t->now};
    rc = store_compaction_request(db, t->owner, &r, e);
    return rc == RC_OK ? store_job_add_wanted(db, JOB_COMPACT, t->owner, s.id, t->now, t->now, e) : rc;
}

enum rc session_compact(struct store *s, const struct config *c, int64_t owner, const char *session,
    const char *keep, int64_t now, struct err *e)
{
    struct str note = str_trim(str_of(keep ? keep : ""));
    if (utf8_count(note) > COMPACT_KEEP_MAX)
        return err_say(e, RC_BAD_INPUT, "chat.keep_too_long", arg_int("max", COMPACT_KEEP_MAX));
    AUTO_FREE char *trimmed = xstrndup(note.s, note.len);
    struct compacting t = {.owner = owner, .session = session, .now = now, .keep = trimmed, .config = c};
    return helper_write(s, c->server.data_dir, compact_tx, &t, e);
}
