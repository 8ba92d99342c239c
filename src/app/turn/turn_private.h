/* Shared by the files of the turn engine: the functions of each file. turn_state.h has the turn. turn_send.c,
 * turn_choose.c, turn_commit.c and turn_compare.c (sending) also share turn_plan.h. */
#ifndef ALFRED_APP_TURN_TURN_PRIVATE_H
#define ALFRED_APP_TURN_TURN_PRIVATE_H

#include "app/turn/turn_state.h"
#include "base/clock.h"

#define TURN_WIRE_MAX       ((size_t)64 * 1024 * 1024) /* bytes of one answer as received from the provider */
#define TURN_CONNECT_MS     10000
#define TURN_CALLS_PER_STEP 16
#define TURN_FETCHES_MAX    8                    /* of pages and searches by tools */
#define TURN_DRAWINGS_MAX   4                    /* pictures that one answer draws */
#define TURN_REASONING_MAX  ((size_t)256 * 1024) /* bytes of the reasoning before one answer */
#define TURN_PAUSES_MAX     8                    /* pauses of the provider per turn */
#define TURN_WINDOW_SLACK   16 /* tokens by which a provider's count of a full window may differ */
/* Text that comes less than this after the last record of its turn waits for the next record. */
#define TURN_MERGE_MS   5
#define TURN_SAVE_RETRY ((struct backoff){.first_ms = 250, .max_ms = 4000})

#define TURN_WINDOW_LEAST 512 /* tokens; no context is built for less */

/* turn.c */
struct turn *turn_new(struct turn_engine *en);
/* Sets t->zone from t->zone_name. */
void turn_find_zone(struct turn *t);
void turn_stop_now(struct turn *t); /* on the loop: ends the answer at its current length */
void turn_launch(void *turn);       /* on the loop: calls the provider */
void turn_committed(void *turn);    /* on the loop: the message is on disk */
void turn_abandon(void *turn);      /* on the loop: the message could not be stored; the turn is freed */
void turn_adopt(void *turn);        /* on the loop: recovered after a crash; its end could not be saved */
void turn_free(struct turn *t);     /* not in the engine's list; NULL is fine */
void turn_step_saved(void *turn);   /* on the loop: continues with the next request, or the end */
/* Ends the turn. Only the first call counts. */
void turn_end_with(struct turn *t, enum message_status status);
void turn_fail(struct turn *t, const struct err *why); /* ends it as failed; logs and stores the reason */
void turn_advance(struct turn *t);                     /* when t->over is set: the next phase */

/* turn_engine.c: on the loop. The list of running turns. */
void turn_enter_engine(struct turn *t);
void turn_leave_engine(struct turn *t); /* frees it */
void turn_stop_owner(struct turn_engine *en, int64_t owner);
void turn_look_idle(struct turn_engine *en); /* calls `idle` of the drain when nothing is left */

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

/* turn_tools.c: on the loop. turn_run_tools() runs the calls of a step, then saves it. */
void turn_run_tools(struct turn *t);
void turn_stop_awaited(struct turn *t); /* calls that wait end now, with an error */
/* Notes that the model got text that the user did not write. `of`: the connected tool that returned it; NULL:
 * it came from elsewhere. */
void turn_note_untrusted(struct turn *t, const struct connected_tool *of);

/* turn_record.c: on the loop. */
void turn_record(struct turn *t, enum turnlog_kind kind, struct str content);
void turn_record_message(struct turn *t); /* the following text belongs to t->reply_id */
void turn_release_text(struct turn *t);   /* records the text so far, if the user's message is on disk */
void turn_merge_text(struct turn *t);     /* records it at most once in TURN_MERGE_MS */

/* turn_wait.c. turn_wait_begin() notes that the provider makes the turn wait, or its progress with the
 * prompt, and calls turn_wait_record(), which reports it to the observer once the commit is done. */
void turn_wait_begin(struct turn *t, const struct llm_event *retry_or_reading);
void turn_wait_record(struct turn *t);
/* A call waits for the user's decision on this suggestion; 0: it waits no longer. */
void turn_record_ask(struct turn *t, int64_t asks);

