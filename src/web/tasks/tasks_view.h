/* The tasks on the to-do page. */
#ifndef ALFRED_WEB_TASKS_TASKS_VIEW_H
#define ALFRED_WEB_TASKS_TASKS_VIEW_H

#include "app/tasks/tasks.h"
#include "base/locale.h"
#include "codec/view.h"

/* Adds the list "groups" to `v`: the tasks below their headings, in the given order. */
void tasks_view_groups(
    struct arena *a, struct view *v, const struct tasks_page *page, const struct locale *l);

/* task_resource() with labels: repeat_words, repeats, due_words, created_words, done_words, and the exact
 * times. */
void task_view(struct arena *a, struct view *v, const struct task *t, const struct locale *l);

#endif
