/* The to-do page. */
#include "codec/url.h"
#include "web/page/pages.h"
#include "web/http/respond.h"
#include "web/tasks/tasks_view.h"
#include "web/chat/message_view.h"

#define URL_MAX 256

static const char *next_url(const struct req *r, const char *key)
{
    AUTO_STRBUF url;
    strbuf_init(&url, URL_MAX);
    strbuf_adds(&url, "/tasks?after=");
    url_encode(&url, str_of(key));
    return arena_strndup(r->arena, url.s, url.len);
}

/* The tasks under their headings, in the order in which they came. */
static void view_groups(const struct req *r, struct view *v, const struct tasks_page *l)
{
    struct view *groups = view_list(v, "groups"), *tasks = NULL;
    const char *label = "";
    for (size_t i = 0; i < l->n; i++) {
        const char *own = task_group(&l->rows[i], r->now);
        if (!tasks || strcmp(own, label) != 0) {
            struct view *g = view_item(groups);
            label = own;
            view_text(g, "label", label);
            view_int(g, "number", (int64_t)i);
            view_bool(g, "completed", l->rows[i].done_at != 0);
            tasks = view_list(g, "tasks");
        }
        task_view(r, view_item(tasks), &l->rows[i]);
    }
}

/* `why`: what was wanted could not be done; the text of a new task stands in its box again. */
static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct tasks_page l, deleted;
    struct view *v;
    enum rc rc = tasks_read(r, &l, e);
    if (rc == RC_OK)
        rc = tasks_read_deleted(r, &deleted, e);
    if (rc == RC_OK)
        rc = page_view(r, "To-do list", AT_TASKS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any", l.n > 0);
    view_bool(v, "later_page", req_has(r, F_AFTER));
    view_text(v, "next_url", l.next ? next_url(r, l.next) : NULL);
    view_text(v, "undo", req_int(r, F_UNDO) ? req_text(r, F_UNDO) : NULL);
    view_text(v, "cleared_at", req_int(r, F_AT) ? req_text(r, F_AT) : NULL);
    view_text(v, "draft", why ? req_text(r, F_TEXT) : NULL);
    view_text(v, "draft_due", why ? req_text(r, F_DUE) : NULL);
    view_groups(r, v, &l);
    view_bool(v, "any_deleted", deleted.n > 0);
    struct view *list = view_list(v, "deleted");
    for (size_t i = 0; i < deleted.n; i++)
        task_view(r, view_item(list), &deleted.rows[i]);
    return why ? page_problem(r, out, "tasks", v, why, e) : resp_page(r, out, 200, "tasks", v, e);
}

enum rc page_tasks(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

/* What a person can mend is said on the page. */
static enum rc finish(struct req *r, struct resp *out, enum rc rc, const struct err *why, const char *path,
    const char *done, struct err *e)
{
    if (rc == RC_OK)
        page_done(out, path, done);
    else if (page_can_say(rc))
        return show(r, out, why, e);
    else
        *e = *why;
    return rc;
}

enum rc page_task_add(struct req *r, struct resp *out, struct err *e)
{
    struct task_wish w = task_wish_of(r, 0);
    struct task t;
    struct err why = ERR_INIT;
    enum rc rc = tasks_add(r->web->store, &w, r->arena, &t, &why);
    return finish(r, out, rc, &why, "/tasks", "task_added", e);
}

enum rc page_task_change(struct req *r, struct resp *out, struct err *e)
{
    struct task_wish w = task_wish_of(r, req_int(r, F_TASK));
    struct task t;
    struct err why = ERR_INIT;
    enum rc rc = tasks_change(r->web->store, &w, r->arena, &t, &why);
    return finish(r, out, rc, &why, "/tasks", "task_saved", e);
}

static enum rc set_done(struct req *r, struct resp *out, bool done, struct err *e)
{
    struct task t;
    struct err why = ERR_INIT;
    enum rc rc =
        tasks_set_done(r->web->store, r->who.user_id, req_int(r, F_TASK), done, r->now, r->arena, &t, &why);
    return finish(r, out, rc, &why, "/tasks", done ? "task_done" : "task_reopened", e);
}

enum rc page_task_done(struct req *r, struct resp *out, struct err *e)
{
    return set_done(r, out, true, e);
}

enum rc page_task_reopen(struct req *r, struct resp *out, struct err *e)
{
    return set_done(r, out, false, e);
}

enum rc page_task_delete(struct req *r, struct resp *out, struct err *e)
{
    int64_t id = req_int(r, F_TASK);
    enum rc rc = tasks_delete(r->web->store, r->who.user_id, id, r->now, e);
    if (rc == RC_OK)
        page_done(out, arena_printf(r->arena, "/tasks?undo=%lld", (long long)id), "task_deleted");
    return rc;
}

enum rc page_task_restore(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = tasks_restore(r->web->store, r->who.user_id, req_int(r, F_TASK), &why);
    return finish(r, out, rc, &why, "/tasks", "task_restored", e);
}

/* Nothing to clear (another tab was quicker) has nothing to undo. */
enum rc page_tasks_clear(struct req *r, struct resp *out, struct err *e)
{
    int64_t removed = 0;
    enum rc rc = tasks_clear_done(r->web->store, r->who.user_id, r->now, &removed, e);
    if (rc == RC_OK && removed)
        page_done(out, arena_printf(r->arena, "/tasks?at=%lld", (long long)r->now), "tasks_cleared");
    else if (rc == RC_OK)
        resp_redirect(out, "/tasks");
    return rc;
}

enum rc page_tasks_restore(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tasks_restore_cleared(r->web->store, r->who.user_id, req_int(r, F_AT), e);
    if (rc == RC_OK)
        page_done(out, "/tasks", "tasks_restored");
    return rc;
}
