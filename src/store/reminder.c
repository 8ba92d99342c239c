#include "store/reminder.h"

#include "store/row.h"

#define SELECT_REMINDER                                                                                \
    "SELECT r.id, r.owner, r.kind, coalesce(t.text, r.text), coalesce(r.task_id, 0), "                 \
    "coalesce(r.session_id, 0), d.pub, coalesce(r.source_id, 0), s.pub, x.owner IS NOT NULL, r.zone, " \
    "r.start, r.rule, coalesce(r.next_at, 0), coalesce(r.snooze_at, 0), coalesce(r.fires_at, 0), "     \
    "coalesce(r.paused_at, 0), coalesce(r.told_at, 0), r.created_at, coalesce((SELECT max(o.id) FROM " \
    "reminder_due o WHERE o.reminder_id = r.id AND o.state = 'open'), 0), r.changed_at, "              \
    "coalesce(t.changed_at, 0) FROM reminder r "                                                       \
    "LEFT JOIN task t ON t.id = r.task_id "                                                            \
    "LEFT JOIN session d ON d.id = r.session_id AND d.owner = r.owner "                                \
    "LEFT JOIN message src ON src.id = r.source_id " JOIN_SOURCE_SESSION
#define ALIVE     "r.deleted_at IS NULL "
#define TELLS     "length(r.start) > 10 "
#define WILL_FIRE "(r.fires_at IS NOT NULL OR (r.paused_at IS NOT NULL AND r.next_at IS NOT NULL)) "
#define NEVER     "9223372036854775807"

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct reminder read_reminder(const struct rows *q, struct arena *a)
{
    return (struct reminder){.id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .kind = row_text(q, 2, a),
        .text = row_str(q, 3, a),
        .task_id = rows_int(q, 4),
        .session_id = rows_int(q, 5),
        .session = row_text(q, 6, a),
        .source_id = rows_int(q, 7),
        .source_session = row_text(q, 8, a),
        .source_in_trash = rows_int(q, 9) != 0,
        .zone = row_text(q, 10, a),
        .start = row_text(q, 11, a),
        .rule = row_text(q, 12, a),
        .next_at = rows_int(q, 13),
        .snooze_at = rows_int(q, 14),
        .fires_at = rows_int(q, 15),
        .paused_at = rows_int(q, 16),
        .told_at = rows_int(q, 17),
        .created_at = rows_int(q, 18),
        .open_due = rows_int(q, 19),
        .changed_at = latest(rows_int(q, 18), latest(rows_int(q, 20), rows_int(q, 21)))};
}

DEFINE_ROWS(reminder, struct reminder, read_reminder, "reminder")

/* ---- one ---- */

static enum rc check_owned(struct db *db, const struct reminder *r, struct err *e)
{
    int64_t n;
    enum rc rc = row_check_source(db, r->owner, r->source_id, e);
    if (rc == RC_OK && r->session_id) {
        rc = db_one_int(db, "SELECT count(*) FROM session WHERE id = ? AND owner = ?",
            ARGS(v_int(r->session_id), v_int(r->owner)), &n, e);
        rc = must_exist(rc, rc == RC_OK ? n : 0, "session", e);
    }
    if (rc == RC_OK && r->task_id) {
        rc = db_one_int(db, "SELECT count(*) FROM task WHERE id = ? AND owner = ? AND deleted_at IS NULL",
            ARGS(v_int(r->task_id), v_int(r->owner)), &n, e);
        rc = must_exist(rc, rc == RC_OK ? n : 0, "task", e);
    }
    return rc;
}

