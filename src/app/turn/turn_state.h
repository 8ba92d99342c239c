/*
 * A running turn. Its members are grouped by what they describe; each group says which files write it.
 *
 * The sender's thread fills a turn until its launch. From then on the turn belongs to the loop, except while
 * the pool works for it, in the phases TOOLS, ADAPTING and FINISHING: then the loop changes only `stopping`,
 * and the pool writes `step`, `model`, `context`, `end` and `save`. The transaction of the send, which runs
 * after the launch, reads `model` and `context`: neither changes before it has ended.
 */
#ifndef ALFRED_APP_TURN_TURN_STATE_H
#define ALFRED_APP_TURN_TURN_STATE_H

#include <pthread.h>

#include "app/context/context.h"
#include "app/mcp/connected.h"
#include "app/tools/tools.h"
#include "app/turn/turn.h"
#include "app/turn/turn_given.h"
#include "base/log.h"
#include "llm/llm.h"
#include "net/awaited.h"
#include "store/account/library.h"

/* The input of the context. */
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

/* The model, and how it is asked. The send chooses it (turn_choose.c); a refusal changes it (turn_adapt.c).
 */
struct turn_model {
    const struct provider_choice *choice;
    const char *effort;             /* of reasoning; NULL: the provider's default */
    struct llm_params params;       /* of a program */
    int temperature;                /* in hundredths; TEMPERATURE_NONE: the provider's default */
    int64_t answer_tokens;          /* limit of the answer; 0: that of the server */
    int64_t window;                 /* tokens that the context is built for */
    enum context_pictures pictures; /* which of them the model sees */
    enum llm_prefill prefill;       /* how the next request ends in the text to continue */
    bool responses;                 /* it is asked at /responses */
    bool without_tools;             /* the request offers none: the model does not support tools */
    bool no_calls;                  /* the limit of calls is reached: the next request is the last */
    bool sends_reasoning;           /* earlier answers go back with their reasoning */
    bool without_blocks;            /* no answer goes back with the provider's data of it (LLM_OPAQUE) */
    struct llm_form form;           /* of the requests */
    /* what refusals have shown */
    bool replaced;         /* the session's model no longer exists; `choice` replaced it during the turn */
    bool no_responses;     /* the server has no /responses */
    bool refused_pictures; /* the model does not support them, which is stored at the end */
    bool limited;          /* answer_tokens is what the credit is enough for */
    bool guessed;          /* `window` is a guess after a refusal without numbers */
    int refits;            /* adaptations to a too small window since the last answer */
};

/* The context that the model gets. turn_context.c and turn_given.c build it, in the arena; each step adds
 * messages. */
struct turn_context {
    struct llm_message *messages;
    size_t messages_n, messages_room;
    size_t built_n;           /* the first messages, which were built; steps added the others */
    int64_t window;           /* tokens that were free for it, without the added messages */
    int64_t tools_tokens;     /* of the offered tools (turn_offer_tools()); 0: none are offered */
    struct context_size size; /* the context and the messages that the turn adds */
    bool reads_files;         /* read_file is offered: context_wants_files(), or for files of the workspace */
    int64_t compaction_id;    /* the compaction that replaces the older part of the path; 0: none */
    int64_t fresh;            /* messages of the path that are newer than that compaction */
    int64_t *memories;        /* the facts in it */
    size_t memories_n;
    bool overridden; /* the turn before requested its context; the send deletes that request */
};

/* The assistant message that is being written. turn_provider.c writes it; a step empties it. */
struct turn_answer {
    struct strbuf text;
    struct strbuf reasoning;     /* text beyond TURN_REASONING_MAX is dropped */
    int64_t thought_us;          /* duration of the reasoning */
    struct llm_tool_call *calls; /* [TURN_CALLS_PER_STEP] in the arena; NULL before the first */
    size_t calls_n;
    size_t call_from;  /* bytes of `text` from earlier calls of the provider */
    struct str opaque; /* LLM_OPAQUE of the last call of the provider, in the arena */
};

/* The part of the answer that an earlier turn wrote and this one continues (turn_continue.c). */
struct turn_old {
    size_t text_n, reasoning_n; /* bytes at the beginning of the answer's text and reasoning; 0: none */
    bool joining;               /* the place where the new text joins the old is not known yet (seam.h) */
    struct strbuf held;         /* the new text, until that place is known */
};

/* The provider's stream of events (turn_provider.c). */
struct turn_stream {
    struct llm_call *call;
    int64_t thinking_us;         /* monotonic time since which the model reasons; 0: it does not */
    struct turn_waiting waiting; /* why there is no text yet; empty from the first text of a request on */
    struct llm_event *refused;   /* that the turn adapts to, in the arena: problem, window, prompt_tokens,
                                    limit; NULL: none */
    bool paused;                 /* the provider expects the request again, with this answer at its end */
    int pauses;                  /* in this turn */
    int64_t tokens_context;      /* input and output of the last call, counted by the provider */
};

