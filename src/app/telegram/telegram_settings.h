/*
 * The settings of the Telegram bot with its secrets: [telegram] of alfred.toml, the bot's token
 * (config_secret()), and the secret that Telegram sends with each webhook request. The latter is made once
 * and kept in the data folder, so the program `hooks` and `alfred telegram setup` agree on it.
 *
 * The address of each method of the Bot API contains the token. No address is logged.
 */
#ifndef ALFRED_APP_TELEGRAM_TELEGRAM_SETTINGS_H
#define ALFRED_APP_TELEGRAM_TELEGRAM_SETTINGS_H

#include "app/config/config.h"
#include "channel/telegram/telegram_call.h"
#include "store/channel/bot.h"

#define TELEGRAM_API_URL      "https://api.telegram.org"
#define TELEGRAM_CHANNEL      "telegram"                /* `channel` of rows */
#define TELEGRAM_HOOK_PATH    "/hooks/telegram"         /* below public_url */
#define TELEGRAM_SECRET_FILE  "telegram-webhook-secret" /* in data_dir */
#define TELEGRAM_SECRET_BYTES 32                        /* random bytes; base64url in the file */

struct telegram_settings {
    enum config_telegram mode;
    const char *token;
    const char *bot;         /* the bot's id: the digits before the colon of the token */
    const char *api_url;     /* without the final slash */
    const char *hook_url;    /* the webhook's address */
    const char *secret;      /* of the webhook */
    const char *certificate; /* file to upload; "": none */
    bool group_context;
    /* For http_client_new(): the host of api_url, which may be private and use http. */
    const char *allowed[1];
    size_t allowed_n;
};

/*
 * Everything is in the arena. `mode` may be off: the commands of the operator work before it is switched on.
 * RC_NOT_FOUND: there is no token. RC_BAD_INPUT: it is malformed. RC_FORBIDDEN: other users can read the
 * credentials or the secret. All three with a sentence. RC_IO: the secret can be neither read nor made.
 */
enum rc telegram_settings(
    const struct config *c, struct arena *a, struct telegram_settings *out, struct err *e);

/* After a failure: whether it lasts until the owner changes something. Alfred then runs without Telegram. */
static inline bool telegram_is_off(enum rc rc)
{
    return rc == RC_NOT_FOUND || rc == RC_BAD_INPUT || rc == RC_FORBIDDEN;
}

static inline struct telegram_api telegram_api_of(const struct telegram_settings *t)
{
    return (struct telegram_api){.url = t->api_url, .token = t->token};
}

/* The kinds of updates that Alfred reads, for setWebhook and getUpdates. The caller owns the list. */
json_t *telegram_allowed_updates(void);
/* The result of getMe; texts are those of `me`. False: it is no bot's description. */
bool telegram_read_me(const json_t *me, const struct telegram_settings *t, struct channel_bot *out);

#endif
