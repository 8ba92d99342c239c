/*
 * Shared by the providers of src/llm; internal to the folder.
 *
 * A call is one object from llm_start() to llm_call_free(). Events are sent by llm_emit_*(), which guarantee
 * the contract of llm.h: text is complete UTF-8, END or ERROR comes once and last, no event follows
 * llm_call_free(). The reader may free the call inside its callback. Code that can emit therefore runs
 * between llm_enter() and llm_leave(). The outermost llm_leave() frees the memory.
 *
 * Each HTTP kind is a `struct llm_wire`: how a request is written and how the stream is read. The transport
 * (transport.c) does the rest for all.
 */
#ifndef ALFRED_LLM_INTERNAL_H
#define ALFRED_LLM_INTERNAL_H

#include <jansson.h>

#include "codec/utf8_stitch.h"
#include "llm/llm.h"

#define LLM_CALLS_MAX 64                 /* tool calls in one answer */
#define LLM_BODY_MAX  (32 * 1024 * 1024) /* a request body; Anthropic refuses a longer one */
/* Of JSON that becomes a part of a body: schemas, and data of earlier answers, in which the arguments of
 * calls are nested. */
#define LLM_PART_LIMITS ((struct json_limits){JSON_DEPTH_MAX + 4, JSON_CONTAINERS_MAX})
#define LLM_URL_SAFE    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/* The properties of a failure besides its sentence. */
struct llm_verdict {
    bool retry; /* another attempt may help */
    enum llm_problem problem;
    int64_t window, prompt_tokens;
    int64_t limit;     /* as in llm_event */
    int retry_after_s; /* 0: not told */
};

struct llm_provider {
    const struct llm_ops *ops;
    struct llm_settings s; /* base_url and key are owned */
    struct loop *loop;
    struct http_client *http;
};

struct llm_call {
    struct llm_provider *p;
    llm_event_fn *fn;
    void *arg;
    int depth;                /* depth of llm_enter() */
    bool freed, ended, spoke; /* spoke: TEXT, REASONING or CALL was sent */
    bool reasoned;            /* REASONING was sent */
    struct utf8_stitch text, reasoning;
    struct llm_verdict verdict; /* verdict of the last failure */
    struct strbuf out;          /* text to be sent, of the kind `gathered` */
    enum llm_event_kind gathered;
    bool gathers; /* text waits for llm_emit_gathered() or the next event of another kind */
    void *state;  /* state of the kind, freed by ops->cancel */
};

extern const struct llm_ops llm_openai_ops, llm_anthropic_ops, llm_offline_ops;

void llm_enter(struct llm_call *c);
/* False: the reader has freed the call, which must not be used any more. */
bool llm_leave(struct llm_call *c);

/* After each of these c->freed or c->ended may be true; then emitting does nothing. */
void llm_emit_text(struct llm_call *c, enum llm_event_kind kind, struct str raw); /* TEXT or REASONING */
void llm_emit_gathered(struct llm_call *c);
void llm_emit_call(struct llm_call *c, const struct llm_tool_call *t);
void llm_emit_search(struct llm_call *c, struct str query);
void llm_emit_opaque(struct llm_call *c, struct str json);
void llm_emit_reading(struct llm_call *c, int percent);
void llm_emit_usage(struct llm_call *c, const struct llm_tokens *tokens);
void llm_emit_retry(struct llm_call *c, int wait_ms);
void llm_emit_end(struct llm_call *c, enum llm_stop stop);
void llm_emit_error(struct llm_call *c, const struct err *e);

/* ---- tool calls in pieces (wire/toolcalls.c) ---- */

struct llm_calls {
    struct llm_part {
        int64_t index; /* the provider's */
        char id[LLM_NAME_MAX + 1], name[LLM_NAME_MAX + 1];
        struct strbuf args;
        json_t *extra; /* data that the provider wants back with the call; NULL: none */
    } * list;
    size_t n, room;
};

void llm_calls_release(struct llm_calls *calls);
/* The part at this index, with this id if there are several, or a new one; NULL: too many. A name with
 * another id than the part's begins a new part, because some servers give every call index 0. Others give
 * each piece of a call another id, without a name. Valid until the next call. */
struct llm_part *llm_calls_at(struct llm_calls *calls, int64_t index, struct str id, bool named);
/* The part that a piece with this id, this name and these arguments belongs to. A new one when the arguments
 * of `part` are complete and the piece begins others, or when they are complete or absent and the piece has
 * another name (some servers give every call index 0 and no id). NULL: too many. */
