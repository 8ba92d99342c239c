/*
 * Connects the bot: webhook, menu of commands, and a report of both in words. For `alfred telegram
 * setup|info|remove` and the admins' page. Everything here blocks for requests to the Bot API.
 *
 * Only setup and remove change something at Telegram. A failure leaves what was done before it; setup can be
 * repeated at any time. The programs read the mode at their start.
 */
#ifndef ALFRED_APP_TELEGRAM_TELEGRAM_SETUP_H
#define ALFRED_APP_TELEGRAM_TELEGRAM_SETUP_H

#include "app/account/auth.h"
#include "app/telegram/telegram_settings.h"
#include "store/store.h"

#define TELEGRAM_LINES_MAX 10

enum telegram_line_state { TELEGRAM_FINE, TELEGRAM_NOTE, TELEGRAM_WRONG };

struct telegram_line {
    const char *subject; /* key of the catalogue: "telegram.bot" */
    enum telegram_line_state state;
    const char *said; /* base/said.h; in the arena */
    int64_t at;       /* when it happened, ms; 0: no time */
};

struct telegram_report {
    struct telegram_line list[TELEGRAM_LINES_MAX];
    size_t n;
    const char *username; /* of the bot, without "@"; NULL: Telegram did not answer */
};

/* Asks Telegram for the bot and its webhook. RC_OK also when a line says that something is wrong: no token, a
 * token that Telegram refuses, no connection. RC_INTERNAL, RC_IO. */
enum rc telegram_look(
    const struct config *c, struct store *s, struct arena *a, struct telegram_report *out, struct err *e);

struct telegram_change {
    int64_t user; /* who changes the bot, for the audit trail; 0: the command line */
    struct auth_client from;
    bool drop_pending; /* updates that wait at Telegram are thrown away */
};

/* Sets the webhook (mode "webhook") or removes it (mode "poll"), and the menu of commands in all languages.
 * With a sentence: RC_CONFLICT (the mode is "off"), RC_BAD_INPUT (an address that Telegram cannot reach, a
 * certificate), those of telegram_settings() and of the Bot API. */
enum rc telegram_set_up(const struct config *c, struct store *s, struct arena *a,
    const struct telegram_change *change, struct err *e);

/* Removes the webhook and the menu. Failures with a sentence: those of telegram_settings() and of the Bot
 * API. */
enum rc telegram_remove(const struct config *c, struct store *s, struct arena *a,
    const struct telegram_change *change, struct err *e);

/* ---- shared by the files of setup ---- */

/* RC_BAD_INPUT, with a sentence: Telegram does not send to this address, because of its port or because it is
 * no public one. */
enum rc telegram_check_hook_url(const char *url, struct err *e);
/* Calls getMe and stores what it says. `me` owns the texts of `bot`; the caller releases it in any case. */
enum rc telegram_get_me(const struct telegram_settings *t, struct store *s, struct telegram_answer *me,
    struct channel_bot *bot, struct err *e);
/* One method of the Bot API; takes `params`. The caller releases `answer` in any case. Failures of the Bot
 * API have a sentence. */
enum rc telegram_ask(const struct telegram_settings *t, const char *method, json_t *params,
    const char *certificate, struct telegram_answer *answer, struct err *e);

#endif
