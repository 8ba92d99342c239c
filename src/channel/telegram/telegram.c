/* The driver: its settings, and the state that its parts share. */
#include "channel/telegram/telegram.h"

#include <stdlib.h>
#include <string.h>

#include "channel/telegram/telegram_private.h"

/* https://core.telegram.org/bots/faq: a message a second per chat, 20 a minute per group, 30 a second. Edits
 * count like messages (tdlib/td, issue 2592). Of a group's 20, three may come without a gap, and 60 / 3.5
 * after them. */
#define CHAT_GAP_MS  1000
#define GROUP_GAP_MS 3500
#define ALL_GAP_MS   34
#define EDIT_GAP_MS  1500
#define TYPING_MS    5000

enum rc telegram_new(const struct telegram_setup *s, struct channel_driver *out, struct err *e)
{
    struct str rest = str_of(s->token);
    int64_t id;
    *out = (struct channel_driver){0};
    if (!str_to_int(str_cut(&rest, ':'), 1, INT64_MAX, &id) || !rest.s)
        return err_set(e, RC_BAD_INPUT, "the token of the Telegram bot begins with no number");
    struct telegram *t = xcalloc(1, sizeof *t);
    *t = (struct telegram){.http = s->http,
        .api_url = xstrdup(s->api_url),
        .token = xstrdup(s->token),
        .proxy = s->proxy ? xstrdup(s->proxy) : NULL,
        .bot_name = s->bot_name ? xstrdup(s->bot_name) : NULL,
        .bot_id = id,
        .lock = PTHREAD_MUTEX_INITIALIZER};
    *out = (struct channel_driver){.name = "telegram",
        .label = "Telegram",
        .self = t,
        .act = telegram_act,
        .fetch = telegram_fetch,
        .render = telegram_render,
        .read = telegram_read,
        .piece_chars = TELEGRAM_PIECE_UNITS,
        .chat_gap_ms = CHAT_GAP_MS,
        .group_gap_ms = GROUP_GAP_MS,
        .all_gap_ms = ALL_GAP_MS,
        .edit_gap_ms = EDIT_GAP_MS,
        .typing_ms = TYPING_MS,
        .drafts = true};
    return RC_OK;
}

void telegram_free(struct channel_driver *d)
{
    struct telegram *t = d->self;
    if (!t)
        return;
    telegram_acts_cancel(t);
    telegram_fetches_cancel(t);
    pthread_mutex_destroy(&t->lock);
    free(t->api_url);
    free(t->token);
    free(t->proxy);
    free(t->bot_name);
    free(t);
    *d = (struct channel_driver){0};
}
