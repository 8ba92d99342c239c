/*
 * Question answering of the offline model: it searches earlier messages (the tool search_sessions) and quotes
 * the results with links. It makes no statement of its own.
 */
#ifndef ALFRED_LLM_OFFLINE_SEARCH_H
#define ALFRED_LLM_OFFLINE_SEARCH_H

#include "base/strbuf.h"

#define OFFLINE_SEARCH_TOOL "search_sessions"

/* `words` is the text as lower-case words between single blanks; `text` as it was typed. */
bool offline_is_question(const char *words, struct str text);

/* The arguments of the call. */
void offline_search_args(struct strbuf *out, struct str question);

/* Quotes of the tool's result; false, and nothing appended, when it holds none. */
bool offline_add_found(struct strbuf *out, struct str result);

#endif
