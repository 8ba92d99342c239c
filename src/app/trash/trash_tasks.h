/* The background task of the trash. */
#ifndef ALFRED_APP_TRASH_TRASH_TASKS_H
#define ALFRED_APP_TRASH_TRASH_TASKS_H

#include "app/jobs/task.h"

task_fn task_purge_trash;

#endif
