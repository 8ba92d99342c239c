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

/* tools_memory.c. A memory is {"id","text","tags","created","expires"}. */
tool_fn tool_remember;        /* {"known_before","memory"} */
tool_fn tool_search_memories; /* {"memories"} */
tool_fn tool_update_memory;   /* {"memory"} */
tool_fn tool_forget;          /* {"status","note","memory"}: only asks the user */

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

#define TOOL_REMEMBER_SCHEMA                                                                       \
    "{\"type\":\"object\",\"properties\":{" TOOL_MEMORY_TEXT "," TOOL_MEMORY_TAGS                  \
    ",\"permanent\":{\"type\":\"boolean\",\"description\":\"Kept for good; else for 90 days.\"}}," \
    "\"required\":[\"text\"],\"additionalProperties\":false}"
#define TOOL_SEARCH_MEMORIES_SCHEMA                                                           \
    "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\",\"maxLength\":500}," \
    "\"top_k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":20}},"                         \
    "\"required\":[\"query\"],\"additionalProperties\":false}"
#define TOOL_UPDATE_MEMORY_SCHEMA                                                                         \
    "{\"type\":\"object\",\"properties\":{" TOOL_MEMORY_ID "," TOOL_MEMORY_TEXT "," TOOL_MEMORY_TAGS "}," \
    "\"required\":[\"id\"],\"additionalProperties\":false}"
#define TOOL_FORGET_SCHEMA                                                            \
    "{\"type\":\"object\",\"properties\":{" TOOL_MEMORY_ID "},\"required\":[\"id\"]," \
    "\"additionalProperties\":false}"

#define TOOL_MEMORY_ID   "\"id\":{\"type\":\"string\",\"description\":\"The id of a memory.\"}"
#define TOOL_MEMORY_TEXT "\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1000}"
#define TOOL_MEMORY_TAGS \
    "\"tags\":{\"type\":\"array\",\"maxItems\":8,\"items\":{\"type\":\"string\",\"maxLength\":32}}"

#endif
