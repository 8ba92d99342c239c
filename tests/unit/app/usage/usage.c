/* Days, models and costs of usage; the counts of the trigger. */
#include "../../store/rig.h"

#include "app/usage/usage.h"
#include "base/clock.h"
#include "store/account/usage.h"

/* 20 November 2026, 12:00 in UTC. */
#define NOON INT64_C(1795176000000)

static const char *const lines[] = {"big* 2 10 0.5"};
static const struct config_provider priced = {.name = "main", .prices = {lines, 1}};
static const struct config config = {.providers = &priced, .providers_n = 1};

static void used(
    struct db *db, int64_t owner, int64_t at, const char *model, int64_t in, int64_t out, int64_t cached)
{
    struct usage_row r = {.quarter = at / USAGE_QUARTER_MS,
        .provider = "main",
        .model = model,
        .answers = 1,
        .tokens_in = in,
        .tokens_out = out,
        .tokens_cached = cached};
    assert_ok(store_usage_add(db, owner, &r, NULL));
}

static struct usage week(struct db *db, struct arena *a, int64_t owner, const char *zone)
{
    struct usage u;
    assert_ok(usage_read(db, a, &config, owner, 7, time_zone_load(a, zone), NOON, &u, NULL));
    assert_int_equal(u.days_n, 7);
    return u;
}

TEST(usage_days_are_those_of_the_readers_zone)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t evening = NOON - 16 * MS_PER_H; /* 20:00 the day before, in UTC; 01:45 today in Kathmandu */
    used(db, 1, evening, "big", 10, 1, 0);
    struct usage u = week(db, a, 1, "Etc/UTC");
    assert_int_equal(u.days[5].sum.tokens_in, 10);
    assert_null(u.days[6].models);
    u = week(db, a, 1, "Asia/Kathmandu");
    assert_int_equal(u.days[6].sum.tokens_in, 10);
    assert_int_equal(time_zone_local(time_zone_load(a, "Asia/Kathmandu"), u.days[6].at).tm_mday, 20);
}

TEST(usage_keeps_days_apart_when_the_clock_changes)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    /* 25 October 2026 has 25 hours; one answer at 23:30 of each day from the 23rd to the 26th */
    int64_t first = INT64_C(1792791000000);
    for (int i = 0; i < 4; i++)
        used(db, 1, time_zone_at(z, time_zone_wall(z, first) + i * MS_PER_DAY), "big", 1, 0, 0);
    struct usage u;
    assert_ok(usage_read(
        db, a, &config, 1, 5, z, time_zone_at(z, time_zone_wall(z, first) + 4 * MS_PER_DAY), &u, NULL));
    for (int i = 0; i < 4; i++)
        assert_int_equal(u.days[i].sum.tokens_in, 1);
}

TEST(usage_sums_models_and_costs)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    used(db, 1, NOON, "small", 500, 500, 0);
    used(db, 1, NOON, "big-1", 1000000, 100000, 400000);
    used(db, 1, NOON, "big-1", 1000000, 0, 1000000);
    used(db, 1, NOON - 6 * MS_PER_DAY, "small", 1, 1, 0);
    used(db, 1, NOON - 7 * MS_PER_DAY, "small", 7777, 7777, 0); /* before the first day */
    used(db, 2, NOON, "big-1", 3, 0, 0);
    struct usage u = week(db, a, 1, "Etc/UTC");
    assert_int_equal(u.models_n, 2);
    assert_string_equal(u.models[0].model, "big-1");
    assert_int_equal(u.models[0].sum.cost, 600000 * 2 + 1400000 / 2 + 100000 * 10);
    assert_true(u.models[0].priced && !u.models[1].priced && u.priced && u.unpriced);
    assert_int_equal(u.all.tokens_in, 2000501);
    assert_int_equal(u.all.answers, 4);
    assert_int_equal(u.days[6].models[1].tokens_out, 500);
    assert_int_equal(u.days[0].sum.tokens_out, 1);
    assert_int_equal(week(db, a, 0, "Etc/UTC").all.tokens_in, 2000504);
    assert_int_equal(week(db, a, 2, "Etc/UTC").all.tokens_in, 3);
}

static int64_t tokens_out(struct db *db, int64_t owner)
{
    AUTO(arena) a = arena_new();
    struct usage_row *rows;
    size_t n;
    int64_t all = 0;
    assert_ok(store_usage_since(db, a, owner, 0, &rows, &n, NULL));
    for (size_t i = 0; i < n; i++)
        all += rows[i].tokens_out;
    return all;
}

TEST(usage_counts_an_answer_when_it_ends_and_its_continuation_once_more)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a"), asked = rig_message(db, 1, s, 0, ROLE_USER, "?");
    struct message m = {.session_id = s,
        .parent_id = asked,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR(""),
        .provider = "main",
        .model = "big",
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &m, NULL));
    assert_int_equal(tokens_out(db, 1), 0);
    struct message end = {.id = m.id,
        .status = MESSAGE_DONE,
        .text = STR("!"),
        .tokens_in = 9,
        .tokens_out = 5,
        .ended_at = NOW};
    assert_ok(store_message_finish(db, 1, &end, NULL));
    assert_int_equal(tokens_out(db, 1), 5);
    assert_ok(
        db_exec(db, "UPDATE message SET status = 'running' WHERE id = ?", ARGS(v_int(m.id)), NULL, NULL));
    end.tokens_out = 12;
    assert_ok(store_message_finish(db, 1, &end, NULL));
    assert_int_equal(tokens_out(db, 1), 12);
    assert_int_equal(tokens_out(db, 2), 0);
}

TEST(usage_of_a_user_who_is_gone_is_not_stored)
{
    AUTO(db) db = rig_db();
    used(db, 99, NOON, "big", 1, 1, 0);
    assert_int_equal(tokens_out(db, 0), 0);
}
