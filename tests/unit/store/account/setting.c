/* The settings of users. */
#include "../rig.h"

#include "store/account/setting.h"

TEST(a_setting_is_stored_per_user_and_set_back_to_its_default)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    const char *all[SETTING_COUNT];
    struct short_settings s;
    assert_ok(store_setting_set(db, 1, SETTING_THEME, "dark", NULL));
    assert_ok(store_setting_set(db, 1, SETTING_THEME, "light", NULL));
    assert_ok(store_setting_set(db, 1, SETTING_ABOUT_ME, "I bake.", NULL));
    assert_ok(store_setting_short(db, 1, &s, NULL));
    assert_string_equal(s.value[SETTING_THEME], "light");
    assert_string_equal(s.value[SETTING_SEND_KEY], "");
    assert_ok(store_setting_all(db, a, 1, all, NULL));
    assert_string_equal(all[SETTING_THEME], "light");
    assert_string_equal(all[SETTING_ABOUT_ME], "I bake.");
    assert_null(all[SETTING_LANGUAGE]);
    assert_ok(store_setting_short(db, 2, &s, NULL));
    assert_string_equal(s.value[SETTING_THEME], "");
    assert_ok(store_setting_all(db, a, 2, all, NULL));
    assert_null(all[SETTING_ABOUT_ME]);

    assert_ok(store_setting_set(db, 2, SETTING_THEME, "dark", NULL));
    assert_ok(store_setting_set(db, 1, SETTING_THEME, NULL, NULL));
    assert_ok(store_setting_set(db, 1, SETTING_ABOUT_ME, "", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM setting"), 1);
    assert_ok(store_setting_short(db, 2, &s, NULL));
    assert_string_equal(s.value[SETTING_THEME], "dark");
}

TEST(settings_of_a_newer_version_and_long_ones_do_not_disturb_a_login)
{
    AUTO(db) db = rig_db();
    struct short_settings s;
    char text[SETTING_SHORT_MAX + 2];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_ok(store_setting_set(db, 1, SETTING_TIME_ZONE, text, NULL));
    assert_ok(db_exec(db, "INSERT INTO setting VALUES (1, 'unknown', 'x')", NO_ARGS, NULL, NULL));
    assert_ok(store_setting_short(db, 1, &s, NULL));
    assert_string_equal(s.value[SETTING_TIME_ZONE], "");
}

TEST(the_zone_that_a_user_has_set_goes_before_that_of_the_browser)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    const char *zone;
    assert_ok(store_user_set_time_zone(db, 1, "Asia/Tokyo", NULL));
    assert_ok(store_setting_set(db, 1, SETTING_TIME_ZONE, "Europe/Berlin", NULL));
    assert_ok(store_user_time_zone(db, a, 1, &zone, NULL));
    assert_string_equal(zone, "Europe/Berlin");
    assert_ok(store_setting_set(db, 1, SETTING_TIME_ZONE, NULL, NULL));
    assert_ok(store_user_time_zone(db, a, 1, &zone, NULL));
    assert_string_equal(zone, "Asia/Tokyo");
    assert_ok(store_user_time_zone(db, a, 2, &zone, NULL));
    assert_null(zone);
}

TEST(settings_go_with_their_user)
{
    AUTO(db) db = rig_db();
    assert_ok(store_setting_set(db, 2, SETTING_THEME, "dark", NULL));
    assert_ok(store_user_delete(db, 2, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM setting"), 0);
}
