/* The hourly cleanup: removes expired logins, old failures and codes, finished jobs, messages of channels
 * that have ended, old audit rows, and transcripts without a compaction. It archives sessions that were not
 * used for a while, and erases what was long enough in the trash. It never deletes a session by its age. */
#include "helper/task_sweep.h"

#include "app/jobs/erase_log.h"
#include "app/jobs/mass.h"
#include "store/memory/compaction.h"
#include "store/session/suggestion.h"
#include "app/memory/memory.h"
#include "app/transfer/transfer.h"
#include "app/reminder/reminder.h"
#include "app/tasks/tasks.h"
#include "app/trash/trash_tasks.h"
#include "app/tools/discourse_focus.h"
#include "app/account/auth.h"
#include "app/session/batch.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/account/audit.h"
#include "store/account/idempotency.h"
#include "app/channel/router.h"
#include "store/channel/button.h"
#include "store/channel/follow.h"
#include "store/channel/chat.h"
#include "store/channel/inbox.h"
#include "store/channel/outbox.h"
#include "store/message/picture.h"
#include "store/session/session.h"
#include "store/session/share.h"
#include "store/account/user.h"

#define DEAD_LOGINS_DAYS        30
#define DEAD_TOKENS_DAYS        30 /* an ended API token stays visible for this long */
#define DONE_JOBS_DAYS          7
#define IDEMPOTENCY_HOURS       24
#define AUDIT_AT_ONCE           5000
#define BATCH_ITEMS_AT_ONCE     2000
#define PICTURES_AT_ONCE        4   /* of some MB each */
#define ARCHIVE_AT_ONCE         500 /* per transaction, so that other writers do not wait long */
#define ANSWERED_REMINDERS_DAYS 30
#define ENDED_SHARES_DAYS       7 /* until then their owner sees that they have ended */

/* ---- old records ---- */

typedef enum rc sweep_fn(struct db *db, int64_t before, struct err *e);

static enum rc sweep_logins(struct db *db, int64_t before, struct err *e)
{
    int64_t removed = 0;
    enum rc rc = store_login_sweep(db, before, &removed, e);
    if (rc == RC_OK && removed)
        log_info("%lld dead logins removed", (long long)removed);
    return rc;
}

static enum rc sweep_transcripts_later(struct db *db, int64_t now, struct err *e)
{
    return store_job_add(db, JOB_SWEEP_TRANSCRIPTS, 0, 0, now, now, e);
}

struct records_tx {
    sweep_fn *sweep;
    int64_t before;
};

static enum rc records_tx(struct db *db, void *arg, struct err *e)
{
    const struct records_tx *t = arg;
    return t->sweep(db, t->before, e);
}

/* Each kind in a transaction of its own: together they could keep other writers waiting for long. */
static enum rc sweep_records(struct helper *h, struct err *e)
{
    const struct {
        sweep_fn *sweep;
        int64_t kept_ms;
    } kinds[] = {
        {sweep_logins, DEAD_LOGINS_DAYS * MS_PER_DAY},
        {store_failure_sweep, h->config->login.failure_minutes * MS_PER_MIN},
        {store_api_token_sweep, DEAD_TOKENS_DAYS * MS_PER_DAY},
        {store_code_sweep, 0},
        {store_device_sweep, AUTH_DEVICE_DAYS * MS_PER_DAY},
        {store_share_sweep, ENDED_SHARES_DAYS * MS_PER_DAY},
        {store_idempotency_sweep, IDEMPOTENCY_HOURS * MS_PER_H},
        {store_outbox_sweep, 0},
        {store_button_sweep, 0},
        {store_follow_sweep, FOLLOW_KEEP_MS},
        {store_inbox_sweep, INBOX_KEEP_MS},
        {store_channel_message_sweep, ROUTER_PARTS_KEEP},
        {store_job_sweep, DONE_JOBS_DAYS * MS_PER_DAY},
        {sweep_transcripts_later, 0},
    };
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(kinds); i++) {
        struct records_tx t = {kinds[i].sweep, clock_wall_ms() - kinds[i].kept_ms};
        rc = mass_step(&m, records_tx, &t, e);
    }
    return rc;
}

struct batches_tx {
    int64_t before;
    bool more;
};

static enum rc batches_tx(struct db *db, void *arg, struct err *e)
{
    struct batches_tx *t = arg;
    return store_batch_sweep(db, t->before, BATCH_ITEMS_AT_ONCE, &t->more, e);
}

static enum rc sweep_batches(struct helper *h, struct err *e)
{
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    struct batches_tx t = {.before = clock_wall_ms() - BATCH_KEEP_MS, .more = true};
    enum rc rc = RC_OK;
    while (rc == RC_OK && t.more)
        rc = mass_step(&m, batches_tx, &t, e);
    return rc;
}

struct pictures_tx {
    int64_t before, removed;
};

static enum rc pictures_tx(struct db *db, void *arg, struct err *e)
{
    struct pictures_tx *t = arg;
    return store_picture_sweep(db, t->before, PICTURES_AT_ONCE, &t->removed, e);
}

