#include "unit.h"

#include <string.h>

#include "base/err.h"

TEST(err_set_is_for_the_log_only)
{
    struct err e = ERR_INIT;
    assert_int_equal(err_set(&e, RC_NOT_FOUND, "session %s", "ses_1"), RC_NOT_FOUND);
    assert_int_equal(e.rc, RC_NOT_FOUND);
    assert_false(e.for_user);
    assert_string_equal(e.text, "session ses_1");
}

TEST(err_tell_is_for_the_user_too)
{
    struct err e = ERR_INIT;
    assert_int_equal(err_tell(&e, RC_BAD_INPUT, "At most %d.", 5), RC_BAD_INPUT);
    assert_true(e.for_user);
    assert_string_equal(e.text, "At most 5.");
    err_set(&e, RC_IO, "later");
    assert_false(e.for_user);
}

TEST(err_may_be_null)
{
    assert_int_equal(err_set(NULL, RC_IO, "%s", "x"), RC_IO);
    assert_int_equal(err_tell(NULL, RC_TIMEOUT, "x"), RC_TIMEOUT);
}

TEST(err_cuts_long_texts)
{
    char lots[2 * ERR_TEXT_MAX];
    memset(lots, 'x', sizeof lots);
    lots[sizeof lots - 1] = '\0';
    struct err e = ERR_INIT;
    err_set(&e, RC_IO, "%s", lots);
    assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
}

TEST(err_every_code_has_its_own_name)
{
    for (enum rc a = 0; a < RC_COUNT; a++) {
        assert_string_not_equal(rc_name(a), "unknown");
        for (enum rc b = 0; b < a; b++)
            assert_string_not_equal(rc_name(a), rc_name(b));
    }
    assert_string_equal(rc_name(RC_COUNT), "unknown");
}
