/* The background task of erasure. */
#ifndef ALFRED_APP_ERASURE_ERASURE_TASKS_H
#define ALFRED_APP_ERASURE_ERASURE_TASKS_H

#include "app/jobs/task.h"

task_fn task_erase_user;

#endif
