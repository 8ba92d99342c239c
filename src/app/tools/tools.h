/*
 * The tools that a model may call, in one const table per file (tools_private.h). A tool runs on a worker
 * thread, only with the rights of the turn's owner, and only after its arguments match its schema. Its result
 * is JSON text that becomes a tool message.
 */
#ifndef ALFRED_APP_TOOLS_TOOLS_H
#define ALFRED_APP_TOOLS_TOOLS_H

#include "llm/llm.h"
#include "store/message/picture.h"
#include "store/store.h"

#define TOOL_RESULT_MAX   ((size_t)32 * 1024)
#define TOOLS_OFFERED_MAX ((size_t)128) /* in a request; OpenAI refuses more */

struct config;
struct connected_tool;
struct connected_tools;
struct drawing;
struct providers;
struct python_run;
struct remote_call;
struct web_fetch;

/* Pictures that a call has stored, for the message after its step. All zero: none. */
struct tool_pictures {
    struct picture list[PICTURES_PER_MESSAGE];
    size_t n;
    struct arena *arena; /* of the list; NULL: empty */
};
/* A copy in the arena of the caller, at most `room`, returns their number; releases the original. */
size_t tool_pictures_take(struct tool_pictures *p, struct arena *a, struct picture *to, size_t room);

struct tool_context {
    struct store *store;
    const struct config *config;
    const struct providers *providers;
    int64_t owner, session_id;
    int64_t asked_id; /* the user's message that the turn answers */
    int64_t reply_id; /* the message of the model with the call; its path has earlier steps, too */
    bool untrusted;   /* a tool of an earlier step returned untrusted text */
    const struct connected_tool *untrusted_of; /* with `untrusted`: all of it came from the server of this
                                                  tool; NULL: from elsewhere, too */
    int64_t now;                               /* wall clock, ms */
    const struct time_zone *zone;              /* the user's; NULL: the server's */
    const char *zone_name;                     /* with zone */
    const struct lang *lang;                   /* of words in results; NULL: English */
    unsigned denied;                           /* enum tool_set: calls of these tools are refused */
    struct web_fetch *fetch;                   /* of this call (tool_run()); NULL: no tool can read the web */
    const struct connected_tools *connected;   /* that the model may call; NULL: none */
    struct remote_call *remote;                /* of this call; with `connected` */
    struct permission *permission;             /* of this call; with `connected` */
    struct drawing *drawing;                   /* of this call; NULL: no tool can draw */
    struct python_run *python;                 /* of this call; NULL: no tool can run code */
    struct tool_pictures *pictures;            /* of this call; NULL: nobody can see them */
    size_t room;                               /* largest result in bytes; 0, and at most: TOOL_RESULT_MAX */
};

/* Sets of tools that a persona can lack, as bits. */
enum tool_set {
    TOOL_SET_OTHER = 1, /* in every persona that has tools */
    TOOL_SET_MEMORY = 2,
    TOOL_SET_TASKS = 4,
    TOOL_SET_SESSIONS = 8,    /* other sessions, and this one */
    TOOL_SET_CONNECTED = 256, /* tools of MCP servers (app/mcp) */
    TOOL_SET_ALL = 15 | TOOL_SET_CONNECTED,
    TOOL_SET_CHANGES = 16, /* those of every set that change something; others leave the session's focus */
    TOOL_SET_FILES = 32,   /* read_file: offered if context_wants_files(), also in a persona without tools */
    TOOL_SET_PAGES = 64,   /* read_page; with TOOL_SET_OTHER */
    TOOL_SET_SEARCH = 128, /* a web search of Alfred's own; with TOOL_SET_OTHER */
    TOOL_SET_WEB = TOOL_SET_PAGES | TOOL_SET_SEARCH,
    TOOL_SET_DRAWING = 512, /* draw_picture; with TOOL_SET_OTHER */
    TOOL_SET_PYTHON = 1024  /* run_python; with TOOL_SET_OTHER */
};
/* "memory tasks sessions connected": the sets that a persona has; NULL: all, "": none. Returns those that it
 * lacks. RC_BAD_INPUT: an unknown word. */
