/*
 * Language models behind one interface: a neutral request and one stream of events for every provider.
 *
 * A provider is one row of the operations table (llm_ops) plus its settings. `openai` uses /chat/completions
 * or /responses, `anthropic` uses /v1/messages, `offline` answers by rule in this process.
 *
 * Retries: after HTTP 429, 5xx and connection failures a request is sent again, LLM_TRIES times in total, but
 * not after its first event. Retry-After is respected; a wait over LLM_RETRY_WAIT_MAX_S is a failure at once.
 * A server that is loading its model is retried for LLM_LOADING_MS. Every failure class has its own sentence
 * (struct err, for_user).
 */
#ifndef ALFRED_LLM_LLM_H
#define ALFRED_LLM_LLM_H

#include "base/strbuf.h"
#include "base/time_zone.h"
#include "net/http.h"

#define LLM_TRIES            3
#define LLM_RETRY_WAIT_MAX_S 60 /* providers limit requests per minute */
#define LLM_LOADING_MS       120000
#define LLM_LINE_MAX         (1024 * 1024) /* one SSE event of a provider */
#define LLM_TOOL_ARGS_MAX    (64 * 1024)
#define LLM_NAME_MAX         64
/* Limits for requests that have none, because Anthropic's API requires one. Every model since 2024 takes the
 * first one. Thinking counts as a part of the answer. */
#define LLM_ANTHROPIC_MAX_TOKENS          8192
#define LLM_ANTHROPIC_THINKING_MAX_TOKENS 32768

enum llm_role { LLM_SYSTEM, LLM_USER, LLM_ASSISTANT, LLM_TOOL };

struct llm_tool_call {
    const char *id, *name, *args; /* args: a compact JSON object, or text that is not JSON */
};

struct llm_picture {
    const char *media_type; /* "image/png", "image/jpeg", "image/gif" or "image/webp" */
    struct str base64;
    const char *id;    /* the caller's; not sent */
    int width, height; /* in pixels; not sent */
};

struct llm_message {
    enum llm_role role;
    struct str text;
    const struct llm_picture *pictures; /* of a user's message; they come before the text */
    size_t pictures_n;
    struct str aside; /* data for this request only; comes behind the text, so that the text stays the same
                         bytes in the requests that follow (prompt caches). .len 0: none */
    size_t earlier;   /* bytes at the beginning of a user's text: earlier questions without an answer */
    const struct llm_tool_call *calls; /* calls of an assistant message */
    size_t calls_n;
    struct str opaque; /* for an assistant message: blocks that the provider wants back (LLM_OPAQUE); only for
                          the provider and the model that sent them */
    const char *call_id; /* for a tool message: the call that it answers */
};

struct llm_tool {
    const char *name, *description;
    const char *schema; /* JSON Schema of the arguments, as text */
};

enum llm_format { LLM_FORMAT_TEXT, LLM_FORMAT_JSON, LLM_FORMAT_SCHEMA };

/* Parameters of programs (/v1), in the words of OpenAI's API. All zero: none. */
struct llm_params {
    bool must_call;                               /* tool_choice "required": the answer must call a tool */
    const char *named_tool;                       /* with must_call: this tool; NULL: any */
    enum llm_format format;                       /* response_format */
    const char *format_name, *format_description; /* with SCHEMA; description NULL: none */
    const char *format_schema;                    /* with SCHEMA: JSON Schema, as text */
    const char *format_strict;                    /* with SCHEMA: "true", "false"; NULL: not set */
    const char *const *stops;                     /* texts at which the answer ends; not in the answer */
    size_t stops_n;
    bool sets_top_p;
    int top_p; /* with sets_top_p: in thousandths */
};

/* The form of a request whose last message is the beginning of its answer (prefill.c). */
enum llm_prefill {
    LLM_PREFILL_NONE,    /* the model does not go on with it */
    LLM_PREFILL_PLAIN,   /* as the last message */
    LLM_PREFILL_MEMBERS, /* with vLLM's members */
    LLM_PREFILL_PREFIX   /* with Mistral's member of the message */
};

/* Where a request differs from the usual one, because the server refuses that. */
struct llm_form {
    bool whole;       /* the answer in one piece, not as a stream */
    bool other_limit; /* max_tokens by the other one of its two names */
    bool no_usage;    /* the usage of a stream is not requested */
    bool no_system;   /* without a system message: its text begins the first question */
    bool no_null;     /* a message without a text has an empty one */
    bool no_search;   /* without the provider's web search */
};

