/*
 * Buttons below messages in chats. When a button is pressed, the channel returns its short token. The row
 * has the command line of the token, its chat, and the person who may press it. A button works once.
 */
#ifndef ALFRED_STORE_CHANNEL_BUTTON_H
#define ALFRED_STORE_CHANNEL_BUTTON_H

#include "base/clock.h"
#include "store/store.h"

#define BUTTON_TOKEN_BYTES 12 /* random */
#define BUTTON_TOKEN_SIZE  (2 * BUTTON_TOKEN_BYTES + 1)
#define BUTTON_LIVES_MS    (7 * MS_PER_DAY)

struct button_row {
    const char *token; /* store_button_add() makes it */
    int64_t chat_id;
    int64_t turn_id;             /* not 0: store_button_end_turn() removes it */
    const char *line;            /* a command line: "/decide 17 keep" */
    const char *sender;          /* "": anyone who is linked */
    int64_t expires_at, used_at; /* used_at 0: not yet */
};

/* Sets b->token, in the arena. Ignores used_at. */
enum rc store_button_add(struct db *db, struct arena *a, struct button_row *b, struct err *e);
/* RC_NOT_FOUND: no such button. It can be used or expired. */
enum rc store_button_get(
    struct db *db, struct arena *a, const char *token, struct button_row *out, struct err *e);
/* Whether the chat has a button with this line, also a used one. */
enum rc store_button_has_line(struct db *db, int64_t chat_id, const char *line, bool *out, struct err *e);
/* RC_NOT_FOUND: it was used before, or has expired at `now`. */
enum rc store_button_use(struct db *db, const char *token, int64_t now, struct err *e);
enum rc store_button_end_turn(struct db *db, int64_t turn_id, int64_t chat_id, struct err *e);
/* Removes at most `limit` of those that have expired. */
enum rc store_button_sweep(struct db *db, int64_t now, int limit, int64_t *removed, struct err *e);

#endif
