/*
 * The gauge is always in the page. It is hidden until the first answer has set its values. The hint about a
 * long session counts from the beginning of the session or from its newest compaction. It is shown to a user
 * who writes in the session, not to one who only reads an old session.
 */
#include "web/chat/context_gauge.h"

#include "app/config/config.h"
#include "app/context/instructions.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "store/memory/compaction.h"
#include "store/session/workspace_file.h"
#include "web/chat/questions.h"
#include "web/http/web.h"

#define HOURS_IN_WORDS 48 /* longer times are shown in days */

/* The numbers of session.context in words. */
static void view_gauge(const struct req *r, struct view *v, const struct session *s)
{
    struct arena *a = r->arena;
    int64_t near = r->web->config->context.compact_percent;
    bool known = s && s->context_window > 0;
    int64_t percent = known ? s->context_tokens * 100 / s->context_window : 0;
    view_bool(v, "gauge_known", known);
    view_int(v, "gauge_percent", percent > 100 ? 100 : percent);
    view_int(v, "gauge_near", near);
    view_bool(v, "gauge_full", known && percent >= near);
    view_text(v, "gauge_window", known ? humanize_tokens(a, r->lang, s->context_window) : "");
    view_text(v, "gauge_words",
        known ? lang_count(a, r->lang, "chat.gauge", s->context_window,
                    LANG_ARGS({"used", humanize_number(a, r->lang, s->context_tokens)}))
              : "");
    view_bool(v, "gauge_busy", s && s->compacting);
    view_text(v, "gauge_error", s && !s->compacting ? said_words(r->arena, r->lang, s->compact_error) : NULL);
}

static const char *hours_in_words(struct arena *a, const struct lang *l, int64_t ms)
{
    int64_t hours = ms / MS_PER_H;
    return hours < HOURS_IN_WORDS ? lang_count(a, l, "count.hours", hours, NULL)
                                  : lang_count(a, l, "count.days", hours / 24, NULL);
}

static enum rc view_rest(const struct req *r, const struct session *s, struct view *v, struct err *e)
{
    int64_t limit = r->web->config->session.hint_hours * MS_PER_H, since = s ? s->created_at : 0;
    view_int(v, "rest_hours", r->web->config->session.hint_hours);
    if (!s || !limit)
        return RC_OK;
    struct compaction *newest;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_compaction_list(db, r->arena, r->who.user_id, s->id, 0, 1, &newest, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    if (n > 0 && newest->created_at > since)
        since = newest->created_at;
    char iso[CLOCK_RFC3339_SIZE];
    clock_rfc3339(since, iso);
    view_text(v, "rest_since", iso);
    if (r->now - since >= limit && r->now - s->active_at < limit)
        view_text(v, "rest_words", hours_in_words(r->arena, r->lang, r->now - since));
    return RC_OK;
}

/* Lists in words the user's instructions that the next answer gets. */
static enum rc view_instructions(const struct req *r, const struct session *s, struct view *v, struct err *e)
{
    struct instructions x;
    struct instruction_scope scope = {
        .owner = r->who.user_id, .workspace = s ? s->workspace : NULL, .persona_id = s ? s->persona_id : 0};
    struct db *db = store_read(r->web->store);
    enum rc rc = instructions_read(db, r->arena, &scope, &x, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    const char *words[INSTRUCTION_COUNT] = {
        [INSTRUCTION_ABOUT_ME] = lang_text(r->lang, "settings.about"),
        [INSTRUCTION_ANSWER_STYLE] = lang_text(r->lang, "settings.answer"),
        [INSTRUCTION_PERSONA] = x.persona,
        [INSTRUCTION_WORKSPACE] = scope.workspace,
    };
    const char *list = NULL;
    for (size_t i = 0; i < INSTRUCTION_COUNT; i++)
        if (x.text[i].len)
            list = list ? arena_printf(r->arena, "%s, %s", list, humanize_isolated(r->arena, words[i]))
                        : humanize_isolated(r->arena, words[i]);
    view_text(v, "list", list);
    return RC_OK;
}

/* The number of the workspace's files, which the next answer gets, too. */
static enum rc view_files(const struct req *r, const struct session *s, struct view *v, struct err *e)
{
    struct workspace_file *list;
    size_t n = 0;
    struct db *db = store_read(r->web->store);
    enum rc rc = s && s->workspace && !s->ends_at
                     ? store_workspace_files(db, r->arena, r->who.user_id, s->workspace, &list, &n, e)
                     : RC_OK;
    store_read_done(r->web->store, db);
    view_text(v, "files_words",
        n ? lang_count(r->arena, r->lang, "gauge.files", (int64_t)n, NULL)
          : lang_text(r->lang, "instructions.title"));
    return rc;
}

static enum rc view_questions(const struct req *r, const struct transcript *t, struct view *v, struct err *e)
{
    struct questions_of q = {.lang = r->lang,
        .owner = r->who.user_id,
        .session_id = t->session.id,
        .now = r->now,
        .answered_id = req_int(r, F_SUGGESTION),
        .leaf = t->leaf};
    struct db *db = store_read(r->web->store);
    enum rc rc = questions_view(db, r->arena, &q, v, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc context_gauge_view(const struct req *r, const struct transcript *t, struct view *v, struct err *e)
{
    const struct session *s = t ? &t->session : NULL;
    view_gauge(r, v, s);
    enum rc rc = view_instructions(r, s, v, e);
    if (rc == RC_OK)
        rc = view_files(r, s, v, e);
    if (rc == RC_OK)
        rc = t ? view_questions(r, t, v, e) : RC_OK;
    return rc == RC_OK ? view_rest(r, s, v, e) : rc;
}
