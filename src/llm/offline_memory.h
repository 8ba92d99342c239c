/* The offline model's way with memory: remember, recall and forget by rule (offline_memory.c). */
#ifndef ALFRED_LLM_OFFLINE_MEMORY_H
#define ALFRED_LLM_OFFLINE_MEMORY_H

#include "llm/offline_words.h"

/* False: the request is about something else, and nothing was written. */
bool offline_memory(const struct llm_request *r, struct offline_step *out);

#endif
