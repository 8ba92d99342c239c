/* The refusals of providers: their members, and questions about their words. Shared by failure*.c. */
#ifndef ALFRED_LLM_FAILURE_FAILURE_PRIVATE_H
#define ALFRED_LLM_FAILURE_FAILURE_PRIVATE_H

#include "llm/internal.h"

/* The members of {"error":{"message","type","code"}}, {"error":"..."}, {"message","type"}, {"detail":"..."},
 * {"errors":[{"message"}]} and similar answers, alone or as the first of a list (Gemini). */
struct told {
    struct str message, type, code; /* type: or Gemini's status */
    int64_t number;                 /* a numeric code: an HTTP status (OpenRouter, llama.cpp, LiteLLM) */
    int64_t window, prompt_tokens;  /* llama.cpp */
    bool daily;                     /* Gemini, and OpenRouter in its sentence: a quota per day */
    int retry_after_s;              /* Gemini, OpenRouter, and others in their sentence; 0: not told */
};

/* Both are valid as long as the objects. NULL: the answer is no JSON. */
struct told told_by(const json_t *answer);
/* `reason` has the message, `answer` the rest. */
struct told told_by_both(const json_t *answer, const json_t *reason);
/* The reason where it is not the message of the answer, in a form that told_by() reads. The caller releases
 * it. NULL: none.
 * - OpenRouter: {"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"..."}}}, where
 *   `raw` is the answer of the server behind it, or a text.
 * - Mistral and servers with FastAPI: {"detail":[{"loc":["body","top_p"],"msg":"Field required"}]}. The list
 *   can also be `message`, or in it.
 * - Gemini behind gateways: {"error":{"message":"{\"error\":{\"message\":\"...\"}}"}}
 * - MiMo: {"error":{"message":"Param Incorrect","param":"The reasoning_content must be passed back."}} */
json_t *told_reason(const json_t *answer);

bool contains_nocase(struct str s, const char *word);
/* True when type, code or message has one of the words; case does not matter. */
bool told_mentions(const struct told *t, const char *const *words, size_t n);
#define MENTIONS(t, ...)                                   \
    told_mentions((t), (const char *const[]){__VA_ARGS__}, \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* The subject of a refusal. Most are known by the words of their message only. */
bool told_is_too_long(const struct told *t);  /* the request is longer than the model reads */
bool told_is_over_rate(const struct told *t); /* longer than the account may send in a minute */
bool told_is_without_tools(const struct told *t);
bool told_is_about_tool_schema(const struct told *t); /* the name or schema of a tool, or too many of them */
bool told_is_without_pictures(const struct told *t);
bool told_is_many_pictures(const struct told *t);
bool told_is_without_search(const struct told *t);
bool told_is_without_effort(const struct told *t);
bool told_is_about_temperature(const struct told *t); /* any refusal of it */
bool told_is_without_temperature(const struct told *t);
bool told_is_about_top_p(const struct told *t);
bool told_is_without_reasoning(const struct told *t); /* the reasoning of earlier answers is missing */
/* Blocks of thinking that the provider sent do not fit. */
bool told_is_foreign_thinking(const struct told *t);
bool told_is_without_stream(const struct told *t);   /* the answer comes in one piece only */
bool told_is_about_limit_name(const struct told *t); /* max_tokens, or max_completion_tokens */
bool told_is_without_usage(const struct told *t);    /* the server has no stream_options */
bool told_is_without_null(const struct told *t);     /* a message must have a text */
bool told_is_without_system(const struct told *t);   /* the model takes no system message */
bool told_is_wrong_key(const struct told *t);
bool told_is_too_long_answer(const struct told *t); /* the limit of an answer */
bool told_is_for_responses(const struct told *t);
bool told_is_without_prefill(const struct told *t);
bool told_is_loading(const struct told *t);
bool told_is_out_of_credit(const struct told *t);
bool told_is_flagged(const struct told *t);    /* by a classifier, for what the user wrote */
bool told_is_bad_call(const struct told *t);   /* the model wrote a call of a tool that nobody can read */
bool told_is_of_account(const struct told *t); /* a setting of the account keeps the model away */
bool told_is_of_day(const struct told *t);     /* a quota per day */
bool told_is_no_model(const struct told *t, const char *model); /* of a refusal with 404 */
bool told_is_absent_model(const struct told *t);                /* of another one */
/* A wrong address has no model in its refusal; LM Studio answers it with 200. failure.c */
bool told_is_unknown_address(const struct told *t, int status, const char *model);
/* The tokens of an answer that the credit is enough for; 0: not told. */
int64_t told_affordable(const struct told *t);

/* The text behind the phrase, in any case; "": it has none. failure_window.c */
struct str told_after(struct str text, const char *phrase);

/* The first number after the phrase, in any case, at most a few words behind it, unless a sentence ends
 * between them; 0: none, or below `least`. failure_window.c */
int64_t told_number_after(struct str text, const char *phrase, int64_t least);

#endif
