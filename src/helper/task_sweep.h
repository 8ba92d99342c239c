/* The background task that removes expired records of every noun. */
#ifndef ALFRED_HELPER_TASK_SWEEP_H
#define ALFRED_HELPER_TASK_SWEEP_H

#include "app/jobs/task.h"

task_fn task_sweep;

#endif
