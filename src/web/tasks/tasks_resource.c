#include "web/tasks/tasks_resource.h"

#include "app/tasks/tasks.h"
#include "web/http/resource.h"

void task_resource(
    struct arena *a, struct view *v, const struct task *t, const struct time_zone *z, int64_t now)
{
    view_id(a, v, "id", t->id);
    view_str(v, "text", t->text);
    view_text(v, "due", t->due);
    view_text(v, "time", t->start && strchr(t->start, 'T') ? strchr(t->start, 'T') + 1 : NULL);
    view_text(v, "repeat", t->rule);
    view_id(a, v, "next", t->next_id);
    view_bool(v, "overdue", !t->done_at && tasks_when(t->due, z, now) == TASK_OVERDUE);
    view_bool(v, "done", t->done_at != 0);
    view_at(v, "created_at", t->created_at);
    view_at(v, "done_at", t->done_at);
    view_source(a, v, t->source_session, t->source_id);
    view_bool(v, "source_in_trash", t->source_in_trash);
}
