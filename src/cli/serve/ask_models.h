/*
 * Asks the providers for their models before the programs start (app/models/model_lists.h), in a child
 * process. The supervisor thus loads neither libcurl with its libraries nor the store.
 */
#ifndef ALFRED_CLI_SERVE_ASK_MODELS_H
#define ALFRED_CLI_SERVE_ASK_MODELS_H

#include "app/models/providers.h"

/* Waits for the answers. Failures are logged, and the helper asks again. RC_UNAVAILABLE: the store cannot be
 * opened, for a reason that was printed. RC_CANCELLED: a stop signal came, also during the migrations that
 * opening the store runs. Call it before the first thread, after supervise_take_signals(). */
enum rc ask_models(const struct config *c, const struct providers *p, struct err *e);

#endif
