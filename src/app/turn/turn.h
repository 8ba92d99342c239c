/*
 * The turn engine: one exchange from the user's message to the saved answer, as a state machine on a loop. It
 * knows nothing of HTTP.
 *
 *     turn_send()   any thread: reads the path, starts the provider at once, commits the message meanwhile
 *       CALLING     events of the provider become records of the turn log and calls of the observer
 *       TOOLS       requested tools run on the thread pool, a step is committed, then CALLING again
 *       FINISHING   the answer is committed; after a failure (a full disk) it is tried again without end
 *
 * The observer receives nothing before the user's message is on disk. It gets `on_ended` only when the answer
 * is. `on_unsaved` follows each failed attempt. The engine keeps a turn until its end is stored or its rows
 * are deleted, because a running row locks its session. A turn belongs to no reader: only turn_stop(), its
 * own end or the engine's end stops it.
 *
 * Everything but turn_send() and turn_recover() runs on the loop's thread, the observer too.
 */
#ifndef ALFRED_APP_TURN_TURN_H
#define ALFRED_APP_TURN_TURN_H

#include "app/config/config.h"
#include "app/models/providers.h"
#include "app/turn/turnlog.h"
#include "base/backoff.h"
#include "net/http.h"
#include "net/thread_pool.h"
#include "store/message/turn.h"
#include "store/session/session.h"

#define TURN_TEXT_MAX ((size_t)1024 * 1024) /* longest answer in bytes; it is stopped there */

struct turn_engine;

struct turn_started {
    char turn[ID_SIZE], session[ID_SIZE];
    int64_t owner, session_id, asked_id, reply_id;
    int64_t parent_id; /* parent of the first new message, 0: none; only on_started() knows it */
    int slot;          /* 1: it writes the second answer of a comparison (store/message/comparison.h) */
};

/* A step: the assistant message `called_id` is complete, its tools' results follow, then `reply_id`. */
struct turn_step {
    int64_t called_id, reply_id;
};

/* The reason why an answer has no text yet. */
enum turn_wait {
    TURN_WAIT_NONE,
    TURN_WAIT_FAILED, /* the next request follows */
    TURN_WAIT_BUSY,
    TURN_WAIT_LOADING,
    TURN_WAIT_READING, /* the provider reads the prompt and reports its progress */
    TURN_WAIT_TOOL,    /* a call runs that takes time */
    TURN_WAIT_ASKS,    /* a call waits for the user's permission */
    TURN_WAIT_DECIDED  /* the user has decided; the call or the next request follows */
};

#define TURN_WAIT_TOOL_MAX 240 /* bytes; a longer subject is cut */

struct turn_waiting {
    enum turn_wait why;
    int64_t until;                     /* clock_mono_ms() of the next request */
    int percent;                       /* READING: of the prompt */
    int64_t asks;                      /* ASKS: the question, a suggestion */
    char tool[TURN_WAIT_TOOL_MAX + 1]; /* TOOL: the content of the TOOL record, for tool_running() */
};

/* From a WAIT, TOOL or ASK record. */
struct turn_waiting turn_wait_read(const struct turnlog_record *r);

struct turn_observer {
    void (*on_started)(void *arg, const struct turn_started *s);
    void (*on_record)(
        void *arg, const char *turn, const struct turnlog_record *r); /* TEXT, THINK, WAIT, TOOL, ASK */
    void (*on_step)(void *arg, const char *turn, const struct turn_step *s);
    void (*on_unsaved)(void *arg, const char *turn); /* it has ended, but is not saved yet */
    void (*on_ended)(void *arg, const char *turn);   /* saved, or its rows were deleted; the last call */
    void *arg;
};

struct turn_engine_setup {
    const char *runner; /* "stream" */
    const char *channel;
    struct loop *loop;
    struct thread_pool *pool;
    struct store *store;
    struct http_client *http;
    const struct config *config;
    const struct providers *providers;
    struct turn_observer observer;
    struct backoff save_retry; /* between attempts to save an end; zeroed: TURN_SAVE_RETRY */
};

/* Copies the setup; its pointers must outlive the engine. Failures: those of llm_provider_new(). */
enum rc turn_engine_new(const struct turn_engine_setup *s, struct turn_engine **out, struct err *e);
/* Stops every turn and calls `idle` on the loop's thread when none is left. Turns are saved as
 * interrupted. One that cannot be saved is left to turn_recover() of the next start. */
void turn_engine_drain(struct turn_engine *en, loop_fn *idle, void *arg);
void turn_engine_free(struct turn_engine *en); /* after the drain; NULL is fine */

struct turn_recovered {
    int saved, waiting;
};

