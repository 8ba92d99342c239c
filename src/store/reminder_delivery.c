#include "store/reminder_delivery.h"

#include "store/message/comparison.h"
#include "store/row.h"

#define STEP_RETRY   "'retry'"
#define STEP_MESSAGE "'message'"
static const char *const steps[] = {
    [DELIVERY_MESSAGE] = "message", [DELIVERY_ASKED] = "asked", [DELIVERY_RETRY] = "retry"};

static struct reminder_delivery read_delivery(const struct rows *q, struct arena *a)
{
    struct reminder_delivery d = {.due_id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .reminder_id = rows_int(q, 2),
        .due_at = rows_int(q, 3),
        .told_at = rows_int(q, 4),
        .missed = rows_int(q, 5),
        .session_id = rows_int(q, 7),
        .asked_id = rows_int(q, 8),
        .attempt = (int)rows_int(q, 9),
        .run_at = rows_int(q, 10)};
    const char *step = row_text(q, 6, a);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        if (strcmp(steps[i], step) == 0)
            d.step = (enum delivery_step)i;
    return d;
}

DEFINE_ROWS(delivery, struct reminder_delivery, read_delivery, "delivery of a reminder")

static struct reminder_due read_due(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct reminder_due){.id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .reminder_id = rows_int(q, 2),
        .due_at = rows_int(q, 3),
        .told_at = rows_int(q, 4),
        .missed = rows_int(q, 5)};
}

DEFINE_ROWS(due, struct reminder_due, read_due, "occurrence")

enum rc store_reminder_delivery_add(struct db *db, const struct reminder_delivery *d, struct err *e)
{
    return db_exec(db,
        "INSERT INTO reminder_delivery (due_id, owner, step, session_id, run_at) VALUES (?, ?, ?, ?, ?)",
        ARGS(v_int(d->due_id), v_int(d->owner), v_text(steps[d->step]), v_int(d->session_id),
            v_int(d->run_at)),
        NULL, e);
}

enum rc store_reminder_delivery_change(struct db *db, const struct reminder_delivery *d, struct err *e)
{
    return row_change(db, "delivery of a reminder",
        "UPDATE reminder_delivery SET step = ?, asked_id = ?, attempt = ?, run_at = ? WHERE due_id = ?",
        ARGS(
            v_text(steps[d->step]), v_id(d->asked_id), v_int(d->attempt), v_int(d->run_at), v_int(d->due_id)),
        e);
}

enum rc store_reminder_delivery_delete(struct db *db, int64_t due_id, struct err *e)
{
    return db_exec(db, "DELETE FROM reminder_delivery WHERE due_id = ?", ARGS(v_int(due_id)), NULL, e);
}

enum rc store_reminder_deliveries(struct db *db, struct arena *a, int64_t now, int limit,
    struct reminder_delivery **out, size_t *n, struct err *e)
{
    return list_delivery(db, a,
        "SELECT v.due_id, v.owner, d.reminder_id, d.due_at, d.told_at, d.missed, v.step, v.session_id, "
        "coalesce(v.asked_id, 0), v.attempt, v.run_at FROM reminder_delivery v "
        "JOIN reminder_due d ON d.id = v.due_id WHERE CASE v.step WHEN " STEP_RETRY " THEN v.run_at <= ? "
        "WHEN " STEP_MESSAGE " THEN NOT (" COMPARISON_IS_OPEN("v.session_id") ") ELSE TRUE END "
                                                                              "ORDER BY v.due_id LIMIT ?",
        ARGS(v_int(now), v_int(limit)), out, n, e);
}

enum rc store_reminder_delivery_next_at(struct db *db, int64_t *at, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce(min(run_at), 9223372036854775807) FROM reminder_delivery WHERE step = " STEP_RETRY,
        NO_ARGS, at, e);
}

enum rc store_reminder_delivery_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e)
{
    return db_exec(db,
        "UPDATE reminder_delivery SET run_at = run_at - ? WHERE step = " STEP_RETRY " AND run_at > ?",
        ARGS(v_int(ms), v_int(now)), NULL, e);
}

enum rc store_reminder_delivery_runs(
    struct db *db, int64_t owner, int64_t reminder_id, bool *out, struct err *e)
{
    int64_t found = 0;
    enum rc rc = db_one_int(db,
        "SELECT EXISTS (SELECT 1 FROM reminder_delivery v JOIN reminder_due d ON d.id = v.due_id "
        "WHERE d.reminder_id = ? AND v.owner = ?)",
        ARGS(v_int(reminder_id), v_int(owner)), &found, e);
    *out = found != 0;
    return rc;
}

enum rc store_reminder_delivery_reopen(struct db *db, int64_t owner, int64_t reminder_id, struct err *e)
{
    return db_exec(db,
        "UPDATE reminder_due SET state = 'open', answered_at = NULL WHERE reminder_id = ? AND owner = ? AND "
        "id IN (SELECT due_id FROM reminder_delivery)",
        ARGS(v_int(reminder_id), v_int(owner)), NULL, e);
}

enum rc store_reminder_due_shown(struct db *db, struct arena *a, int64_t owner, int limit,
    struct reminder_due **out, size_t *n, struct err *e)
{
    return list_due(db, a,
        "SELECT d.id, d.owner, d.reminder_id, d.due_at, d.told_at, d.missed FROM reminder_due d "
        "JOIN reminder r ON r.id = d.reminder_id AND r.deleted_at IS NULL "
        "WHERE d.owner = ? AND d.state = 'open' AND NOT EXISTS (SELECT 1 FROM reminder_delivery v "
        "WHERE v.due_id = d.id AND v.step <> 'message') ORDER BY d.id LIMIT ?",
        ARGS(v_int(owner), v_int(limit)), out, n, e);
}

enum rc store_reminder_session(struct db *db, int64_t owner, int64_t *session_id, struct err *e)
{
    return db_one_int(db,
        "SELECT s.id FROM reminder_home r JOIN session s ON s.id = r.session_id AND s.owner = r.owner "
        "WHERE r.owner = ?",
        ARGS(v_int(owner)), session_id, e);
}

enum rc store_reminder_session_set(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    return db_exec(db,
        "INSERT INTO reminder_home (owner, session_id) VALUES (?, ?) "
        "ON CONFLICT (owner) DO UPDATE SET session_id = excluded.session_id",
        ARGS(v_int(owner), v_int(session_id)), NULL, e);
}
