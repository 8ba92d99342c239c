/* The background task of actions on many sessions. */
#ifndef ALFRED_APP_SESSION_SESSION_TASKS_H
#define ALFRED_APP_SESSION_SESSION_TASKS_H

#include "app/jobs/task.h"

task_fn task_batch;

#endif