static enum rc sweep_pictures(struct helper *h, struct err *e)
{
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    struct pictures_tx t = {clock_wall_ms() - PICTURE_UNSENT_MS, PICTURES_AT_ONCE};
    enum rc rc = RC_OK;
    while (rc == RC_OK && t.removed == PICTURES_AT_ONCE)
        rc = mass_step(&m, pictures_tx, &t, e);
    return rc;
}

struct audit_tx {
    int64_t before, removed;
};

static enum rc audit_tx(struct db *db, void *arg, struct err *e)
{
    struct audit_tx *t = arg;
    return store_audit_sweep(db, t->before, AUDIT_ROWS_MAX, AUDIT_AT_ONCE, &t->removed, e);
}

static enum rc sweep_audit(struct helper *h, struct err *e)
{
    struct audit_tx t = {.before = clock_wall_ms() - h->config->limits.audit_days * MS_PER_DAY};
    enum rc rc;
    int64_t all = 0;
    do {
        rc = store_write(h->store, audit_tx, &t, e);
        all += rc == RC_OK ? t.removed : 0;
    } while (rc == RC_OK && t.removed == AUDIT_AT_ONCE);
    if (all)
        log_info("%lld rows of the audit trail removed", (long long)all);
    return rc;
}

struct archive_tx {
    const struct helper *h;
    int64_t archived;
};

static enum rc archive_tx(struct db *db, void *arg, struct err *e)
{
    struct archive_tx *t = arg;
    int64_t now = clock_wall_ms();
    return store_session_archive_idle(
        db, now - t->h->config->session.archive_hours * MS_PER_H, now, ARCHIVE_AT_ONCE, &t->archived, e);
}

static enum rc archive(struct helper *h, struct err *e)
{
    struct archive_tx t = {.h = h, .archived = ARCHIVE_AT_ONCE};
    enum rc rc = RC_OK;
    int64_t all = 0;
    while (rc == RC_OK && t.archived == ARCHIVE_AT_ONCE) {
        rc = store_write(h->store, archive_tx, &t, e);
        all += t.archived;
    }
    if (rc == RC_OK && all)
        log_info("%lld sessions archived", (long long)all);
    return rc;
}

/* Removes facts that have expired, facts, tasks and reminders whose deletion can no longer be undone,
 * questions without an answer, and focus records that have lapsed. */
static enum rc memories_tx(struct db *db, void *arg, struct err *e)
{
    int64_t now = clock_wall_ms(), removed = 0, tasks = 0, reminders = 0;
    (void)arg;
    enum rc rc = store_memory_sweep(db, now, now - MEMORY_UNDO_MS, &removed, e);
    if (rc == RC_OK)
        rc = store_task_sweep(db, now - TASKS_UNDO_MS, &tasks, e);
    if (rc == RC_OK)
        rc = store_reminder_sweep(
            db, now - REMINDERS_UNDO_MS, now - ANSWERED_REMINDERS_DAYS * MS_PER_DAY, &reminders, e);
    if (rc == RC_OK)
        rc = store_suggestion_sweep(db, now, e);
    if (rc == RC_OK)
        rc = store_discourse_focus_sweep(db, now - FOCUS_LAPSE_MS, e);
    if (rc == RC_OK && removed + tasks)
        log_info("%lld memories and %lld tasks removed", (long long)removed, (long long)tasks);
    return rc;
}

/* ---- the parts ---- */

static enum rc sweep_memories(struct helper *h, struct err *e)
{
    return store_write(h->store, memories_tx, NULL, e);
}

static enum rc sweep_transfers(struct helper *h, struct err *e)
{
    return transfer_sweep(h->store, h->config, clock_wall_ms(), e);
}

static enum rc sweep_log(struct helper *h, struct err *e)
{
    enum rc rc = erase_log(h, e);
    return rc == RC_UNAVAILABLE ? RC_OK : rc; /* the next sweep tries again */
}

static enum rc sweep_trash(struct helper *h, struct err *e)
{
    return task_purge_trash(h, NULL, e);
}

/* The last one erases what the others have deleted. */
static const struct part {
    const char *name;
    enum rc (*run)(struct helper *h, struct err *e);
} parts[] = {
    {"old records", sweep_records},
    {"pictures that were not sent", sweep_pictures},
    {"memories and tasks", sweep_memories},
    {"actions on many sessions", sweep_batches},
    {"the audit trail", sweep_audit},
    {"transfers", sweep_transfers},
    {"idle sessions", archive},
    {"the trash", sweep_trash},
    {"the write-ahead log", sweep_log},
};

/* A part that always fails does not keep the others from their work. Each failure is logged here, because the
 * job has one reason only: the first. */
enum rc task_sweep(struct helper *h, const struct job *job, struct err *e)
{
    enum rc first = RC_OK;
    (void)job;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct err why = ERR_INIT;
        enum rc rc = parts[i].run(h, &why);
        if (rc == RC_CANCELLED) { /* the helper is stopping */
            *e = why;
            return rc;
        }
        if (rc == RC_OK)
            continue;
        log_warn("the sweep of %s: %s: %s", parts[i].name, rc_name(rc), why.text);
        if (first == RC_OK) {
            first = rc;
            *e = why;
        }
    }
    return first;
}
