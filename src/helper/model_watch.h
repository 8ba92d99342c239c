/*
 * The thread that keeps the lists of models current. It has every provider asked at the start of the helper,
 * every [models] refresh_minutes, and MODEL_LISTS_AGAIN_MS after it was absent, so that a server that starts
 * late is found. The program `models` asks all that are due, at the same time (helper/models_program.h). A
 * provider that does not answer delays none of them.
 */
#ifndef ALFRED_HELPER_MODEL_WATCH_H
#define ALFRED_HELPER_MODEL_WATCH_H

#include "app/jobs/task.h"

struct model_watch;

/* `h`: config, providers, store and signal_fd are set; the thread ends when signal_fd is readable.
 * RC_UNAVAILABLE: it cannot be started. */
enum rc model_watch_start(const struct helper *h, struct model_watch **out, struct err *e);
/* Waits for the thread; NULL is fine. */
void model_watch_free(struct model_watch *w);

#endif
