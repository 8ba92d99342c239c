#include "unit.h"

#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

TEST(clock_wall_is_the_time_of_day)
{
    int64_t ms = clock_wall_ms();
    assert_in_range(ms / MS_PER_S, time(NULL) - 2, time(NULL) + 2);
}

TEST(clock_mono_never_goes_back)
{
    int64_t us = clock_mono_us(), ms = clock_mono_ms();
    for (int i = 0; i < 10000; i++) {
        int64_t next = clock_mono_us();
        assert_true(next >= us);
        us = next;
    }
    assert_true(clock_mono_ms() >= ms);
    assert_in_range(clock_mono_ms() - us / 1000, 0, MS_PER_H);
}

TEST(a_clock_that_is_set_back_is_noticed_once)
{
    int64_t last = 0;
    assert_int_equal(clock_set_back(&last, 1000000, 500), 0);
    assert_int_equal(clock_set_back(&last, 1001000, 1500), 0);
    assert_int_equal(clock_set_back(&last, 1001500, 2500), 0); /* by half a second */
    assert_int_equal(clock_set_back(&last, 9001500, 2500), 0); /* set forward */
    assert_int_equal(clock_set_back(&last, 1001600, 2600), 8000000);
    assert_int_equal(clock_set_back(&last, 1001700, 2700), 0);
}

static void prints(int64_t ms, const char *expected)
{
    char out[CLOCK_RFC3339_SIZE];
    clock_rfc3339(ms, out);
    assert_string_equal(out, expected);
}

static void check_utc(int64_t s)
{
    time_t t = (time_t)s;
    struct tm want, have = clock_utc(s);
    assert_non_null(gmtime_r(&t, &want));
    const int pairs[][2] = {{want.tm_sec, have.tm_sec}, {want.tm_min, have.tm_min},
        {want.tm_hour, have.tm_hour}, {want.tm_mday, have.tm_mday}, {want.tm_mon, have.tm_mon},
        {want.tm_year, have.tm_year}, {want.tm_wday, have.tm_wday}, {want.tm_yday, have.tm_yday},
        {want.tm_isdst, have.tm_isdst}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (pairs[i][0] != pairs[i][1])
            fail_msg("member %zu of %lld: %d and %d", i, (long long)s, pairs[i][0], pairs[i][1]);
}

TEST(clock_utc_is_the_calendar_of_the_c_library)
{
    const int64_t day = 86400, years_1200 = 438300 * day;
    for (int64_t s = -2 * years_1200; s < 2 * years_1200;
         s += day) { /* the first and last second of each day */
        check_utc(s);
        check_utc(s - 1);
    }
    for (int64_t s = -day; s < day; s += 7)
        check_utc(s);
    check_utc(INT64_C(9223372036854775));
    check_utc(-INT64_C(9223372036854775));
}

TEST(clock_prints_rfc3339)
{
    prints(0, "1970-01-01T00:00:00Z");
    prints(INT64_C(1795182361999), "2026-11-20T13:46:01Z");
    prints(INT64_C(1709164800000), "2024-02-29T00:00:00Z");
    prints(INT64_C(253402300799999), "9999-12-31T23:59:59Z");
}

TEST(clock_prints_nothing_for_a_time_without_a_date)
{
    prints(INT64_C(253402300800000), "");
    prints(INT64_MAX, "");
}

TEST(clock_units_fit_each_other)
{
    assert_int_equal(MS_PER_DAY, INT64_C(24) * 60 * 60 * 1000);
}
