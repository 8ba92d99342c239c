/* A fact that the driver learns while the bot runs: its user name. */
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

static bool has_name(struct telegram *t, struct str name, bool while_unknown)
{
    pthread_mutex_lock(&t->lock);
    bool has = t->bot_name ? str_eq_nocase(name, str_of(t->bot_name)) : while_unknown;
    pthread_mutex_unlock(&t->lock);
    return has;
}

bool telegram_is_named(struct telegram *t, struct str name)
{
    return has_name(t, name, false);
}

bool telegram_may_be_named(struct telegram *t, struct str name)
{
    return has_name(t, name, true);
}
