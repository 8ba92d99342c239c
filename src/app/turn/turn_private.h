/* Shared by the files of the turn engine: the turn, and the functions of each file. turn_send.c,
 * turn_commit.c and turn_compare.c (sending) also share turn_plan.h. */
#ifndef ALFRED_APP_TURN_TURN_PRIVATE_H
#define ALFRED_APP_TURN_TURN_PRIVATE_H

#include <pthread.h>

#include "store/account/library.h"
#include "app/context/context.h"
#include "app/tools/tools.h"
#include "app/turn/turn.h"
#include "app/turn/turn_given.h"
#include "base/clock.h"
#include "base/log.h"
#include "llm/llm.h"

#define TURN_WIRE_MAX       ((size_t)64 * 1024 * 1024) /* bytes of one answer as received from the provider */
#define TURN_CONNECT_MS     10000
#define TURN_CALLS_PER_STEP 16
#define TURN_REASONING_MAX  ((size_t)256 * 1024) /* bytes of the reasoning before one answer */
#define TURN_PAUSES_MAX     8                    /* pauses of the provider per turn */
#define TURN_WINDOW_SLACK   16 /* tokens by which a provider's count of a full window may differ */
/* Text that comes less than this after the last record of its turn waits for the next record. */
#define TURN_MERGE_MS   5
#define TURN_SAVE_RETRY ((struct backoff){.first_ms = 250, .max_ms = 4000})

#define TURN_WINDOW_LEAST 512 /* tokens; no context is built for less */

enum turn_phase { TURN_CALLING, TURN_TOOLS, TURN_ADAPTING, TURN_FINISHING };

struct turn_asked {
    int64_t owner, session_id, parent_id; /* session_id 0: a new one; parent_id 0: the first message */
    struct str text;                      /* the new question; .s NULL: the last message of the path */
    const struct picture *pictures;       /* of the new question */
    size_t pictures_n;
    int64_t question_id; /* a question on the path that no compaction may replace, because it is asked again;
                            0: none */
    const char *workspace; /* the session's workspace; NULL: none */
    int64_t persona_id;    /* 0: none */
    bool temporary;        /* without the user's memory */
    int64_t now;
};

struct turn {
    struct turn_engine *en;
    struct turn *prev, *next; /* the engine's list */
    struct arena *arena;      /* the context; used by the loop's thread only after the launch */
    struct turn_started ids;  /* row ids are known after the commit */
    int64_t place_user;       /* counts against this user's limit of turns (turn_places.c); 0: none */
    int64_t picture_bytes;    /* of its pictures; counts against a limit, too (turn_places.c) */
    int64_t row_id, asked_id, reply_id;
    const char *channel; /* the channel of its messages */
    const struct provider_choice *choice;
    const char *effort;       /* of reasoning; NULL: the provider's default */
    struct llm_params params; /* of a program */
    int temperature;          /* in hundredths; TEMPERATURE_NONE: the provider's default */
    int64_t answer_tokens;    /* limit of the answer; 0: that of the server */
    unsigned denied;          /* enum tool_set: tools that the persona lacks */
    bool beside;              /* its answer is the second one of a comparison; the head stays in the first */
    bool wants_title;
    bool temporary;   /* set at the end: the session was a temporary chat */
    struct str plain; /* Alfred's own answer, in the arena; no model is asked. .len 0: a model is asked */
    const struct turn_given *given; /* the context of a program, in the arena; NULL: none */
    struct strbuf said;             /* with `given`: the texts of all steps, as the program gets them */
    int64_t *memories;              /* the facts in its context */
    size_t memories_n;
    bool untrusted;  /* a tool has returned text that the user did not write */
    bool replaced;   /* the session's model no longer exists; `choice` replaced it during the turn */
    bool overridden; /* the turn before requested its context; the send deletes that request */

    struct llm_message *messages; /* in the arena */
    size_t messages_n, messages_room;
    size_t context_n;             /* the first messages, built for the launch; steps added the others */
    struct turn_asked asked;      /* the input of the context, in the arena */
    const struct time_zone *zone; /* the user's, in the arena; NULL: the server's */
    const char *zone_name;
    const struct lang *lang;        /* of answers that Alfred writes itself; NULL: English */
    int64_t window;                 /* tokens that the context was built for */
    bool responses;                 /* the model is asked at /responses */
    bool no_responses;              /* the server has no /responses */
    bool without_tools;             /* the request offers none: the model does not support tools */
    enum context_pictures pictures; /* which of them the model sees */
    bool refused_pictures;          /* the model does not support them, which is stored at the end */
    bool sends_reasoning;           /* earlier answers go back with their reasoning */
    bool without_blocks;            /* no answer goes back with the provider's data of it (LLM_OPAQUE) */
    bool limited;                   /* answer_tokens is what the credit is enough for */
    bool whole;                     /* the answer comes in one piece */
    const struct llm_tool *tools;   /* offered in the request, in the arena */
    size_t tools_n;
    struct context_size size; /* the context and the messages that the turn adds */
    int64_t compaction_id;    /* the compaction that replaces the older part of the path; 0: none */
    int64_t fresh;            /* messages of the path that are newer than that compaction */

