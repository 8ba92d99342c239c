#include "web/api.h"
#include "web/tasks/tasks_view.h"

enum rc api_tasks(struct req *r, struct resp *out, struct err *e)
{
    struct tasks_page l;
    enum rc rc = tasks_read(r, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "tasks");
    for (size_t i = 0; i < l.n; i++)
        task_view(r, view_item(list), &l.rows[i]);
    view_text(v, "next", l.next);
    return resp_json(out, 200, v, e);
}

static enum rc answer(const struct req *r, struct resp *out, int status, const struct task *t, struct err *e)
{
    struct view *v = view_new(r->arena);
    task_view(r, view_obj(v, "task"), t);
    return resp_json(out, status, v, e);
}

enum rc api_task_add(struct req *r, struct resp *out, struct err *e)
{
    struct task_wish w = task_wish_of(r, 0);
    struct task t;
    enum rc rc = tasks_add(r->web->store, &w, r->arena, &t, e);
    return rc == RC_OK ? answer(r, out, 201, &t, e) : rc;
}

enum rc api_task_change(struct req *r, struct resp *out, struct err *e)
{
    struct task_wish w = task_wish_of(r, req_int(r, F_TASK));
    struct task t;
    bool sets_done = req_has(r, F_DONE);
    enum rc rc = RC_OK;
    if (!w.text.s && !w.due.s && !sets_done)
        return err_say(e, RC_BAD_INPUT, "Send a \"text\", \"due\" or \"done\".");
    if (w.text.s || w.due.s)
        rc = tasks_change(r->web->store, &w, r->arena, &t, e);
    if (rc == RC_OK && sets_done)
        rc = tasks_set_done(r->web->store, w.owner, w.id, req_int(r, F_DONE) != 0, r->now, r->arena, &t, e);
    return rc == RC_OK ? answer(r, out, 200, &t, e) : rc;
}

enum rc api_task_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tasks_delete(r->web->store, r->who.user_id, req_int(r, F_TASK), r->now, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}
