#include "rig.h"

#include "store/reminder.h"
#include "store/reminder_delivery.h"
#include "store/task.h"

static struct reminder add(struct db *db, int64_t task, const char *rule)
{
    struct reminder r = {.owner = 1,
        .kind = REMINDER_REMIND,
        .text = STR("Call"),
        .task_id = task,
        .zone = "UTC",
        .start = "2026-12-01T17:00",
        .rule = rule,
        .next_at = NOW + 5,
        .created_at = NOW};
    assert_ok(store_reminder_add(db, &r, NULL));
    return r;
}

static bool is_changed(struct db *db, struct arena *a, int64_t id)
{
    struct reminder r;
    assert_ok(store_reminder_get(db, a, 1, id, &r, NULL));
    assert_true(r.changed_at == NOW || r.changed_at > NOW + MS_PER_DAY); /* the clock of the machine */
    return r.changed_at != NOW;
}

TEST(the_last_change_of_a_series_is_not_its_next_occurrence)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct reminder r = add(db, 0, "FREQ=DAILY");
    assert_false(is_changed(db, a, r.id));
    r.next_at += MS_PER_DAY;
    r.told_at = NOW;
    r.snooze_at = NOW + 9;
    assert_ok(store_reminder_change(db, &r, NULL));
    assert_false(is_changed(db, a, r.id));
    r.rule = "FREQ=WEEKLY";
    assert_ok(store_reminder_change(db, &r, NULL));
    assert_true(is_changed(db, a, r.id));
}

TEST(a_reminder_that_fires_once_changes_with_its_time)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct reminder r = add(db, 0, NULL);
    r.told_at = NOW;
    assert_ok(store_reminder_change(db, &r, NULL));
    assert_false(is_changed(db, a, r.id));
    r.snooze_at = NOW + 9;
    assert_ok(store_reminder_change(db, &r, NULL));
    assert_true(is_changed(db, a, r.id));
}

TEST(a_reminder_changes_with_the_text_of_its_task)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct task t = {.text = STR("Call mum"), .due = "2026-12-01", .created_at = NOW};
    assert_ok(store_task_add(db, 1, &t, NULL));
    struct reminder r = add(db, t.id, NULL);
    assert_ok(store_task_change(db, 1, &t, NULL)); /* the same text */
    assert_false(is_changed(db, a, r.id));
    t.text = STR("Call dad");
    assert_ok(store_task_change(db, 1, &t, NULL));
    assert_true(is_changed(db, a, r.id));
    assert_ok(store_task_get(db, a, 1, t.id, &t, NULL));
    assert_true(t.changed_at > NOW + MS_PER_DAY);
}

TEST(a_reminder_of_another_owner_is_absent_everywhere)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct task t = {.text = STR("Call mum"), .due = "2026-12-01", .created_at = NOW};
    assert_ok(store_task_add(db, 1, &t, NULL));
    struct reminder r = add(db, t.id, NULL), got = {0}, *list;
    struct reminder_due due = {.owner = 1, .reminder_id = r.id, .due_at = NOW, .told_at = NOW}, *shown;
    int64_t n;
    size_t rows;
    assert_ok(store_reminder_due_add(db, &due, NULL));
    assert_rc(store_reminder_get(db, a, 2, r.id, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_reminder_of_task(db, a, 2, t.id, &got, NULL), RC_NOT_FOUND);
    assert_ok(store_reminder_list(db, a, 2, NULL, 9, &list, &rows, NULL));
    assert_int_equal(rows, 0);
    assert_ok(store_reminder_count(db, 2, REMINDER_REMIND, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_reminder_due_shown(db, a, 2, 9, &shown, &rows, NULL));
    assert_int_equal(rows, 0);
    assert_ok(store_reminder_due_answer(db, 2, r.id, "done", NOW, &n, NULL));
    assert_int_equal(n, 0);
    got = r;
    got.owner = 2;
    assert_rc(store_reminder_change(db, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_reminder_remove(db, 2, r.id, NULL), RC_NOT_FOUND);
    assert_rc(store_reminder_delete(db, 2, r.id, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_reminder_delete(db, 1, r.id, NOW, NULL));
    assert_rc(store_reminder_restore(db, 2, r.id, NULL), RC_NOT_FOUND);
    assert_ok(store_reminder_restore(db, 1, r.id, NULL));
    assert_ok(store_reminder_due_shown(db, a, 1, 9, &shown, &rows, NULL));
    assert_int_equal(rows, 1);
    /* a foreign task, a foreign session */
    assert_rc(store_reminder_add(db, &got, NULL), RC_NOT_FOUND);
    got.task_id = 0;
    got.session_id = rig_session(db, 1, "ses_a");
    assert_rc(store_reminder_add(db, &got, NULL), RC_NOT_FOUND);
}
