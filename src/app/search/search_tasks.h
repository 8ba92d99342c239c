/* The background tasks of the search indexes. */
#ifndef ALFRED_APP_SEARCH_SEARCH_TASKS_H
#define ALFRED_APP_SEARCH_SEARCH_TASKS_H

#include "app/jobs/task.h"

task_fn task_embed, task_purge_index, task_index_pairs;

#endif
