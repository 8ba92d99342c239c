#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/time_zones.h"

#define S INT64_C(1000)

/* "14:05" there, with the day of the month before it. */
static const char *clock_there(struct arena *a, const struct time_zone *z, int64_t at)
{
    struct tm tm = time_zone_local(z, at);
    return arena_printf(a, "%d %02d:%02d", tm.tm_mday, tm.tm_hour, tm.tm_min);
}

TEST(a_zone_has_its_own_summer_time_in_every_year)
{
    AUTO(arena) a = arena_new();
    const struct time_zone *berlin = time_zone_load(a, "Europe/Berlin"),
                           *sydney = time_zone_load(a, "Australia/Sydney"),
                           *kolkata = time_zone_load(a, "Asia/Kolkata"), *utc = time_zone_load(a, "Etc/UTC");
    assert_true(berlin && sydney && kolkata && utc);
    /* 2026-03-29T00:59:59Z and a second later; the same in 2060, behind the last change of the file */
    assert_string_equal(clock_there(a, berlin, 1774745999 * S), "29 01:59");
    assert_string_equal(clock_there(a, berlin, 1774746000 * S), "29 03:00");
    assert_string_equal(clock_there(a, berlin, 2847661199 * S), "28 01:59");
    assert_string_equal(clock_there(a, berlin, 2847661200 * S), "28 03:00");
    assert_string_equal(
        clock_there(a, berlin, INT64_C(2866409999) * S), "31 02:59"); /* 2060-10-31T00:59:59Z */
    assert_string_equal(clock_there(a, berlin, INT64_C(2866410000) * S), "31 02:00");
    assert_string_equal(clock_there(a, sydney, 1767225600 * S), "1 11:00");          /* 2026-01-01T00:00Z */
    assert_string_equal(clock_there(a, sydney, INT64_C(2840140800) * S), "1 11:00"); /* 2060-01-01 */
    assert_string_equal(clock_there(a, kolkata, 1767225600 * S), "1 05:30");
    assert_string_equal(clock_there(a, utc, 1767225600 * S), "1 00:00");
}

TEST(a_name_that_is_no_zone_is_refused)
{
    AUTO(arena) a = arena_new();
    static const char *const bad[] = {"", "/", "/etc/passwd", "..", "../zoneinfo/UTC", "Europe//Berlin",
        "Europe/", "Europe/../UTC", "Europe/Nowhere", "tzdata.zi", "zone1970.tab", "Europe", "a b"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_null(time_zone_load(a, bad[i]));
    assert_null(time_zone_load(a, NULL));
    assert_true(time_zone_is_name(STR("America/Argentina/ComodRivadavia")));
    assert_true(time_zone_is_name(STR("Etc/GMT+5")));
}

TEST(a_broken_file_is_no_zone)
{
    AUTO(arena) a = arena_new();
    char whole[8192];
    FILE *f = fopen("/usr/share/zoneinfo/Europe/Berlin", "rb");
    assert_non_null(f);
    size_t n = fread(whole, 1, sizeof whole, f);
    (void)fclose(f);
    assert_non_null(time_zone_parse(a, (struct str){whole, n}));
    for (size_t cut = 0; cut + 32 < n; cut++) {
        char *part = arena_strndup(a, whole, cut);
        assert_null(time_zone_parse(a, (struct str){part, cut}));
    }
    for (size_t i = 0; i < n; i += 3) { /* no read beyond the end, for any content */
        char *changed = arena_strndup(a, whole, n);
        changed[i] = (char)0xFF;
        const struct time_zone *z = time_zone_parse(a, (struct str){changed, n});
        if (z)
            (void)time_zone_local(z, 1767225600 * S);
    }
}

TEST(the_moment_of_a_wall_clock_is_found_also_beside_a_change)
{
    AUTO(arena) a = arena_new();
    static const char *const names[] = {
        "Europe/Berlin", "Asia/Kolkata", "Pacific/Kiritimati", "America/Sao_Paulo"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct time_zone *z = time_zone_load(a, names[i]);
        assert_non_null(z);
        for (int64_t day = 0; day < 730; day++) { /* from 1 January 2025 */
            int64_t midnight = INT64_C(1735689600000) + day * INT64_C(86400000);
            assert_int_equal(time_zone_wall(z, time_zone_at(z, midnight)), midnight);
        }
    }
}

TEST(zones_are_read_once_and_the_servers_without_a_name)
{
    AUTO(arena) a = arena_new();
    assert_int_equal(setenv("TZ", ":Asia/Tokyo", 1), 0);
    struct time_zones *z = time_zones_new();
    assert_string_equal(clock_there(a, time_zones_find(z, a, ""), 0), "1 09:00");
    assert_ptr_equal(time_zones_find(z, a, NULL), time_zones_find(z, a, ""));
    const struct time_zone *berlin = time_zones_find(z, a, "Europe/Berlin");
    assert_string_equal(clock_there(a, berlin, 0), "1 01:00");
    assert_ptr_equal(time_zones_find(z, a, "Europe/Berlin"), berlin);
    assert_null(time_zones_find(z, a, "Europe/Nowhere"));
    const char **names;
    size_t n;
    time_zone_names(a, &names, &n);
    assert_true(n > TIME_ZONES_KEPT);
    for (size_t i = 0; i < n; i++) /* more than are kept */
        assert_non_null(time_zones_find(z, a, names[i]));
    assert_ptr_equal(time_zones_find(z, a, "Europe/Berlin"), berlin);
    time_zones_free(z);
    assert_int_equal(setenv("TZ", "<+03>-3", 1), 0); /* no file */
    z = time_zones_new();
    assert_null(time_zones_find(z, a, ""));
    time_zones_free(z);
    unsetenv("TZ");
}
