/* Shared by the files of app/reminding. */
#ifndef ALFRED_APP_REMINDING_REMINDING_PRIVATE_H
#define ALFRED_APP_REMINDING_REMINDING_PRIVATE_H

#include "app/reminding/reminding.h"
#include "store/reminder_delivery.h"
#include "store/session/session.h"

/* Adds a session, whose title is the first line of `title`. */
enum rc reminding_new_session(struct db *db, struct arena *a, int64_t owner, struct str title, int64_t now,
    struct session *out, struct err *e);

#define REMINDING_CLIENT_ID_SIZE 64 /* "schedule:ID:ATTEMPT", "reminder:ID", with NUL */

/* Adds a message of Alfred at the end of the session. A second message with the same `client_id` is not
 * added. */
enum rc reminding_write(struct db *db, const struct session *s, struct str markdown, const char *client_id,
    int64_t now, struct err *e);
/* Posts to the owner's private chats, in place of messages of the same reminder that wait there.
 * `reminder_id` 0: without buttons, and in place of none. */
enum rc reminding_post(struct db *db, struct arena *a, int64_t owner, const struct locale *l,
    struct str markdown, int64_t reminder_id, struct err *e);

/* ---- schedules ---- */

/* Adds the order for the turn of a schedule that has fired, in the schedule's session; a schedule without one
 * gets one. While its last turn is not delivered, this occurrence is skipped. */
enum rc reminding_order(struct db *db, struct arena *a, const struct reminder_fired *f,
    const struct locale *l, struct reminding_step *out, struct err *e);
/* Continues the delivery of a schedule when its turn has ended or must be ordered again. */
enum rc reminding_follow(struct db *db, struct arena *a, struct reminder_delivery *d, int64_t now,
    struct reminding_step *out, struct err *e);

#endif
