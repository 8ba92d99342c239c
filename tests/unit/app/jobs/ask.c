/* The pauses of a provider. */
#include "unit.h"

#include "app/jobs/ask.h"
#include "base/clock.h"

/* Seconds until jobs may ask a provider that has answered 429 with this time. */
static int pause_after(int retry_after_s)
{
    struct provider_pause pause = {0};
    struct helper h = {.config = &(struct config){.jobs.retry_seconds = 1}, .pauses = &pause};
    struct provider_source s = {.name = "busy"};
    struct err why = {.rc = RC_RATE_LIMITED, .retry_after_s = retry_after_s}, e = ERR_INIT;
    assert_int_equal(helper_heard(&h, &s, &why), RC_RATE_LIMITED);
    assert_int_equal(helper_may_ask(&h, &s, &e), RC_RATE_LIMITED);
    assert_true(e.retry_after_s == why.retry_after_s || e.retry_after_s == why.retry_after_s - 1);
    return why.retry_after_s;
}

TEST(a_rate_limit_stops_the_jobs_of_a_provider_for_ten_minutes_at_most)
{
    assert_int_equal(pause_after(0), HELPER_PAUSE_S);
    assert_int_equal(pause_after(90), 90);
    assert_int_equal(pause_after(3600), 600);
}
