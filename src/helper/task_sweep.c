/* The hourly cleanup. It removes rows and files that have expired (the table `parts`), archives sessions that
 * were not used for a while, and erases deleted sessions and messages whose time in the trash has ended. It
 * never deletes a session by its age. */
#include "helper/task_sweep.h"

#include "app/account/auth.h"
#include "app/account/signin_limit.h"
#include "app/channel/router.h"
#include "app/jobs/erase_log.h"
#include "app/jobs/mass.h"
#include "app/memory/memory.h"
#include "app/reminder/reminder.h"
#include "app/session/batch.h"
#include "app/tasks/tasks.h"
#include "app/tools/discourse_focus.h"
#include "app/transfer/transfer.h"
#include "app/trash/trash_tasks.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "store/account/audit.h"
#include "store/account/idempotency.h"
#include "store/account/second_step.h"
#include "store/account/user.h"
#include "store/channel/button.h"
#include "store/channel/chat.h"
#include "store/channel/follow.h"
#include "store/channel/inbox.h"
#include "store/channel/outbox.h"
#include "store/memory/compaction.h"
#include "store/message/picture.h"
#include "store/model.h"
#include "store/session/session.h"
#include "store/session/share.h"
#include "store/session/suggestion.h"

#define GAP_DAYS_MAX            7 /* since the last sweep; after more the clock may be wrong */
#define GAP_WAIT_MS             (10 * MS_PER_MIN)
#define DEAD_LOGINS_DAYS        30
#define DEAD_TOKENS_DAYS        30 /* an ended API token stays visible for this long */
#define DONE_JOBS_DAYS          7
#define IDEMPOTENCY_HOURS       24
#define RECORDS_AT_ONCE         500
#define AUDIT_AT_ONCE           5000
#define BATCH_ITEMS_AT_ONCE     2000
#define PICTURES_AT_ONCE        4   /* of some MB each */
#define SHARES_AT_ONCE          1   /* with up to SHARE_PICTURE_BYTES_MAX */
#define ARCHIVE_AT_ONCE         500 /* per transaction, so that other writers do not wait long */
#define ANSWERED_REMINDERS_DAYS 30
#define UPGRADE_COPY_DAYS       7 /* it contains what users have erased since */
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
static enum rc sweep_few(struct mass *m, const struct config *c, struct err *e)
{
    const int64_t passwords_ms = c->login.failure_minutes * MS_PER_MIN,
                  codes_ms = SIGNIN_CODES_HOURS * MS_PER_H;
    const struct {
        sweep_fn *sweep;
        int64_t kept_ms;
    } kinds[] = {
        {sweep_logins, DEAD_LOGINS_DAYS * MS_PER_DAY},
        {store_failure_sweep, codes_ms > passwords_ms ? codes_ms : passwords_ms},
        {store_api_token_sweep, DEAD_TOKENS_DAYS * MS_PER_DAY},
        {store_code_sweep, 0},
        {store_signin_begun_sweep, 0},
        {store_device_sweep, AUTH_DEVICE_DAYS * MS_PER_DAY},
        {store_outbox_give_up, 0},
        {store_follow_sweep, FOLLOW_KEEP_MS},
        {store_models_forget, MODEL_LEARNED_MS},
        {sweep_transcripts_later, 0},
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(kinds); i++) {
        struct records_tx t = {kinds[i].sweep, clock_wall_ms() - kinds[i].kept_ms};
        rc = mass_step(m, records_tx, &t, e);
    }
    return rc;
}

/* Removes at most `limit` rows. */
typedef enum rc sweep_some_fn(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);

struct some_tx {
    sweep_some_fn *sweep;
    int64_t before;
    bool more;
};

static enum rc some_tx(struct db *db, void *arg, struct err *e)
{
    struct some_tx *t = arg;
    int64_t removed = 0;
    enum rc rc = t->sweep(db, t->before, RECORDS_AT_ONCE, &removed, e);
    t->more = removed == RECORDS_AT_ONCE;
    return rc;
}