enum rc tool_sets_denied(const char *words, unsigned *out, struct err *e);

/* The tools that are offered to a model with this window (tokens), in the arena: all but read_file, those for
 * the web, draw_picture and run_python, or as many groups, in the order of the table, as fit a quarter of the
 * window. */
struct llm_tool *tools_offered(struct arena *a, int64_t window, size_t *n);
struct llm_tool *tools_offered_without(struct arena *a, int64_t window, unsigned denied, size_t *n);
/* The same, and after them as many of the connected ones as fit. NULL: none. */
struct llm_tool *tools_offered_with(
    struct arena *a, int64_t window, unsigned denied, const struct connected_tools *connected, size_t *n);

/* True for a tool of Alfred's own. */
bool tool_is_own(const char *name);
/* The connected tool that a call runs; NULL: none. */
const struct connected_tool *tool_connected(const struct connected_tools *connected, const char *name);

/* The label and the icon of a call on pages. */
struct tool_look {
    const char *label; /* key of "Looked at the clock"; NULL for a name that is not in the table */
    const char *icon;  /* name in static/icons/sprite.svg */
    const char *asks;  /* the label of a call whose change waits for the user; NULL: the same */
};
struct tool_look tool_look(const char *name);
/* The subject of a call, for its label: the query of a web search, the host of a page; "": nothing, or `args`
 * (JSON; NULL: unknown) does not have it. One line, cut. In the arena. The subject of a connected tool is its
 * `from`. */
const char *tool_subject(struct arena *a, const char *name, const char *args);
/* The same when the result is known, which has the subject of a connected tool. */
const char *tool_subject_of(struct arena *a, const char *name, const char *args, struct str result);
/* The program among the arguments of a call, which is shown in lines; NULL: it has none. In the arena. */
const char *tool_code(struct arena *a, const char *name, const char *args);
/* A result as people read it: the lines that a program has printed, else the result itself. In the arena. */
struct str tool_output(struct arena *a, const char *name, struct str result);
/* The label in words, also for other names and for none (NULL). `subject`: tool_subject(); "": none. */
const char *tool_label(struct arena *a, const struct lang *l, const char *name, const char *subject);
/* True when a call of the tool may take seconds, because a server makes it. */
bool tool_takes_time(const char *name);
/* Words for a running call. `record`: the content of a TOOL record (app/turn/turnlog.h). */
const char *tool_running(struct arena *a, const struct lang *l, struct str record);
/* True for a result of tool_run() that reports an error: the call changed nothing. */
bool tool_failed(struct str result);
/* The label of a call that has run, which says so when it failed or waits for the user. `args` as above. */
const char *tool_label_of(
    struct arena *a, const struct lang *l, const char *name, const char *args, struct str result);

/* True when its result may contain text that the user did not write and has not approved: content of other
 * sessions, answers, imported messages. */
bool tool_is_untrusted(const char *name);

/* True when the tool changes nothing, so that several calls may run at the same time. */
bool tool_only_reads(const char *name);

/* The tools for the web that the owner's settings do not switch off; the others as a set. */
unsigned tool_web_denied(const struct config *c);
/* TOOL_SET_DRAWING unless the owner has named a model that draws. */
unsigned tool_drawing_denied(const struct config *c);
/* TOOL_SET_PYTHON unless the owner has named an interpreter. */
unsigned tool_python_denied(const struct config *c);

/* Runs a call and appends its result. A tool that waits (net/awaited.h) for its fetch, its call of a
 * server, its drawing or its program says so in these, and appends nothing. The caller starts that, and runs
 * the same call again when it has ended. Errors (unknown name, invalid arguments) are reported to the model
 * as {"error": "..."}; the call itself never fails. */
void tool_run(const struct tool_context *c, const struct llm_tool_call *call, struct strbuf *out);

#endif
