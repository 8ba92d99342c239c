/*
 * Adds messages to the outbox (store/channel/outbox.h), in the caller's transaction. Call helper_notify()
 * after the commit: the helper's delivery sends them (app/delivery/delivery.h).
 */
#ifndef ALFRED_APP_DELIVERY_OUTBOX_H
#define ALFRED_APP_DELIVERY_OUTBOX_H

#include "store/store.h"

struct command_button; /* app/command/command.h */

#define OUTBOX_BUTTONS_MAX 20 /* of one message; further ones are left out */

struct outbox_post {
    int64_t chat_id;
    struct str markdown;   /* of any length; a blank one is not sent */
    const char *file_name; /* NULL: none. A file follows the text as a message of its own */
    struct str file;
    const struct command_button *buttons;
    size_t buttons_n;
    const char *for_sender; /* only this person may press; NULL: anyone who is linked */
    bool silent;            /* without a sound */
    const char *reply_to;   /* id of a message; NULL: none */
};

/* Adds a message to the outbox, in the caller's transaction. RC_TOO_BIG: the labels of its buttons. */
enum rc outbox_post(struct db *db, const struct outbox_post *p, int64_t now, struct err *e);
/* Adds the message for every private chat of the user, on channels with a linked account. p->chat_id is
 * ignored. `any`: there is such a chat. */
enum rc outbox_post_user(
    struct db *db, int64_t owner, const struct outbox_post *p, int64_t now, bool *any, struct err *e);

#endif
