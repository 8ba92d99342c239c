/* The background tasks of export and import. */
#ifndef ALFRED_APP_TRANSFER_TRANSFER_TASKS_H
#define ALFRED_APP_TRANSFER_TRANSFER_TASKS_H

#include "app/jobs/task.h"

task_fn task_export, task_import, task_purge_drafts;
/* For both: stores the error sentence for the user in the row. */
task_on_dead_fn task_transfer_on_dead;

#endif
