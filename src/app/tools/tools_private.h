/* Shared by the files of the tools. */
#ifndef ALFRED_APP_TOOLS_TOOLS_PRIVATE_H
#define ALFRED_APP_TOOLS_TOOLS_PRIVATE_H

#include "app/suggestion/suggestion.h"
#include "app/tools/explicit_request.h"
#include "app/tools/tools.h"
#include "codec/json/json.h"
#include "codec/view.h"
#include "store/message/message.h"
#include "store/session/session.h"

/* `args` matches the tool's schema. The text of `e` is for the model. */
typedef enum rc tool_fn(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e);

enum tool_effect {
    TOOL_CHANGES,
    TOOL_SHOWS, /* changes nothing but the session's focus */
    TOOL_READS  /* changes nothing: may run in parallel */
};

struct tool {
    struct llm_tool offer; /* for the model; its schema also checks the arguments (codec/json/schema.h) */
    struct tool_look look;
    tool_fn *run;
    bool untrusted; /* its result may contain text that the user did not write and has not approved */
    enum tool_effect effect;
};

/* The tools of a file; tools.c lists the groups. */
struct tool_group {
    const struct tool *tools;
    size_t n;
    unsigned set; /* enum tool_set: a persona that lacks one of them does not have the group */
};
extern const struct tool_group tools_files, tools_pages, tools_web_search, tools_this_session, tools_context;
extern const struct tool_group tools_find_sessions, tools_memory, tools_tasks, tools_reminders, tools_drawing;
extern const struct tool_group tools_python;

static inline const struct lang *tool_lang(const struct tool_context *c)
{
    return c->lang ? c->lang : lang_english();
}

/* The messages of a session that a tool may use: those of the current path, not of other branches. */
struct tool_path {
    struct session session;
    struct message *messages; /* oldest first; in this session those before the question of the turn */
    size_t n;
    int64_t end_id; /* id of the last one; 0: none */
};

/* The session of the argument "session", else the turn's own. RC_NOT_FOUND with a sentence. */
enum rc tool_path_read(
    const struct tool_context *c, const json_t *args, struct arena *a, struct tool_path *out, struct err *e);
/* The messages [first, end) of "from" and "to" (places from 1 on, or ids) or "last". Without these
 * arguments all messages, and `given` is false. RC_NOT_FOUND and RC_BAD_INPUT with a sentence. */
enum rc tool_path_range(
    const struct tool_path *p, const json_t *args, size_t *first, size_t *end, bool *given, struct err *e);

/* The message of an id or place on the path; SIZE_MAX: none. */
size_t tool_path_place(const struct tool_path *p, struct str text);

/* Stores a picture that the user sees above the next words of the model (tool_pictures.c). `alt`: what it
 * shows. Fails like picture_store(). RC_TOO_BIG, with a sentence: the call has PICTURES_PER_MESSAGE. */
enum rc tool_picture_keep(
    const struct tool_context *c, struct str data, struct str alt, const struct picture **out, struct err *e);

#define TOOL_RUN_PYTHON "run_python"

/* A file of the conversation or of its workspace. */
struct tool_file {
    struct str name, content;
};
#define TOOL_FILES_PICTURES      8
#define TOOL_FILES_PICTURE_BYTES (INT64_C(8) * 1024 * 1024) /* of all of them */
/* All files of this session: those of the newest messages first, then those of the workspace, then the newest
 * pictures, as picture-1.png, picture-2.jpeg and so on, the newest first. */
enum rc tool_files(
    const struct tool_context *c, struct arena *a, struct tool_file **out, size_t *n, struct err *e);

/* ---- finding a text (tool_needle.c) ---- */

#define TOOL_QUERY_CHARS_MAX 200

struct tool_needle {
    uint32_t cp[TOOL_QUERY_CHARS_MAX];
    size_t n;
};
void tool_needle_make(struct str query, struct tool_needle *q);
/* The first match at or after `*at`. `*at` moves to it. */
bool tool_needle_find(struct str text, const struct tool_needle *q, size_t *at, size_t *bytes);
size_t tool_needle_count(struct str text, const struct tool_needle *q);
/* The match with some text on both sides. */
const char *tool_excerpt(struct arena *a, struct str text, size_t at, size_t bytes);

/* ---- writing (tool_writes.c) ---- */

/* The explicit requests of the user's message. None without a message, and none after a result of this
 * turn had untrusted text. */
enum rc tool_request(
    const struct tool_context *c, struct arena *a, struct explicit_request *out, struct err *e);
/* A new suggestion of this turn, to be filled in. `kind` is a constant. */
struct suggestion tool_suggestion(const struct tool_context *c, const char *kind);
/* suggestion_put() in a transaction of its own: makes a change that the user has asked for, and suggests
 * another. */
enum rc tool_do_or_suggest(
    const struct tool_context *c, struct arena *a, struct suggestion *s, bool asked_for, struct err *e);
/* Suggests the change in any case. */
enum rc tool_suggest(const struct tool_context *c, struct arena *a, struct suggestion *s, struct err *e);
/* Tells the model that `s` waits for the user's decision. */
void tool_say_waits(struct view *result, const struct suggestion *s);
/* True for a result with that. */
bool tool_waits(struct str result);

/* A call of a connected tool (tools_connected.c). `args`: an object. Failures as those of a tool_fn. */
enum rc tool_run_connected(const struct tool_context *c, const struct connected_tool *t, const json_t *args,
    struct arena *a, struct view *result, struct err *e);
/* The member of a result with the `from` of a connected tool. Results of imported conversations do not have
 * it. */
#define TOOL_FROM "connected_tool"
/* The `from` of the connected tool that a result is of; "": it is of another. */
const char *tool_from(struct arena *a, struct str result);

/* True when `result` is one of web_search and has this address, a normal form (codec/web_address.h). */
bool tool_search_has(struct arena *a, const char *tool, struct str result, const char *address);

/* The address of a message on Alfred's pages. `session`: its public id. */
const char *tool_message_url(struct arena *a, const char *session, int64_t id);

#define TOOL_LIST_MAX  ((size_t)24 * 1024) /* bytes of the entries of a list, as JSON */
#define TOOL_PLACE_MAX ((size_t)300)       /* bytes of a message in a list besides its text, as JSON */

/* The share of `most` bytes that a smaller result (c->room) leaves. */
static inline size_t tool_part(const struct tool_context *c, size_t most)
{
    return c->room && c->room < TOOL_RESULT_MAX ? most * c->room / TOOL_RESULT_MAX : most;
}

/* The exact time with the offset of the zone: "2026-03-01T17:00:00+01:00". */
const char *tool_local_time(struct arena *a, const struct time_zone *zone, int64_t at);
/* Adds an entry (view_new()) to a list, and takes its bytes as JSON from `room`. False: it does not fit. */
bool tool_list_add(struct view *list, struct view *entry, size_t *room);

/* A number as string constant, so that schemas contain the limits that the code checks. One of 2,000 or more
 * is left out: llama.cpp cannot make a grammar of it and refuses the whole request. */
#define TOOL_NUMBER(n)  TOOL_NUMBER_(n)
#define TOOL_NUMBER_(n) #n

#define TOOL_OBJECT(properties, required)                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]," \
    "\"additionalProperties\":false}"

/* Brings arguments into the form of the tool's schema where their meaning is certain (tool_args.c). */
void tool_args_put_right(const json_t *schema, json_t *args);

/* Reads an optional argument: `*out` keeps its value when it is absent. */
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
