/*
 * Asks the providers for their models before the programs start (app/models/model_lists.h), in a child
 * process. The supervisor thus loads neither libcurl with its libraries nor the store.
 */
#ifndef ALFRED_CLI_SERVE_ASK_MODELS_H
#define ALFRED_CLI_SERVE_ASK_MODELS_H

#include "app/models/providers.h"

/* Waits for the answers. Failures are logged, and the helper asks again. RC_UNAVAILABLE: the store cannot be
 * opened, for a reason that was printed. RC_CANCELLED: a stop signal came. Opening the store runs migrations.
 * If they take longer than a second, the child goes on alone and asks no provider: `*upgrade` is its process,
 * for supervise(), else unchanged. Call it before the first thread, after supervise_take_signals(). */
enum rc ask_models(const struct config *c, const struct providers *p, pid_t *upgrade, struct err *e);

#endif
