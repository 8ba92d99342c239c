/*
 * Shared by the rules of the offline model: reading a sentence, finding the tool of a result, and writing the
 * next call or answer.
 */
#ifndef ALFRED_LLM_OFFLINE_WORDS_H
#define ALFRED_LLM_OFFLINE_WORDS_H

#include <jansson.h>

#include "llm/llm.h"

#define OFFLINE_SUBJECT_CHARS_MAX 500 /* what is behind is no longer one thing to keep or look for */

/* A rule file makes of a request a call (`*tool`, a constant, and `args`) or an `answer` (`*tool` stays
 * NULL).
 */
struct offline_step {
    const char **tool;
    struct strbuf *args, *answer;
};

/* ---- sentences ---- */

/* The author's own words (codec/quoted_reply.h) without politeness ("Alfred, please ...") and final marks. */
struct str offline_bare(struct str s);
/* True, and the trimmed rest, when `s` begins with (ends in) these words, case aside. */
bool offline_begins(struct str s, const char *with, struct str *rest);
bool offline_ends(struct str s, const char *with, struct str *rest);
bool offline_is(struct str s, const char *const *list, size_t n); /* one of these, case aside */

/* ---- the request ---- */

bool offline_offers(const struct llm_request *r, const char *tool);
const char *offline_result_of(
    const struct llm_request *r);                      /* which tool the last message answers; "": none */
size_t offline_results(const struct llm_request *r);   /* since the user's message */
struct str offline_asked(const struct llm_request *r); /* the user's newest message */
const char *offline_last_tool(const struct llm_request *r); /* called last in this conversation; "": none */

/* ---- what comes next ---- */

/* A write of a tool waits for the user's decision, says its result. */
bool offline_waits(const json_t *result);

void offline_call(struct offline_step *out, const char *tool, const char *key, struct str value);

#endif
