/* What the tools' files share; nobody outside includes this. */
#ifndef ALFRED_APP_TOOLS_PRIVATE_H
#define ALFRED_APP_TOOLS_PRIVATE_H

#include "app/tools.h"
#include "codec/json.h"
#include "codec/view.h"

/* `args` is an object with no other names than the table says. What `e` says is for the model. */
typedef enum rc tool_fn(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e);

/* {"sessions":[{"id","title","date","url","messages":[{"id","role","date","text","url","match"}]}]} */
tool_fn tool_search_sessions;

#define TOOL_SEARCH_SCHEMA                                                                               \
    "{\"type\":\"object\",\"properties\":{"                                                              \
    "\"query\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":500,"                                  \
    "\"description\":\"What to look for: names and words that were likely used.\"},"                     \
    "\"after\":{\"type\":\"string\",\"description\":\"Only from this day on, YYYY-MM-DD.\"},"            \
    "\"before\":{\"type\":\"string\",\"description\":\"Only before this day, YYYY-MM-DD.\"},"            \
    "\"top_k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,\"description\":\"Sessions; 5 if not " \
    "given.\"},"                                                                                         \
    "\"messages_per_session\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5,"                        \
    "\"description\":\"Quotes of each; 3 if not given.\"}},"                                             \
    "\"required\":[\"query\"],\"additionalProperties\":false}"

#endif
