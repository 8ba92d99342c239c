/*
 * Shared by the files of the delivery: delivery.c chooses the next action, delivery_outcome.c says what
 * follows from its outcome, delivery_row.c sends messages of the outbox, delivery_doubt.c handles those that
 * may have been delivered, delivery_refused.c asks a server that refuses our credentials, follow.c reads
 * running turns, follow_show.c shows them in chats, and answer.c posts their answers.
 */
#ifndef ALFRED_APP_DELIVERY_DELIVERY_PRIVATE_H
#define ALFRED_APP_DELIVERY_DELIVERY_PRIVATE_H

#include "app/delivery/delivery.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "store/channel/button.h"
#include "store/channel/follow.h"
#include "store/channel/outbox.h"
#include "store/channel/problem.h"

#define DELIVERY_SYNC_MS 10000 /* the store is read at least this often */
/* For a message that is certainly not delivered. The waits of all attempts are a day. */
#define DELIVERY_ATTEMPTS       297
#define DELIVERY_AGAIN_FIRST_MS 1000
#define DELIVERY_AGAIN_MAX_MS   (5 * MS_PER_MIN)

#define DELIVERY_PROBE_MAX_MS MS_PER_MIN /* between two probes of a chat in doubt */
#define DELIVERY_LATER_MIN_MS 1000       /* a channel that names no time */
#define DELIVERY_MOVES_MAX    5          /* of one message */
#define DELIVERY_PARTS_MAX    8 /* messages of one text; a longer one is a file below its beginning */
#define DELIVERY_BURST        3 /* messages that a chat gets without a gap */
#define DELIVERY_SAVE_RETRY   ((struct backoff){.first_ms = 250, .max_ms = 4000})
#define DELIVERY_NEVER        INT64_MAX

/* A message that is sent so late says from when it is. */
#define DELIVERY_LATE_MS (10 * MS_PER_MIN)

/* A server that does not know drafts may have a fault, or be upgraded. */
#define DELIVERY_DRAFTS_AGAIN_MS (10 * MS_PER_MIN)

#define FOLLOW_READ_MS       500   /* between two reads of a turn's log */
#define FOLLOW_TYPING_AGO_MS 1000  /* typing is renewed this long before it ends */
#define FOLLOW_DRAFT_MS      20000 /* a draft that does not change is sent again, before it disappears */
#define FOLLOW_FIRST_CHARS   40    /* a message that grows begins with this many characters */
#define FOLLOW_FIRST_MS      3000  /* or after this time */

/* The clocks. Tests have their own. */
struct delivery_clock {
    int64_t (*wall)(void), (*mono)(void);
};

/* A channel, and what its server's answers have shown. */
struct delivery_channel {
    struct channel_driver driver;
    int64_t free_at;       /* mono: the least time between two actions */
    bool no_typing;        /* the server does not know this action */
    int64_t drafts_at;     /* mono: until then no drafts, as the server did not know them */
    bool stopped;          /* our credentials are refused (delivery_refused.c) */
    int64_t ask_at;        /* wall: when the server is asked again */
    struct backoff asking; /* reset when something was sent */
    bool asks, answered;   /* a question runs, or its result is not stored yet; the result is there */
    struct channel_result result;
    struct delivery *all;
};

/* The purpose of the action of a chat. */
enum delivery_purpose {
    FOR_NOTHING, /* there is none: the chat is free */
    FOR_ROW,     /* a message of the outbox */
    FOR_FOLLOW,  /* a growing answer: its text, or a sign of typing */
    FOR_PROBE    /* the chat is in doubt (delivery_doubt.c) */
};

/* A chat of a channel with all its threads. It has one action at a time. */
struct delivery_chat {
    struct delivery_chat *next;
    struct delivery_channel *channel;
    char id[CHANNEL_ID_SIZE]; /* the channel's id of the chat */
    bool grouped;
    int64_t free_at; /* mono: earliest time of the next action */
    /* After a message that may have been delivered, the next one is sent when the server has answered a sign
     * of typing. A server that gives no proper answer for long thus costs one message of a chat, not all. */
    bool doubts;
    int64_t probe_at; /* mono */
    struct backoff probing;
    int64_t paced_at; /* mono: end of the gaps of all messages and edits so far; a burst is ahead of it */
    struct delivery *all;

    /* The action that runs, or whose result is not stored yet. */
    enum delivery_purpose purpose;
    enum channel_action_kind kind;
    struct arena *a;
    struct outbox_row *row; /* FOR_ROW */
    struct follow *follow;  /* FOR_FOLLOW; NULL: its turn is gone */
    size_t showing;         /* FOR_FOLLOW: the value of follow.mark that it shows */
    bool answered;          /* `result` is there */
    struct channel_result result;
};

