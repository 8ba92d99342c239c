/*
 * Actions that are sent at once, without the outbox: the end of a button's wait, the sentence for a stranger,
 * and the sign of typing while a recording is written down. None is repeated; a crash loses them. Loop thread
 * only.
 */
#ifndef ALFRED_APP_CHANNEL_NOTICES_H
#define ALFRED_APP_CHANNEL_NOTICES_H

#include "channel/channel.h"

struct notice;

/* Zeroed: none. */
struct notices {
    struct notice *first;
};

/* Takes over the arena, which has the texts of the action. */
void notice_send(
    struct notices *l, const struct channel_driver *d, const struct channel_action *act, struct arena *a);
/* Call it after the drivers were freed, because they then make no further callbacks. */
void notices_release(struct notices *l);

#endif
