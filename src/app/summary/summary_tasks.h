/* The background tasks of titles, topics, summaries and compactions. */
#ifndef ALFRED_APP_SUMMARY_SUMMARY_TASKS_H
#define ALFRED_APP_SUMMARY_SUMMARY_TASKS_H

#include "app/jobs/task.h"

task_fn task_title, task_topic, task_summarise, task_compact, task_sweep_transcripts;
/* Stores the error sentence for the user in the compaction request. */
task_on_dead_fn task_compact_on_dead;

#endif
