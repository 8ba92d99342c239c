/* Shared by outbox.c and those who send its rows. */
#ifndef ALFRED_APP_DELIVERY_OUTBOX_PRIVATE_H
#define ALFRED_APP_DELIVERY_OUTBOX_PRIVATE_H

#include "app/delivery/outbox.h"
#include "channel/channel.h"

#define OUTBOX_BUTTONS_JSON_MAX ((size_t)16 * 1024)

/* outbox_post() for an answer of a turn. `edits`: ids of messages that its parts replace, with spaces
 * between; NULL: none. */
enum rc outbox_post_full(struct db *db, const struct outbox_post *p, int64_t turn_id, const char *edits,
    int64_t now, struct err *e);

/* The buttons of a row (store/channel/outbox.h) in the arena. `json` NULL: none. */
void outbox_buttons_read(struct arena *a, const char *json, struct channel_button **out, size_t *n);

#endif
