#include "web/tasks/tasks_view.h"

#include <time.h>

#include "web/chat/message_view.h"
#include "web/page/humanize.h"

enum rc tasks_read(const struct req *r, struct tasks_page *out, struct err *e)
{
    enum tasks_show show = TASKS_ALL;
    int limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : TASKS_ROWS;
    if (req_str(r, F_SHOW).len && !tasks_show_of(req_str(r, F_SHOW), &show))
        return err_say(e, RC_BAD_INPUT, "\"show\" is open, done or all.");
    struct db *db = store_read(r->web->store);
    enum rc rc = tasks_list(
        db, r->arena, r->who.user_id, show, req_has(r, F_AFTER) ? req_text(r, F_AFTER) : NULL, limit, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc tasks_read_deleted(const struct req *r, struct tasks_page *out, struct err *e)
{
    *out = (struct tasks_page){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = store_task_deleted(
        db, r->arena, r->who.user_id, r->now - TASKS_UNDO_MS, TASKS_DELETED_ROWS, &out->rows, &out->n, e);
    store_read_done(r->web->store, db);
    return rc;
}

const char *task_group(const struct task *t, int64_t now)
{
    static const char *const words[] = {[TASK_OVERDUE] = "Overdue",
        [TASK_TODAY] = "Today",
        [TASK_TOMORROW] = "Tomorrow",
        [TASK_LATER] = "Later",
        [TASK_NO_DAY] = "Any day"};
    return t->done_at ? "Completed" : words[tasks_when(t->due, now)];
}

/* "today", "tomorrow", "Friday, 4 December", "Friday, 4 December 2026". */
static const char *due_words(const struct req *r, const struct task *t)
{
    enum task_when when = tasks_when(t->due, r->now);
    char today[TASK_DAY_SIZE], text[64];
    struct tm tm = {0};
    if (when == TASK_TODAY || when == TASK_TOMORROW)
        return tasks_when_name(when);
    tasks_day(r->now, 0, today);
    bool this_year = strncmp(today, t->due, 4) == 0;
    if (!strptime(t->due, "%Y-%m-%d", &tm) ||
        strftime(text, sizeof text, this_year ? "%A, %-d %B" : "%A, %-d %B %Y", &tm) == 0)
        return t->due;
    return arena_strdup(r->arena, text);
}

static void view_done(const struct req *r, struct view *v, int64_t at)
{
    char iso[CLOCK_RFC3339_SIZE];
    clock_rfc3339(at, iso);
    view_text(v, "done_iso", iso);
    view_text(v, "done_words", words_ago(r->arena, at, r->now));
    view_text(v, "done_exact", words_exact(r->arena, at));
}

void task_view(const struct req *r, struct view *v, const struct task *t)
{
    struct arena *a = r->arena;
    long long source = (long long)t->source_id;
    view_text(v, "id", arena_printf(a, "%lld", (long long)t->id));
    view_str(v, "text", t->text);
    view_text(v, "due", t->due);
    view_text(v, "due_words", t->due ? due_words(r, t) : NULL);
    view_text(v, "when", tasks_when_name(tasks_when(t->due, r->now)));
    view_bool(v, "overdue", !t->done_at && tasks_when(t->due, r->now) == TASK_OVERDUE);
    view_bool(v, "is_done", t->done_at != 0);
    view_created(a, v, t->created_at, r->now);
    if (t->done_at)
        view_done(r, v, t->done_at);
    else
        view_null(v, "done_iso");
    bool sourced = t->source_id && t->source_session;
    view_text(v, "source_message", sourced ? arena_printf(a, "%lld", source) : NULL);
    view_text(v, "source_url",
        sourced ? arena_printf(a, "/s/%s?at=%lld#m-%lld", t->source_session, source, source) : NULL);
}

struct task_wish task_wish_of(const struct req *r, int64_t id)
{
    return (struct task_wish){.owner = r->who.user_id,
        .id = id,
        .text = req_str(r, F_TEXT),
        .due = req_str(r, F_DUE),
        .now = r->now};
}