struct llm_part *llm_calls_next(
    struct llm_calls *calls, struct llm_part *part, struct str id, struct str name, struct str args);
void llm_calls_name(struct llm_part *part, struct str name);
/* Emits all calls. RC_UPSTREAM: a call without a name. RC_TOO_BIG: arguments over LLM_TOOL_ARGS_MAX. */
enum rc llm_calls_emit(struct llm_calls *calls, struct llm_call *c, struct err *e);

/* ---- content blocks that are sent back unchanged (wire/blocks.c) ---- */

struct llm_blocks {
    struct llm_block {
        int64_t index;   /* the provider's */
        json_t *start;   /* as the block began */
        const char *key; /* member of the pieces: "text", "thinking", "input" */
        struct strbuf text, signature;
        json_t *citations; /* those that came after the start; NULL: none */
    } * list;
    size_t n, room;
    bool special; /* some are neither text nor calls */
    bool failed;  /* too many */
};

void llm_blocks_release(struct llm_blocks *b);
void llm_blocks_start(struct llm_blocks *b, int64_t index, const json_t *block);
/* Pieces of an unknown block are ignored. */
void llm_blocks_text(struct llm_blocks *b, int64_t index, const char *key, struct str piece);
void llm_blocks_signature(struct llm_blocks *b, int64_t index, struct str piece);
void llm_blocks_citation(struct llm_blocks *b, int64_t index, const json_t *citation);
/* The block as far as it has come; NULL: there is none at this index, or it is not valid. */
json_t *llm_blocks_whole(struct llm_blocks *b, int64_t index);
/* Emits LLM_OPAQUE with all blocks when some are neither text nor calls. */
void llm_blocks_emit(const struct llm_blocks *b, struct llm_call *c);

/* ---- data that is sent back with an answer (wire/kept.c) ---- */

struct llm_kept {
    bool always; /* also the reasoning of an answer without calls */
    struct strbuf reasoning;
    const char *key; /* a constant: the name of the member that had it */
    json_t *details, *blocks;
};

void llm_kept_release(struct llm_kept *k);
void llm_kept_reasoning(struct llm_kept *k, const char *key, struct str text);
void llm_kept_details(struct llm_kept *k, const json_t *pieces);
void llm_kept_blocks(struct llm_kept *k, const json_t *pieces);
/* Emits LLM_OPAQUE, unless it would be empty. */
void llm_kept_emit(const struct llm_kept *k, const struct llm_calls *calls, struct llm_call *c);

/* ---- reasoning at the start of a text (wire/think.c) ---- */

struct llm_think {
    int state;
    const struct llm_think_tags *tags; /* those of this answer */
    struct strbuf held;                /* text that may be the beginning of a tag */
};

/* Emits the text between <think> and </think>, or similar tags, at the start of an answer as LLM_REASONING,
 * the rest as LLM_TEXT. */
void llm_think_text(struct llm_think *t, struct llm_call *c, struct str text);
/* At the end of the answer, or before another kind of event: emits the waiting text and releases it. */
void llm_think_end(struct llm_think *t, struct llm_call *c);

/* ---- the HTTP transport ---- */

/* The state of a wire's reading. The transport turns it into the last events. */
struct llm_reading {
    struct llm_call *call;
    struct llm_calls calls;
    struct llm_blocks blocks;
    struct llm_kept kept;
    struct llm_think think;
    bool whole;    /* the object is the whole answer, not one of a stream */
    bool finished; /* the finish reason was received */
    bool over;     /* the end was received */
    bool goes_on;  /* a part of the answer came with the finish reason or after it: this provider sends the
                      reason in every event, so it does not mean the end */
    enum llm_stop stop;
    struct llm_tokens tokens;   /* in, out: -1: not reported */
    int percent;                /* of the prompt that the server has read; -1: not reported */
    const char *model;          /* for messages */
    bool searches;              /* the request offers a web search, not through /responses */
    bool searched;              /* SEARCH was sent for it, or for `results` */
    bool lists_results;         /* llm_request.lists_results */
    struct strbuf said;         /* with `searches`: the text so far */
    json_t *results;            /* of a search that the model makes by itself, as last sent; NULL: none */
    const json_t *only;         /* the last object had no other effect than to add this text; NULL: it had */
    struct llm_verdict verdict; /* verdict of an error inside the stream */
};

