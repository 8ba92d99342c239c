/*
 * The intake passes updates from the inbox to the router. It runs on the loop of the helper's thread
 * "channels".
 *
 * Each chat and thread has a queue, so that its updates are processed in the order of the inbox, one at a
 * time; queues are independent. A channel has to deliver the messages of a chat, and their edits, one after
 * the other: Telegram sends the next one when the last one was acknowledged, over whatever connections.
 * Messages that follow each other within a quiet window are passed together (quiet.h). An update that moves a
 * chat waits for all before it, and those after it wait for it. An edit that has to wait for the end of a
 * turn leaves its queue, so that it does not delay the updates after it.
 *
 * The files of messages are fetched from the channel before the messages are processed, which holds up the
 * queue. What cannot be fetched for INTAKE_FETCH_MS, or does not exist any more, ends the message with a
 * sentence for the person.
 *
 * Reading the database and processing run on a small thread pool. After a temporary failure (a full disk, a
 * locked database) an update is tried again with growing waits, without end; after other failures, a few
 * times. An update is given up when INTAKE_ATTEMPTS_MAX starts of the program have read it.
 *
 * Loop thread only.
 */
#ifndef ALFRED_APP_CHANNEL_INTAKE_H
#define ALFRED_APP_CHANNEL_INTAKE_H

#include "app/channel/router.h"
#include "net/loop.h"

#define INTAKE_THREADS        6
#define INTAKE_ITEMS_MAX      512                       /* updates in memory */
#define INTAKE_BYTES_MAX      ((size_t)8 * 1024 * 1024) /* of them; one more claim may exceed it */
#define INTAKE_CLAIM_MAX      64                        /* updates that are read at once */
#define INTAKE_POLL_MS        10000                     /* between two reads of the inbox without a wake */
#define INTAKE_FAILURES_MAX   4                         /* of an update, for a reason that is not temporary */
#define INTAKE_ATTEMPTS_MAX   20                        /* starts of the program that read an update */
#define INTAKE_RETRY_FIRST_MS 250
#define INTAKE_RETRY_MAX_MS   5000
#define INTAKE_EDIT_MS        MS_PER_H /* how long an edit waits for the end of a turn */
#define INTAKE_FETCHES_MAX    4        /* files that are fetched or taken at once; each may have 20 MB */
#define INTAKE_VOICES_MAX     4        /* recordings that are fetched or written down at once */
#define INTAKE_FETCH_MS       (3 * MS_PER_MIN) /* how long attempts to fetch one are repeated */

struct intake;

struct intake_setup {
    struct loop *loop;
    struct store *store;
    struct router *router;
    const struct channel_driver *drivers; /* live longer than the intake */
    size_t drivers_n;
    loop_fn *posted; /* something may be new in the outbox; NULL: none */
    void *posted_arg;
    int64_t fetch_ms; /* 0: INTAKE_FETCH_MS */
};

/* Starts at once. RC_UNAVAILABLE. */
enum rc intake_new(const struct intake_setup *s, struct intake **out, struct err *e);
/* Reads the inbox soon: there may be new updates, or a turn has ended. */
void intake_look(struct intake *i);
/* Starts no further processing. Calls `idle` once when nothing runs, at once or later. */
void intake_stop(struct intake *i, loop_fn *idle, void *arg);
/* After intake_stop(), and after the drivers were freed. NULL is fine. */
void intake_free(struct intake *i);

#endif