    enum turn_phase phase;
    bool committed, stopping;
    bool over;             /* the provider's stream has ended; the end of the turn waits for the commit */
    struct llm_call *call; /* the provider's */
    struct turnlog *log;
    struct strbuf text;       /* text of the current assistant message */
    size_t released;          /* bytes of `text` that are in the log and with the readers */
    int64_t released_us;      /* monotonic time at which text was last released */
    struct strbuf reasoning;  /* reasoning of that message; text beyond TURN_REASONING_MAX is dropped */
    int64_t thinking_us;      /* monotonic time since which the model reasons; 0: it does not */
    int64_t thought_us;       /* duration of the reasoning for this message */
    struct loop_timer *merge; /* releases text that waits for more; NULL until its first use */
    bool merge_set;
    struct llm_tool_call *calls; /* [TURN_CALLS_PER_STEP] in the arena; NULL before the first */
    size_t calls_n;
    int calls_total;          /* in this turn */
    bool no_calls;            /* the limit of calls is reached: the next request is the last */
    struct llm_event refused; /* the refusal that the turn adapts to: problem, window, prompt_tokens */
    int refits;               /* adaptations to a too small window since the last answer */
    bool guessed;             /* `window` is a guess after a refusal without numbers */
    const char *note;         /* below the answer (base/said.h); NULL: none */
    bool paused;              /* the provider expects the request again, with this answer at its end */
    int pauses;               /* in this turn */
    size_t begun;             /* bytes of `text` that an earlier turn wrote and this one continues; 0: none */
    size_t reasoned;          /* bytes of `reasoning` that the earlier turn wrote */
    enum llm_prefill prefill; /* how the next request ends in the text to continue */
    bool joining;             /* the place where the new text joins the old is not known yet (seam.h) */
    struct strbuf held;       /* the new text, until that place is known */
    size_t call_from;         /* bytes of `text` from earlier calls of the provider */
    struct str opaque;        /* LLM_OPAQUE of the last call, in the arena */
    struct turn_waiting waiting; /* why there is no text yet; empty from the first text of a request on */
    struct llm_tokens tokens;    /* counted by the provider, over all its calls in this turn */
    int64_t tokens_context;      /* input and output of the last call, counted by the provider */

    enum message_status status; /* the status at the end */
    enum message_stop stop;     /* reason of an early end; STOP_NONE: none */
    struct err *failure; /* NULL: none; for the user: why the turn failed, or was cut at the model's limit */

    /* the step or end that the pool works on */
    struct strbuf *results; /* one per call */
    size_t result_room;     /* bytes of each */
    size_t calls_run;       /* calls that have run or are running */
    size_t calls_running;
    int64_t next_reply_id;
    enum rc save_rc;
    struct err *save_err;     /* NULL: none */
    struct loop_timer *retry; /* after an end that could not be saved */
    bool retry_set;           /* `retry` runs; otherwise an attempt runs on the pool, or none is needed */
    struct backoff backoff;
    struct log_repeat save_log;
};

struct turn_engine {
    struct turn_engine_setup set;
    struct time_zones *zones;
    struct llm_provider **llm; /* one per provider, by index of its source */
    struct turnlogs *logs;
    struct turn *turns;
    pthread_mutex_t places_lock; /* guards the places and picture_bytes */
    struct turn_place *places;   /* one per user with a turn */
    size_t places_n, places_room;
    int64_t picture_bytes;      /* of all turns */
    bool checking, check_again; /* turn_check_sessions() runs; it must run once more afterwards */
    bool draining;
    loop_fn *idle;
    void *idle_arg;
};

/* turn.c */
struct turn *turn_new(struct turn_engine *en);
/* Sets t->zone from t->zone_name. */
void turn_find_zone(struct turn *t);
void turn_look_idle(struct turn_engine *en); /* calls `idle` of the drain when nothing is left */
void turn_launch(void *turn);                /* on the loop: calls the provider */
void turn_committed(void *turn);             /* on the loop: the message is on disk */
void turn_abandon(void *turn);    /* on the loop: the message could not be stored; the turn is freed */
void turn_adopt(void *turn);      /* on the loop: recovered after a crash; its end could not be saved */
void turn_free(struct turn *t);   /* not in the engine's list; NULL is fine */
void turn_step_saved(void *turn); /* on the loop: continues with the next request, or the end */
void turn_end_with(
    struct turn *t, enum message_status status);       /* ends the turn; only the first call counts */
void turn_fail(struct turn *t, const struct err *why); /* ends it as failed; logs and stores the reason */
void turn_advance(struct turn *t);                     /* when t->over is set: the next phase */

