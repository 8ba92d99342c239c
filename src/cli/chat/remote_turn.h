/*
 * One turn over the API: sends a message, and follows the answer's events until its end (docs/api.md).
 *
 * A lost connection is opened again, and the events continue after the last one that was received. The first
 * Ctrl-C asks the server to stop the answer and waits for its end. The second Ctrl-C returns at once.
 */
#ifndef ALFRED_CLI_CHAT_REMOTE_TURN_H
#define ALFRED_CLI_CHAT_REMOTE_TURN_H

#include "base/id.h"
#include "cli/chat/server.h"

#define REMOTE_MESSAGE_MAX 24
#define REMOTE_STATUS_MAX  16
#define REMOTE_ERROR_MAX   1024

struct remote_send {
    const char *session; /* NULL: a new one */
    struct str text;
    const char *choice; /* the value of a model; NULL: that of the session */
    bool temporary;     /* of a new session */
    /* Called once when the server cannot be reached and the message is sent again. */
    void (*waits)(void *arg, const struct err *why);
    void *arg;
};

struct remote_ids {
    char session[ID_SIZE], turn[ID_SIZE];
    char reply[REMOTE_MESSAGE_MAX]; /* the id of the first answer */
};

/* A lost connection is retried with the same client_id: the message is stored once. RC_CONFLICT: an answer is
 * being written in the session. */
enum rc remote_send(struct server *s, const struct remote_send *what, struct remote_ids *out, struct err *e);

/* The callbacks for a turn's events. Every member may be NULL. Texts may have control characters. */
struct remote_reader {
    void *arg;
    void (*event)(void *arg, struct str name, struct str json); /* each event as it came */
    void (*text)(void *arg, struct str piece);                  /* of the answer */
    void (*step)(void *arg, const json_t *step); /* the answer called tools; another one follows */
    void (*status)(void *arg, struct str status, struct str text);
    void (*lost)(void *arg, const struct err *why); /* the connection will be opened again */
    /* A call waits for the user's decision on a question (docs/api.md), once for each question. It may call
     * the server: there is no connection meanwhile. A failure ends the following. */
    enum rc (*asks)(void *arg, struct err *e);
};

struct remote_end {
    char status[REMOTE_STATUS_MAX]; /* done, stopped, interrupted, failed */
    char error[REMOTE_ERROR_MAX];   /* a sentence; empty: none */
};

/* `reply`: the id of the first answer whose events are wanted; NULL: the one that is being written.
 * RC_NOT_FOUND: the turn was deleted. RC_CANCELLED: the second Ctrl-C. RC_UNAVAILABLE: the server did not
 * come back. */
enum rc remote_follow(struct server *s, const char *turn, const char *reply, const struct remote_reader *r,
    struct remote_end *out, struct err *e);

#endif