/* turn_context.c. Builds t->context from t->model and t->asked, on the sender's thread before the launch.
 * Messages that steps have added follow the new context. `settings`: of the user, by enum setting; NULL: they
 * are read. */
enum rc turn_read_context(struct db *db, struct turn *t, const char *const *settings, struct err *e);
/* The tools of a request, in the arena. They stay the same until the context is built again. */
struct llm_tool *turn_offer_tools(const struct turn *t, struct arena *a, size_t *n);
bool turn_searches_web(const struct turn *t); /* the next request offers the provider's web search */
bool turn_lacks_web(const struct turn *t);    /* only the user's setting denies it to read pages */
/* enum tool_set: the tools that the turn lacks. Alfred's web search is one of them while the provider's is
 * offered: a model gets one of the two, and both can have the same name. */
unsigned turn_denied_tools(const struct turn *t);
/* The pictures that requests to a model have. */
enum context_pictures turn_pictures_of(const struct provider_choice *c);
/* Sets the model that gets LLM_OPAQUE of its earlier answers back; none where it would be refused. */
void turn_frame_model(const struct turn *t, struct context_frame *f);

/* A copy in the arena with all that it points to. */
struct llm_message turn_copy_message(struct arena *a, const struct llm_message *m);
/* Replaces the context. The messages that the turn has added stay behind it. */
void turn_set_context(struct turn *t, const struct llm_message *context, size_t n);
struct llm_message *turn_add_message(struct turn *t); /* at the end; valid until the next one is added */

/* turn_continue.c. Prepares the turn to go on with `m`; before turn_read_context(). */
void turn_continue_begin(struct turn *t, const struct message *m);
/* The tokens that an answer has taken so far. */
struct llm_tokens turn_tokens_of(const struct message *m);
/* The same request with an instruction instead of the open end; before turn_read_context(). */
void turn_continue_by_instruction(struct turn *t);
/* Appends text of the model. */
void turn_continue_text(struct turn *t, struct str text);
void turn_continue_over(struct turn *t); /* no more comes */
/* Call it before the text of a call becomes a message of the next request. If the request ended in the old
 * text (prefill), the message has the old text and the new text. */
void turn_continue_said(struct turn *t);
bool turn_said_nothing(const struct turn *t); /* no text came in this turn since the last step */

/* turn_given.c. Copies what a program sends into the turn. */
void turn_given_keep(struct turn *t, const struct turn_given *g);
enum rc turn_given_context(struct db *db, struct turn *t, struct err *e); /* as turn_read_context() */
/* The program's tools, and those of ours whose names it does not use. */
struct llm_tool *turn_given_tools(const struct turn *t, struct arena *a, size_t *n);
bool turn_given_keeps_call(const struct turn *t, const char *name); /* it is of a program's tool */
/* True when the answer calls tools of the program; other calls are dropped. */
bool turn_given_hands_over(struct turn *t);
/* In the transaction of the send: stores the added messages below at->parent_id, which becomes the last of
 * them. `asked` becomes the last one of the user, if there is one. */
enum rc turn_given_store(
    struct db *db, const struct turn_request *r, struct message *at, int64_t *asked, struct err *e);
enum rc turn_given_note_place(struct db *db, const struct turn *t, struct err *e); /* at the end */

/* turn_choose.c. Sets the model, and all that follows from it. */
void turn_use_model(struct turn_model *m, const struct provider_choice *c);

/* turn_adapt.c. True when another request can answer after this refusal: one that fits the window, one
 * without tools, or one to another model. */
bool turn_can_adapt(const struct turn *t, const struct llm_event *refused);
/* On a worker thread: prepares that request from t->stream.refused, and stores the learned limit. t->save.rc
 * has the result. */
void turn_adapt(void *turn);
bool turn_has_pictures(const struct turn *t); /* the last request's context has some */
/* Both at the end of a turn, on a worker thread. */
void turn_learn_window(const struct turn *t);   /* stores a guessed window that the model accepted */
void turn_learn_pictures(const struct turn *t); /* stores that the model refused pictures */

/* turn_save.c: on a worker thread; t->save has the result. A turn whose row was deleted counts as saved. */
void turn_save_step(void *turn);
void turn_save_end(void *turn);

#endif