/* turn_places.c: any thread. RC_RATE_LIMITED with a sentence: the user has too many running turns. */
enum rc turn_take_place(struct turn *t, int64_t owner, struct err *e);
void turn_leave_place(struct turn *t); /* a second call does nothing */
/* Counts the bytes of a picture that the turn keeps. RC_UNAVAILABLE with a sentence: the pictures of all
 * turns would exceed their limit. */
enum rc turn_hold_pictures(struct turn *t, int64_t bytes, struct err *e);
void turn_drop_pictures(struct turn *t); /* all that it holds */

/* turn_provider.c: on the loop. */
void turn_call_provider(struct turn *t);
/* The request's limit of the answer; 0: none. Some servers refuse a request if its limit does not fit the
 * window. */
int64_t turn_answer_limit(const struct turn *t);
int turn_calls_left(const struct turn *t); /* tool calls that the turn may still make */

/* turn_tools.c: on the loop; runs the calls of a step, then saves it. */
void turn_run_tools(struct turn *t);

/* turn_record.c: on the loop. */
void turn_record(struct turn *t, enum turnlog_kind kind, struct str content);
void turn_record_message(struct turn *t); /* the following text belongs to t->reply_id */
void turn_release_text(struct turn *t);   /* records the text so far, if the user's message is on disk */
void turn_merge_text(struct turn *t);     /* records it at most once in TURN_MERGE_MS */

/* turn_wait.c. turn_wait_begin() notes that the provider makes the turn wait, or its progress with the
 * prompt, and calls turn_wait_record(), which reports it to the observer once the commit is done. */
void turn_wait_begin(struct turn *t, const struct llm_event *retry_or_reading);
void turn_wait_record(struct turn *t);

/* turn_context.c. Builds the request's context, on the sender's thread before the launch. Reads t->window
 * and t->without_tools. Messages that steps have added follow the new context. */
enum rc turn_read_context(struct db *db, struct turn *t, const struct turn_asked *asked, struct err *e);
/* The pictures that requests to a model have. */
enum context_pictures turn_pictures_of(const struct provider_choice *c);
/* Sets the model that gets LLM_OPAQUE of its earlier answers back; none where it would be refused. */
void turn_frame_model(const struct turn *t, struct context_frame *f);

/* Replaces the context. The messages that the turn has added stay behind it. */
void turn_set_context(struct turn *t, const struct llm_message *context, size_t n);
struct llm_message *turn_add_message(struct turn *t); /* at the end; valid until the next one is added */

/* turn_continue.c. Prepares the turn to go on with `m`; before turn_read_context(). */
void turn_continue_begin(struct turn *t, const struct message *m);
/* The tokens that an answer has taken so far. */
struct llm_tokens turn_tokens_of(const struct message *m);
/* The same request with an instruction instead of the open end; before turn_read_context(). */
void turn_continue_by_instruction(struct turn *t);
/* Appends text of the model. `over`: no more comes. */
void turn_continue_text(struct turn *t, struct str text, bool over);
/* Call it before the text of a call becomes a message of the next request. If the request ended in the old
 * text (prefill), the message has the old text and the new text. */
void turn_continue_said(struct turn *t);
bool turn_said_nothing(const struct turn *t); /* no text came in this turn since the last step */

/* turn_given.c. Copies what a program sends into the turn. */
void turn_given_keep(struct turn *t, const struct turn_given *g);
enum rc turn_given_context(struct db *db, struct turn *t, struct err *e); /* as turn_read_context() */
bool turn_given_keeps_call(const struct turn *t, const char *name);       /* it is of a program's tool */
/* True when the answer calls tools of the program; other calls are dropped. */
bool turn_given_hands_over(struct turn *t);
/* In the transaction of the send: stores the added messages below at->parent_id, which becomes the last of
 * them. `asked` becomes the last one of the user, if there is one. */
enum rc turn_given_store(
    struct db *db, const struct turn_request *r, struct message *at, int64_t *asked, struct err *e);
enum rc turn_given_note_place(struct db *db, const struct turn *t, struct err *e); /* at the end */

/* turn_adapt.c. True when another request can answer after this refusal: one that fits the window, one
 * without tools, or one to another model. */
bool turn_can_adapt(const struct turn *t, const struct llm_event *refused);
/* On a worker thread: prepares that request from t->refused, and stores the learned limit. save_rc has the
 * result. */
void turn_adapt(void *turn);
bool turn_has_pictures(const struct turn *t); /* the last request's context has some */
/* Both at the end of a turn, on a worker thread. */
void turn_learn_window(const struct turn *t);   /* stores a guessed window that the model accepted */
void turn_learn_pictures(const struct turn *t); /* stores that the model refused pictures */

/* turn_save.c: on a worker thread; they read and fill the fields above. A turn whose row was deleted
 * counts as saved. */
void turn_save_step(void *turn);
void turn_save_end(void *turn);

#endif
