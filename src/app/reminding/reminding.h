/*
 * Delivery of reminders and schedules that are due. The helper calls reminding_step() when one fires and when
 * turns have ended.
 *
 * One transaction records that a reminder was due (reminders_fire_in()), adds a message of Alfred to its
 * session and posts it to the user's private chats of channels, so that it is delivered once, also after a
 * crash. Browsers are notified like after any other commit (store/changes.h). A message waits while a turn
 * of its session runs, because the turn would lose its place in the conversation.
 *
 * A schedule adds an order for a turn (store/message/turn_order.h). When the turn has ended, its answer is
 * sent to the private chats, unless one of them shows the session anyway. A refused order or a failed answer
 * is tried REMINDING_ATTEMPTS_MAX times in all, while a provider that is away comes back. After
 * REMINDING_ATTEMPTS attempts and at the end the user gets a message that says so. Until the end further
 * occurrences of the schedule are skipped, so that an outage has one report.
 *
 * A reminder whose session was deleted is delivered to the session "Reminders" of its owner, which is
 * created at the first use.
 */
#ifndef ALFRED_APP_REMINDING_REMINDING_H
#define ALFRED_APP_REMINDING_REMINDING_H

#include "app/reminder/reminder.h"
#include "base/locale.h"

#define REMINDING_CHANNEL      "reminder" /* of the messages of reminders */
#define REMINDING_SCHEDULE     "schedule" /* of the messages of schedules */
#define REMINDING_ATTEMPTS     5          /* of a schedule, until the user is told */
#define REMINDING_ATTEMPTS_MAX 20         /* 16 hours: less than the distance of daily occurrences */
/* The wait before the second attempt; each further one is 3 times as long, up to REMINDING_WAIT_MAX_MS. */
#define REMINDING_RETRY_MS    MS_PER_MIN
#define REMINDING_WAIT_MAX_MS MS_PER_H

struct reminding_step {
    int64_t next_at; /* when something is due again; INT64_MAX: never */
    bool waits;      /* something waits for the end of a turn */
    bool posted;     /* the outbox may have new messages */
    bool ordered;    /* a turn was ordered */
};

/* Delivers everything that is due up to `now`. If nothing is due, it writes nothing. */
enum rc reminding_step(struct store *s, int64_t now, struct reminding_step *out, struct err *e);

/* The sentence with the due time of an occurrence that is delivered late: "Due: yesterday at 17:00.".
 * `missed`: the number of earlier occurrences that are not delivered, which it names. NULL: in time, and none
 * missed. */
const char *reminding_late_words(
    struct arena *a, const struct locale *l, int64_t due_at, int64_t told_at, int64_t missed);

#endif
