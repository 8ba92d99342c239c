/* Shared by the files of the commands. */
#ifndef ALFRED_APP_COMMAND_COMMAND_PRIVATE_H
#define ALFRED_APP_COMMAND_COMMAND_PRIVATE_H

#include "app/account/auth.h"
#include "app/command/command.h"
#include "app/jobs/helper_notify.h"
#include "base/humanize.h"
#include "base/strbuf.h"
#include "store/session/session_filter.h"

#define COMMAND_REPLY_MAX   ((size_t)256 * 1024) /* bytes of a reply's Markdown */
#define COMMAND_BUTTONS_MAX 24
#define COMMAND_PAGE        8   /* rows of a list */
#define COMMAND_CHARS       200 /* of a text in a list */

/* A call in progress. A function writes Markdown to `md` and changes `out`. */
struct command_call {
    const struct command_context *x;
    const struct command *command;
    struct str args; /* trimmed */
    struct strbuf md;
    size_t in_list; /* length of `md` after the newest item of a list */
    struct command_reply *out;
};

command_fn command_new, command_resume, command_sessions, command_session_info, command_rename;
command_fn command_clear, command_compact, command_summary, command_search;
command_fn command_stop, command_retry, command_undo, command_model, command_restore;
command_fn command_remember, command_memories, command_forget, command_unforget;
command_fn command_tasks, command_task, command_remind, command_reminder;
command_fn command_workspace, command_export, command_usage, command_decide;
command_fn command_link, command_help, command_start;

/* ---- the reply (command_reply.c) ---- */

/* The text of a key as a paragraph, with its placeholders filled. The values of `args` are Markdown. */
void command_say(struct command_call *c, const char *key, const struct lang_arg *args);
void command_say_count(struct command_call *c, const char *key, int64_t n);
/* Text of users as one line of Markdown that shows it unchanged, cut to COMMAND_CHARS. In the arena. */
const char *command_text(const struct command_call *c, struct str text);
/* The same without Markdown, for labels of buttons: cut to COMMAND_LABEL_CHARS_MAX. */
const char *command_label(const struct command_call *c, struct str text);
/* Starts a list or adds a line to it. The arguments of the format are Markdown. */
void command_item(struct command_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* `label` is in the arena or a constant. */
void command_button(struct command_call *c, const char *label, const char *line);
/* A button with the text of a key, and a line that ends in an id. */
void command_button_id(struct command_call *c, const char *key, const char *line, int64_t id);
/* A button for the page `page` of the list that `line` shows. */
void command_button_more(struct command_call *c, const char *line, int64_t page);
const char *command_ago(const struct command_call *c, int64_t at);

/* ---- arguments ---- */

/* Removes a number from the end of `args`, as in "garden 2", and returns it. 1: there is none. */
int64_t command_page_number(struct str *args);
/* The next word of `*rest`, which moves on; `.len` 0: none. */
struct str command_next(struct str *rest);
const char *command_str(const struct command_call *c, struct str s); /* in the arena */
/* A whole number above 0. RC_BAD_INPUT with a sentence. */
enum rc command_id(struct str word, int64_t *out, struct err *e);
/* RC_BAD_INPUT with the command's form as sentence, when `args` is empty. */
enum rc command_needs_args(const struct command_call *c, struct err *e);

/* ---- sessions ---- */

/* The open session. With a sentence: RC_CONFLICT (there is none), RC_NOT_FOUND (it was deleted). */
enum rc command_session(const struct command_call *c, struct session *out, struct err *e);
/* The same, but makes a new session, which becomes the active one, if there is none. */
enum rc command_session_or_new(struct command_call *c, struct session *out, struct err *e);
const char *command_title(const struct command_call *c, const struct session *s); /* Markdown */
/* Stops the running turn of a session and withdraws the waiting orders. `withdrawn`: the number of these. */
enum rc command_stop_session(
    const struct command_call *c, const char *session, int64_t *withdrawn, struct err *e);
/* The client for rows of the audit trail. */
struct auth_client command_client(const struct command_context *x);

#endif
