/* A page of the to-do list, as the page and the API show it. */
#ifndef ALFRED_WEB_TASKS_H
#define ALFRED_WEB_TASKS_H

#include "app/tasks/tasks.h"
#include "codec/view.h"
#include "web/http/request.h"
#include "web/http/web.h"

#define TASKS_ROWS         100 /* when nobody says how many */
#define TASKS_DELETED_ROWS 50

/* By the fields F_SHOW, F_AFTER (a key, tasks.h) and F_LIMIT of the request. */
enum rc tasks_read(const struct req *r, struct tasks_page *out, struct err *e);
/* What can still be taken back, newest first, at most TASKS_DELETED_ROWS. */
enum rc tasks_read_deleted(const struct req *r, struct tasks_page *out, struct err *e);
void task_view(const struct req *r, struct view *v, const struct task *t);

/* What the page puts it under: "Overdue", "Today", "Tomorrow", "Later", "Any day", "Completed". */
const char *task_group(const struct task *t, int64_t now);

/* The fields F_TEXT and F_DUE as a wish; `id` 0: a new one. */
struct task_wish task_wish_of(const struct req *r, int64_t id);

#endif
