#include "unit.h"

#include "app/channel/quiet.h"

static struct quiet_piece text_at(int64_t at)
{
    return (struct quiet_piece){.received_at = at, .joins = true, .for_us = true};
}

static struct quiet_piece full_at(int64_t at)
{
    struct quiet_piece p = text_at(at);
    p.may_go_on = true;
    return p;
}

TEST(a_message_waits_for_the_end_of_its_window)
{
    struct quiet_piece p[] = {text_at(1000)};
    int64_t wait = 0;
    assert_int_equal(quiet_take(p, 1, 1100, &wait), 0);
    assert_int_equal(wait, QUIET_MS - 100);
    assert_int_equal(quiet_take(p, 1, 1000 + QUIET_MS, &wait), 1);
}

TEST(messages_in_quick_succession_are_one)
{
    struct quiet_piece p[] = {text_at(1000), text_at(1200), text_at(1450), text_at(9000)};
    int64_t wait = 0;
    assert_int_equal(quiet_take(p, 4, 9100, &wait), 3);
    assert_int_equal(quiet_take(p + 3, 1, 9999, &wait), 1);
}

TEST(a_full_piece_waits_longer_for_the_next_one)
{
    struct quiet_piece p[] = {full_at(1000), text_at(2300)};
    int64_t wait = 0;
    assert_int_equal(quiet_take(p, 1, 1400, &wait), 0);
    assert_int_equal(wait, QUIET_PIECE_MS - 400);
    assert_int_equal(quiet_take(p, 2, 2400, &wait), 0);
    assert_int_equal(quiet_take(p, 2, 2300 + QUIET_MS, &wait), 2);
}

TEST(messages_that_were_sent_apart_and_arrive_together_are_several)
{
    struct quiet_piece p[] = {text_at(1000), text_at(1000), full_at(1000), text_at(1001)};
    int64_t wait = 0;
    p[0].sent_at = 10000;
    p[1].sent_at = 12000; /* whole seconds: at least 1,001 ms after the first one */
    p[2].sent_at = 13000;
    p[3].sent_at = 15000;
    assert_int_equal(quiet_take(p, 4, 5000, &wait), 1);
    assert_int_equal(quiet_take(p + 1, 3, 5000, &wait), 3);
    p[3].sent_at = 16000;
    assert_int_equal(quiet_take(p + 1, 3, 5000, &wait), 2);
    p[3].sent_at = 0; /* not known */
    assert_int_equal(quiet_take(p + 1, 3, 5000, &wait), 3);
}

TEST(what_does_not_join_ends_the_wait)
{
    struct quiet_piece p[] = {text_at(1000), {.received_at = 1001}};
    int64_t wait = 0;
    assert_int_equal(quiet_take(p, 2, 1001, &wait), 1);
    assert_int_equal(quiet_take(p + 1, 1, 1001, &wait), 1);
}

TEST(in_a_group_only_the_rest_of_a_full_piece_joins_without_a_mention)
{
    struct quiet_piece p[] = {full_at(1000), text_at(1100), text_at(1200)};
    int64_t wait = 0;
    p[1].for_us = p[2].for_us = false;
    assert_int_equal(quiet_take(p, 3, 5000, &wait), 2);
    p[0].for_us = false;
    assert_int_equal(quiet_take(p, 3, 5000, &wait), 1);
}

TEST(a_clock_that_was_set_back_makes_no_long_wait)
{
    struct quiet_piece p[] = {text_at(900000)};
    int64_t wait = 0;
    assert_int_equal(quiet_take(p, 1, 1000, &wait), 0);
    assert_int_equal(wait, QUIET_MS);
}

TEST(a_message_has_a_limited_number_of_pieces)
{
    struct quiet_piece p[QUIET_PIECES + 5];
    int64_t wait = 0;
    for (size_t i = 0; i < QUIET_PIECES + 5; i++)
        p[i] = full_at((int64_t)(1000 + i));
    assert_int_equal(quiet_take(p, QUIET_PIECES + 5, 1300, &wait), QUIET_PIECES);
}
