#include "rig.h"

#include "store/session/discourse_focus.h"
#include "store/task.h"

static int64_t add(struct db *db, int64_t owner, const char *text, const char *due)
{
    struct task t = {.text = str_of(text), .due = due, .created_at = NOW};
    assert_ok(store_task_add(db, owner, &t, NULL));
    return t.id;
}

/* The ids of a list in order, as small numbers: "3 1 2 ". */
static const char *listed(
    struct db *db, struct arena *a, int64_t owner, bool done, struct task_key after, int limit)
{
    struct task *rows;
    size_t n;
    const char *all = "";
    if (done)
        assert_ok(store_task_done(db, a, owner, after, limit, &rows, &n, NULL));
    else
        assert_ok(store_task_open(db, a, owner, after, limit, &rows, &n, NULL));
    for (size_t i = 0; i < n; i++)
        all = arena_printf(a, "%s%lld ", all, (long long)(rows[i].id & 0xFFFFFFFF));
    return all;
}

TEST(task_is_given_back_as_it_was_stored)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t said = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_USER, "remind me");
    struct task t = {.text = STR("Buy milk"), .due = "2026-12-01", .source_id = said, .created_at = NOW}, got;
    assert_ok(store_task_add(db, 1, &t, NULL));
    assert_int_equal(t.id, (INT64_C(1) << 32) + 1);
    assert_ok(store_task_get(db, a, 1, t.id, &got, NULL));
    assert_string_equal(got.text.s, "Buy milk");
    assert_string_equal(got.due, "2026-12-01");
    assert_string_equal(got.source_session, "ses_a");
    assert_true(got.source_id == said && got.created_at == NOW && got.done_at == 0);
    got.text = STR("Buy oat milk");
    got.due = NULL;
    assert_ok(store_task_change(db, 1, &got, NULL));
    assert_ok(store_task_get(db, a, 1, t.id, &got, NULL));
    assert_string_equal(got.text.s, "Buy oat milk");
    assert_null(got.due);
}

