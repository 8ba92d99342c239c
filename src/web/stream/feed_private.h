/* Shared by the files of a feed: feed.c (the table, the observer, rendering of steps and ends) and
 * feed_send.c (events for its readers). */
#ifndef ALFRED_WEB_STREAM_FEED_PRIVATE_H
#define ALFRED_WEB_STREAM_FEED_PRIVATE_H

#include "web/stream/answer_text.h"
#include "web/stream/feed.h"
#include "web/stream/live_answer.h"
#include "web/stream/turn_events.h"

#define FEED_BUCKETS 1024 /* size of the table of feeds by turn id; a power of two */

struct step_event {
    struct step_event *next;
    int64_t called_id, reply_id;
    bool rendered;
    struct strbuf text[EVENT_FORMS]; /* empty when rendering failed: readers see the step at the end */
};

struct feed {
    struct feed *next; /* in its bucket */
    struct feeds *all;
    struct turn_started ids;
    int64_t reply_id;
    struct live_answer *answer;            /* for pages */
    struct answer_text text;               /* for programs */
    struct strbuf thought;                 /* the reasoning before the answer; for readers that come later */
    bool too_long;                         /* logged; the end has the whole answer */
    struct step_event *steps, **last_step; /* in the order of the turn */
    struct step_event *unsent;             /* the first unsent one; blocks wait for it; NULL: none */
    bool unsaved, ended;                   /* for readers, after all steps are sent */
    bool unsaved_told[EVENT_FORMS];        /* sent after the answer */
    struct turn_waiting waiting;           /* until the next text */
    bool wait_told;                        /* sent after the steps */
    struct reader *readers;
    const struct lang *lang; /* of its readers */
    bool replays;            /* a copy of another feed: after its steps it sends the reasoning so far */
};

struct feeds {
    struct feeds_setup set;
    struct feed *buckets[FEED_BUCKETS];
    struct reader *late;   /* readers of ended turns: their end is being rendered */
    struct strbuf scratch; /* holds the event being built */
    struct live_buffers inlined;
    uint64_t serial; /* serial number of the last reader */
    struct readers readers;
    int renders;    /* running on the pool */
    loop_fn *quiet; /* called when none run */
    void *quiet_arg;
};

/* feed_send.c */

void feed_tell_all_thought(struct feed *d); /* the reasoning so far; it replaces what readers have */

void feed_send_new(struct feed *d);     /* the new text, unless it waits for a step */
void feed_tell_unsaved(struct feed *d); /* once per form, after the text of the answer */
void feed_tell_wait(struct feed *d);    /* once per wait, after the steps */
void feed_tell_thought(struct feed *d, struct str piece);
/* Before reader_begin(): sends the reader the events that it lacks, which are the steps after the message
 * that it knows, then the answer so far. Reasoning has no position, so a reader that has no text of the
 * answer yet gets all of the reasoning again. */
void feed_send_missing(struct feed *d, struct reader *r);
void feed_on_news(void *feed, const struct live_news *news); /* of its live_answer */

#endif
