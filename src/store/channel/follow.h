/*
 * Turns that chats show: the rows of channel_turn (store/channel/chat.h) with their turns and chats, and the
 * messages of a growing answer so far.
 */
#ifndef ALFRED_STORE_CHANNEL_FOLLOW_H
#define ALFRED_STORE_CHANNEL_FOLLOW_H

#include "base/clock.h"
#include "store/message/turn.h"

#define FOLLOWS_MAX    1000       /* shown at once; later ones wait */
#define FOLLOW_KEEP_MS MS_PER_DAY /* an answer that no channel took for this long is not sent */

struct follow_row {
    struct turn_row turn;
    int64_t chat_id;
    int64_t branch_id; /* struct channel_chat */
    const char *channel, *chat, *thread;
    bool grouped, paused;
    const char *stop_token; /* of the Stop button; NULL: store_growing_begin() was not called */
    const char *messages;   /* ids of the growing answer's messages, with spaces between */
    const char *reply_to;   /* in a group: id of the message that asked; NULL: not asked here */
};

/* By turn. */
enum rc store_follow_list(
    struct db *db, struct arena *a, int limit, struct follow_row **out, size_t *n, struct err *e);
/* RC_NOT_FOUND: it has ended, or its turn or chat is gone. */
enum rc store_follow_get(
    struct db *db, struct arena *a, int64_t turn_id, int64_t chat_id, struct follow_row *out, struct err *e);
enum rc store_growing_begin(
    struct db *db, int64_t turn_id, int64_t chat_id, const char *stop_token, struct err *e);
enum rc store_growing_set(
    struct db *db, int64_t turn_id, int64_t chat_id, const char *messages, struct err *e);
/* Removes the row of channel_turn, the list of its messages, and the buttons of the turn in this chat. */
enum rc store_follow_end(struct db *db, int64_t turn_id, int64_t chat_id, struct err *e);
/* Removes rows of turns that ended before a time. Their channel was off. */
enum rc store_follow_sweep(struct db *db, int64_t before, struct err *e);

#endif
