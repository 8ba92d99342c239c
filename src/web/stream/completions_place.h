/*
 * Finds the session of a program's request: by the name that the program gives the conversation, else by the
 * hash of its messages so far. Otherwise the request begins a new session.
 */
#ifndef ALFRED_WEB_STREAM_COMPLETIONS_PLACE_H
#define ALFRED_WEB_STREAM_COMPLETIONS_PLACE_H

#include "app/turn/turn_given.h"
#include "web/http/request.h"
#include "web/stream/completions_request.h"

struct completion_place {
    const char *session; /* NULL: a new one */
    bool by_history;     /* the program did not name it */
    int64_t parent_id;   /* the last stored message of the request; 0: none */
    size_t from;         /* the first message of the request that is not stored */
    const char *own_key; /* the key of the program's own name, to be stored; NULL: the program gives none */
    struct history history; /* of all messages */
};

/* `name`: a session's id or any word of the program; NULL: none. RC_NOT_FOUND: there is no such session. */
enum rc completion_find_place(struct req *r, const struct completion_request *c, const char *name,
    struct completion_place *out, struct err *e);

/* Stores the pictures of the messages from `from` on and notes their ids in c->stored, which
 * completion_new_messages() reads. A second call does not store them again. Failures: those of
 * picture_store(). */
enum rc completion_store_pictures(
    struct req *r, const struct completion_request *c, size_t from, struct err *e);

/* The messages from `from` on, as rows. In the arena. */
void completion_new_messages(
    struct arena *a, const struct completion_request *c, size_t from, struct message **out, size_t *n);

#endif
