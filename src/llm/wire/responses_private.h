/*
 * The responses API of OpenAI (https://platform.openai.com/docs/api-reference/responses), for models that
 * refuse tools with reasoning in chat completions. Nothing is stored at the provider (store: false).
 *
 * The API demands the reasoning of an answer that calls tools back with its calls. LLM_OPAQUE of such an
 * answer is the list of its items in their order: reasoning with its encrypted content, messages, and the ids
 * of the calls. The calls themselves are written from the neutral message.
 */
#ifndef ALFRED_LLM_WIRE_RESPONSES_PRIVATE_H
#define ALFRED_LLM_WIRE_RESPONSES_PRIVATE_H

#include "llm/internal.h"

/* A write_body() of struct llm_wire. */
void responses_write_body(const struct llm_provider *p, const struct llm_request *r, struct strbuf *out);

static inline bool responses_is_reasoning(const json_t *item)
{
    return str_is(llm_json_str(item, "type"), "reasoning");
}

#endif