struct llm_request {
    const char *model;
    const struct llm_message *messages; /* a system message, if any, is first */
    size_t messages_n;
    const struct llm_tool *tools;
    size_t tools_n;
    const struct time_zone *zone; /* the user's, for the offline model; NULL: the server's */
    const char *zone_name;        /* with zone */
    const struct lang *lang;      /* of the offline model's own sentences; NULL: English */
    bool web_off;                 /* for the offline model: only a setting of the user denies read_page */
    int max_tokens;               /* of the answer; 0: the provider's default */
    bool sets_temperature;
    int temperature;      /* with sets_temperature: in hundredths */
    bool responses;       /* openai: through /responses */
    bool reasons;         /* with responses: the model reasons; other models refuse to include it */
    bool progress;        /* the server reports its progress with the prompt (llama.cpp) */
    bool sends_reasoning; /* openai: every earlier answer goes back with its reasoning or a placeholder */
    struct llm_form form; /* openai */
    bool no_calls;        /* the answer must be text; `tools` are those of earlier calls */
    bool web_search;      /* the model may use the provider's own web search (services.c) */
    bool lists_results;   /* openai: what the model has searched by itself becomes links at the text's end */
    struct llm_params params;
    const char *effort;       /* of reasoning: as in llm_effort() (models.h), sent as the nearest one that the
                                 model has; NULL: the provider's default */
    enum llm_prefill prefill; /* NONE: the last message is not the beginning of the answer */
    int64_t now_ms;           /* wall clock, for the offline model */
};

enum llm_event_kind {
    LLM_TEXT,
    LLM_REASONING,
    LLM_CALL,
    LLM_SEARCH,
    LLM_READING,
    LLM_OPAQUE,
    LLM_USAGE,
    LLM_RETRY,
    LLM_END,
    LLM_ERROR
};

enum llm_stop {
    LLM_STOP_DONE,
    LLM_STOP_TOOLS,
    LLM_STOP_LENGTH,   /* the limit of an answer; some servers also report it for a full window */
    LLM_STOP_WINDOW,   /* the model's window is full */
    LLM_STOP_REFUSED,  /* the model, or the provider's classifiers, declined */
    LLM_STOP_FILTERED, /* the provider's content filter cut the answer */
    LLM_STOP_PAUSED    /* the provider continues when the request is repeated with this answer at its end */
};

/* Failures that the caller can adapt to. */
enum llm_problem {
    LLM_PROBLEM_OTHER,
    LLM_PROBLEM_TOO_LONG,       /* the request does not fit the model's window */
    LLM_PROBLEM_NO_TOOLS,       /* the model, or its server's configuration, does not support tools */
    LLM_PROBLEM_TOOL_SCHEMA,    /* the server does not take the name or the schema of a tool, or so many */
    LLM_PROBLEM_NO_PICTURES,    /* the model, or its server's configuration, does not support pictures */
    LLM_PROBLEM_MANY_PICTURES,  /* it supports fewer in one request */
    LLM_PROBLEM_NO_EFFORT,      /* the model takes no effort of reasoning, or not with the tools */
    LLM_PROBLEM_NO_TEMPERATURE, /* the model takes no temperature */
    LLM_PROBLEM_TEMPERATURE,    /* the model does not take this one */
    LLM_PROBLEM_NO_TOP_P,       /* the model takes no top_p, or not this one */
    LLM_PROBLEM_NO_REASONING,   /* the server wants the reasoning of earlier answers back */
    LLM_PROBLEM_LENGTH,         /* the limit of an answer is larger than the model's, or than the credit */
    LLM_PROBLEM_THINKING,       /* the server refuses LLM_OPAQUE of an earlier answer */
    LLM_PROBLEM_NO_STREAM,      /* the answer comes in one piece only */
    LLM_PROBLEM_LIMIT_NAME,     /* the limit of an answer has the other name there */
    LLM_PROBLEM_NO_USAGE,       /* the server does not take a request for the usage of a stream */
    LLM_PROBLEM_NO_SYSTEM,      /* the model takes no system message */
    LLM_PROBLEM_NO_NULL,        /* the server takes no null as the content of a message */
    LLM_PROBLEM_NO_SEARCH,      /* the model, or the account, has no web search */
    LLM_PROBLEM_NO_PREFILL,     /* the model does not go on with the beginning of an answer */
    LLM_PROBLEM_RESPONSES,      /* the model takes this request through /responses only */
    LLM_PROBLEM_NO_RESPONSES,   /* the server has no /responses */
    LLM_PROBLEM_NO_MODEL,       /* the provider does not have the model */
    LLM_PROBLEM_LOADING,        /* with RETRY: the model is loading */
    LLM_PROBLEM_BUSY            /* the provider is overloaded, or we sent too many requests */
};

