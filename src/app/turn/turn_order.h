/*
 * Orders for turns (store/message/turn_order.h): other programs add an order and wake `stream`, which starts
 * the ordered turns.
 */
#ifndef ALFRED_APP_TURN_TURN_ORDER_H
#define ALFRED_APP_TURN_TURN_ORDER_H

#include "app/turn/turn.h"
#include "store/message/turn_order.h"

/* ---- other programs ---- */

/* Wakes `stream` after an order was committed. The datagram can be lost, for example when this program has no
 * descriptor left. The order then waits for the next search (TURN_ORDER_LOOK_MS). */
void turn_order_notify(const char *data_dir);
/* Stops the running turns of a session, by its public id. No turn runs without `stream`. */
void turn_stop_notify(const char *data_dir, const char *session);

/* ---- the program `stream` ---- */

#define TURN_ORDERS_AT_ONCE 16    /* being started, on the engine's pool */
#define TURN_ORDER_LOOK_MS  20000 /* between two searches without a datagram */
/* After a start that failed for a temporary reason, such as a full disk. */
#define TURN_ORDER_RETRY ((struct backoff){.first_ms = 250, .max_ms = 30000})

struct turn_orders;

struct turn_orders_setup {
    struct turn_engine *engine;
    struct loop *loop;
    struct thread_pool *pool; /* for reading and starting */
    struct store *store;
    const char *data_dir;
    int64_t look_ms; /* TURN_ORDER_LOOK_MS; 0: searches follow datagrams only */
};

/* Opens the socket and looks for orders. Loop thread, or before the loop runs. RC_IO. */
enum rc turn_orders_new(const struct turn_orders_setup *s, struct turn_orders **out, struct err *e);
/* A turn has ended, or a user was enabled: an order may have waited for it. Loop thread. */
void turn_orders_look(struct turn_orders *o);
/* No order starts any more; they stay in the store. Calls `idle` when no start is under way. Loop thread. */
void turn_orders_stop(struct turn_orders *o, loop_fn *idle, void *arg);
/* After turn_orders_stop() or before the loop runs. NULL is fine. */
void turn_orders_free(struct turn_orders *o);

#endif
