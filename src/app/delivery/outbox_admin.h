/* Actions of admins on the outbox, for the page and the API. Each leaves an audit row and wakes the helper.
 */
#ifndef ALFRED_APP_DELIVERY_OUTBOX_ADMIN_H
#define ALFRED_APP_DELIVERY_OUTBOX_ADMIN_H

#include "app/account/auth.h"
#include "app/config/config.h"

struct outbox_action {
    struct store *store;
    const struct config *config;
    int64_t admin;
    const struct auth_client *from;
    int64_t id; /* of the message */
};

/* Sends a failed or doubtful message again. RC_NOT_FOUND. */
enum rc outbox_retry(const struct outbox_action *a, struct err *e);
/* Deletes a message that is not being sent. RC_NOT_FOUND. */
enum rc outbox_drop(const struct outbox_action *a, struct err *e);
/* Channels whose credentials were refused are tried again. */
enum rc outbox_resume(const struct outbox_action *a, struct err *e);

#endif