TEST(task_of_another_owner_is_absent_everywhere)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = add(db, 1, "Call mum", NULL), n;
    struct task got = {.id = id, .text = STR("mine now"), .created_at = NOW};
    assert_rc(store_task_get(db, a, 2, id, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_task_change(db, 2, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_task_set_done(db, 2, id, NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_task_set_next(db, 2, id, id, NULL), RC_NOT_FOUND);
    assert_rc(store_task_delete(db, 2, id, NOW, NULL), RC_NOT_FOUND);
    assert_string_equal(listed(db, a, 2, false, (struct task_key){0}, 9), "");
    assert_ok(store_task_open_count(db, 2, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_task_set_done(db, 1, id, NOW, NULL));
    assert_ok(store_task_clear_done(db, 2, NOW, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_task_clear_done(db, 1, NOW, &n, NULL));
    assert_int_equal(n, 1);
    assert_rc(store_task_restore(db, 2, id, NULL), RC_NOT_FOUND);
    assert_rc(store_task_restore_cleared(db, 2, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_task_restore(db, 1, id, NULL));
    assert_string_equal(listed(db, a, 2, true, (struct task_key){0}, 9), "");
    got.source_id = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_USER, "x");
    assert_rc(store_task_add(db, 2, &got, NULL), RC_NOT_FOUND);
}

TEST(tasks_come_by_day_and_done_ones_newest_first_page_by_page)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    const struct task_key start = {0};
    int64_t n;
    add(db, 1, "no day", NULL);
    add(db, 1, "later", "2026-12-09");
    int64_t same = add(db, 1, "soon", "2026-12-01");
    add(db, 1, "soon, too", "2026-12-01");
    int64_t no_day = add(db, 1, "no day either", NULL);
    assert_string_equal(listed(db, a, 1, false, start, 9), "3 4 2 1 5 ");
    assert_string_equal(listed(db, a, 1, false, start, 2), "3 4 ");
    assert_string_equal(listed(db, a, 1, false, (struct task_key){"2026-12-01", 0, same}, 9), "4 2 1 5 ");
    assert_string_equal(listed(db, a, 1, false, (struct task_key){NULL, 0, no_day - 1}, 9), "5 ");
    for (int64_t i = 1; i <= 3; i++)
        assert_ok(store_task_set_done(db, 1, (INT64_C(1) << 32) + i, NOW + (i == 2 ? 9 : 1), NULL));
    assert_ok(store_task_set_done(db, 1, (INT64_C(1) << 32) + 1, NOW + 99, NULL)); /* keeps its time */
    assert_string_equal(listed(db, a, 1, true, start, 9), "2 3 1 ");
    assert_string_equal(listed(db, a, 1, true, (struct task_key){NULL, NOW + 1, same}, 9), "1 ");
    assert_ok(store_task_open_count(db, 1, &n, NULL));
    assert_int_equal(n, 2);
    assert_ok(store_task_set_done(db, 1, same, 0, NULL));
    assert_string_equal(listed(db, a, 1, false, start, 9), "3 4 5 ");
}

TEST(task_deletion_is_undone_until_the_sweep)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t first = add(db, 1, "one", NULL), second = add(db, 1, "two", NULL), n;
    assert_ok(store_task_delete(db, 1, first, NOW, NULL));
    assert_rc(store_task_delete(db, 1, first, NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_task_set_done(db, 1, first, NOW, NULL), RC_NOT_FOUND);
    assert_string_equal(listed(db, a, 1, false, (struct task_key){0}, 9), "2 ");
    struct task *gone;
    size_t rows;
    assert_ok(store_task_deleted(db, a, 1, NOW - 1, 9, &gone, &rows, NULL));
    assert_true(rows == 1 && gone[0].id == first);
    assert_ok(store_task_deleted(db, a, 2, NOW - 1, 9, &gone, &rows, NULL));
    assert_int_equal(rows, 0);
    assert_ok(store_task_deleted(db, a, 1, NOW, 9, &gone, &rows, NULL));
    assert_int_equal(rows, 0);
    assert_ok(store_task_restore(db, 1, first, NULL));
    assert_rc(store_task_restore(db, 1, first, NULL), RC_NOT_FOUND);
    assert_ok(store_task_delete(db, 1, first, NOW, NULL));
    assert_ok(store_task_set_done(db, 1, second, NOW, NULL));
    int64_t open = add(db, 1, "three", NULL);
    assert_ok(store_task_clear_done(db, 1, NOW + 5, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(listed(db, a, 1, false, (struct task_key){0}, 9), "3 ");
    assert_ok(store_task_delete(db, 1, open, NOW + 5, NULL));
    assert_ok(store_task_sweep(db, NOW, &n, NULL));
    assert_int_equal(n, 1);
    assert_rc(store_task_restore(db, 1, first, NULL), RC_NOT_FOUND);
    assert_rc(store_task_restore_cleared(db, 1, NOW + 4, NULL), RC_NOT_FOUND);
    assert_ok(store_task_restore_cleared(db, 1, NOW + 5, NULL));
    assert_string_equal(listed(db, a, 1, true, (struct task_key){0}, 9), "2 ");
    assert_string_equal(listed(db, a, 1, false, (struct task_key){0}, 9), "");
}

TEST(task_outlives_its_source)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct task t = {.text = STR("x"), .created_at = NOW}, got;
    t.source_id = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_USER, "x");
    assert_ok(store_task_add(db, 1, &t, NULL));
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_ok(store_task_get(db, a, 1, t.id, &got, NULL));
    assert_int_equal(got.source_id, 0);
    assert_null(got.source_session);
}

TEST(each_session_has_a_focus_of_its_own_that_lapses)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t session = rig_session(db, 1, "ses_a");
    struct discourse_focus w = {.intent = "list_tasks", .tasks = {.ids = {7, 9}, .n = 2, .last = 9}}, got;
    assert_rc(store_discourse_focus_put(db, 2, session, &w, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_discourse_focus_put(db, 1, session, &w, NOW, NULL));
    assert_ok(store_discourse_focus_get(db, a, 2, session, 0, &got, NULL));
    assert_int_equal(got.tasks.n, 0);
    assert_ok(store_discourse_focus_get(db, a, 1, session, NOW, &got, NULL)); /* lapsed */
    assert_int_equal(got.tasks.n, 0);
    assert_ok(store_discourse_focus_get(db, a, 1, session, NOW - 1, &got, NULL));
    assert_string_equal(got.intent, "list_tasks");
    assert_true(got.tasks.n == 2 && got.tasks.ids[1] == 9 && got.tasks.last == 9 && got.memories.n == 0);
    w.memories = (struct focus_ids){.ids = {3}, .n = 1, .last = 3};
    assert_ok(store_discourse_focus_put(db, 1, session, &w, NOW + 1, NULL));
    assert_ok(store_discourse_focus_get(db, a, 1, session, NOW, &got, NULL));
    assert_true(got.memories.n == 1 && got.memories.last == 3);
    assert_ok(store_discourse_focus_sweep(db, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM working"), 1);
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM working"), 0);
}