/* Kinds that grow with use. After an outage many rows are due. */
static enum rc sweep_many(struct mass *m, struct err *e)
{
    static const struct {
        sweep_some_fn *sweep;
        int64_t kept_ms;
    } kinds[] = {
        {store_idempotency_sweep, IDEMPOTENCY_HOURS * MS_PER_H},
        {store_outbox_sweep, OUTBOX_KEEP_MS},
        {store_button_sweep, 0},
        {store_inbox_sweep, INBOX_KEEP_MS},
        {store_channel_message_sweep, ROUTER_PARTS_KEEP_MS},
        {store_job_sweep, DONE_JOBS_DAYS * MS_PER_DAY},
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(kinds); i++) {
        struct some_tx t = {kinds[i].sweep, clock_wall_ms() - kinds[i].kept_ms, false};
        rc = mass_steps(m, some_tx, &t, &t.more, e);
    }
    return rc;
}

static enum rc sweep_records(struct helper *h, struct err *e)
{
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    enum rc rc = sweep_few(&m, h->config, e);
    return rc == RC_OK ? sweep_many(&m, e) : rc;
}

/* ---- many rows, in steps ---- */

/* Removes, or archives, at most `limit` rows of one kind. */
typedef enum rc step_fn(
    struct db *db, const struct config *c, int64_t now, int limit, int64_t *removed, struct err *e);

static enum rc step_pictures(
    struct db *db, const struct config *c, int64_t now, int limit, int64_t *removed, struct err *e)
{
    (void)c;
    return store_picture_sweep(db, now - PICTURE_UNSENT_MS, limit, removed, e);
}

static enum rc step_shares(
    struct db *db, const struct config *c, int64_t now, int limit, int64_t *removed, struct err *e)
{
    (void)c;
    return store_share_sweep(db, now - ENDED_SHARES_DAYS * MS_PER_DAY, limit, removed, e);
}

static enum rc step_batches(
    struct db *db, const struct config *c, int64_t now, int limit, int64_t *removed, struct err *e)
{
    (void)c;
    return store_batch_sweep(db, now - BATCH_KEEP_MS, limit, removed, e);
}

static enum rc step_audit(
    struct db *db, const struct config *c, int64_t now, int limit, int64_t *removed, struct err *e)
{
    return store_audit_sweep(db, now - c->limits.audit_days * MS_PER_DAY, AUDIT_ROWS_MAX, limit, removed, e);
}

static enum rc step_archive(
    struct db *db, const struct config *c, int64_t now, int limit, int64_t *archived, struct err *e)
{
    return store_session_archive_idle(db, now - c->session.archive_hours * MS_PER_H, now, limit, archived, e);
}

struct step_tx {
    const struct config *config;
    step_fn *step;
    int limit;
    int64_t removed;
};

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    struct step_tx *t = arg;
    return t->step(db, t->config, clock_wall_ms(), t->limit, &t->removed, e);
}

/* ---- facts, tasks and reminders ---- */

/* Removes facts that have expired, facts, tasks and reminders whose deletion can no longer be undone,
 * suggestions that were not decided in time, and focus records that have lapsed. */
static enum rc facts_tx(struct db *db, void *arg, struct err *e)
{
    int64_t now = clock_wall_ms(), facts = 0, tasks = 0, reminders = 0;
    (void)arg;
    enum rc rc = store_memory_sweep(db, now, now - MEMORY_UNDO_MS, &facts, e);
    if (rc == RC_OK)
        rc = store_task_sweep(db, now - TASKS_UNDO_MS, &tasks, e);
    if (rc == RC_OK)
        rc = store_reminder_sweep(
            db, now - REMINDERS_UNDO_MS, now - ANSWERED_REMINDERS_DAYS * MS_PER_DAY, &reminders, e);
    if (rc == RC_OK)
        rc = store_suggestion_sweep(db, now, e);
    if (rc == RC_OK)
        rc = store_discourse_focus_sweep(db, now - FOCUS_LAPSE_MS, e);
    if (rc == RC_OK && facts + tasks + reminders)
        log_info("%lld facts, %lld tasks and %lld reminders removed", (long long)facts, (long long)tasks,
            (long long)reminders);
    return rc;
}

