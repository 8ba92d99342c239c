/* Facts that the driver learns while the bot runs: its user name, and which chats are forums. Forums are
 * recognised by their messages and forgotten at a restart. */
#include "channel/telegram/telegram.h"

#include <stdlib.h>

#include "channel/telegram/telegram_private.h"

void telegram_set_name(struct channel_driver *d, const char *bot_name)
{
    struct telegram *t = d->self;
    pthread_mutex_lock(&t->lock);
    free(t->bot_name);
    t->bot_name = xstrdup(bot_name);
    pthread_mutex_unlock(&t->lock);
}

bool telegram_is_named(struct telegram *t, struct str name, bool unknown)
{
    pthread_mutex_lock(&t->lock);
    bool is = t->bot_name ? str_eq_nocase(name, str_of(t->bot_name)) : unknown;
    pthread_mutex_unlock(&t->lock);
    return is;
}

void telegram_note_forum(struct telegram *t, int64_t chat)
{
    pthread_mutex_lock(&t->lock);
    bool known = false;
    for (size_t i = 0; i < TELEGRAM_FORUMS_MAX; i++)
        known |= t->forums[i] == chat;
    if (!known)
        t->forums[t->forums_n++ % TELEGRAM_FORUMS_MAX] = chat;
    pthread_mutex_unlock(&t->lock);
}

bool telegram_is_forum(struct telegram *t, const char *chat)
{
    int64_t id;
    if (!str_to_int(str_of(chat), INT64_MIN, -1, &id))
        return false;
    pthread_mutex_lock(&t->lock);
    bool known = false;
    for (size_t i = 0; i < TELEGRAM_FORUMS_MAX; i++)
        known |= t->forums[i] == id;
    pthread_mutex_unlock(&t->lock);
    return known;
}
