/* The background task that suggests facts. */
#ifndef ALFRED_APP_MEMORY_MEMORY_TASKS_H
#define ALFRED_APP_MEMORY_MEMORY_TASKS_H

#include "app/jobs/task.h"

task_fn task_facts;

#endif
