/* Rules of the offline model for the to-do list and for deleting chats (offline_tasks.c). */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_TASKS_H
#define ALFRED_LLM_OFFLINE_OFFLINE_TASKS_H

#include "llm/offline/offline_words.h"

/* False: the request is about something else; nothing was written. */
bool offline_tasks(const struct llm_request *r, struct offline_step *out);

#endif