/* As the provider counts. */
struct llm_tokens {
    int64_t in, out;
    int64_t cached;    /* of `in`: read from the provider's cache; 0: none, or not reported */
    int64_t reasoning; /* of `out`: thinking; 0: none, or not reported */
};

struct llm_event {
    enum llm_event_kind kind;
    struct str text; /* TEXT, REASONING: valid UTF-8, never cut inside a code point. SEARCH: the query
                        of a web search that the provider runs, or an address that it opens; the rest
                        of the answer may contain what it found. OPAQUE: JSON in the provider's own
                        form, before the end of an answer */
    struct llm_tool_call call;     /* CALL: complete; args are not validated */
    struct llm_tokens tokens;      /* USAGE */
    int percent;                   /* READING: of the prompt, without its cached part; grows */
    enum llm_stop stop;            /* END */
    int wait_ms;                   /* RETRY: wait before the next attempt */
    enum llm_problem problem;      /* RETRY, ERROR */
    int64_t window, prompt_tokens; /* TOO_LONG: in the provider's count; 0: not reported */
    int64_t limit;         /* LENGTH: tokens of an answer that the credit is enough for; 0: not reported */
    const struct err *err; /* ERROR: RC_RATE_LIMITED, RC_UNAVAILABLE, RC_TIMEOUT, RC_UPSTREAM, RC_FORBIDDEN
                              (key), RC_TOO_BIG, RC_BAD_INPUT */
};

/* On the loop's thread. END or ERROR comes exactly once and last. The event's pointers are valid during
 * the call. */
typedef void llm_event_fn(void *arg, const struct llm_event *ev);

struct llm_settings {
    char name[LLM_NAME_MAX]; /* its label; all sentences name it so */
    /* In the form of llm_base_url() (models.h): ends before /chat/completions or /v1/messages. A query
     * (?api-version=...) is appended to every address. */
    const char *base_url;
    const char *key;                   /* secret; NULL for none */
    const char *key_header;            /* "api-key"; NULL: the default of the kind */
    const struct http_header *headers; /* further ones for every request; values may be secret */
    size_t headers_n;
    const char *body;            /* a JSON object whose members are added to chat requests; NULL: none */
    const char *ca_file, *proxy; /* as in http.h */
    struct http_limits limits;
};

struct llm_provider;
struct llm_call;

struct llm_ops {
    const char *kind; /* "openai", "anthropic", "offline" */
    enum rc (*start)(
        struct llm_provider *p, const struct llm_request *r, struct llm_call *call, struct err *e);
    void (*cancel)(struct llm_call *call);
};

/* The parameter of `p` that requests to the kind cannot have: "tool_choice", "response_format", "stop". NULL:
 * none. `responses`: through /responses. */
const char *llm_lacking_param(const char *kind, bool responses, const struct llm_params *p);

/* Changes the form after a refusal. `known` is the form of the first request: of the two names of the limit,
 * each is tried once. False: it is so already, or the problem is none of those of a form. */
bool llm_form_adapt(struct llm_form *f, const struct llm_form *known, enum llm_problem problem);

/* `kind` as above; RC_BAD_INPUT: unknown. Copies address and key. headers, body, ca_file and proxy must
 * outlive the provider. The client may be NULL for offline. */
enum rc llm_provider_new(const char *kind, const struct llm_settings *s, struct loop *l,
    struct http_client *c, struct llm_provider **out, struct err *e);
void llm_provider_free(struct llm_provider *p); /* after its calls; NULL is fine */
DEFINE_AUTO(llm_provider);

/* The request may be freed after the return. After a failure no event comes. */
enum rc llm_start(struct llm_provider *p, const struct llm_request *r, llm_event_fn *fn, void *arg,
    struct llm_call **out, struct err *e);
/* Frees the call, running or ended, and closes the provider's connection. No event follows. NULL is fine.
 * May be called from inside fn. Every started call must be freed with it. */
void llm_call_free(struct llm_call *call);

#endif
