/*
 * The body of POST /v1/chat/completions. Parameters that Alfred does not know, and values of known ones that
 * it cannot honour, are refused and named; docs/api.md lists those that are ignored.
 */
#ifndef ALFRED_WEB_STREAM_COMPLETIONS_REQUEST_H
#define ALFRED_WEB_STREAM_COMPLETIONS_REQUEST_H

#include "base/err.h"
#include "llm/llm.h"
#include "store/message/picture.h"

#define COMPLETION_MESSAGES_MAX 2000
#define COMPLETION_PREFIX_MAX   ((size_t)512 * 1024) /* bytes; the answer has the other half of its limit */
#define COMPLETION_TOOLS_MAX    128
#define COMPLETION_KEY_MAX      64 /* bytes of a session's name */
#define COMPLETION_STOPS_MAX    16
#define COMPLETION_VALUES_MAX   100000 /* of JSON, in the whole body */

struct completion_request {
    const char *model;
    struct llm_message *messages; /* at most one of the system, which is first */
    size_t messages_n;
    const struct picture *
        *stored;       /* of messages[i]: its pictures with their ids; NULL: none, or not stored yet */
    struct str prefix; /* the beginning of the answer, the last message of the request; empty: none */
    struct llm_tool *tools;
    size_t tools_n;
    bool no_calls;
    struct llm_params params;
    bool stream, include_usage;
    bool sets_temperature;
    int temperature; /* hundredths */
    int64_t answer_tokens;
    const char *effort;  /* as in llm_effort(); NULL: not set */
    const char *session; /* metadata.session_id; NULL: not set */
};

/* RC_BAD_INPUT with a sentence; `param` is the parameter that it is about, or NULL. */
enum rc completion_parse(
    struct arena *a, struct str body, struct completion_request *out, const char **param, struct err *e);

#endif
