/* Shared by models.c, which sends requests, and models_read.c, which reads the answers. */
#ifndef ALFRED_LLM_MODELS_PRIVATE_H
#define ALFRED_LLM_MODELS_PRIVATE_H

#include <jansson.h>

#include "llm/models.h"

/* Reads {"data":[...]} of the openai and anthropic kinds, {"models":[...]}, or a bare list. Appends to
 * `out`, whose list has room for LLM_MODELS_MAX. RC_UPSTREAM: the answer has no list. */
enum rc models_read_list(const json_t *answer, struct arena *a, struct llm_models *out, struct err *e);
/* Add properties from further answers; unexpected content is ignored. */
void models_read_props(const json_t *props, struct llm_models *m);   /* llama.cpp */
void models_read_kobold(const json_t *length, struct llm_models *m); /* KoboldCpp */
void models_read_lmstudio(const json_t *list, struct llm_models *m); /* /api/v0/models */
void models_read_ps(const json_t *running, struct llm_models *m);    /* Ollama, called last */
void models_read_show(const json_t *show, struct llm_model *m);      /* Ollama: one model */
void models_apply_families(struct llm_models *m);

#endif
