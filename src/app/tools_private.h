/* What the tools' files share; nobody outside includes this. */
#ifndef ALFRED_APP_TOOLS_PRIVATE_H
#define ALFRED_APP_TOOLS_PRIVATE_H

#include "app/tools.h"
#include "codec/json.h"
#include "codec/view.h"

/* `args` fits the tool's schema. What `e` says is for the model. */
typedef enum rc tool_fn(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e);

struct tool {
    struct llm_tool
        offer;         /* what the model is told; the arguments are checked by its schema (codec/schema.h) */
    const char *label; /* what the page says of a call */
    tool_fn *run;
};

/* A file's tools; tools.c has the list of the groups. */
struct tool_group {
    const struct tool *tools;
    size_t n;
};
extern const struct tool_group tools_sessions, tools_memory;

#define TOOL_OBJECT(properties, required)                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]," \
    "\"additionalProperties\":false}"

/* Arguments that may be left out: `*out` stays as it is. */
static inline void tool_arg_bool(const json_t *args, const char *key, bool *out)
{
    const json_t *v = json_object_get(args, key);
    *out = v ? json_is_true(v) : *out;
}

static inline int tool_arg_int(const json_t *args, const char *key, int otherwise)
{
    const json_t *v = json_object_get(args, key);
    return v ? (int)json_integer_value(v) : otherwise;
}

#endif
