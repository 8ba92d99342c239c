/*
 * Telegram as a channel (channel/channel.h): read() is telegram_read.c, act() is telegram_act.c, fetch() is
 * telegram_fetch.c, render() is telegram_pieces.c. telegram_call.h calls methods of the Bot API that are not
 * actions.
 *
 * The address of a method contains the bot's token. No log line, error or result of this folder contains an
 * address.
 */
#ifndef ALFRED_CHANNEL_TELEGRAM_TELEGRAM_H
#define ALFRED_CHANNEL_TELEGRAM_TELEGRAM_H

#include "base/err.h"
#include "channel/channel.h"

#define TELEGRAM_UPDATE_MAX (1024 * 1024) /* bytes of an update */

struct telegram_setup {
    struct http_client
        *http;           /* lives longer than the driver; NULL for a driver that only reads and renders */
    const char *api_url; /* without the final slash */
    const char *token;
    const char *proxy;    /* NULL: none */
    const char *bot_name; /* user name without @; NULL: unknown until telegram_set_name() */
};

/* Copies the setup. RC_BAD_INPUT: a token without the bot's id. telegram_free() cancels running actions
 * and fetches without calling their `done`, and takes a driver of zeros. */
enum rc telegram_new(const struct telegram_setup *s, struct channel_driver *out, struct err *e);
void telegram_free(struct channel_driver *d);

/* The user name from getMe. While it is unknown, "/command@name" of any name is meant for us, and a mention
 * is not. Any thread. */
void telegram_set_name(struct channel_driver *d, const char *bot_name);

/* The id of an update, for equality only. False: the body is not a JSON object of at most
 * TELEGRAM_UPDATE_MAX bytes with an update_id. */
bool telegram_update_id(struct str body, char out[CHANNEL_ID_SIZE]);

#endif
