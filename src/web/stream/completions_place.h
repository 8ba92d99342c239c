/*
 * The session of a program's request. By the name that the program gives the conversation, else by the hash
 * of its messages so far, else a new one.
 */
#ifndef ALFRED_WEB_STREAM_COMPLETIONS_PLACE_H
#define ALFRED_WEB_STREAM_COMPLETIONS_PLACE_H

#include "app/turn/turn_given.h"
#include "web/http/request.h"
#include "web/stream/completions_request.h"

struct completion_place {
    const char *session;    /* NULL: a new one */
    bool by_history;        /* the program did not name it */
    int64_t parent_id;      /* the last stored message of the request; 0: none */
    size_t from;            /* the first message of the request that is not stored */
    const char *own_key;    /* to be stored; NULL: the program gives no name of its own */
    struct history history; /* of all messages */
};

/* `name`: a session's id or any word of the program; NULL: none. RC_NOT_FOUND: there is no such session. */
enum rc completion_find_place(struct req *r, const struct completion_request *c, const char *name,
    struct completion_place *out, struct err *e);

/* Stores the pictures of the messages from `from` on, for the rows below (c->stored). Those that are stored
 * already are not stored again. The failures of picture_store(). */
enum rc completion_store_pictures(
    struct req *r, const struct completion_request *c, size_t from, struct err *e);

/* The messages from out->from on, as rows. In the arena. */
void completion_new_messages(
    struct arena *a, const struct completion_request *c, size_t from, struct message **out, size_t *n);

#endif