enum rc store_reminder_add(struct db *db, struct reminder *r, struct err *e)
{
    enum rc rc = check_owned(db, r, e);
    if (rc == RC_OK && r->task_id)
        rc = db_exec(db, "DELETE FROM reminder WHERE task_id = ? AND deleted_at IS NOT NULL",
            ARGS(v_int(r->task_id)), NULL, e);
    if (rc == RC_OK)
        rc = row_next_id(db, r->owner, ROW_SEQUENCE("reminder_seq", "reminder"), &r->id, e);
    return rc == RC_OK ? db_exec(db,
                             "INSERT INTO reminder (id, owner, kind, text, task_id, session_id, source_id, "
                             "zone, start, rule, next_at, snooze_at, paused_at, told_at, created_at) "
                             "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             ARGS(v_int(r->id), v_int(r->owner), v_text(r->kind),
                                 r->task_id ? v_text("") : v_str(r->text), v_id(r->task_id),
                                 v_id(r->session_id), v_id(r->source_id), v_text(r->zone), v_text(r->start),
                                 v_text(r->rule), v_id(r->next_at), v_id(r->snooze_at), v_id(r->paused_at),
                                 v_id(r->told_at), v_int(r->created_at)),
                             NULL, e)
                       : rc;
}

enum rc store_reminder_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct reminder *out, struct err *e)
{
    return get_reminder(db, a, SELECT_REMINDER "WHERE r.owner = ? AND r.id = ? AND " ALIVE,
        ARGS(v_int(owner), v_int(id)), out, e);
}

enum rc store_reminder_of_task(
    struct db *db, struct arena *a, int64_t owner, int64_t task_id, struct reminder *out, struct err *e)
{
    return get_reminder(db, a, SELECT_REMINDER "WHERE r.owner = ? AND r.task_id = ? AND " ALIVE,
        ARGS(v_int(owner), v_int(task_id)), out, e);
}

enum rc store_reminder_change(struct db *db, const struct reminder *r, struct err *e)
{
    return row_change(db, "reminder",
        "UPDATE reminder SET kind = ?, text = ?, task_id = ?, session_id = ?, source_id = ?, zone = ?, "
        "start = ?, rule = ?, next_at = ?, snooze_at = ?, paused_at = ?, told_at = ? "
        "WHERE id = ? AND owner = ? AND deleted_at IS NULL",
        ARGS(v_text(r->kind), r->task_id ? v_text("") : v_str(r->text), v_id(r->task_id), v_id(r->session_id),
            v_id(r->source_id), v_text(r->zone), v_text(r->start), v_text(r->rule), v_id(r->next_at),
            v_id(r->snooze_at), v_id(r->paused_at), v_id(r->told_at), v_int(r->id), v_int(r->owner)),
        e);
}

/* ---- many ---- */

enum rc store_reminder_list(struct db *db, struct arena *a, int64_t owner, const char *kind, int limit,
    struct reminder **out, size_t *n, struct err *e)
{
    return list_reminder(db, a,
        SELECT_REMINDER
        "WHERE r.owner = ? AND r.kind = coalesce(?, r.kind) AND " ALIVE "AND " TELLS
        "AND (t.id IS NULL OR t.done_at IS NULL) "
        "ORDER BY coalesce(r.fires_at, CASE WHEN r.paused_at IS NOT NULL THEN r.next_at END, " NEVER
        "), r.id DESC LIMIT ?",
        ARGS(v_int(owner), v_text(kind), v_int(limit)), out, n, e);
}

enum rc store_reminder_count(struct db *db, int64_t owner, const char *kind, int64_t *n, struct err *e)
{
    return db_one_int(db,
        "SELECT count(*) FROM reminder r WHERE r.owner = ? AND r.kind = ? AND " ALIVE "AND " WILL_FIRE,
        ARGS(v_int(owner), v_text(kind)), n, e);
}

/* ---- deletion ---- */

enum rc store_reminder_remove(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return row_change(
        db, "reminder", "DELETE FROM reminder WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), e);
}

enum rc store_reminder_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return row_change(db, "reminder",
        "UPDATE reminder SET deleted_at = ? WHERE id = ? AND owner = ? AND deleted_at IS NULL",
        ARGS(v_int(now), v_int(id), v_int(owner)), e);
}

