/*
 * One question to a session's model, for tasks. Blocks: runs the helper's loop until the answer is complete.
 *
 * After a 429 answer, and while the provider is away (no connection, or 503) or fails for all sessions, no
 * task of the lane asks it until a pause is over. Until then such tasks get RC_RATE_LIMITED at once. SIGTERM
 * ends the wait with RC_CANCELLED.
 */
#ifndef ALFRED_APP_JOBS_ASK_H
#define ALFRED_APP_JOBS_ASK_H

#include "app/jobs/task.h"
#include "store/session/session.h"

#define HELPER_PAUSE_S      60  /* pause after a 429 without a time */
#define HELPER_PAUSE_MAX_S  600 /* longest pause; a limit is often over before the time that it names */
#define HELPER_ANSWER_BYTES ((size_t)64 * 1024)
/* Tokens beside those of the answer for a model that reasons: half of a smaller window. */
#define HELPER_REASONING_TOKENS 8000

/* The model of a session; the default model if that is gone. NULL: rules answer instead, because no provider
 * is connected, or the session has no model, as an imported one until it is continued. */
const struct provider_choice *helper_model(const struct helper *h, const struct session *s);
/* The same for work that the user has requested: the default model if the session has none. */
const struct provider_choice *helper_model_asked(const struct helper *h, const struct session *s);

/* Bytes of a conversation that a question may have: half of the model's window, and at most `most`. */
size_t helper_read_bytes(const struct provider_choice *c, size_t most);

/* For tasks that send their own requests to a provider. helper_may_ask() is RC_RATE_LIMITED during the
 * provider's pause. helper_heard() takes the result of a request, RC_OK without an error, and returns it. A
 * rate limit begins a pause, of HELPER_PAUSE_S without a time and of HELPER_PAUSE_MAX_S at most. So does a
 * provider that is away: the first pause is [jobs] retry_seconds, each further one is twice as long. The
 * result becomes RC_RATE_LIMITED, because the fault is not the job's. It stays after a failure that the
 * request can cause, such as status 500 or RC_TIMEOUT after a long text, until HELPER_FAILING_MAX sessions in
 * a row have failed so: then the provider counts as away. A HARMLESS_REQUEST cannot be the cause.
 * After RC_TIMEOUT the pause is at least [turn] first_byte_seconds. */
enum helper_request { ANY_REQUEST, HARMLESS_REQUEST };
enum rc helper_may_ask(struct helper *h, const struct provider_source *s, struct err *e);
enum rc helper_heard(
    struct helper *h, const struct provider_source *s, enum helper_request request, struct err *why);

/* An answer that ended at `max_tokens` before its first text is asked for once more, with room for reasoning;
 * it may be empty then, too. Appends the answer's text to `out`. RC_UPSTREAM: the answer is longer than the
 * cap of `out`. Other failures are those of llm_start() and LLM_ERROR. */
enum rc helper_ask(struct helper *h, const struct provider_choice *c, const char *system, struct str text,
    int max_tokens, struct strbuf *out, struct err *e);

#endif
