/* What the tools' files share; nobody outside includes this. */
#ifndef ALFRED_APP_TOOLS_TOOLS_PRIVATE_H
#define ALFRED_APP_TOOLS_TOOLS_PRIVATE_H

#include "app/suggestion/suggestion.h"
#include "app/tools/explicit_request.h"
#include "app/tools/tools.h"
#include "codec/json.h"
#include "codec/view.h"
#include "store/message.h"
#include "store/session.h"

/* `args` fits the tool's schema. What `e` says is for the model. */
typedef enum rc tool_fn(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e);

struct tool {
    struct llm_tool
        offer; /* what the model is told; the arguments are checked by its schema (codec/schema.h) */
    struct tool_look look;
    tool_fn *run;
    bool untrusted; /* its result may hold text that the user did not write and has not approved */
};

/* A file's tools; tools.c has the list of the groups. */
struct tool_group {
    const struct tool *tools;
    size_t n;
};
extern const struct tool_group tools_session, tools_context;
extern const struct tool_group tools_sessions, tools_memory, tools_tasks;

/* The messages of a session that a tool may speak of: on the present path, not on other branches. */
struct tool_path {
    struct session session;
    struct message *messages; /* oldest first; in this session those before the question of the turn */
    size_t n;
    int64_t end_id; /* the last one's id, 0: none */
};

/* By the argument "session", else the turn's own. RC_NOT_FOUND with a sentence. */
enum rc tool_path_read(
    const struct tool_context *c, const json_t *args, struct arena *a, struct tool_path *out, struct err *e);
/* The messages [first, end) that "from" and "to" (places from 1 on, or ids) or "last" name; all when none is
 * there, and then not `given`. RC_NOT_FOUND and RC_BAD_INPUT with a sentence. */
enum rc tool_path_range(
    const struct tool_path *p, const json_t *args, size_t *first, size_t *end, bool *given, struct err *e);

/* ---- writing (tool_writes.c) ---- */

/* What the user's message asks for in so many words; nothing without a message, and nothing once a result of
 * this turn had untrusted text. */
enum rc tool_request(
    const struct tool_context *c, struct arena *a, struct explicit_request *out, struct err *e);
/* A suggestion of this turn, to be completed. `kind` is a constant. */
struct suggestion tool_suggestion(const struct tool_context *c, const char *kind);
/* suggestion_put() in a transaction of its own. */
enum rc tool_suggest(
    const struct tool_context *c, struct arena *a, struct suggestion *s, bool at_once, struct err *e);
/* Tells the model that `s` waits for the user's decision. */
void tool_say_waits(struct view *result, const struct suggestion *s);

const char *tool_message_url(struct arena *a, const struct session *s, int64_t id);

/* Of what a result may have at most, the part that a smaller room (c->room) leaves. */
static inline size_t tool_part(const struct tool_context *c, size_t most)
{
    return c->room && c->room < TOOL_RESULT_MAX ? most * c->room / TOOL_RESULT_MAX : most;
}

size_t tool_json_size(struct str text); /* bytes, as a JSON string with its quotes */
/* How many bytes of `text` fit into `room` bytes as a JSON string, cut between characters. */
size_t tool_fit(struct str text, size_t room);

/* A constant as the text of its digits, so that schemas have the limits of the code that they lead to. */
#define TOOL_NUMBER(n)  TOOL_NUMBER_(n)
#define TOOL_NUMBER_(n) #n

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
