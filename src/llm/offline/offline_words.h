/*
 * Shared by the rules of the offline model: reads sentences, finds the tool of a result, and writes the next
 * call or answer.
 */
#ifndef ALFRED_LLM_OFFLINE_OFFLINE_WORDS_H
#define ALFRED_LLM_OFFLINE_OFFLINE_WORDS_H

#include "base/lang.h"
#include "codec/json/json.h"
#include "llm/llm.h"

#define OFFLINE_SUBJECT_CHARS_MAX 500 /* a longer subject is not a single thing to store or search */

/* A rule file turns a request into a call (`*tool`, a constant, and `args`) or an `answer` (`*tool` stays
 * NULL). */
struct offline_step {
    const char **tool;
    struct strbuf *args, *answer;
    const struct lang *lang;      /* of the answer */
    int64_t now;                  /* the moment; the request's now_ms is what the user's clock shows */
    const struct time_zone *zone; /* the user's; NULL: the server's */
};

/* ---- sentences ---- */

/* The author's own words (codec/words/quoted_reply.h) without polite words ("Alfred, please ...") and final
 * punctuation. */
struct str offline_bare(struct str s);
/* True when `s` begins with (or ends in) these words, ignoring case; returns the trimmed rest. */
bool offline_begins(struct str s, const char *with, struct str *rest);
bool offline_ends(struct str s, const char *with, struct str *rest);

/* ---- the request ---- */

/* The request offers this tool. */
bool offline_offers(const struct llm_request *r, const char *tool);
/* The user's newest message; NULL: none. */
const struct llm_message *offline_question(const struct llm_request *r);
/* Its text. */
struct str offline_asked(const struct llm_request *r);
/* The tool of the last call in this conversation; "": none. */
const char *offline_last_tool(const struct llm_request *r);
/* The tool whose result is the last message; "": none. */
const char *offline_result_tool(const struct llm_request *r);
/* That result as JSON, which the caller owns; NULL: it is not JSON. */
json_t *offline_result_json(const struct llm_request *r);
/* The number of results since the user's message. */
size_t offline_results_count(const struct llm_request *r);

/* ---- next step ---- */

/* True when the tool's result says that it waits for the user's decision. */
bool offline_waits(const json_t *result);

void offline_call(struct offline_step *out, const char *tool, const char *key, struct str value);

/* Appends a text of the catalogue. */
void offline_say(struct offline_step *out, const char *key);
/* The same with an argument, which is plain text. */
void offline_say_with(struct offline_step *out, const char *key, const char *name, struct str value);
/* The day of a tool's result in words, as the pages write it: "Friday, 20 November", with the year unless it
 * is this one. Of a moment ("2026-11-20T13:46:01Z") the day in the user's zone. Any other text stays. */
const char *offline_day_words(const struct offline_step *out, struct arena *a, struct str date);
/* "That did not work", and the reason that the tool gives. */
void offline_say_failed(struct offline_step *out, struct str problem);
/* The text of a suggestion or an entry, as a quote. */
void offline_quote(struct offline_step *out, struct str text);

#endif
