/* Shared by the files of the intake. */
#ifndef ALFRED_APP_CHANNEL_INTAKE_PRIVATE_H
#define ALFRED_APP_CHANNEL_INTAKE_PRIVATE_H

#include "app/channel/intake.h"
#include "app/channel/notices.h"
#include "app/channel/quiet.h"
#include "base/backoff.h"
#include "base/log.h"
#include "net/thread_pool.h"

#define INTAKE_RETRY ((struct backoff){.first_ms = INTAKE_RETRY_FIRST_MS, .max_ms = INTAKE_RETRY_MAX_MS})

/* An update in memory; `arena` has all of it. */
struct item {
    struct item *next;
    struct arena *arena;
    struct incoming in;
};

struct items {
    struct item *first, **last;
    size_t n;
};

/* `run` to `rc` belong to the pool's thread while `running`. */
struct queue {
    struct queue *next;
    struct intake *all;
    char *key;
    bool edits; /* edits of one message that wait for the end of a turn */
    struct items items;
    struct loop_timer *timer;
    struct backoff retry;
    int64_t retry_at; /* clock_mono_ms(); 0: no failure */
    struct log_repeat errors;
    int failures;   /* of the first update, for a reason that does not pass */
    struct err why; /* the last one */

    bool running;
    struct incoming *run[QUIET_PIECES];
    size_t run_n;
    struct arena *arena;
    struct routed routed;
    struct err err;
    enum rc rc;
};

struct intake {
    struct intake_setup set;
    struct thread_pool *pool;
    struct queue *queues;
    struct items held; /* not in a queue yet */
    struct notices notices;
    size_t items_n, busy, bytes; /* in memory; in queues of chats; bytes of the bodies */
    bool moving;                 /* an update that moves a chat is in its queue */
    int64_t seen;                /* the last id that was read */

    bool looking, again, full; /* a read of the inbox runs; another follows; memory is full */
    struct loop_timer *timer;
    struct backoff retry;
    struct log_repeat errors;
    /* of the read that runs */
    struct arena *arena;
    struct inbox_row *rows;
    size_t rows_n, limit;
    bool told;
    struct err err;
    enum rc rc;

    bool stopping;
    loop_fn *idle;
    void *idle_arg;
    size_t running;
};

void intake_items_add(struct items *l, struct item *x);
struct item *intake_items_take(struct items *l);
/* It is in no list any more. */
void intake_item_free(struct intake *i, struct item *x);

/* Reports that the outbox may have new messages. */
void intake_posted(const struct intake *i);
/* Calls `idle` of intake_stop() when nothing runs. */
void intake_check_idle(struct intake *i);

/* ---- queues (intake_queue.c) ---- */

/* Passes updates from `held` to their queues, all before the first one is processed, so that messages that
 * belong together are joined. An update that moves a chat is alone in the queues. */
void intake_distribute(struct intake *i);
void intake_queue_free(struct queue *q);

#endif
