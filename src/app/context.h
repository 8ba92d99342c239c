/*
 * What a model gets to read: the system prompt, then the path from the head to the root as far as the policy
 * and the model's window allow, newest kept (setting [context] policy):
 *
 *     full      all that fits
 *     window    the new message and `window_messages` before it
 *     thrifty   the new message and `thrifty_messages` before it, these cut to `thrifty_chars` characters
 *
 * A tool call is never parted from its results, and the first message after the system prompt is the user's.
 * Tokens are estimated as CONTEXT_BYTES_PER_TOKEN bytes each, on the safe side for European languages; the
 * newest message always goes in.
 */
#ifndef ALFRED_APP_CONTEXT_H
#define ALFRED_APP_CONTEXT_H

#include "app/config.h"
#include "llm/llm.h"
#include "store/message.h"

#define CONTEXT_BYTES_PER_TOKEN  3
#define CONTEXT_TOKENS_PER_ENTRY 4
#define CONTEXT_ANSWER_TOKENS    1024 /* kept free for the answer when no setting says more */

/* `path` is oldest first and ends in the user's newest message. The texts are not copied: path and prompt
 * live as long as the result. */
enum rc context_build(struct arena *a, const struct config *c, int64_t window_tokens,
    struct str system_prompt, const struct message *path, size_t n, struct llm_message **out, size_t *out_n,
    struct err *e);

/* The calls of an assistant message out of their stored JSON; RC_INTERNAL when that is broken. */
enum rc context_calls(
    struct arena *a, const char *json, struct llm_tool_call **out, size_t *n, struct err *e);

/* The opposite: [{"id","name","args"}], args as the object it is or, when it is no JSON, as a string. */
void context_calls_json(const struct llm_tool_call *calls, size_t n, struct strbuf *out);

#endif
