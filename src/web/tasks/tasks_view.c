#include "web/tasks/tasks_view.h"

#include "app/reminder/repeat.h"
#include "base/humanize.h"
#include "web/page/repeat_view.h"
#include "web/page/views.h"
#include "web/tasks/tasks_resource.h"

/* The key of its label. */
static const char *group_of(const struct task *t, const struct locale *l)
{
    static const char *const keys[] = {[TASK_OVERDUE] = "task.overdue",
        [TASK_TODAY] = "task.today",
        [TASK_TOMORROW] = "task.tomorrow",
        [TASK_LATER] = "task.later",
        [TASK_NO_DAY] = "task.any_day"};
    return t->done_at ? "task.completed" : keys[tasks_when(t->due, l->zone, l->now)];
}

/* "today", "tomorrow", "Friday, 4 December", "Friday, 4 December 2026". */
static const char *due_words(struct arena *a, const struct task *t, const struct locale *l)
{
    enum task_when when = tasks_when(t->due, l->zone, l->now);
    char today[TASK_DAY_SIZE];
    if (when == TASK_TODAY || when == TASK_TOMORROW)
        return lang_text(l->lang, when == TASK_TODAY ? "time.today" : "time.tomorrow");
    tasks_day(l->zone, l->now, 0, today);
    return humanize_iso_day(a, l->lang, t->due, today);
}

void task_view(struct arena *a, struct view *v, const struct task *t, const struct locale *l)
{
    task_resource(a, v, t, l->zone, l->now);
    const char *choice = repeat_choice(t->rule);
    view_text(v, "due_words", t->due ? due_words(a, t, l) : NULL);
    view_text(v, "repeat_words", repeat_words(a, l->lang, t->rule, t->start));
    view_text(v, "custom", strcmp(choice, REPEAT_CUSTOM) == 0 ? t->rule : NULL);
    if (!t->done_at)
        repeat_view(v, l->lang, choice);
    view_created_words(a, v, l, t->created_at);
    if (t->done_at)
        view_time_words(a, v, l, "done_words", "done_exact", t->done_at);
}

void tasks_view_groups(struct arena *a, struct view *v, const struct tasks_page *page, const struct locale *l)
{
    struct view *groups = view_list(v, "groups"), *tasks = NULL;
    const char *group = "";
    for (size_t i = 0; i < page->n; i++) {
        const char *own = group_of(&page->rows[i], l);
        if (!tasks || strcmp(own, group) != 0) {
            struct view *g = view_item(groups);
            group = own;
            view_text(g, "label", lang_text(l->lang, group));
            view_text(g, "key", group + strlen("task."));
            view_bool(g, "completed", page->rows[i].done_at != 0);
            tasks = view_list(g, "tasks");
        }
        task_view(a, view_item(tasks), &page->rows[i], l);
    }
}
