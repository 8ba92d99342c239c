/* The pauses of a provider. */
#include "unit.h"

#include "app/jobs/ask.h"

/* Seconds until jobs may ask a provider that has answered 429 with this time. */
static int pause_after(int retry_after_s)
{
    struct provider_pause pause = {0};
    struct helper h = {.config = &(struct config){.jobs.retry_seconds = 1}, .pauses = &pause};
    struct provider_source s = {.name = "busy"};
    struct err why = {.rc = RC_RATE_LIMITED, .retry_after_s = retry_after_s}, e = ERR_INIT;
    assert_int_equal(helper_heard(&h, &s, ANY_REQUEST, &why), RC_RATE_LIMITED);
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

TEST(the_jobs_of_a_provider_that_refuses_the_key_wait_from_the_first_refusal_on)
{
    static const char *const keys[] = {
        "provider.wrong_key", "provider.needs_key", "provider.no_credit", "server.old_certificate"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct provider_pause pause = {0};
        struct helper h = {.config = &(struct config){.jobs.retry_seconds = 1}, .pauses = &pause};
        struct provider_source s = {.name = "strict"};
        struct err why = ERR_INIT;
        err_say(&why, RC_FORBIDDEN, keys[i], arg_text("provider", "strict"));
        assert_int_equal(helper_heard(&h, &s, ANY_REQUEST, &why), RC_RATE_LIMITED);
        assert_int_equal(helper_may_ask(&h, &s, NULL), RC_RATE_LIMITED);
    }
}

/* The result of a request of this job when the provider is silent. */
static enum rc silence(struct helper *h, int64_t subject, bool harmless)
{
    struct provider_source s = {.name = "silent"};
    struct err why = {.rc = RC_TIMEOUT};
    h->subject = subject;
    enum rc rc = helper_heard(h, &s, harmless ? HARMLESS_REQUEST : ANY_REQUEST, &why);
    assert_true(why.retry_after_s >= 300);
    return rc;
}

TEST(a_silence_counts_against_a_job_until_three_sessions_have_met_it)
{
    struct provider_pause pause = {0};
    struct config c = {.jobs.retry_seconds = 1, .turn.first_byte_seconds = 300};
    struct helper h = {.config = &c, .pauses = &pause};
    struct provider_source s = {.name = "silent"};
    assert_int_equal(silence(&h, 1, false), RC_TIMEOUT);
    assert_int_equal(silence(&h, 1, false), RC_TIMEOUT);
    assert_int_equal(silence(&h, 2, false), RC_TIMEOUT);
    assert_int_equal(silence(&h, 3, false), RC_RATE_LIMITED);
    assert_int_equal(silence(&h, 1, false), RC_RATE_LIMITED);
    assert_int_equal(helper_heard(&h, &s, ANY_REQUEST, &(struct err){.rc = RC_OK}), RC_OK);
    assert_int_equal(silence(&h, 1, false), RC_TIMEOUT);
}

TEST(a_silence_after_a_harmless_request_counts_against_no_job)
{
    struct provider_pause pause = {0};
    struct config c = {.jobs.retry_seconds = 1, .turn.first_byte_seconds = 300};
    assert_int_equal(silence(&(struct helper){.config = &c, .pauses = &pause}, 1, true), RC_RATE_LIMITED);
}

/* The result of a job of the search index whose server fails for its texts and for the harmless word: the
 * seconds until the next one. */
static int broken_twice(struct helper *h)
{
    static const enum helper_request requests[] = {ANY_REQUEST, HARMLESS_REQUEST};
    struct provider_source s = {.name = "broken"};
    struct err why = ERR_INIT;
    for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
        why = ERR_INIT;
        err_say(&why, RC_UPSTREAM, "provider.unreadable", arg_text("provider", "broken"));
        helper_heard(h, &s, requests[i], &why);
    }
    assert_int_equal(why.rc, RC_RATE_LIMITED);
    return why.retry_after_s;
}

TEST(a_provider_that_fails_for_the_same_job_is_asked_less_and_less_often)
{
    struct provider_pause pause = {0};
    struct config c = {.jobs.retry_seconds = 1, .turn.first_byte_seconds = 300};
    struct helper h = {.config = &c, .pauses = &pause, .subject = 1};
    struct provider_source s = {.name = "broken"};
    assert_int_equal(broken_twice(&h), 1);
    assert_int_equal(broken_twice(&h), 2);
    assert_int_equal(broken_twice(&h), 4);
    assert_int_equal(helper_heard(&h, &s, ANY_REQUEST, &(struct err){.rc = RC_OK}), RC_OK);
    assert_int_equal(broken_twice(&h), 1);
}
