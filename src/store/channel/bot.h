/* Our own account on a channel, as its server last described it. */
#ifndef ALFRED_STORE_CHANNEL_BOT_H
#define ALFRED_STORE_CHANNEL_BOT_H

#include "store/store.h"

struct channel_bot {
    const char *channel;
    const char *external_id; /* the bot's id on the channel */
    const char *username;    /* without "@"; people and links name it so */
    const char *name;        /* for display */
    int64_t checked_at;
};

/* The newest description replaces the one before. */
enum rc store_channel_bot_put(struct db *db, const struct channel_bot *b, struct err *e);
/* RC_NOT_FOUND: the channel has not been reached yet. */
enum rc store_channel_bot_get(
    struct db *db, struct arena *a, const char *channel, struct channel_bot *out, struct err *e);

#endif
