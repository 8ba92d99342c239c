#include "helper/clock_back.h"

#include "app/reminder/reminder.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/channel/outbox.h"
#include "store/channel/problem.h"
#include "store/job.h"
#include "store/reminder_delivery.h"
#include "store/session/session.h"

struct moving {
    int64_t now, ms;
    bool sessions;
};

/* Whether the times of sessions must be moved. Outside of the transaction, because this reads all sessions:
 * 40 ms for 100,000. */
static enum rc look_fn(struct db *db, void *arg, struct err *e)
{
    struct moving *m = arg;
    return store_session_ahead(db, m->now, &m->sessions, e);
}

static enum rc move_tx(struct db *db, void *arg, struct err *e)
{
    const struct moving *m = arg;
    enum rc rc = reminders_clock_back_in(db, m->now, e);
    if (rc == RC_OK && m->sessions)
        rc = store_session_clock_back(db, m->now, m->ms, e);
    if (rc != RC_OK || m->ms == 0)
        return rc;
    rc = store_job_clock_back(db, m->now, m->ms, e);
    if (rc == RC_OK)
        rc = store_outbox_clock_back(db, m->now, m->ms, e);
    if (rc == RC_OK)
        rc = store_channel_problems_clock_back(db, m->now, m->ms, e);
    return rc == RC_OK ? store_reminder_delivery_clock_back(db, m->now, m->ms, e) : rc;
}

enum rc clock_back_move(struct store *s, int64_t now, int64_t ms, struct err *e)
{
    struct moving m = {.now = now, .ms = ms};
    enum rc rc = store_with_reader(s, look_fn, &m, e);
    if (rc == RC_OK)
        rc = store_write(s, move_tx, &m, e);
    if (rc == RC_OK && ms)
        log_info("the clock was set back by %lld s; jobs and messages do not wait longer because of it",
            (long long)(ms / MS_PER_S));
    return rc;
}
