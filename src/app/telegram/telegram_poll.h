/*
 * Fetches updates from Telegram on a loop, for mode "poll", and learns the bot's name in both modes.
 *
 * At the start it asks for the bot (getMe) and stores the answer. In mode "poll" it then removes the webhook,
 * because Telegram refuses getUpdates as long as there is one, and always has one long getUpdates running.
 * Updates are committed to the inbox in one transaction; only then the next call confirms them to Telegram by
 * its offset. An answer that is lost is fetched again, and the inbox knows its updates.
 *
 * Failures wait and try again: no connection, 5xx, 429 for as long as it says, 409 because another program
 * fetches, too. Each is logged once, then less and less often. When Telegram refuses the token (401, 404), it
 * is asked for the bot with growing waits (CHANNEL_REFUSED_RETRY) and everything begins anew when it answers.
 * As long as that lasts, channel_problem has a row. A token that was changed is read at the program's next
 * start.
 */
#ifndef ALFRED_APP_TELEGRAM_TELEGRAM_POLL_H
#define ALFRED_APP_TELEGRAM_TELEGRAM_POLL_H

#include "app/telegram/telegram_settings.h"
#include "net/http.h"
#include "net/loop.h"
#include "store/store.h"

#define TELEGRAM_POLL_WAIT_S 50 /* the longest that Telegram allows */
#define TELEGRAM_POLL_LIMIT  100
#define TELEGRAM_POLL_GAP_MS 1000 /* between two calls that bring nothing */
#define TELEGRAM_POLL_RETRY  ((struct backoff){.first_ms = 500, .max_ms = 30000})

struct telegram_poll_setup {
    struct loop *loop;
    struct http_client *http; /* may connect to settings->allowed */
    struct store *store;
    const char *data_dir;
    const struct telegram_settings *settings; /* lives longer */
    /* The name is known, or has changed. Called on the loop's thread. */
    void (*named)(void *arg, const char *bot_name);
    void *arg;
};

struct telegram_poll;

/* Loop thread, or before the loop runs. If a name is stored already, it calls `named` before it returns. */
struct telegram_poll *telegram_poll_new(const struct telegram_poll_setup *s);
/* Something was stored: asks a server that refused the token at once if an admin wants that, or if its time
 * has come. Loop thread; NULL is fine. */
void telegram_poll_look(struct telegram_poll *p);
void telegram_poll_free(struct telegram_poll *p); /* loop thread; NULL is fine */

#endif
