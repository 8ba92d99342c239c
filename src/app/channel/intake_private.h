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

/*
 * The updates of a queue are processed in attempts. Each attempt takes the first ones:
 *
 *     OPEN ──> ASKS ──> FETCH_WAITS ──> FETCHES ──> TAKES ──> RUNS ──> OPEN
 *
 * Without files, RUNS follows at once. A recording has LISTENS in place of TAKES. After both the next file is
 * fetched. After a failure in any
 * state the queue RETRIES, then is OPEN again. intake_queue.c has all of these transitions.
 */
enum queue_state {
    QUEUE_OPEN,        /* no attempt; `timer` fires at the end of the quiet window */
    QUEUE_RETRIES,     /* an attempt has failed; `timer` fires at the next one */
    QUEUE_ASKS,        /* the pool: whether the files of `run` are to be fetched */
    QUEUE_FETCH_WAITS, /* until fewer files are being fetched or taken */
    QUEUE_FETCHES,     /* the channel: the file of `with` */
    QUEUE_TAKES,       /* the pool: that file (file_kind.h) */
    QUEUE_LISTENS,     /* a provider: the words of that file, a recording; `timer`: the next sign of typing */
    QUEUE_RUNS         /* the pool: the router processes `run` */
};

struct queue {
    struct queue *next;
    struct intake *all;
    char *key;
    bool edits; /* edits of one message that wait for the end of a turn */
    struct items items;
    enum queue_state state;
    struct loop_timer *timer;

    /* the failures of the first update */
    struct backoff retry;
    struct log_repeat errors;
    int failures;   /* for a reason that is not temporary */
    struct err why; /* the last one */

    /* The attempt. What the pool reads and writes belongs to it until the state changes. */
    struct incoming *run[QUIET_PIECES]; /* the first updates of `items` */
    size_t run_n;
    struct arena *arena;
    struct routed routed;
    enum rc rc; /* of the last state */
    struct err err;
    int64_t wait_ms; /* after a failure: the least wait before the next attempt */

    /* the files of `run` */
    struct item *with; /* the update whose file is fetched or taken */
    bool wants;        /* they are to be fetched */
    size_t max;        /* bytes that the file of `with` may have */
    struct strbuf data;
    struct llm_transcription *listening;
    int64_t unreachable_since; /* the first failure to get that of `with`, clock_mono_ms(); 0: none */
};

struct intake {
    struct intake_setup set;
    struct thread_pool *pool;
    struct queue *queues;
    struct items held; /* not in a queue yet */
    struct notices notices;
    size_t items_n;  /* updates in memory */
    size_t queued_n; /* of these, in queues of chats */
    size_t bytes;    /* of their bodies */
    bool moving;     /* an update that moves a chat is in its queue */
    int64_t seen;    /* the last id that was read */

    bool looking; /* a read of the inbox runs */
    bool again;   /* another one follows */
    bool full;    /* no update is read, because memory is full */
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

    size_t fetching;          /* files that are fetched or taken */
    size_t voices;            /* recordings that are fetched or written down */
    struct http_client *http; /* to the provider that writes them down; NULL: not used yet */
    int stop_fd;              /* an eventfd: readable after intake_stop() */

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
/* Call it when the work of the queue's state has ended with q->rc: begins the next one. The queue may be
 * freed. */
void intake_queue_advance(struct queue *q);

/* ---- files (intake_files.c) ---- */

/* True when `run` is a question with files. */
bool intake_files_any(const struct queue *q);
/* QUEUE_ASKS, on the pool: sets `wants`. */
void intake_files_ask(void *queue);
/* Sets `with`, and returns the state in which its file is fetched. QUEUE_RUNS: all files are there, or one
 * cannot be had. */
enum queue_state intake_files_next(struct queue *q);
/* QUEUE_FETCHES: begins to fetch the file. Then it is in `data`, or with->in.file_problem is set. */
void intake_file_fetch(struct queue *q);
/* QUEUE_TAKES, on the pool. */
void intake_file_take(void *queue);
/* Another attempt to get the file of `with` can help: sets q->rc, with `what: why` for the log. After
 * INTAKE_FETCH_MS it is given up with `problem` (as said_words() reads it). */
void intake_file_later(
    struct queue *q, const char *what, const char *why, int64_t wait_ms, const char *problem);
/* Continues queues in QUEUE_FETCH_WAITS, as far as there is room. */
void intake_files_continue(struct intake *i);
/* QUEUE_TAKES has ended. */
void intake_file_taken(struct intake *i);

/* ---- recordings (intake_voice.c) ---- */

/* QUEUE_LISTENS: begins to write down the recording in `data`. Then with->in.file and the text of the message
 * are its words, or with->in.file_problem is set. */
void intake_voice_listen(struct queue *q);
/* QUEUE_LISTENS: shows in the chat that Alfred works, until the words are there. */
void intake_voice_typing(struct queue *q);

#endif
