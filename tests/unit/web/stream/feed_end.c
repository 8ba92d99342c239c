/* The end of a turn: in its order, after an unsaved answer, without readers, of a deleted turn. */
#include "feed_rig.h"

static void note_quiet(void *arg)
{
    *(bool *)arg = true;
}

TEST(a_turn_may_end_and_a_reader_may_leave_while_the_answer_is_rendered)
{
    struct place p = place();
    bool quiet = false;
    int fd = watch(&p, READER_EVENTS, ""), second = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    close(second);
    text(&p, " Two.");
    p.turn.on_ended(p.turn.arg, TURN);
    feeds_when_quiet(p.feeds, note_quiet, &quiet);
    finish(1);
    assert_false(quiet);
    assert_string_equal(heard(fd), "end |");
    finish(0);
    assert_true(quiet);
    assert_string_equal(heard(fd), "");
    close(fd);
    leave(&p);
}

TEST(the_end_comes_after_the_last_step)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    step(&p, 1);
    step(&p, 2);
    p.turn.on_ended(p.turn.arg, TURN);
    finish(1);
    assert_int_equal(submitted_n, 2);
    finish(0);
    finish(2);
    assert_string_equal(heard(fd), "step1 step2 end |");
    assert_int_equal(feeds_readers(p.feeds), 0);
    close(fd);
    leave(&p);
}

TEST(readers_of_an_unsaved_answer_stay_and_get_its_end)
{
    struct place p = place();
    int before = watch(&p, READER_EVENTS, ""), form = watch(&p, READER_WAITS, "redirect ");
    text(&p, "All.");
    for (int i = 0; i < 3; i++)
        p.turn.on_unsaved(p.turn.arg, TURN);
    assert_string_equal(heard(before), "");
    finish(0);
    assert_string_equal(heard(before), "blocks1.4 unsaved1 ");
    assert_string_equal(heard(form), "redirect |");
    int after = watch(&p, READER_EVENTS, "turn "), again = watch(&p, READER_WAITS, "redirect ");
    finish(1);
    assert_string_equal(heard(after), "turn blocks1.4 unsaved1 ");
    assert_string_equal(heard(again), "");
    p.turn.on_unsaved(p.turn.arg, TURN);
    assert_string_equal(heard(again), "redirect |");
    p.turn.on_ended(p.turn.arg, TURN);
    finish(2);
    assert_string_equal(heard(before), "end |");
    assert_string_equal(heard(after), "end |");
    close(before);
    close(form);
    close(after);
    close(again);
    leave(&p);
}

TEST(unsaved_is_sent_after_the_steps)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    step(&p, 1);
    p.turn.on_unsaved(p.turn.arg, TURN);
    assert_string_equal(heard(fd), "");
    finish(0);
    assert_string_equal(heard(fd), "step1 unsaved2 ");
    close(fd);
    leave(&p);
}

TEST(readers_of_a_deleted_turn_are_let_go_without_an_end)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    end_rc = RC_NOT_FOUND;
    p.turn.on_ended(p.turn.arg, TURN);
    finish(0);
    assert_string_equal(heard(fd), "|");
    close(fd);
    leave(&p);
}