enum rc store_reminder_restore(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return row_change(db, "reminder",
        "UPDATE reminder SET deleted_at = NULL WHERE id = ? AND owner = ? AND deleted_at IS NOT NULL AND NOT "
        "EXISTS (SELECT 1 FROM task t WHERE t.id = reminder.task_id AND t.deleted_at IS NOT NULL)",
        ARGS(v_int(id), v_int(owner)), e);
}

enum rc store_reminder_deleted(struct db *db, struct arena *a, int64_t owner, int64_t since, int limit,
    struct reminder **out, size_t *n, struct err *e)
{
    return list_reminder(db, a,
        SELECT_REMINDER "WHERE r.owner = ? AND r.deleted_at > ? AND r.task_id IS NULL "
                        "ORDER BY r.deleted_at DESC, r.id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(since), v_int(limit)), out, n, e);
}

/* ---- occurrences ---- */

enum rc store_reminder_due_add(struct db *db, struct reminder_due *d, struct err *e)
{
    enum rc rc =
        row_next_id(db, d->owner, ROW_SEQUENCE("reminder_due_seq", "occurrence of a reminder"), &d->id, e);
    return rc == RC_OK ? db_exec(db,
                             "INSERT INTO reminder_due (id, owner, reminder_id, due_at, told_at, missed) "
                             "VALUES (?, ?, ?, ?, ?, ?)",
                             ARGS(v_int(d->id), v_int(d->owner), v_int(d->reminder_id), v_int(d->due_at),
                                 v_int(d->told_at), v_int(d->missed)),
                             NULL, e)
                       : rc;
}

enum rc store_reminder_due_at(struct db *db, int64_t owner, int64_t id, int64_t *at, struct err *e)
{
    return db_one_int(db, "SELECT due_at FROM reminder_due WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), at, e);
}

enum rc store_reminder_due_answer(struct db *db, int64_t owner, int64_t reminder_id, const char *state,
    int64_t now, int64_t *answered, struct err *e)
{
    return db_exec(db,
        "UPDATE reminder_due SET state = ?, answered_at = ? WHERE reminder_id = ? AND owner = ? AND state = "
        "'open'",
        ARGS(v_text(state), v_int(now), v_int(reminder_id), v_int(owner)), answered, e);
}

/* ---- for the helper ---- */

#define OF_ENABLED "(SELECT disabled_at FROM user u WHERE u.id = r.owner) IS NULL "

enum rc store_reminder_next_at(struct db *db, int64_t *at, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce((SELECT r.fires_at FROM reminder r WHERE r.fires_at IS NOT NULL AND " OF_ENABLED
        "ORDER BY r.fires_at LIMIT 1), " NEVER ")",
        NO_ARGS, at, e);
}

enum rc store_reminder_firing(
    struct db *db, struct arena *a, int64_t now, int limit, struct reminder **out, size_t *n, struct err *e)
{
    return list_reminder(db, a,
        SELECT_REMINDER "WHERE r.fires_at <= ? AND " OF_ENABLED "ORDER BY r.fires_at, r.id LIMIT ?",
        ARGS(v_int(now), v_int(limit)), out, n, e);
}

enum rc store_reminder_told_after(
    struct db *db, struct arena *a, int64_t now, struct reminder **out, size_t *n, struct err *e)
{
    return list_reminder(
        db, a, SELECT_REMINDER "WHERE r.told_at > ? AND " ALIVE, ARGS(v_int(now)), out, n, e);
}

enum rc store_reminder_sweep(
    struct db *db, int64_t deleted_before, int64_t answered_before, int64_t *removed, struct err *e)
{
    enum rc rc =
        db_exec(db, "DELETE FROM reminder_due WHERE answered_at <= ?", ARGS(v_int(answered_before)), NULL, e);
    return rc == RC_OK ? db_exec(db, "DELETE FROM reminder WHERE deleted_at <= ?",
                             ARGS(v_int(deleted_before)), removed, e)
                       : rc;
}
