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

/* `run` to `data` belong to the pool's thread while a function of it runs there. */
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
    int64_t wait_ms; /* the least wait before the next attempt */
    int failures;    /* of the first update, for a reason that is not temporary */
    struct err why;  /* the last one */

    bool running;
    struct incoming *run[QUIET_PIECES];
    size_t run_n;
    struct arena *arena;
    struct routed routed;
    struct err err;
    enum rc rc;

    struct item *with; /* whose picture is fetched or stored */
    bool takes;        /* the pictures are to be fetched */
    size_t max;        /* bytes of one */
    struct strbuf data;
    bool waits;                /* until fewer pictures are being fetched */
    int64_t unreachable_since; /* the first failure of the picture, clock_mono_ms(); 0: none */
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

    size_t fetching; /* pictures */

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
/* Runs a function of the queue on the pool, then another one on the loop. */
void intake_queue_submit(struct queue *q, void (*fn)(void *queue), loop_fn *then);
/* `run` with its pictures is passed to the router. */
void intake_queue_run(struct queue *q);
/* After `run`, or its pictures, ended with `rc`. The queue may be freed. */
void intake_queue_ended(struct queue *q);
/* True when `run` is not attempted again. */
bool intake_queue_gives_up(const struct queue *q);

/* ---- pictures (intake_pictures.c) ---- */

/* Fetches and stores the pictures of `run`, then passes it on (intake_queue_run()). */
void intake_pictures(struct queue *q);

#endif
