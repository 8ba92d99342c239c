#include "unit.h"

#include <time.h>

#include "base/clock.h"

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
    assert_in_range(clock_mono_ms() - us / 1000, 0, 1000);
}

static void prints(int64_t ms, const char *expected)
{
    char out[CLOCK_RFC3339_SIZE];
    clock_rfc3339(ms, out);
    assert_string_equal(out, expected);
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
