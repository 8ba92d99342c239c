/* Memory rules of the offline model: remember, recall and forget (offline_memory.c). */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_MEMORY_H
#define ALFRED_LLM_OFFLINE_OFFLINE_MEMORY_H

#include "llm/offline/offline_words.h"

/* False: the request is about something else; nothing was written. */
bool offline_memory(const struct llm_request *r, struct offline_step *out);

#endif
