/* The offline model's way with memory: remember, recall and forget by rule (offline_memory.c). */
#ifndef ALFRED_LLM_OFFLINE_MEMORY_H
#define ALFRED_LLM_OFFLINE_MEMORY_H

#include "llm/llm.h"

/* Makes of the request a call (`*tool`, a constant, and `args`) or an answer (`*tool` stays NULL). False: it
 * is about something else, and nothing was written. */
bool offline_memory(
    const struct llm_request *r, const char **tool, struct strbuf *args, struct strbuf *answer);

#endif