/* The first waiting message of a chat. */
struct delivery_head {
    int64_t chat_id, post, run_at; /* chat_id: of the row in channel_chat */
    int part;
    struct delivery_chat *chat;
};

/* A turn that a chat shows while it runs. Times are those of the monotonic clock. */
struct follow {
    struct follow *next;
    struct delivery_chat *chat;
    int64_t turn_id, chat_id, owner, session_id;
    char pub[ID_SIZE];
    char thread[CHANNEL_ID_SIZE];
    char stop_token[BUTTON_TOKEN_SIZE];
    char reply_to[CHANNEL_ID_SIZE]; /* "": none */
    const struct lang *lang;
    int64_t started; /* first seen */
    bool seen;       /* the last list of the store has it */
    bool ended;      /* its turn has ended */

    /* its log */
    int64_t offset, read_at;
    struct strbuf text, tool; /* the answer so far; the tool that runs, as in the log */
    size_t mark;              /* changes with text or tool */
    int64_t asks;             /* a question that the chat does not have yet; 0: none */

    /* what the chat shows */
    bool any;               /* something */
    size_t shown;           /* the mark of it */
    int64_t shown_at;       /* when it last changed */
    struct strbuf messages; /* ids of the messages that grow */
    size_t messages_n;
    bool settled; /* the last of them has its final text, and the next one follows */

    /* what it is to show next */
    int64_t grow_at, typing_at;
    struct backoff again; /* of grow_at, after failures */
    bool no_draft;        /* it is longer than a draft, or one was refused */
    bool plain;           /* its markup was refused */
    bool mute;            /* nothing until the end */
};

struct delivery {
    struct loop *loop;
    struct store *store;
    const struct config *config;
    struct delivery_clock clock;
    struct delivery_channel *channels;
    size_t channels_n;
    struct delivery_chat *chats;
    struct delivery_head *heads;
    size_t heads_n, heads_room;
    struct follow *follows;
    struct loop_timer *timer; /* NULL in tests, which call delivery_pass() */
    bool stale;               /* the next pass reads the store */
    int64_t sync_at;          /* mono */
    int64_t retry_at;         /* mono: earliest time of the next write */
    struct backoff retry;
    struct log_repeat errors;
    bool stopping;
    int64_t stop_at; /* mono: end of the wait for running actions */
    loop_fn *idle;
    void *idle_arg;
};

/* ---- delivery.c ---- */

/* Marks the rows that a crash left in the state sending as doubtful. Failures: those of store_write(). */
enum rc delivery_open(struct delivery *d, const struct channel_driver *drivers, size_t n, struct err *e);
void delivery_close(struct delivery *d); /* frees all but `d` */
/* Runs everything that is due. Returns the time in ms until the next pass. */
int64_t delivery_pass(struct delivery *d);
/* A pass runs soon. */
void delivery_run_soon(struct delivery *d);
/* A write failed, so the next writes wait. */
void delivery_failed(struct delivery *d, enum rc rc, const struct err *e);
/* A chat by the name of its channel and its id there; added when it is new. NULL: no such channel. */
struct delivery_chat *delivery_chat_of(
    struct delivery *d, const char *channel, const char *chat, bool grouped);
bool delivery_has_head(const struct delivery *d, int64_t chat_id);
/* Starts the action of a free chat. */
void delivery_act(struct delivery_chat *c, enum delivery_purpose purpose, const struct channel_action *a);
/* A message was sent or edited: counts the gap after it. */
void delivery_count_message(struct delivery_chat *c);

/* ---- delivery_outcome.c: what follows from an outcome ---- */

/* For the chat and its channel, whatever the action was. */
enum chat_effect {
    CHAT_SAME,
    CHAT_TAKES,     /* our credentials are accepted */
    CHAT_WAITS,     /* for the time that the channel names */
    CHAT_MOVED,     /* it has another id */
    CHAT_PAUSED,    /* nothing is sent until it takes messages again */
    CHANNEL_LACKS,  /* this kind of action is not used */
    CHANNEL_STOPPED /* nothing is sent until our credentials are accepted (delivery_refused.c) */
};

/* For a message of the outbox. */
enum row_effect {
    ROW_SENT,
    ROW_DOUBTFUL,       /* not sent again by itself */
    ROW_LATER,          /* again with growing waits, for a day */
    ROW_AS_TOLD,        /* again after the time that the channel names; the attempt does not count */
    ROW_WAITS,          /* for its chat or channel; the attempt does not count */
    ROW_MOVED,          /* again in the chat's new id, for DELIVERY_MOVES_MAX attempts */
    ROW_AS_PLAIN,       /* again in this way; failed if it was sent so */
    ROW_WITHOUT_THREAD, /* the same */
    ROW_ANEW            /* again as a new message; failed if it was no edit */
};

