/*
 * One question to a session's model, for the tasks: the helper's loop runs until the answer is whole. Blocks.
 *
 * A provider that says "later" (429) is left alone until then by all tasks: those that would ask it are
 * RC_RATE_LIMITED at once. SIGTERM ends the wait with RC_CANCELLED.
 */
#ifndef ALFRED_HELPER_ASK_H
#define ALFRED_HELPER_ASK_H

#include "helper/helper.h"
#include "store/session.h"

#define HELPER_ASK_MS       60000
#define HELPER_LATER_S      60 /* when a provider that is asked too often does not say how long */
#define HELPER_ANSWER_BYTES ((size_t)64 * 1024)

/* The model of a session; NULL where it is by rule: none is connected, or not this one any more. */
const struct provider_choice *helper_model(const struct helper *h, const struct session *s);

/* For tasks that ask a provider on their own way: RC_RATE_LIMITED while it is to be left alone, and what came
 * of it, for all to know; a rate limit that names no time gets one. */
enum rc helper_may_ask(struct helper *h, const struct provider_choice *c, struct err *e);
void helper_heard(struct helper *h, const struct provider_choice *c, struct err *why);

/* Appends the answer's text to `out`, whose cap limits it: beyond it RC_UPSTREAM. Also those of llm_start()
 * and of LLM_ERROR. */
enum rc helper_ask(struct helper *h, const struct provider_choice *c, const char *system, struct str text,
    int max_tokens, struct strbuf *out, struct err *e);

#endif
