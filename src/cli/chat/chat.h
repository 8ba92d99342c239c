/* The state of one run of `alfred chat`, and the functions that its two forms share: one message (chat.c),
 * and a conversation at a prompt (conversation.c). */
#ifndef ALFRED_CLI_CHAT_CHAT_H
#define ALFRED_CLI_CHAT_CHAT_H

#include "cli/chat/output.h"

#define CHAT_MESSAGE_MAX ((size_t)4 * 1024 * 1024) /* bytes; the server has its own limit */

struct chat {
    struct arena *arena;
    struct server *server;
    struct output *out;
    const char *user;      /* who is signed in */
    const char *choice;    /* --model; NULL: that of the session */
    const char *remembers; /* the file of the session to resume; NULL: this run leaves no trace */
    char session[ID_SIZE]; /* empty: the next message begins one */
    bool temporary;        /* of that session */
};

/* Sends the message, follows the answer to its end, and remembers the session. An answer that is being
 * written in the session is awaited first. `*end` is how the answer ended. */
enum rc chat_say(struct chat *c, struct str text, struct remote_end *end, struct err *e);
/* Follows a turn of the session that runs already. `reply`: as in remote_follow(). */
enum rc chat_watch(
    struct chat *c, const char *turn, const char *reply, struct remote_end *end, struct err *e);

/* The session from now on; NULL: the next message begins one. */
void chat_use(struct chat *c, const char *session);

/* A session as it is now; texts are in the arena. */
struct chat_session {
    const char *title;
    char turn[ID_SIZE];      /* that runs; empty: none */
    const char *last, *text; /* the id of its last message, and its text */
};

/* RC_NOT_FOUND, RC_GONE. */
enum rc chat_look(struct chat *c, const char *session, struct chat_session *out, struct err *e);

/* The questions of tools that wait in the session, a list of suggestions (docs/api.md). The caller owns it.
 */
enum rc chat_questions(struct chat *c, json_t **out, struct err *e);
enum rc chat_decide(struct chat *c, const char *suggestion, bool keep, struct err *e);

#endif
