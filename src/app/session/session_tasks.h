/* The background tasks of sessions: actions on many, the end of temporary chats. */
#ifndef ALFRED_APP_SESSION_SESSION_TASKS_H
#define ALFRED_APP_SESSION_SESSION_TASKS_H

#include "app/jobs/task.h"

task_fn task_batch, task_end_temporary;

#endif
