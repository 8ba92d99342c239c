/*
 * The models that continue an answer when the request ends in its beginning. As of 2026-11, from the pages
 * and sources of the servers:
 *
 *     Anthropic    models up to Claude 4.5; later ones refuse such a request (400)
 *     llama.cpp    every model without reasoning; refused otherwise (400)
 *     Ollama       the last message stays open in its templates
 *     vLLM         with continue_final_message and without add_generation_prompt
 *     Mistral      with "prefix" in the message; the answer repeats the beginning
 *
 * OpenAI and others read the beginning as a complete message and write a new one.
 */
#include <string.h>

#include "base/str.h"
#include "llm/internal.h"
#include "llm/models.h"

#define CLAUDE           "claude-"
#define CLAUDE_WITHOUT   406 /* generation 4.6 and later, as 100 * generation + part */
#define CLAUDE_PART_MAX  99  /* a larger number is a date */
#define CLAUDE_PARTS_MAX 8

/* 405 for claude-opus-4-5-20251101 and 305 for claude-3-5-sonnet; 0: no number. */
static int64_t claude_version(const char *name)
{
    struct str rest = str_of(name + strlen(CLAUDE));
    int64_t number, version = 0;
    for (int parts = 0; rest.s && parts < CLAUDE_PARTS_MAX; parts++) {
        if (!str_to_int(str_cut(&rest, '-'), 0, CLAUDE_PART_MAX, &number)) {
            if (version)
                break;
            continue;
        }
        if (version)
            return version + number;
        version = number * (CLAUDE_PART_MAX + 1);
    }
    return version;
}

enum llm_prefill llm_model_prefill(
    const char *kind, const char *base_url, const char *server, const char *name)
{
    if (strcmp(kind, "anthropic") == 0) {
        int64_t version = strncmp(name, CLAUDE, strlen(CLAUDE)) == 0 ? claude_version(name) : 0;
        return version && version < CLAUDE_WITHOUT ? LLM_PREFILL_PLAIN : LLM_PREFILL_NONE;
    }
    if (strcmp(kind, "openai") != 0)
        return LLM_PREFILL_NONE;
    if (strcmp(server, "llama.cpp") == 0 || strcmp(server, "Ollama") == 0)
        return LLM_PREFILL_PLAIN;
    if (strcmp(server, "vLLM") == 0)
        return LLM_PREFILL_MEMBERS;
    return llm_service_of(base_url) == LLM_SERVICE_MISTRAL ? LLM_PREFILL_PREFIX : LLM_PREFILL_NONE;
}
