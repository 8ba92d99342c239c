/*
 * Answers a question of the offline model from the stored facts that the turn has found for it
 * (app/memory/memory.h). They are in the request, in the data beside the question, so no tool is called.
 */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_FACTS_H
#define ALFRED_LLM_OFFLINE_OFFLINE_FACTS_H

#include "llm/offline/offline_words.h"

enum offline_fit {
    FACTS_NONE, /* nothing is appended */
    FACTS_SOME, /* some words of the question are in none of the facts */
    FACTS_WHOLE
};

/* Appends the facts that fit the question best, each with a link to its entry on the Memory page, which has
 * its source. */
enum offline_fit offline_add_facts(struct offline_step *to, const struct llm_request *r);

#endif
