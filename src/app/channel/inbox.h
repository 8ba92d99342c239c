/*
 * Adds updates to the inbox, for the program that receives webhooks and for the poller. An update is stored
 * and committed before it is acknowledged; the helper then processes it (app/channel/router.h).
 */
#ifndef ALFRED_APP_CHANNEL_INBOX_H
#define ALFRED_APP_CHANNEL_INBOX_H

#include "store/store.h"

#define INBOX_BODY_MAX ((size_t)1024 * 1024) /* bytes of an update */

struct inbox_update {
    const char *channel, *bot, *id;
    struct str body;
};

/* Returns after the commit and wakes the helper. `is_new` false: it was stored already. RC_TOO_BIG,
 * RC_BAD_INPUT (an id that is empty or too long), and those of store_write(). */
enum rc inbox_add(
    struct store *s, const char *data_dir, const struct inbox_update *u, bool *is_new, struct err *e);

#endif
