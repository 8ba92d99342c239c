/* The inside of the turn engine, shared by turn.c (the state machine), turn_send.c (the way in),
 * turn_context.c (what the model reads), turn_save.c (the store) and turn_recover.c (after a crash). */
#ifndef ALFRED_APP_TURN_TURN_PRIVATE_H
#define ALFRED_APP_TURN_TURN_PRIVATE_H

#include "app/context/context.h"
#include "app/tools/tools.h"
#include "app/turn/turn.h"
#include "base/log.h"
#include "llm/llm.h"

#define TURN_WIRE_MAX       ((size_t)64 * 1024 * 1024) /* of one answer as the provider sends it */
#define TURN_CONNECT_MS     10000
#define TURN_CALLS_PER_STEP 16
/* Text that comes sooner after the last record of its turn waits until then and shares one record. */
#define TURN_MERGE_MS   5
#define TURN_SAVE_RETRY ((struct backoff){.first_ms = 250, .max_ms = 4000})

#define TURN_WINDOW_LEAST 512 /* tokens; no request is made smaller */

enum turn_phase { TURN_CALLING, TURN_TOOLS, TURN_ADAPTING, TURN_FINISHING };

struct turn_asked {
    int64_t owner, session_id, parent_id; /* session_id 0: a new one; parent_id 0: the first message */
    struct str text;                      /* the new question; .s NULL: the one that the path ends in */
    const char *workspace;                /* of the session; NULL: none */
    int64_t now;
};

struct turn {
    struct turn_engine *en;
    struct turn *prev, *next; /* the engine's list */
    struct arena *arena; /* the context and all that it points to; after the launch the loop's thread only */
    struct turn_started ids; /* rows are known once committed */
    int64_t row_id, asked_id, reply_id;
    const struct provider_choice *choice;
    bool wants_title;
    struct str plain;  /* Alfred's own answer, in the arena; no model is asked. .len 0: one is */
    int64_t *memories; /* the facts that its context has */
    size_t memories_n;
    bool untrusted; /* a tool has shown the model text that the user did not write */
    bool wished;    /* its context is what the turn before asked for: the wish ends with the send */

    struct llm_message *messages; /* in the arena, with room for what steps add */
    size_t messages_n, messages_room;
    size_t context_n;             /* of them were there at the launch; steps added the others */
    struct turn_asked asked;      /* what they were made of, in the arena */
    int64_t window;               /* that they were made for, tokens */
    bool without_tools;           /* the model takes none */
    const struct llm_tool *tools; /* offered with them, in the arena */
    size_t tools_n;
    struct context_size size; /* of the context, and of what the turn adds to it */
    int64_t compaction_id;    /* that stands in it for the older part; 0: none */

    enum turn_phase phase;
    bool committed, stopping;
    bool over;             /* the provider's stream has ended; the end waits for the commit */
    struct llm_call *call; /* the provider's */
    struct turnlog *log;
    struct strbuf text;       /* of the current assistant message */
    size_t released;          /* bytes of it that the log has */
    int64_t released_us;      /* monotonic, when the last of them were released */
    struct loop_timer *merge; /* releases the rest; NULL before it is first needed */
    bool merge_set;
    struct llm_tool_call calls[TURN_CALLS_PER_STEP];
    size_t calls_n;
    int calls_total;               /* in this turn */
    bool no_calls;                 /* their limit is reached: the last request of the turn */
    struct llm_event refused;      /* the refusal that the turn adapts to: problem, window, prompt_tokens */
    bool refitted;                 /* to a refusal because of the window, since the last answer */
    const char *note;              /* for the user, beneath the answer; NULL: none */
    int64_t tokens_in, tokens_out; /* as the provider counts, of all its calls in this turn */
    int64_t tokens_context;        /* the same, of the last call alone: what it read and said */

    enum message_status status; /* how it ends */
    struct err failure; /* the sentence for the user: why it failed, or was cut at the model's limit */

    /* of the step or the end that the pool works on */
    struct strbuf *results; /* one per call */
    int64_t *tool_ids;
    int64_t next_reply_id;
    enum rc save_rc;
    struct err save_err;
    struct loop_timer *retry; /* of an end that could not be saved */
    bool retry_set;           /* `retry` runs; else a try is on the pool, or none is needed */
    struct backoff backoff;
    struct log_repeat save_log;
};

struct turn_engine {
    struct turn_engine_setup set;
    struct llm_provider **llm; /* one per provider, by index of its source */
    struct turn *turns;
    bool draining;
    loop_fn *idle;
    void *idle_arg;
};

/* turn.c */
struct turn *turn_new(struct turn_engine *en);
void turn_launch(void *turn);    /* on the loop: calls the provider */
void turn_committed(void *turn); /* on the loop: the message is on disk */
void turn_abandon(void *turn);   /* on the loop: it is not; the turn goes away unseen */
void turn_adopt(void *turn);     /* on the loop: it was cut by a crash, and its end could not be saved */
void turn_free(struct turn *t);  /* one that the engine does not have; NULL is fine */

/* turn_context.c: on the sender's thread, before the launch; fills what the provider is sent. Reads t->window
 * and t->without_tools; what steps have added follows the new context. */
enum rc turn_read_context(struct db *db, struct turn *t, const struct turn_asked *asked, struct err *e);

/* turn_adapt.c. Whether a refusal can be answered with another request: one that fits the window, without
 * tools, or to another model. */
bool turn_can_adapt(const struct turn *t, const struct llm_event *refused);
/* On a worker thread: makes that request, from t->refused, and keeps what was learned. save_rc tells how it
 * went. */
void turn_adapt(void *turn);

/* turn_save.c: on a worker thread; they read and fill the fields above. A turn whose row is gone is saved. */
void turn_save_step(void *turn);
void turn_save_end(void *turn);

#endif
