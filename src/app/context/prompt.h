/* The system prompt: a file of the owner (setting [context] system_prompt). It is read for every turn, so
 * that an edit takes effect at once. */
#ifndef ALFRED_APP_CONTEXT_PROMPT_H
#define ALFRED_APP_CONTEXT_PROMPT_H

#include "app/config/config.h"
#include "base/str.h"

#define PROMPT_MAX ((size_t)64 * 1024)

/* The text lives in the arena; empty when there is no such file. RC_TOO_BIG, RC_IO, RC_BAD_INPUT (not UTF-8),
 * each with a sentence. */
enum rc prompt_load(struct arena *a, const struct config *c, struct str *out, struct err *e);

#endif
