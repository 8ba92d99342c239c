/*
 * Chats of channels: the places where linked people write to us, and the session that each is bound to. A
 * place is (channel, chat, thread). In a group each linked person has a separate row, so that nobody acts in
 * the name of another.
 *
 * A trigger adds every turn of a bound session to channel_turn, whoever began it. The delivery shows it in
 * the chat and then removes the row. Triggers also unbind a chat whose session was deleted, moved to the
 * trash or archived by its user; store_channel_chats_lost() lists the chats that have not yet got a message
 * about it.
 */
#ifndef ALFRED_STORE_CHANNEL_CHAT_H
#define ALFRED_STORE_CHANNEL_CHAT_H

#include "store/store.h"

#define CHANNEL_CHATS_MAX 1000 /* rows of a list */

/* The reasons why a chat lost its session. */
#define CHAT_GONE     "gone"     /* deleted, or moved to the trash */
#define CHAT_ARCHIVED "archived" /* by its user */
#define CHAT_LEFT     "left"     /* by a command in the chat, so it needs no message about it */

struct channel_chat {
    int64_t id, owner;
    const char *channel, *chat, *thread; /* thread "": none */
    bool grouped;                        /* several people read it */
    const char *sender;                  /* the owner's account that wrote last; the row goes with it */
    int64_t session_id;                  /* 0: the next message makes one */
    const char *session;                 /* its public id; NULL: none */
    int64_t branch_id; /* a message: the chat continues the branch through it; 0: the session's open one */
    const char *lost;  /* CHAT_GONE, ...: the reason why it lost the last one; NULL: none */
    int64_t paused_at; /* since then nothing can be sent; 0: not paused */
};

/* The chat of an owner at a place. RC_NOT_FOUND. */
enum rc store_channel_chat_find(struct db *db, struct arena *a, const char *channel, const char *chat,
    const char *thread, int64_t owner, struct channel_chat *out, struct err *e);
enum rc store_channel_chat_get(
    struct db *db, struct arena *a, int64_t id, struct channel_chat *out, struct err *e);
/* Reads channel, chat, thread, grouped, owner, sender. */
enum rc store_channel_chat_add(
    struct db *db, const struct channel_chat *c, int64_t now, int64_t *id, struct err *e);
enum rc store_channel_chat_set_sender(struct db *db, int64_t id, const char *sender, struct err *e);
/* Binds it to a session of its owner, or to none (NULL); `branch`: see branch_id. RC_NOT_FOUND: not the
 * owner's. */
enum rc store_channel_chat_bind(
    struct db *db, int64_t owner, int64_t id, const char *session, int64_t branch, struct err *e);
enum rc store_channel_chat_set_branch(struct db *db, int64_t id, int64_t branch, struct err *e);
/* Pauses all rows of a chat, because nothing can be sent to it. `now` 0: ends the pause. */
enum rc store_channel_chat_pause(
    struct db *db, const char *channel, const char *chat, int64_t now, struct err *e);
/* Changes the id of a chat. A row that exists for `to` stays and gets the session of the old one. */
enum rc store_channel_chat_move(
    struct db *db, const char *channel, const char *from, const char *to, struct err *e);
/* The private chats of a user to which messages can be sent: one row per chat, without threads. */
enum rc store_channel_chats_private(
    struct db *db, struct arena *a, int64_t owner, struct channel_chat **out, size_t *n, struct err *e);
/* Chats that lost their session and have not yet got a message about it. store_channel_chat_told() records
 * the message. */
enum rc store_channel_chats_lost(
    struct db *db, struct arena *a, struct channel_chat **out, size_t *n, struct err *e);
enum rc store_channel_chat_told(struct db *db, int64_t id, struct err *e);

/* ---- turns to show ---- */

enum rc store_channel_turn_delete(struct db *db, int64_t turn_id, int64_t chat_id, struct err *e);

/* ---- parts of users' messages, for edits ---- */

struct channel_message {
    int64_t chat_id, owner;
    const char *session;   /* public id; NULL: the chat has none now */
    const char *client_id; /* of the user's message */
    int64_t start, length; /* bytes of its text; length -1: see store_channel_message_detach() */
};
/* `message`: the id of the part in the channel. find: RC_NOT_FOUND. */
enum rc store_channel_message_add(struct db *db, const char *channel, const char *chat, const char *message,
    const struct channel_message *m, int64_t now, struct err *e);
enum rc store_channel_message_find(struct db *db, struct arena *a, const char *channel, const char *chat,
    const char *message, struct channel_message *out, struct err *e);
/* Stores another length of the part, and moves the parts after it in the same message. */
enum rc store_channel_message_resize(struct db *db, const char *channel, const char *chat,
    const char *message, const struct channel_message *old, int64_t length, struct err *e);
/* After a user's message got another text elsewhere: its parts have no place in it any more. */
enum rc store_channel_message_detach(struct db *db, int64_t owner, const char *client_id, struct err *e);
enum rc store_channel_message_sweep(
    struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);

/* ---- messages of a group that do not address Alfred ---- */

/* Appends `line`. The last `max` bytes of the text are kept, cut at a line. */
enum rc store_channel_heard_add(struct db *db, const char *channel, const char *chat, const char *thread,
    struct str line, size_t max, struct err *e);
/* Reads the text and removes it; empty: none. */
enum rc store_channel_heard_take(struct db *db, struct arena *a, const char *channel, const char *chat,
    const char *thread, struct str *out, struct err *e);
/* True when a linked person has written to Alfred in this chat. */
enum rc store_channel_chat_known(
    struct db *db, const char *channel, const char *chat, bool *known, struct err *e);

#endif
