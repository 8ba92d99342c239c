/* Imports of reminders, and of tasks with a time or a repetition. */
#include "import_home.h"

#include "app/tasks/tasks.h"
#include "base/clock.h"

#define HEADER "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":0}\n"

static const char *day_of(struct arena *a, int64_t ms)
{
    char *day = arena_alloc(a, TASK_DAY_SIZE);
    tasks_day(NULL, ms, 0, day);
    return day;
}

TEST(import_keeps_what_was_put_off_or_paused)
{
    struct home h = home();
    int64_t now = clock_wall_ms(), later = now + MS_PER_DAY;
    long long good = (long long)later, past = (long long)now - 1, far = (long long)now + 400 * MS_PER_DAY;
    struct transfer t = imports(
        &h, arena_printf(h.a,
                HEADER
                "{\"type\":\"reminder\",\"text\":\"a\",\"start\":\"2020-01-01T08:00\",\"snooze_at\":%lld}\n"
                "{\"type\":\"reminder\",\"text\":\"b\",\"start\":\"2020-01-01T08:00\",\"snooze_at\":%lld}\n"
                "{\"type\":\"reminder\",\"text\":\"c\",\"start\":\"2020-01-01T08:00\",\"snooze_at\":%lld}\n"
                "{\"type\":\"reminder\",\"text\":\"d\",\"start\":\"2020-01-01T08:00\","
                "\"rule\":\"FREQ=YEARLY\",\"snooze_at\":%lld}\n"
                "{\"type\":\"task\",\"text\":\"e\",\"due\":\"2020-01-01\",\"start\":\"2020-01-01T08:00\","
                "\"snooze_at\":%lld}\n"
                "{\"type\":\"task\",\"text\":\"f\",\"due\":\"2020-01-01\",\"start\":\"2020-01-01T08:00\","
                "\"rule\":\"FREQ=DAILY\",\"paused_at\":5}\n",
                good, past, far, good, good));
    assert_int_equal(t.facts, 4); /* without b and c */
    struct db *db = store_read(h.store);
    int64_t n = 0;
    assert_ok(db_one_int(db,
        "SELECT count(*) FROM reminder WHERE snooze_at = ? AND (next_at IS NULL) = (rule IS NULL)",
        ARGS(v_int(later)), &n, NULL));
    assert_int_equal(n, 3);
    assert_ok(db_one_int(
        db, "SELECT count(*) FROM reminder WHERE paused_at = 5 AND task_id IS NOT NULL", NO_ARGS, &n, NULL));
    assert_int_equal(n, 1);
    store_read_done(h.store, db);
    leave(&h);
}

TEST(import_pauses_schedules)
{
    struct home h = home();
    const char *day = day_of(h.a, clock_wall_ms() + 2 * MS_PER_DAY);
    struct transfer t = imports(&h,
        arena_printf(h.a,
            HEADER "{\"type\":\"reminder\",\"kind\":\"prompt\",\"text\":\"a\",\"start\":\"%sT08:00\"}\n"
                   "{\"type\":\"reminder\",\"kind\":\"prompt\",\"text\":\"b\",\"start\":\"2020-01-01T08:00\","
                   "\"rule\":\"FREQ=DAILY\"}\n"
                   "{\"type\":\"reminder\",\"kind\":\"prompt\",\"text\":\"c\",\"start\":\"%sT08:00\","
                   "\"paused_at\":5}\n"
                   "{\"type\":\"reminder\",\"text\":\"d\",\"start\":\"%sT08:00\"}\n",
            day, day, day));
    struct db *db = store_read(h.store);
    int64_t n = 0;
    assert_int_equal(t.facts, 4);
    assert_int_equal(t.paused, 2); /* without c, which was paused in the file */
    assert_string_equal(import_result_words(h.a, lang_english(), &t),
        "0 conversations, 4 facts, tasks or reminders, "
        "2 schedules paused until you resume them under Reminders");
    assert_ok(db_one_int(db,
        "SELECT count(*) FROM reminder WHERE (kind = 'prompt') = (paused_at IS NOT NULL) AND "
        "(paused_at IS NULL) = (fires_at IS NOT NULL)",
        NO_ARGS, &n, NULL));
    assert_int_equal(n, 4);
    store_read_done(h.store, db);
    leave(&h);
}

TEST(import_continues_the_series_of_a_task)
{
    struct home h = home();
    int64_t now = clock_wall_ms();
    const char *start = day_of(h.a, now - 2 * MS_PER_DAY), *due = day_of(h.a, now);
    struct task task;
    int64_t id;
    imports(&h,
        arena_printf(h.a,
            HEADER "{\"type\":\"task\",\"text\":\"a\",\"due\":\"%s\",\"start\":\"%s\","
                   "\"rule\":\"FREQ=DAILY;COUNT=5\"}\n"
                   "{\"type\":\"task\",\"text\":\"b\",\"due\":\"2020-01-05\",\"start\":\"2020-01-01T08:00\","
                   "\"rule\":\"FREQ=DAILY;COUNT=5\"}\n"
                   "{\"type\":\"task\",\"text\":\"c\",\"start\":\"x\",\"rule\":\"FREQ=DAILY\"}\n",
            due, start));
    struct db *db = store_read(h.store);
    assert_ok(db_one_int(db, "SELECT id FROM task WHERE text = 'a'", NO_ARGS, &id, NULL));
    assert_ok(store_task_get(db, h.a, 1, id, &task, NULL));
    assert_string_equal(task.due, due);
    assert_string_equal(task.start, start);
    assert_ok(db_one_int(db, "SELECT id FROM task WHERE text = 'b'", NO_ARGS, &id, NULL));
    assert_ok(store_task_get(db, h.a, 1, id, &task, NULL)); /* the last one, which is overdue */
    assert_string_equal(task.due, "2020-01-05");
    assert_string_equal(task.start, "2020-01-01T08:00");
    store_read_done(h.store, db);
    leave(&h);
}
