/*
 * The outbox: messages to chats of channels, one row each. app/delivery/outbox.h adds them and
 * app/delivery/delivery.h sends them; this file has the rows.
 *
 *     ready ──> sending ──> sent
 *       ^          ├──────> failed     certainly not delivered, and given up; also from ready
 *       └──────────┴──────> doubtful   may have been delivered: not sent again by itself
 *
 * A post is one text. When it is the next to be sent, it is cut into parts, with a row each; the first part
 * uses the post's row. A chat's rows are sent one after the other, by `post` and `part`. A row is set to
 * sending before the request is made, so after a crash it is still in this state. The text is erased when it
 * is sent.
 */
#ifndef ALFRED_STORE_CHANNEL_OUTBOX_H
#define ALFRED_STORE_CHANNEL_OUTBOX_H

#include "base/clock.h"
#include "store/store.h"

#define OUTBOX_READY    "ready"
#define OUTBOX_SENDING  "sending"
#define OUTBOX_SENT     "sent"
#define OUTBOX_FAILED   "failed"
#define OUTBOX_DOUBTFUL "doubtful"

#define OUTBOX_KEEP_MS   (7 * MS_PER_DAY) /* rows that have ended */
#define OUTBOX_WAIT_DAYS 7 /* rows that nobody sends: a chat is paused, or the channel is off */

struct outbox_row {
    int64_t id, chat_id, post;
    int part;
    int64_t turn_id;     /* 0: none */
    struct str markdown; /* of a post that is not cut */
    struct str markup, plain;
    const char *file_name; /* it is a file, without text; NULL: none */
    struct str file;
    bool cut;             /* the row is a part, with markup and plain */
    const char *buttons;  /* JSON: [[label, token], ...]; NULL: none. Of a post: below its last part */
    const char *edits;    /* ids of messages that the parts replace, with spaces between; "": none */
    const char *reply_to; /* NULL: none. Of a post: its first part */
    bool silent, as_plain, no_thread;
    bool is_notice; /* says that another message of its chat may be missing */
    int64_t size;   /* bytes of the text, also when it is erased */
    const char *state;
    int attempts;
    int64_t run_at, since_at;
    const char *error; /* NULL: none */
    int64_t created_at, ended_at;
    /* Of its chat; only read. */
    const char *channel, *chat, *thread;
    bool grouped, paused;
    int64_t owner;
};

/* Adds a post: reads chat_id, turn_id, markdown, file_name, file, buttons, edits, reply_to, silent, is_notice
 * and created_at. */
enum rc store_outbox_add(struct db *db, const struct outbox_row *r, struct err *e);

/* ---- delivery ---- */

/* The first waiting row of each chat of the channel that is not paused, oldest first. One that is being sent
 * counts, too. */
enum rc store_outbox_heads(
    struct db *db, struct arena *a, const char *channel, struct outbox_row **out, size_t *n, struct err *e);
/* RC_NOT_FOUND: nothing waits in this chat, or it is paused. */
enum rc store_outbox_head(
    struct db *db, struct arena *a, int64_t chat_id, struct outbox_row *out, struct err *e);
/* Replaces a post that is ready by its parts: markup, plain, edits, buttons and reply_to of each, and of
 * those after the first also the file. RC_NOT_FOUND: it is not ready any more. */
enum rc store_outbox_cut(
    struct db *db, const struct outbox_row *post, const struct outbox_row *parts, size_t n, struct err *e);
/* ready -> sending, and counts the attempt. RC_NOT_FOUND: it is not ready any more. */
enum rc store_outbox_begin(struct db *db, int64_t id, struct err *e);
enum rc store_outbox_sent(struct db *db, int64_t id, const char *sent_id, int64_t now, struct err *e);
/* Back to ready at r->run_at: stores edits, as_plain, no_thread, attempts and error, too. */
enum rc store_outbox_again(struct db *db, const struct outbox_row *r, struct err *e);
/* To OUTBOX_FAILED or OUTBOX_DOUBTFUL. */
enum rc store_outbox_end(
    struct db *db, int64_t id, const char *state, const char *error, int64_t now, struct err *e);
/* Moves the waiting rows of a chat with a new id to the row of the new id. Call it after
 * store_channel_chat_move(). */
enum rc store_outbox_move(
    struct db *db, const char *channel, const char *from, const char *to, struct err *e);
/* At the start of the only sender: rows that a crash left sending, and that edit a message, are ready again,
 * because a second edit does no harm. */
enum rc store_outbox_recover(struct db *db, struct err *e);
/* True when a notice of the chat waits. */
enum rc store_outbox_notice_waits(struct db *db, int64_t chat_id, bool *waits, struct err *e);

/* ---- admins ---- */

/* The rows in a state, without their texts: newest first, but of ready rows the one that is sent next first.
 */
enum rc store_outbox_list(struct db *db, struct arena *a, const char *state, int limit,
    struct outbox_row **out, size_t *n, struct err *e);
struct outbox_counts {
    int64_t waiting, sending, sent, failed, doubtful;
};
enum rc store_outbox_counts(struct db *db, struct outbox_counts *out, struct err *e);
/* A failed or doubtful one is ready again. RC_NOT_FOUND: no such row. */
enum rc store_outbox_retry(struct db *db, int64_t id, int64_t now, struct err *e);
/* Deletes one that is not being sent. RC_NOT_FOUND: no such row. */
enum rc store_outbox_drop(struct db *db, int64_t id, struct err *e);
/* Deletes the messages that wait to be sent to chats of the owner and have a button with this command line,
 * because a new one replaces them. Those that are cut into several parts stay. */
enum rc store_outbox_replace(struct db *db, int64_t owner, const char *line, struct err *e);
/* Ends rows that have waited for OUTBOX_WAIT_DAYS as failed. */
enum rc store_outbox_give_up(struct db *db, int64_t now, struct err *e);
/* Removes at most `limit` rows that ended before a time. */
enum rc store_outbox_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);
/* The clock was set back by `ms` and shows `now`: messages wait no longer than before. */
enum rc store_outbox_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e);

#endif
