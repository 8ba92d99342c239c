#include "unit.h"

#include "helper/helper.h"
#include "helper/reminder_watch.h"

#define NOW INT64_C(1760000000000)

static int64_t wait_until(int64_t next_at, bool waits)
{
    return reminder_watch_next(NOW, &(struct reminding_step){.next_at = next_at, .waits = waits}) - NOW;
}

TEST(the_watch_sleeps_until_the_next_reminder_but_not_for_long)
{
    assert_int_equal(wait_until(NOW + 1, false), 1);
    assert_int_equal(wait_until(NOW + 20 * MS_PER_S, false), 20 * MS_PER_S);
    assert_int_equal(wait_until(NOW + MS_PER_DAY, false), REMINDER_WATCH_MOST_MS);
    assert_int_equal(wait_until(INT64_MAX, false), REMINDER_WATCH_MOST_MS);
    assert_int_equal(wait_until(INT64_MAX, true), HELPER_POLL_MS);
    assert_int_equal(wait_until(NOW, false), REMINDER_WATCH_LEAST_MS); /* it could not be delivered */
    assert_int_equal(wait_until(NOW - MS_PER_DAY, true), REMINDER_WATCH_LEAST_MS);
}
