/*
 * The thread of the channels processes updates (app/channel/intake.h) and sends messages
 * (app/delivery/delivery.h). It has its own loop and HTTP client, so that no job delays a conversation. It
 * runs only if a channel is configured.
 *
 * Shared between the threads: the configuration, the providers and the store, which are thread-safe.
 */
#ifndef ALFRED_HELPER_CHANNELS_H
#define ALFRED_HELPER_CHANNELS_H

#include "app/jobs/task.h"

#define CHANNELS_READERS 6 /* connections to the database: the pool of the intake, and the loop */

struct channels;

/* `h`: config, providers, store and signal_fd are set; the thread ends when signal_fd is readable. *out is
 * NULL when no channel is configured, or its credentials are missing, which is logged. RC_INTERNAL, RC_IO,
 * RC_UNAVAILABLE. */
enum rc channels_start(const struct helper *h, struct channels **out, struct err *e);
/* Wakes the thread: there may be updates, messages to send, turns. NULL is fine. */
void channels_wake(struct channels *c);
/* Waits for the thread; NULL is fine. */
void channels_free(struct channels *c);

#endif