/* Marks turns of this runner that a crash left running as interrupted, with the text of their logs. Those
 * that cannot be saved now are counted as `waiting`; the engine retries them. Call it before the loop
 * runs. Fails only when the turns cannot be read: RC_IO, RC_UNAVAILABLE. */
enum rc turn_recover(struct turn_engine *en, struct turn_recovered *out, struct err *e);

enum turn_kind {
    TURN_SEND,       /* a new message at the end (or below `parent_id`) */
    TURN_EDIT,       /* a new version of the user message `message_id`: its sibling */
    TURN_REGENERATE, /* a new answer in place of the assistant message `message_id`: its sibling */
    TURN_CONTINUE,   /* continues the assistant message `message_id`, which ended early */
    TURN_GIVEN       /* below `parent_id`, with the messages of a program (turn_given.h) */
};

struct turn_given;

struct turn_request {
    enum turn_kind kind;
    int64_t owner;
    const char *session; /* public id; NULL makes a new session (TURN_SEND and TURN_GIVEN only) */
    int64_t message_id, parent_id;
    int64_t end_id;      /* the end of the conversation as the sender knows it; 0: not checked */
    struct str text;     /* TURN_GIVEN: the source of the title of a new session */
    struct str pictures; /* TURN_SEND: ids of pictures that were uploaded, with blanks between them. A new
                            version of a message keeps those of the old one. .len 0: none */
    const struct turn_given *given;
    const char *client_id;
    const char *channel; /* of the messages; NULL: the engine's */
    int64_t order_id;    /* the order that asked for it (store/message/turn_order.h); 0: none */
    /* Value of a provider choice. NULL: the session's, else the user's, else the server's. */
    const char *choice;
    bool once; /* `choice` is for this answer only */
    /* A second model for this question: its answer is shown beside the first one until the user chooses
     * (store/message/comparison.h). TURN_REGENERATE: it answers beside the answer `message_id`. No tool
     * changes anything meanwhile. NULL: none */
    const char *compare_with;
    const char *effort;      /* "low", "medium", "high"; "": the provider's default; NULL: the session's */
    const struct lang *lang; /* of answers that Alfred writes itself; NULL: English */
    bool sets_persona;
    int64_t persona_id;    /* with sets_persona; 0: none. Otherwise the session's */
    const char *workspace; /* a new session's; NULL or blank: none */
    bool temporary;        /* a new session is a temporary chat (store/session/temporary.h) */
    bool sets_pasted;      /* pasted_from is set; otherwise all of the text counts as typed */
    int64_t pasted_from;   /* message.pasted_from: the sender's hint, which can only reduce trust */
    /* Runs at the end of the send's transaction, where the sender can read the rows of the turn without a
     * second transaction. It does not run for a repeated send. NULL: none */
    void (*look)(struct db *db, void *arg, const struct turn_started *ids);
    void *look_arg;
};

/* The sentence of an error: the message to go on from is deleted. */
#define TURN_PLACE_GONE "chat.place_gone"

struct turn_ticket {
    struct turn_started ids;
    struct turn_started second; /* of the second model; .turn empty: none */
    bool repeated;              /* this client_id has started that turn before */
    bool gone_on; /* RC_CONFLICT: end_id is no longer the end of the conversation. RC_NOT_FOUND: there is no
                     message parent_id */
    int64_t head_id, branch_id; /* with gone_on: the end now, and end_id if it still exists; else 0 */
};

/* Any thread but the loop's; returns when the message is on disk. RC_BAD_INPUT, RC_NOT_FOUND (also of the
 * order), RC_CONFLICT (a turn of this session runs, or out->gone_on), RC_TOO_BIG, RC_UNAVAILABLE,
 * RC_UNAUTHENTICATED: the owner is disabled. RC_RATE_LIMITED with a sentence: the owner has [limits]
 * turns_per_user running turns. */
enum rc turn_send(
    struct turn_engine *en, const struct turn_request *r, struct turn_ticket *out, struct err *e);

/* Ends the answer at its current length. If the turn has ended but could not be saved yet, the next attempt
 * begins at once. False: the turn does not run here. */
bool turn_stop(struct turn_engine *en, const char *turn);
/* Both stop all turns of a session: one that was deleted, by its number; any, by its public id. */
void turn_stop_session(struct turn_engine *en, int64_t session_id);
void turn_stop_session_named(struct turn_engine *en, const char *session);
/* Stops the turns whose owners are disabled or whose sessions are no longer in the store. Call it when users
 * may have been disabled, or sessions deleted, but it is not known which. */
void turn_check_running(struct turn_engine *en);
/* A suggestion was decided, or changes were lost: calls may wait for it (app/suggestion/permission.h). */
void turn_look_permissions(struct turn_engine *en);

#endif
