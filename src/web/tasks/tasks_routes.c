#include "web/tasks/tasks_routes.h"

#include "app/jobs/helper_notify.h"
#include "app/reminder/repeat.h"
#include "app/tasks/tasks.h"
#include "codec/calendar/recurrence.h"
#include "codec/url.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/repeat_view.h"
#include "web/suggestion/suggestion_view.h"
#include "web/tasks/tasks_resource.h"
#include "web/tasks/tasks_view.h"

#define TASKS_ROWS         100 /* rows of a list without F_LIMIT */
#define TASKS_DELETED_ROWS 50

/* By F_SHOW, F_AFTER and F_LIMIT. */
static enum rc read_tasks(const struct req *r, struct tasks_page *out, struct err *e)
{
    enum tasks_show show = TASKS_ALL;
    int limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : TASKS_ROWS;
    *out = (struct tasks_page){0};
    if (req_str(r, F_SHOW).len && !tasks_show_of(req_str(r, F_SHOW), &show))
        return err_say(e, RC_BAD_INPUT, "form.show_tasks");
    struct db *db = store_read(r->web->store);
    enum rc rc = tasks_list(db, r->arena, r->who.user_id, show, req_text(r, F_AFTER), limit, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* Tasks whose deletion can be undone, newest first. */
static enum rc read_deleted(const struct req *r, struct tasks_page *out, struct err *e)
{
    *out = (struct tasks_page){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = store_task_deleted(
        db, r->arena, r->who.user_id, r->now - TASKS_UNDO_MS, TASKS_DELETED_ROWS, &out->rows, &out->n, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* Repetition: the API sends a rule, a form also the choice of its list. */
static struct str rule_of(const struct req *r)
{
    return req_has(r, F_CHOICE) ? repeat_rule(req_str(r, F_CHOICE), req_str(r, F_REPEAT))
                                : req_str(r, F_REPEAT);
}

/* A task's time is its reminder, for which the helper waits. */
static void wake_helper(const struct req *r)
{
    helper_notify(r->web->config->server.data_dir);
}

/* The fields of a task. `id` 0: a new one. */
static struct task_input input_of(const struct req *r, int64_t id)
{
    return (struct task_input){.owner = r->who.user_id,
        .id = id,
        .text = req_str(r, F_TEXT),
        .due = req_str(r, F_DUE),
        .time = req_str(r, F_TIME),
        .rule = rule_of(r),
        .zone = r->zone ? r->who.time_zone : "",
        .now = r->now};
}

/* ---- the page ---- */

/* After a refused edit its form is on the page, also when the task is not among the first rows. */
static enum rc add_edited(const struct req *r, struct tasks_page *l, struct err *e)
{
    struct task t;
    for (size_t i = 0; i < l->n; i++)
        if (l->rows[i].id == req_int(r, F_TASK))
            return RC_OK;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_task_get(db, r->arena, r->who.user_id, req_int(r, F_TASK), &t, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    l->rows = arena_with_first(r->arena, &t, l->rows, l->n, sizeof t);
    l->n++;
    return RC_OK;
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    static const char *const kinds[] = {SUGGESTION_ADD_TASK, SUGGESTION_COMPLETE_TASK, NULL};
    struct tasks_page l, deleted;
    struct view *v;
    enum rc rc = read_tasks(r, &l, e);
    if (rc == RC_OK && why && req_has(r, F_TASK))
        rc = add_edited(r, &l, e);
    if (rc == RC_OK)
        rc = read_deleted(r, &deleted, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "tasks.title"), AT_TASKS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any", l.n > 0);
    view_bool(v, "later_page", req_has(r, F_AFTER));
    view_text(
        v, "next_url", l.next ? URL_WITH(r->arena, "/tasks", {field_name(F_AFTER), str_of(l.next)}) : NULL);
    if (req_int(r, F_AT)) {
        view_text(v, "cleared_at", req_text(r, F_AT));
        view_text(v, "flash_undo", "/tasks/restore");
    }
    repeat_view(v, r->lang, NULL);
    if (!req_has(r, F_AFTER) && (rc = suggestions_view(r, kinds, v, e)) != RC_OK)
        return rc;
    const struct locale locale = req_locale(r);
    tasks_view_groups(r->arena, v, &l, &locale);
    view_bool(v, "any_deleted", deleted.n > 0);
    struct view *list = view_list(v, "deleted");
    for (size_t i = 0; i < deleted.n; i++)
        task_view(r->arena, view_item(list), &deleted.rows[i], &locale);
    return why ? page_problem(r, out, "tasks", v, why, e) : resp_page(r, out, 200, "tasks", v, e);
}

static enum rc page_tasks(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_task_add(struct req *r, struct resp *out, struct err *e)
{
    struct task_input in = input_of(r, 0);
    struct task t;
    struct err why = ERR_INIT;
    enum rc rc = tasks_add(r->web->store, &in, r->arena, &t, &why);
    wake_helper(r);
    return rc == RC_OK ? page_done(out, page_list_path(r, "/tasks"), "task_added")
                       : page_again(r, out, show, &why, e);
}

static enum rc page_task_change(struct req *r, struct resp *out, struct err *e)
{
    struct task_input in = input_of(r, req_int(r, F_TASK));
    struct task t;
    struct err why = ERR_INIT;
    enum rc rc = tasks_change(r->web->store, &in, r->arena, &t, &why);
    wake_helper(r);
    return rc == RC_OK ? page_done(out, page_list_path(r, "/tasks"), "task_saved")
                       : page_again(r, out, show, &why, e);
}

static enum rc set_done(struct req *r, struct resp *out, bool done, struct err *e)
{
    int64_t id = req_int(r, F_TASK);
    struct task t;
    struct err why = ERR_INIT;
    enum rc rc = tasks_set_done(r->web->store, r->who.user_id, id, done, r->now, r->arena, &t, &why);
    wake_helper(r);
    if (rc != RC_OK)
        return page_again(r, out, show, &why, e);
    const char *path = page_list_path(r, "/tasks");
    return done ? page_undoable(r, out, path, id, "task_done") : page_done(out, path, "task_reopened");
}

static enum rc page_task_done(struct req *r, struct resp *out, struct err *e)
{
    return set_done(r, out, true, e);
}

static enum rc page_task_reopen(struct req *r, struct resp *out, struct err *e)
{
    return set_done(r, out, false, e);
}

static enum rc page_task_delete(struct req *r, struct resp *out, struct err *e)
{
    int64_t id = req_int(r, F_TASK);
    enum rc rc = tasks_delete(r->web->store, r->who.user_id, id, r->now, e);
    return rc == RC_OK ? page_undoable(r, out, page_list_path(r, "/tasks"), id, "task_deleted") : rc;
}

static enum rc page_task_restore(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = tasks_restore(r->web->store, r->who.user_id, req_int(r, F_TASK), &why);
    wake_helper(r);
    return rc == RC_OK ? page_done(out, page_list_path(r, "/tasks"), "task_restored")
                       : page_again(r, out, show, &why, e);
}

/* If another tab has cleared the list already, there is nothing to undo. */
static enum rc page_tasks_clear(struct req *r, struct resp *out, struct err *e)
{
    int64_t removed = 0;
    enum rc rc = tasks_clear_done(r->web->store, r->who.user_id, r->now, &removed, e);
    if (rc != RC_OK)
        return rc;
    if (removed)
        return page_done(out, arena_printf(r->arena, "/tasks?at=%lld", (long long)r->now), "tasks_cleared");
    resp_redirect(out, "/tasks");
    return RC_OK;
}

static enum rc page_tasks_restore(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tasks_restore_cleared(r->web->store, r->who.user_id, req_int(r, F_AT), e);
    return rc == RC_OK ? page_done(out, "/tasks", "tasks_restored") : rc;
}

/* ---- the API ---- */

static enum rc api_tasks(struct req *r, struct resp *out, struct err *e)
{
    struct tasks_page l;
    enum rc rc = read_tasks(r, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "tasks");
    const struct time_zone *z = r->zone;
    for (size_t i = 0; i < l.n; i++)
        task_resource(r->arena, view_item(list), &l.rows[i], z, r->now);
    view_text(v, "next", l.next);
    return resp_json(out, 200, v, e);
}

static enum rc answer(const struct req *r, struct resp *out, int status, const struct task *t, struct err *e)
{
    struct view *v = view_new(r->arena);
    if (r->route->method != HTTP_GET)
        wake_helper(r);
    task_resource(r->arena, view_obj(v, "task"), t, r->zone, r->now);
    return resp_json(out, status, v, e);
}

static enum rc api_task_add(struct req *r, struct resp *out, struct err *e)
{
    struct task_input in = input_of(r, 0);
    struct task t;
    enum rc rc = tasks_add(r->web->store, &in, r->arena, &t, e);
    return rc == RC_OK ? answer(r, out, 201, &t, e) : rc;
}

static enum rc api_task_change(struct req *r, struct resp *out, struct err *e)
{
    struct task_input in = input_of(r, req_int(r, F_TASK));
    struct task t;
    in.sets_done = req_has(r, F_DONE);
    in.done = req_int(r, F_DONE) != 0;
    if (!in.text.s && !in.due.s && !in.time.s && !in.rule.s && !in.sets_done)
        return err_say(e, RC_BAD_INPUT, "form.send_task");
    enum rc rc = tasks_change(r->web->store, &in, r->arena, &t, e);
    return rc == RC_OK ? answer(r, out, 200, &t, e) : rc;
}

static enum rc api_task(struct req *r, struct resp *out, struct err *e)
{
    struct task t;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_task_get(db, r->arena, r->who.user_id, req_int(r, F_TASK), &t, e);
    store_read_done(r->web->store, db);
    return rc == RC_OK ? answer(r, out, 200, &t, e) : rc;
}

static enum rc api_task_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tasks_delete(r->web->store, r->who.user_id, req_int(r, F_TASK), r->now, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule page_tasks_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = TASKS_KEY_MAX},
    {.field = F_UNDO, .type = FIELD_ID_ROW},
    {.field = F_AT, .type = FIELD_ID_ROW},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

#define TIME_FIELDS                                                              \
    {.field = F_DUE, .type = FIELD_LINE}, {.field = F_TIME, .type = FIELD_LINE}, \
        {.field = F_CHOICE, .type = FIELD_LINE},                                 \
    {                                                                            \
        .field = F_REPEAT, .type = FIELD_LINE, .max = 2 * RECURRENCE_RULE_MAX    \
    }

static const struct field_rule task_add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * TASK_TEXT_CHARS_MAX},
    TIME_FIELDS,
    {.field = F_NONE},
};

static const struct field_rule tasks_restore_fields[] = {
    {.field = F_AT, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule page_task_change_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * TASK_TEXT_CHARS_MAX},
    TIME_FIELDS,
    {.field = F_NONE},
};

static const struct field_rule task_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule api_tasks_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = TASKS_KEY_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = TASK_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule api_task_change_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .max = 2 * TASK_TEXT_CHARS_MAX},
    TIME_FIELDS,
    {.field = F_DONE, .type = FIELD_BOOL},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/tasks",                page_tasks,         PAGE_READ(ACCESS_MEMBER),   page_tasks_fields},
    {HTTP_POST,   "/tasks",                page_task_add,      PAGE_CHANGE(ACCESS_MEMBER), task_add_fields},
    {HTTP_POST,   "/tasks/clear",          page_tasks_clear,   PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_POST,   "/tasks/restore",        page_tasks_restore, PAGE_CHANGE(ACCESS_MEMBER), tasks_restore_fields},
    {HTTP_POST,   "/tasks/{task}",         page_task_change,   PAGE_CHANGE(ACCESS_MEMBER), page_task_change_fields},
    {HTTP_POST,   "/tasks/{task}/done",    page_task_done,     PAGE_CHANGE(ACCESS_MEMBER), task_fields},
    {HTTP_POST,   "/tasks/{task}/reopen",  page_task_reopen,   PAGE_CHANGE(ACCESS_MEMBER), task_fields},
    {HTTP_POST,   "/tasks/{task}/delete",  page_task_delete,   PAGE_CHANGE(ACCESS_MEMBER), task_fields},
    {HTTP_POST,   "/tasks/{task}/restore", page_task_restore,  PAGE_CHANGE(ACCESS_MEMBER), task_fields},

    {HTTP_GET,    "/api/tasks",            api_tasks,          API_READ(ACCESS_MEMBER, SCOPE_READ),    api_tasks_fields},
    {HTTP_POST,   "/api/tasks",            api_task_add,       API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  task_add_fields},
    {HTTP_GET,    "/api/tasks/{task}",     api_task,           API_READ(ACCESS_MEMBER, SCOPE_READ),     task_fields},
    {HTTP_PATCH,  "/api/tasks/{task}",     api_task_change,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  api_task_change_fields},
    {HTTP_DELETE, "/api/tasks/{task}",     api_task_delete,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  task_fields},
};
/* clang-format on */

const struct route_table tasks_routes = {routes, ARRAY_LEN(routes)};
