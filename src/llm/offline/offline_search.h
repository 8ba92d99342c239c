/*
 * Answers questions in the offline model: searches earlier messages (the tool search_sessions) and quotes the
 * results with links. It makes no statement of its own.
 */
#ifndef ALFRED_LLM_OFFLINE_SEARCH_H
#define ALFRED_LLM_OFFLINE_SEARCH_H

#include "llm/offline/offline_words.h"

#define OFFLINE_SEARCH_TOOL "search_sessions"

/* `words`: the text as lower-case words between single blanks. `text`: as typed. */
bool offline_is_question(const char *words, struct str text);

/* The arguments of the call. */
void offline_search_args(struct strbuf *out, struct str question);

/* Appends quotes from the tool's result. False: it has none, and nothing is appended. */
bool offline_add_found(struct offline_step *to, const json_t *result);

#endif