struct llm_wire {
    const char *path; /* after base_url */
    void (*write_body)(const struct llm_provider *p, const struct llm_request *r, struct strbuf *out);
    /* Reads one object of the stream, or an answer that is one object (in->whole). Failures: those of
     * llm_provider_error(), RC_UPSTREAM (invalid), RC_TOO_BIG. */
    enum rc (*read)(struct llm_reading *in, const json_t *obj, struct err *e);
};

extern const struct llm_wire llm_responses_wire; /* of the kind openai, for requests with `responses` */

/* Copies everything it needs of the request. */
enum rc llm_transport_start(
    const struct llm_wire *w, const struct llm_request *r, struct llm_call *c, struct err *e);
void llm_transport_cancel(struct llm_call *c);

/* ---- the sources of a text from the web (wire/sources.c) ---- */

#define LLM_SOURCES_MAX       8 /* of one text */
#define LLM_SOURCES_BYTES_MAX ((size_t)LLM_SOURCES_MAX * 4096)

/* Appends links to the addresses of the citations (their "url", or that of their "url_citation"), in
 * LLM_SOURCES_BYTES_MAX; not to those that `text` contains already. */
void llm_add_sources(struct strbuf *out, const json_t *citations, struct str text);
/* OpenRouter: a search is known by its sources or by its count in the usage, and its query is not told. Both
 * do nothing unless in->searches. */
void llm_read_sources(struct llm_reading *in, const json_t *citations);
void llm_read_searches(struct llm_reading *in, const json_t *usage);
/* Perplexity and others, whose models search without being asked to: a list beside the choices, to which the
 * text refers by numbers ("[1][3]"). At the end of the answer the list becomes numbered links, with
 * llm_request.lists_results. */
#define LLM_RESULTS_MAX 20
void llm_read_results(struct llm_reading *in, const json_t *obj);
void llm_emit_results(struct llm_reading *in);

/* ---- services with differences of their own (services.c) ---- */

enum llm_service {
    LLM_SERVICE_OTHER,
    LLM_SERVICE_OPENAI,
    LLM_SERVICE_AZURE,
    LLM_SERVICE_MISTRAL,
    LLM_SERVICE_DEEPSEEK,
    LLM_SERVICE_KIMI,
    LLM_SERVICE_GEMINI,
    LLM_SERVICE_ANTHROPIC,
    LLM_SERVICE_OPENROUTER
};

enum llm_service llm_service_of(const char *base_url); /* NULL: OTHER */
struct str llm_host_of(struct str url);                /* "api.x.com" of "https://api.x.com:443/v1" */

/* ---- calls as they are sent back to a model ---- */

/* A call's arguments. Invalid ones become {}, because servers parse them and would refuse the whole
 * conversation. */
const char *llm_sendable_args(const char *args);

/* The request's messages with ids and names of calls that the provider takes (wire/call_ids.c), in the arena;
 * r->messages when there is no call. */
const struct llm_message *llm_sendable_calls(
    const struct llm_provider *p, const struct llm_request *r, struct arena *a);

/* Replaces the messages of a request to a model that wants one call in each (wire/single_calls.c). In the
 * arena. */
void llm_single_calls(struct llm_request *r, struct arena *a);
/* Replaces the messages of a request with `form.no_system` (wire/no_system.c), in the arena. */
void llm_without_system(struct llm_request *r, struct arena *a);

/* ---- failures as sentences (llm/failure) ---- */

/* A provider's answer that is an error. */
struct llm_refusal {
    const char *model;    /* that was asked */
    int status;           /* of HTTP; 0: inside a stream */
    int retry_after_s;    /* 0: none */
    const json_t *answer; /* NULL: it is not JSON */
};

/* Sets `e` for the user and `v` for the caller, and returns e->rc. */
enum rc llm_provider_error(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e);

/* The server's refusal of a request to /responses means that it has no such address: sets `e`, v->problem and
 * returns true. */
bool llm_lacks_responses(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e);

/* The same for a request to /audio/transcriptions. RC_OK: the recording is too short for speech.
 * RC_UNSUPPORTED: its format. failure_speech.c */
enum rc llm_speech_error(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e);

/* The same inside a stream, where only the object is known. */
enum rc llm_stream_error(struct llm_reading *in, const json_t *answer, struct err *e);

/* An answer in one piece, with a good status, that has no answer in it. */
enum rc llm_unanswered(struct llm_reading *in, const json_t *answer, struct err *e);

/* Reports an invalid answer of the provider and returns RC_UPSTREAM. */
enum rc llm_nonsense(const struct llm_provider *p, struct err *e);

