/* A task in the API. */
#ifndef ALFRED_WEB_TASKS_TASKS_RESOURCE_H
#define ALFRED_WEB_TASKS_TASKS_RESOURCE_H

#include "base/time_zone.h"
#include "codec/view.h"
#include "store/task.h"

/* Adds to `v`: id, text, due (a day or null), time, repeat (a rule or null), next, overdue, done, created_at,
 * done_at, source_message, source_url. */
void task_resource(
    struct arena *a, struct view *v, const struct task *t, const struct time_zone *z, int64_t now);

#endif
