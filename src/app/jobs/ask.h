/*
 * One question to a session's model, for the tasks: the helper's loop runs until the answer is whole. Blocks.
 *
 * A provider that says "later" (429) is left alone until then by all tasks of the lane: those that would ask
 * it are RC_RATE_LIMITED at once. SIGTERM ends the wait with RC_CANCELLED.
 */
#ifndef ALFRED_APP_JOBS_ASK_H
#define ALFRED_APP_JOBS_ASK_H

#include "app/jobs/task.h"
#include "store/session.h"

#define HELPER_LATER_S      60 /* when a provider that is asked too often does not say how long */
#define HELPER_ANSWER_BYTES ((size_t)64 * 1024)

/* The model of a session; NULL where it is by rule: none is connected, or not this one any more. */
const struct provider_choice *helper_model(const struct helper *h, const struct session *s);

/* For tasks that ask a provider on their own way: RC_RATE_LIMITED while it is to be left alone, and what came
 * of it, for all to know; a rate limit that names no time gets one. */
enum rc helper_may_ask(struct helper *h, const struct provider_source *s, struct err *e);
void helper_heard(struct helper *h, const struct provider_source *s, struct err *why);

/* Appends the answer's text to `out`, whose cap limits it: beyond it RC_UPSTREAM. Also those of llm_start()
 * and of LLM_ERROR. */
enum rc helper_ask(struct helper *h, const struct provider_choice *c, const char *system, struct str text,
    int max_tokens, struct strbuf *out, struct err *e);

#endif