/* Reads the window and the size of the request from the text of a refusal; 0: absent. failure_window.c */
void llm_read_window(struct str message, int64_t *window, int64_t *prompt_tokens);

/* ---- addresses and headers (request.c) ---- */

#define LLM_HEADERS_OWN  5
#define LLM_HEADERS_MORE 16 /* headers of the settings */
#define LLM_HEADERS_ROOM (LLM_HEADERS_OWN + LLM_HEADERS_MORE)

/* The address of a method. The query of the base URL stays at the end. */
const char *llm_url(struct arena *a, const char *base_url, const char *path);
#define LLM_JSON "application/json"
/* Fills the headers of a request of the kind, with a body of this media type, and returns their number. */
size_t llm_headers(const char *kind, const char *type, const struct llm_settings *s, struct arena *a,
    struct http_header *out);

/* ---- a request that is answered by one JSON object (post.c) ---- */

struct llm_post {
    const struct llm_settings *provider; /* its limits apply; copied */
    const char *path;                    /* after base_url */
    const char *type;                    /* Content-Type */
    struct str body;                     /* lives until the end */
    bool once;                           /* as in http_request: a request that costs is not sent again */
    const char *const *allowed;          /* as in http_client_new(), for llm_post_wait() */
    size_t allowed_n;
    int stop_fd; /* for llm_post_wait(): readable ends it with RC_CANCELLED; 0: none */
};

/* A complete answer, with any status. */
struct llm_answer {
    int status, retry_after_s;
    json_t *json; /* NULL: it is no JSON */
};

struct llm_post_call;

/* `answer` is NULL unless rc is RC_OK, and is valid during the call. Other failures: those of on_done in
 * http.h. */
typedef void llm_post_fn(void *arg, enum rc rc, const struct llm_answer *answer, const struct err *e);

/* Calls `done` once, on the client's loop. After a failure it is not called. */
enum rc llm_post_start(struct http_client *http, const struct llm_post *r, llm_post_fn *done, void *arg,
    struct llm_post_call **out, struct err *e);
void llm_post_cancel(struct llm_post_call *c); /* NULL is fine; no call follows */
/* The same on a loop of its own, blocking. The caller releases out->json. */
enum rc llm_post_wait(const struct llm_post *r, struct llm_answer *out, struct err *e);

/* ---- a body of multipart/form-data, RFC 7578 (multipart.c) ---- */

#define LLM_BOUNDARY_BYTES 16

struct llm_multipart {
    struct strbuf body; /* the caller releases it */
    char boundary[2 * LLM_BOUNDARY_BYTES + 1];
    char type[64]; /* Content-Type */
};

/* `content`: bytes of all values and files together, at most. */
void llm_multipart_begin(struct llm_multipart *f, size_t content, size_t parts);
/* Fields come before files, for servers that read a form as it arrives. */
void llm_multipart_field(struct llm_multipart *f, const char *name, struct str value);
/* `name`, `file` and `media_type` have no quotes. */
void llm_multipart_file(
    struct llm_multipart *f, const char *name, const char *file, const char *media_type, struct str content);
/* RC_TOO_BIG: more than the announced content. */
enum rc llm_multipart_end(struct llm_multipart *f, struct err *e);

/* ---- JSON members (fields.c) ---- */

/* Absent and mistyped members are "" or the fallback. */
struct str llm_json_str(const json_t *obj, const char *key);
int64_t llm_json_int(const json_t *obj, const char *key, int64_t fallback);
/* A count of tokens. A negative one counts as missing. The limit keeps sums from overflowing. */
#define LLM_TOKENS_MAX INT64_C(1000000000)
int64_t llm_json_tokens(const json_t *obj, const char *key, int64_t fallback);
/* Appends ",\"temperature\":0.7", at most `most` (in hundredths); nothing when the request sets none. */
void llm_add_temperature(struct strbuf *out, const struct llm_request *r, int most);
/* Appends ",\"top_p\":0.95"; nothing when the request sets none. */
void llm_add_top_p(struct strbuf *out, const struct llm_request *r);
/* Appends ",\"KEY\":[...]" with the texts at which the answer ends; nothing without any. */
void llm_add_stops(struct strbuf *out, const char *key, const struct llm_request *r);
/* Appends the members of a format with a schema: name, description, strict, schema. */
void llm_add_schema(struct strbuf *out, const struct llm_params *p);
void llm_add_member(struct strbuf *out, const char *key, struct str value); /* "key":"value" */
void llm_add_data_url(struct strbuf *out, const struct llm_picture *p);     /* as a JSON string (RFC 2397) */

#endif
