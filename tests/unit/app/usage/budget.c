/* The limit of a member's costs in a calendar month. */
#include "../../store/rig.h"

#include "app/usage/budget.h"
#include "base/clock.h"
#include "store/account/usage.h"
#include "store/account/user.h"

/* 1 November 2026, 00:00 in UTC. */
#define NOVEMBER INT64_C(1793491200000)

static const char *const lines[] = {"big* 2 10 0.5"};
static const struct config_provider priced = {.name = "main", .prices = {lines, 1}};
static const struct config config = {
    .providers = &priced, .providers_n = 1, .usage = {.currency = "EUR", .member_month_cost = 3}};

static void used(struct db *db, int64_t owner, int64_t at, const char *model, int64_t in)
{
    struct usage_row r = {
        .quarter = at / USAGE_QUARTER_MS, .provider = "main", .model = model, .tokens_in = in};
    assert_ok(store_usage_add(db, owner, &r, NULL));
}

static enum rc check(struct db *db, const char *model, const char *zone, int64_t now)
{
    AUTO(arena) a = arena_new();
    return budget_check(db, &config, 1, "main", model, time_zone_load(a, zone), now, NULL);
}

TEST(a_month_begins_in_the_zone_of_the_user)
{
    AUTO(db) db = rig_db();
    assert_ok(store_user_set_role(db, 1, USER_MEMBER, NULL));
    used(db, 1, NOVEMBER - MS_PER_H, "big", 1500000); /* 3 EUR; November has begun in Berlin, not in UTC */
    assert_ok(check(db, "big", "Etc/UTC", NOVEMBER));
    assert_int_equal(check(db, "big", "Europe/Berlin", NOVEMBER), RC_BAD_INPUT);
    assert_int_equal(check(db, "big", "Etc/UTC", NOVEMBER - 1), RC_BAD_INPUT);
    assert_ok(check(db, "big", "Europe/Berlin", NOVEMBER + 30 * MS_PER_DAY));
}

TEST(the_costs_of_all_models_of_one_user_count)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct budget b;
    assert_ok(store_user_set_role(db, 1, USER_MEMBER, NULL));
    used(db, 1, NOVEMBER, "big-1", 1000000);
    used(db, 1, NOVEMBER + MS_PER_DAY, "big-2", 499999);
    used(db, 1, NOVEMBER, "small", 9000000); /* without a price */
    used(db, 2, NOVEMBER, "big-1", 9000000);
    assert_ok(check(db, "big-1", "Etc/UTC", NOVEMBER + 2 * MS_PER_DAY));
    used(db, 1, NOVEMBER, "big-1", 1);
    assert_int_equal(check(db, "big-1", "Etc/UTC", NOVEMBER + 2 * MS_PER_DAY), RC_BAD_INPUT);
    assert_ok(check(db, "small", "Etc/UTC", NOVEMBER + 2 * MS_PER_DAY));
    assert_ok(budget_read(db, &config, 1, NULL, NOVEMBER + 2 * MS_PER_DAY, &b, NULL));
    assert_true(b.limited);
    assert_int_equal(b.spent, 3000000);
    assert_string_equal(budget_words(a, lang_english(), &config, &b), "This month: 3.00\xC2\xA0"
                                                                      "EUR of 3.00\xC2\xA0"
                                                                      "EUR");
}

TEST(admins_and_servers_without_a_limit_have_none)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct budget b;
    struct config without = config;
    without.usage.member_month_cost = 0;
    used(db, 1, NOVEMBER, "big", 9000000);
    assert_ok(store_user_set_role(db, 1, USER_MEMBER, NULL));
    assert_ok(budget_check(db, &without, 1, "main", "big", NULL, NOVEMBER + MS_PER_DAY, NULL));
    assert_ok(store_user_set_role(db, 1, USER_ADMIN, NULL));
    assert_ok(check(db, "big", "Etc/UTC", NOVEMBER + MS_PER_DAY));
    assert_ok(budget_read(db, &config, 1, NULL, NOVEMBER + MS_PER_DAY, &b, NULL));
    assert_null(budget_words(a, lang_english(), &config, &b));
}