/* ---- the parts ---- */

static enum rc sweep_facts(struct helper *h, struct err *e)
{
    return store_write(h->store, facts_tx, NULL, e);
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

static enum rc sweep_copies(struct helper *h, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = fs_join(path, h->config->server.data_dir, CONFIG_DATABASE, e);
    if (rc == RC_OK)
        db_drop_copies(path, clock_wall_ms() - UPGRADE_COPY_DAYS * MS_PER_DAY);
    return rc;
}

/* The last one erases what the others have deleted. */
static const struct part {
    const char *name;
    enum rc (*run)(struct helper *h, struct err *e);
    step_fn *step; /* without `run`: repeated until it removes less than its limit */
    int limit;
    const char *done; /* follows their number in the log */
} parts[] = {
    {"old records", .run = sweep_records},
    {"pictures that were not sent", .step = step_pictures, .limit = PICTURES_AT_ONCE,
        .done = "pictures that were not sent removed"},
    {"shared links", .step = step_shares, .limit = SHARES_AT_ONCE, .done = "shared links removed"},
    {"facts, tasks and reminders", .run = sweep_facts},
    {"actions on many sessions", .step = step_batches, .limit = BATCH_ITEMS_AT_ONCE,
        .done = "sessions of old batches removed"},
    {"the audit trail", .step = step_audit, .limit = AUDIT_AT_ONCE,
        .done = "rows of the audit trail removed"},
    {"transfers", .run = sweep_transfers},
    {"idle sessions", .step = step_archive, .limit = ARCHIVE_AT_ONCE, .done = "sessions archived"},
    {"the trash", .run = sweep_trash},
    {"copies made before upgrades", .run = sweep_copies},
    {"the write-ahead log", .run = sweep_log},
};

static enum rc sweep_in_steps(struct helper *h, const struct part *p, struct err *e)
{
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    struct step_tx t = {.config = h->config, .step = p->step, .limit = p->limit};
    int64_t all = 0;
    enum rc rc;
    do {
        rc = mass_step(&m, step_tx, &t, e);
        all += rc == RC_OK ? t.removed : 0;
    } while (rc == RC_OK && t.removed == p->limit);
    if (all)
        log_info("%lld %s", (long long)all, p->done);
    return rc;
}

/* ---- a clock that may be wrong ---- */

static enum rc later_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *now = arg;
    return store_job_add(db, JOB_SWEEP, 0, 0, *now + GAP_WAIT_MS, *now, e);
}

/* After a long time without a sweep, the machine was off, or its clock shows a time ahead until a time server
 * corrects it. A sweep would then erase the trash. So the first one only plans the next. */
static enum rc wait_for_clock(struct store *s, bool *waits, struct err *e)
{
    int64_t now = clock_wall_ms(), last = 0;
    struct db *db = store_read(s);
    enum rc rc = store_job_last_done(db, JOB_SWEEP, &last, e);
    store_read_done(s, db);
    *waits = last && now - last > GAP_DAYS_MAX * MS_PER_DAY;
    if (rc != RC_OK || !*waits)
        return rc;
    log_info("no cleanup for %lld days: it begins in %lld minutes, when a wrong clock is corrected",
        (long long)((now - last) / MS_PER_DAY), (long long)(GAP_WAIT_MS / MS_PER_MIN));
    return store_write_lazy(s, later_tx, &now, e);
}

/* A part that always fails does not keep the others from their work. Each failure is logged here, because the
 * job has one reason only: the first. */
enum rc task_sweep(struct helper *h, const struct job *job, struct err *e)
{
    bool waits;
    enum rc first = wait_for_clock(h->store, &waits, e);
    (void)job;
    if (first != RC_OK || waits)
        return first;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct err why = ERR_INIT;
        enum rc rc = parts[i].run ? parts[i].run(h, &why) : sweep_in_steps(h, &parts[i], &why);
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
