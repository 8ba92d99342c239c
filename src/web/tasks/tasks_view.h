/* The to-do page's tasks. */
#ifndef ALFRED_WEB_TASKS_TASKS_VIEW_H
#define ALFRED_WEB_TASKS_TASKS_VIEW_H

#include "app/tasks/tasks.h"
#include "codec/view.h"

/* Into `v`: the tasks under their headings as the list "groups", in the order in which they are given. */
void tasks_view_groups(struct arena *a, struct view *v, const struct tasks_page *l, int64_t now);

/* task_resource(), and in words: due_words, created_words, done_words, and the exact times. */
void task_view(struct arena *a, struct view *v, const struct task *t, int64_t now);

#endif
