/*
 * Orders for turns. All turns run in the program `stream`. A program that needs one, such as the helper for a
 * message from a channel, stores an order and wakes `stream` (app/turn/turn_order.h). An order that waits
 * survives restarts; its client id makes sure that it starts one turn at most.
 *
 * Orders of a session start one after the other, each when no turn of the session runs. An order is deleted
 * in the transaction that adds its turn. A refused order keeps its reason until the program that added it has
 * read it.
 */
#ifndef ALFRED_STORE_MESSAGE_TURN_ORDER_H
#define ALFRED_STORE_MESSAGE_TURN_ORDER_H

#include "base/id.h"
#include "store/store.h"

#define ORDER_CHANNEL  "channel"  /* purpose: a message from a channel; purpose_id: its chat */
#define ORDER_SCHEDULE "schedule" /* purpose: a prompt that was due; purpose_id: its reminder */

enum order_kind {
    ORDER_SEND,
    ORDER_REGENERATE, /* a new answer in place of `message_id` */
    ORDER_CONTINUE    /* continues the answer `message_id` */
};

struct turn_order {
    int64_t id, owner;
    const char *session; /* public id; it must exist */
    enum order_kind kind;
    int64_t message_id;
    int64_t branch_id;     /* ORDER_SEND: at the end of the branch through this message; 0: the open one */
    struct str text;       /* ORDER_SEND */
    const char *pictures;  /* ORDER_SEND: ids, with blanks between them; NULL: none */
    bool sets_pasted;      /* pasted_from is set; otherwise all of the text counts as typed */
    int64_t pasted_from;   /* message.pasted_from */
    const char *client_id; /* required */
    const char *channel;   /* of the messages: "telegram", "schedule" */
    const char *purpose;
    int64_t purpose_id;
    const char *error; /* refused: what said_words() reads; NULL: it waits */
    int64_t created_at;
};

/* An order with the same owner and client id is added once. RC_NOT_FOUND: not the owner's session. */
enum rc store_turn_order_add(struct db *db, const struct turn_order *o, struct err *e);

/* The oldest order of each session in which no turn runs, oldest first, at most `limit`. Orders of disabled
 * users wait until the user is enabled. */
enum rc store_turn_orders_ready(
    struct db *db, struct arena *a, int limit, struct turn_order **out, size_t *n, struct err *e);
/* True when any order waits, also for the end of a running turn or until its user is enabled. */
enum rc store_turn_orders_wait(struct db *db, bool *any, struct err *e);

/* RC_NOT_FOUND: it was withdrawn. */
enum rc store_turn_order_delete(struct db *db, int64_t id, struct err *e);
enum rc store_turn_order_refuse(struct db *db, int64_t id, const char *error, struct err *e);
enum rc store_turn_orders_refused(
    struct db *db, struct arena *a, const char *purpose, struct turn_order **out, size_t *n, struct err *e);
/* Of each session where orders wait for the end of a turn: the oldest order from before a time about which
 * the user got no message yet. store_turn_orders_told() records such a message, for all orders of the session
 * that wait. */
enum rc store_turn_orders_late(struct db *db, struct arena *a, const char *purpose, int64_t before,
    struct turn_order **out, size_t *n, struct err *e);
enum rc store_turn_orders_told(struct db *db, int64_t owner, const char *session, struct err *e);
/* The order with a client id, if it waits. RC_NOT_FOUND. */
enum rc store_turn_order_by_client(struct db *db, struct arena *a, int64_t owner, const char *client_id,
    struct turn_order *out, struct err *e);
/* RC_NOT_FOUND: it does not wait any more. `pasted_from` MESSAGE_TYPED: all is typed. */
enum rc store_turn_order_set_text(
    struct db *db, int64_t id, struct str text, int64_t pasted_from, struct err *e);
/* Withdraws the orders of a session that wait. */
enum rc store_turn_orders_withdraw(
    struct db *db, int64_t owner, const char *session, int64_t *withdrawn, struct err *e);

#endif