/* For a growing answer. Nothing of it is lost when it cannot be shown: the whole answer comes at the end. */
enum growth_effect {
    GROWTH_SHOWN,
    GROWTH_AGAIN,    /* at its next time */
    GROWTH_LATER,    /* with growing waits */
    GROWTH_AS_PLAIN, /* again in this way; GROWTH_MUTE if it was shown so */
    GROWTH_NO_DRAFT, /* again as a message; GROWTH_MUTE if it was one */
    GROWTH_MUTE      /* nothing is shown until the end */
};

struct effects {
    bool answers; /* the server gave a proper answer: ends the doubt about a chat */
    enum chat_effect chat;
    enum row_effect row;
    enum growth_effect growth;
};

/* Of the result of the chat's action. */
const struct effects *outcome_effects(const struct delivery_chat *c);
/* The time for which a channel blocks a chat after OUTCOME_LATER. */
int64_t outcome_wait_ms(const struct channel_result *r);
/* The effect on the chat: stores it, in the transaction of the action's own result; then applies it in
 * memory, after that transaction. */
enum rc outcome_chat_tx(struct db *db, const struct delivery_chat *c, int64_t now, struct err *e);
void outcome_chat(struct delivery *d, struct delivery_chat *c);
/* Both, for an action without a result of its own to store. */
enum rc outcome_save_chat(struct delivery *d, struct delivery_chat *c, struct err *e);

/* ---- delivery_row.c ---- */

/* Sends the first message of a chat. False: there is none now. */
bool row_begin(struct delivery *d, struct delivery_chat *c, int64_t chat_id);
/* Stores the outcome. */
enum rc row_ended(struct delivery *d, struct delivery_chat *c, struct err *e);

/* ---- delivery_doubt.c ---- */

/* Ends a message that is being sent as doubtful, and posts the notice to its chat. */
enum rc doubt_tx(struct db *db, const struct config *config, const struct outbox_row *r, const char *why,
    int64_t now, struct err *e);
/* The same for the messages that a crash left in the state sending. Those that edit a message are sent
 * again. */
enum rc doubt_recover_tx(struct db *db, const struct delivery *d, struct err *e);
/* Probes a chat in doubt with a sign of typing. */
void probe_begin(struct delivery_chat *c);
/* After any sign of typing in a chat in doubt: ends the doubt, or sets the time of the next probe. */
void probe_ended(struct delivery_chat *c);

/* ---- delivery_refused.c ---- */

/* Stores that the channel's server refuses our credentials. Runs in the transaction of the action's result.
 */
enum rc refused_tx(
    struct db *db, const struct delivery_channel *ch, const char *detail, int64_t now, struct err *e);
/* After that transaction: sends nothing until the server accepts the credentials. */
void refused_stop(struct delivery_channel *ch, const char *detail);
/* Reads which channels are stopped. An admin may have resumed one. */
enum rc refused_sync(struct delivery *d, struct db *db, struct arena *a, struct err *e);
/* Asks the servers that are due, and takes their answers. */
void refused_pass(struct delivery *d);

/* ---- follow.c, follow_show.c ---- */

enum rc follow_sync(struct delivery *d, struct err *e);
/* Reads the logs that are due, and stores the end of turns that have ended. */
void follow_read(struct delivery *d);
/* The time (mono) at which it has something to show; DELIVERY_NEVER: it has nothing. */
int64_t follow_due(const struct delivery *d, const struct follow *f);
void follow_begin(struct delivery *d, struct follow *f);
/* Stores the outcome. */
enum rc follow_shown(struct delivery *d, struct delivery_chat *c, struct err *e);
int64_t follow_next_read(const struct delivery *d);
void follow_free_all(struct delivery *d);

/* ---- answer.c ---- */

/* The chat begins to show a turn: the Stop button, and the question if it was not asked in this chat.
 * RC_NOT_FOUND: the turn or the chat is gone, or the turn is of a branch that the chat does not continue. */
enum rc answer_begin(struct store *s, const struct follow_row *r, char stop_token[BUTTON_TOKEN_SIZE],
    int64_t now, struct err *e);
/* The turn waits for the user's decision: adds the question with its buttons to the outbox, once. */
enum rc answer_ask(struct store *s, int64_t turn_id, int64_t chat_id, const struct lang *lang,
    int64_t suggestion, int64_t now, struct err *e);
/* Call it when the turn has ended. One transaction adds the answer to the outbox and deletes the row of
 * channel_turn. */
enum rc answer_end(
    struct store *s, int64_t turn_id, int64_t chat_id, int64_t owner, int64_t now, struct err *e);

#endif