/* The state of the log and of the readers (turn_record.c). */
struct turn_out {
    struct turnlog *log;
    size_t released;          /* bytes of the answer's text */
    int64_t released_us;      /* monotonic time at which text was last released */
    struct loop_timer *merge; /* releases text that waits for more; NULL until its first use */
    bool merge_set;
};

/* The kinds of work that calls wait for (net/awaited.h). */
enum turn_awaits {
    TURN_AWAITS_PERMISSION,
    TURN_AWAITS_FETCH,
    TURN_AWAITS_REMOTE,
    TURN_AWAITS_DRAWING,
    TURN_AWAITS_PYTHON,
    TURN_AWAITS
};

/* The calls of a step (turn_tools.c, turn_save.c). */
struct turn_step_run {
    struct strbuf *results;    /* one per call, in the arena */
    size_t result_room;        /* bytes of each */
    struct call_run *runs;     /* one per call, in the arena */
    size_t begun_n, running_n; /* calls that have begun; those of them that have not ended */
    struct picture pictures[PICTURES_PER_MESSAGE]; /* of its calls, in the arena */
    size_t pictures_n;
    int64_t next_reply_id; /* the message after the step */
};

/* How the turn ends. */
struct turn_end {
    enum message_status status;
    enum message_stop stop; /* reason of an early end; STOP_NONE: none */
    struct err *failure;    /* NULL: none; for the user: why it failed, or was cut at the model's limit */
    const char *note;       /* below the answer (base/said.h); NULL: none */
    bool temporary;         /* the session was a temporary chat */
};

/* The last write of the turn: of a step, of an adaptation or of the end. */
struct turn_save {
    enum rc rc;
    struct err *err;          /* NULL: none */
    struct loop_timer *retry; /* after an end that could not be saved */
    bool retry_set;           /* `retry` runs; otherwise an attempt runs on the pool, or none is needed */
    struct backoff backoff;
    struct log_repeat log;
};

enum turn_phase { TURN_CALLING, TURN_TOOLS, TURN_ADAPTING, TURN_FINISHING };

struct turn {
    struct turn_engine *en;
    struct turn *prev, *next; /* the engine's list */
    struct arena *arena;
    int64_t place_user;    /* counts against this user's limit of turns (turn_places.c); 0: none */
    int64_t picture_bytes; /* of its pictures; counts against a limit, too (turn_places.c) */

    /* set by the send */
    struct turn_started ids; /* row ids are known after the commit */
    int64_t row_id, asked_id;
    const char *channel;          /* the channel of its messages */
    struct turn_asked asked;      /* in the arena */
    const struct time_zone *zone; /* the user's, in the arena; NULL: the server's */
    const char *zone_name;
    const struct lang *lang; /* of answers that Alfred writes itself; NULL: English */
    unsigned denied;         /* enum tool_set: tools that the persona lacks */
    bool web_search;         /* the user lets models use the web */
    bool web_off;            /* the user does not, and the owner lets them read pages */
    bool beside;             /* its answer is the second one of a comparison; the head stays in the first */
    bool wants_title;
    struct connected_tools connected; /* that the user's models may call, in the arena */
    struct str plain; /* Alfred's own answer, in the arena; no model is asked. .len 0: a model is asked */
    const struct turn_given *given; /* the context of a program, in the arena; NULL: none */

    /* its state */
    enum turn_phase phase;
    bool committed, stopping;
    bool over; /* the provider's stream has ended; the end of the turn waits for the commit */
    struct turn_model model;
    struct turn_context context;
    int64_t reply_id; /* the message of `answer` */
    struct turn_answer answer;
    struct turn_old old;
    struct turn_stream stream;
    struct turn_out out;
    struct turn_step_run step;
    struct turn_end end;
    struct turn_save save;

    /* of all steps together */
    int calls_total;
    int awaited_total[TURN_AWAITS];            /* that were started */
    struct llm_tokens tokens;                  /* counted by the provider */
    struct strbuf said;                        /* with `given`: the texts, as the program gets them */
    bool untrusted;                            /* a tool has returned text that the user did not write */
    const struct connected_tool *untrusted_of; /* with `untrusted`: all of it came from the server of this
                                                  tool; NULL: from elsewhere, too */
};

struct turn_engine {
    struct turn_engine_setup set;
    struct mcp_servers *mcp;
    struct awaited_client *awaited[TURN_AWAITS];
    struct time_zones *zones;
    struct llm_provider **llm; /* one per provider, by index of its source */
    struct turnlogs *logs;
    struct turn *turns;
    pthread_mutex_t places_lock; /* guards the places and picture_bytes */
    struct turn_place *places;   /* one per user with a turn */
    size_t places_n, places_room;
    int64_t picture_bytes;      /* of all turns */
    bool checking, check_again; /* turn_check_running() runs; it must run once more afterwards */
    bool draining;
    loop_fn *idle;
    void *idle_arg;
};

#endif
