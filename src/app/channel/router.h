/*
 * The router processes updates of channels. It finds the person's account, the chat and its session. Then it
 * runs a command, orders a turn (store/message/turn_order.h), edits a stored message or presses a button.
 *
 * The effects of an update and its end in the inbox are one transaction, so a crash at any point neither
 * loses an update nor processes it twice. Commands have transactions of their own. The inbox records a
 * command that begins. After a crash, a command that changes something does not run again, and the chat gets
 * a message that says so. If only the end of a command cannot be stored, its update keeps the reply, and the
 * next call stores that.
 *
 * Answers go to the outbox. `struct routed` has an action that is sent at once and that a crash loses: the
 * reply to a pressed button, or the sentence for a stranger, about whom nothing is stored.
 *
 * Thread-safe. Updates of one chat and thread are passed in their order, one call at a time
 * (app/channel/intake.h).
 */
#ifndef ALFRED_APP_CHANNEL_ROUTER_H
#define ALFRED_APP_CHANNEL_ROUTER_H

#include "app/config/config.h"
#include "app/models/speech.h"
#include "channel/channel.h"
#include "store/channel/inbox.h"
#include "store/store.h"

#define ROUTER_QUOTE_MAX     1000             /* bytes of the text that a message replies to */
#define ROUTER_HEARD_MAX     4096             /* bytes of messages by others in a group */
#define ROUTER_NOTICE_MAX    190              /* bytes of the notice after a press */
#define ROUTER_PARTS_KEEP_MS (3 * MS_PER_DAY) /* how long edits find their message */

#define ROUTER_LATE_MS (8 * MS_PER_S) /* longer waits for the end of a turn are reported to the chat */

struct router;

struct router_setup {
    struct store *store;
    const struct config *config;
    const struct providers *providers;
    bool group_context; /* messages of a group that do not address Alfred are context for those that do */
};

struct router *router_new(const struct router_setup *s);
void router_free(struct router *r); /* NULL is fine */
DEFINE_AUTO(router);

struct command_run;

/* An update of the inbox, as its channel read it. */
struct incoming {
    struct inbox_row row;
    const struct channel_driver *driver;
    struct channel_update u; /* UPDATE_OTHER: not understood */
    /* What u.file has become (file_kind.h), or why it is not there (as said_words() reads it). Both NULL: it
     * was not fetched. */
    struct str file;
    const char *file_problem;
    struct usage_row voice; /* what a recording has used; its `answers` are 0 until it is written down */
    /* A command that ran, whose end is not stored yet, and the arena that has it: that of a router_run()
     * which failed. It is freed with the update. Both NULL: none. */
    struct command_run *ran;
    struct arena *ran_arena;
};

struct routed {
    bool acts; /* `action` is to be sent, once; its texts are in the arena of router_run() */
    struct channel_action action;
};

/* True when the messages begin a turn, so that their files are to be fetched: nothing is fetched for
 * strangers. */
enum rc router_wants_files(struct router *r, const struct incoming *first, bool *wants, struct err *e);
/* Leaves out a file of a kind that is not on; the rest of the message is processed. */
void router_leave_out(const struct router *r, struct channel_update *u);
/* The bytes that a file of this kind may have. */
size_t router_file_max(const struct router *r, enum channel_file_kind kind);
/* Takes a file that was fetched. Sets in->file, or in->file_problem when it is refused, in `a`; or moves it
 * from in->u.file to in->u.left_out. Blocks. `stop_fd`: as file_taking.stop_fd. */
enum rc router_take_file(
    struct router *r, struct incoming *in, struct arena *a, struct str data, int stop_fd, struct err *e);

/* The longest recording that is written down, in seconds. */
int64_t router_voice_max(const struct router *r);
/* Sets in->file_problem, in `a`, when the person's limit of costs is reached. Blocks. */
enum rc router_check_voice(struct router *r, struct incoming *in, struct arena *a, struct err *e);
/* The request for the words of a recording. `audio` is lent. Failures: those of speech_configured() and
 * speech_request(). */
enum rc router_voice_request(
    const struct router *r, struct str audio, struct llm_transcribe *out, struct err *e);
struct usage_row router_voice_usage(const struct router *r, const struct llm_transcript *t);

/* Processes one update, or several messages that are one text (quiet.h). Blocks. Any failure has changed
 * nothing, or has left its arena with the update (`ran_arena`). RC_CONFLICT: an edit, while a turn of the
 * session runs; it can be tried later. */
enum rc router_run(struct router *r, struct incoming *const *in, size_t n, struct arena *a,
    struct routed *out, struct err *e);
/* Ends an update that cannot be processed, because of `why`, and posts a message to its chat if that is
 * known. */
enum rc router_give_up(struct router *r, const struct incoming *in, const struct err *why, struct err *e);
/* Ends an edit that has waited too long. */
enum rc router_drop(struct router *r, const struct incoming *in, struct err *e);
/* Posts messages to chats that are not replies to an update: the session was deleted or archived, an ordered
 * turn was refused or waits for long, or the person was admitted. `told`: a message was posted. */
enum rc router_tell(struct router *r, bool *told, struct err *e);

#endif
