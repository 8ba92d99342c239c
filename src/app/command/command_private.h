/* Shared by the files of the commands. */
#ifndef ALFRED_APP_COMMAND_COMMAND_PRIVATE_H
#define ALFRED_APP_COMMAND_COMMAND_PRIVATE_H

#include "app/command/command.h"
#include "store/session/session.h"

#define COMMAND_REPLY_MAX   ((size_t)256 * 1024) /* bytes of a reply's Markdown */
#define COMMAND_BUTTONS_MAX 24

/* A call in progress. A function writes Markdown to `md` and changes `out`. */
struct command_call {
    const struct command_context *x;
    const struct command *command;
    struct str args; /* trimmed */
    struct strbuf md;
    struct command_reply *out;
};

command_fn command_help, command_link, command_start;

/* The text of a key as a paragraph, with its placeholders filled. The values of `args` are Markdown. */
void command_say(struct command_call *c, const char *key, const struct lang_arg *args);
/* Text of users as one line of Markdown that shows it unchanged. In the arena. */
const char *command_escape(struct arena *a, const char *text);
void command_button(struct command_call *c, const char *label, const char *line);

/* The open session. RC_CONFLICT with a sentence: there is none. RC_NOT_FOUND with a sentence: it was deleted.
 */
enum rc command_session(const struct command_call *c, struct session *out, struct err *e);

#endif
