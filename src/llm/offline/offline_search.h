/*
 * Answers questions in the offline model: searches the other sessions (the tool search_sessions), then the
 * conversation itself, and quotes the results with links. It makes no statement of its own.
 */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_SEARCH_H
#define ALFRED_LLM_OFFLINE_OFFLINE_SEARCH_H

#include "llm/offline/offline_words.h"

#define OFFLINE_SEARCH_TOOL "search_sessions"

/* `words`: the text as lower-case words between single blanks. `text`: as typed. */
bool offline_is_question(const char *words, struct str text);

/* The arguments of the call. */
void offline_search_args(struct strbuf *out, struct str question);

/* Appends quotes from the tool's result. False: it has none, and nothing is appended. */
bool offline_add_found(struct offline_step *to, const json_t *result);

/* ---- the same for the conversation itself, of which the model sees the newest part only ---- */

#define OFFLINE_SEARCH_HERE_TOOL "search_this_session"

/* The tool finds exact texts, so it gets the longest word of the question. False: it has none. */
bool offline_call_search_here(struct offline_step *out, struct str question);
bool offline_add_found_here(struct offline_step *to, const json_t *result);

#endif
