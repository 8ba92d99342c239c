/* The workspace of the conversation by rule, for the offline model. */
#ifndef ALFRED_LLM_OFFLINE_WORKSPACE_H
#define ALFRED_LLM_OFFLINE_WORKSPACE_H

#include "llm/offline_words.h"

/* True when it was asked for, or its result came: `out` has the call or the answer. */
bool offline_workspace(const struct llm_request *r, struct offline_step *out);

#endif
