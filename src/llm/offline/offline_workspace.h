/* Workspace rules of the offline model (offline_workspace.c). */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_WORKSPACE_H
#define ALFRED_LLM_OFFLINE_OFFLINE_WORKSPACE_H

#include "llm/offline/offline_words.h"

/* True: the message asks for it, or its result came. `out` has the call or the answer. */
bool offline_workspace(const struct llm_request *r, struct offline_step *out);

#endif
