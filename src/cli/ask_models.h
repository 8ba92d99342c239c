/*
 * Asks the providers for their models before the programs start (app/models/model_lists.h), in a child
 * process. The supervisor thus loads neither libcurl with its libraries nor the store.
 */
#ifndef ALFRED_CLI_ASK_MODELS_H
#define ALFRED_CLI_ASK_MODELS_H

#include "app/models/providers.h"

/* Waits for the answers. Failures are logged: the helper asks again, and the programs report a store that
 * cannot be opened. Call it before the first thread. */
void ask_models(const struct config *c, const struct providers *p);

#endif
