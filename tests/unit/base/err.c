#include "unit.h"

#include <string.h>

#include "base/err.h"

TEST(a_kept_error_takes_memory_only_once_it_is_set)
{
    struct err *kept = NULL;
    assert_int_equal(err_rc(kept), RC_OK);
    err_set(err_kept(&kept), RC_IO, "disk %d", 1);
    assert_int_equal(err_rc(kept), RC_IO);
    assert_string_equal(err_kept(&kept)->text, "disk 1");
    err_drop(&kept);
    assert_null(kept);
}

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

TEST(err_say_keeps_the_sentence_for_each_language)
{
    struct err e = ERR_INIT;
    assert_int_equal(err_say(&e, RC_BAD_INPUT, "chat.title_long", arg_int("max", 5)), RC_BAD_INPUT);
    assert_true(e.for_user);
    assert_string_equal(e.text, "A title may have at most 5 characters.");
    assert_string_equal(err_stored(&e), "chat.title_long\tmax:5");
    err_say_more(&e, "provider.it_said", SAID_ARGS(arg_text("words", "no")));
    assert_string_equal(e.text, "A title may have at most 5 characters. It said: no");
    err_said(&e, RC_UPSTREAM, "chat.title_empty");
    assert_string_equal(e.text, "A title needs at least one character.");
    err_tell(&e, RC_CONFLICT, "Only English");
    assert_string_equal(err_stored(&e), "Only English");
    err_set(&e, RC_IO, "later");
    assert_null(err_stored(&e));
}

TEST(err_is_compares_the_whole_key)
{
    struct err e = ERR_INIT;
    assert_false(err_is(&e, "error.disk_full"));
    err_say(&e, RC_UNAVAILABLE, "error.disk_full");
    assert_true(err_is(&e, "error.disk_full"));
    assert_false(err_is(&e, "error.disk"));
    err_say(&e, RC_BAD_INPUT, "batch.too_many", arg_int("max", 5));
    assert_true(err_is(&e, "batch.too_many"));
    err_set(&e, RC_IO, "error.disk_full");
    assert_false(err_is(&e, "error.disk_full"));
}

TEST(err_may_be_null)
{
    assert_int_equal(err_set(NULL, RC_IO, "%s", "x"), RC_IO);
    assert_int_equal(err_tell(NULL, RC_TIMEOUT, "x"), RC_TIMEOUT);
    assert_int_equal(err_say(NULL, RC_TIMEOUT, "chat.title_empty"), RC_TIMEOUT);
    err_say_more(NULL, "chat.title_empty", SAID_ARGS());
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

TEST(only_a_busy_service_a_timeout_and_io_are_temporary)
{
    for (enum rc rc = 0; rc < RC_COUNT; rc++)
        assert_true(rc_is_temporary(rc) == (rc == RC_UNAVAILABLE || rc == RC_TIMEOUT || rc == RC_IO));
}
