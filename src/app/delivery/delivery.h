/*
 * Delivery: sends the messages of the outbox and shows growing answers in chats. It runs on the loop of the
 * helper's thread "channels".
 *
 * Everything belongs to the loop's thread except delivery_wake(). Each chat has one action at a time, in
 * order.
 */
#ifndef ALFRED_APP_DELIVERY_DELIVERY_H
#define ALFRED_APP_DELIVERY_DELIVERY_H

#include "app/config/config.h"
#include "channel/channel.h"
#include "net/loop.h"
#include "store/store.h"

#define DELIVERY_STOP_MS 2000 /* for actions that run at the end of the helper */

struct delivery;

struct delivery_setup {
    struct loop *loop;
    struct store *store;
    const struct config *config;
    const struct channel_driver *drivers; /* copied; the objects that they point to outlive the delivery */
    size_t drivers_n;
};

/* Starts at once. Failures: those of store_write(). */
enum rc delivery_new(const struct delivery_setup *s, struct delivery **out, struct err *e);
/* Makes the delivery read the store soon: there may be new messages in the outbox, new turns, or a chat that
 * takes messages again. Any thread. */
void delivery_wake(struct delivery *d);
/* Starts no further action. Calls `idle` once, when no action runs, or after DELIVERY_STOP_MS. */
void delivery_stop(struct delivery *d, loop_fn *idle, void *arg);
/* NULL is fine. Messages whose action still runs are marked as doubtful at the next start. Free the drivers
 * first. */
void delivery_free(struct delivery *d);
DEFINE_AUTO(delivery);

#endif
