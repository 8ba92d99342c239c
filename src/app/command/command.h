/*
 * Commands: lines that begin with "/word". A slash alone is /help. The composer, Telegram, the terminal and
 * the documentation use one table. A command calls functions of app/ for one user, in one language. Its reply
 * has Markdown, buttons, and changes of the caller's state such as another session.
 *
 * A button carries a command line, too, so that every channel offers the same actions. Hidden commands are
 * for buttons only ("/decide 17 keep").
 */
#ifndef ALFRED_APP_COMMAND_COMMAND_H
#define ALFRED_APP_COMMAND_COMMAND_H

#include "app/models/providers.h"
#include "base/time_zone.h"
#include "store/store.h"

#define COMMAND_WORD_MAX        32   /* bytes of the word without "/" */
#define COMMAND_LINE_MAX        8192 /* bytes of a line; /remember and /remind check their own limits */
#define COMMAND_LABEL_CHARS_MAX 40
#define COMMAND_BUTTON_LINE_MAX 200

/* The purpose of an order by a page or a program. A refusal of such an order is not reported. */
#define ORDER_COMMAND "command"

struct turn_order;

struct command_context {
    struct store *store;
    const struct config *config;
    const struct providers *providers;
    int64_t owner;
    const char *session; /* public id; NULL: none */
    const char *channel; /* "web", "telegram", "terminal" */
    bool by_token;       /* an API token gave the line: no command may give more rights than it has */
    bool keeps_branch;   /* the caller remembers command_reply.branch_id; else /resume opens the branch */
    const struct lang *lang;
    const struct time_zone *zone; /* the user's; NULL: the server's */
    const char *zone_name;        /* with zone */
    int64_t now;                  /* wall clock, ms */
    struct arena *a;
};

struct command_button {
    const char *label; /* in the user's language */
    const char *line;  /* a command line */
};

/* All in the arena of the context. */
struct command_reply {
    struct str markdown;
    struct command_button *buttons;
    size_t buttons_n;
    const char *session; /* the active session from now on; NULL: unchanged */
    int64_t branch_id; /* with session: the branch through this message, if it is not the open one; else 0 */
    bool no_session;   /* the next message begins a new one */
    const struct turn_order *order; /* a turn that the command begins: the caller adds it */
    bool secret;                    /* the text has a code that is shown once: no copy of it is kept */
    bool unknown;                   /* there is no such command: a page offers to send it as a message */
    const char *file_name;          /* NULL: no file */
    struct str file;
};

/* The behaviour of a command while a turn of the session runs. */
enum command_turn {
    COMMAND_BESIDE, /* runs at once; the turn continues */
    COMMAND_STOPS,  /* stops the turn */
    COMMAND_REFUSED /* is refused with a sentence until the turn has ended */
};

struct command_call;
typedef enum rc command_fn(struct command_call *c, struct err *e);

struct command {
    const char *name;  /* "resume" */
    const char *args;  /* key of "[id or words]"; NULL: none */
    const char *help;  /* key of one sentence; NULL: hidden */
    const char *group; /* key of the group's name */
    enum command_turn turn;
    command_fn *run; /* for command_run() */
};

/* True for "/" alone, and for a line that begins with "/word": a slash, a letter, then letters, digits or _,
 * at most COMMAND_WORD_MAX in all, then the end or a white space. A path, a second slash and a leading blank
 * are text. */
bool command_is(struct str line);
/* "Resume" of "/Resume  ses_1", "" of "/"; `.s` NULL: no command line. `rest`: the arguments, trimmed. */
struct str command_word(struct str line, struct str *rest);
const struct command *command_find(struct str word); /* in any case; NULL: unknown */
const struct command *command_table(size_t *n);

/* Runs a line on any thread. RC_OK also for an unknown command: the reply names the nearest ones.
 * RC_BAD_INPUT, RC_NOT_FOUND, RC_CONFLICT, ... with a sentence. Failures change nothing. */
enum rc command_run(
    const struct command_context *c, struct str line, struct command_reply *out, struct err *e);

#endif
