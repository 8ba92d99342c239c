/* Which chats are forums: known from their messages, forgotten at a restart. */
#include "channel/telegram/telegram_private.h"

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
