#include "unit.h"

#include "base/running.h"

TEST(limits_count_all_calls_and_those_of_a_user)
{
    struct running_list l = {.max = 3, .max_per_user = 2};
    struct running calls[4] = {0};
    assert_true(running_enter(&l, &calls[0], 1));
    assert_true(running_enter(&l, &calls[1], 1));
    assert_false(running_enter(&l, &calls[2], 1)); /* two of this user */
    assert_true(running_enter(&l, &calls[2], 2));
    assert_false(running_enter(&l, &calls[3], 3)); /* three in all */
    assert_null(calls[3].list);
}

TEST(a_call_that_left_leaves_room)
{
    struct running_list l = {.max = 3, .max_per_user = 3};
    struct running calls[4] = {0};
    for (int i = 0; i < 3; i++)
        assert_true(running_enter(&l, &calls[i], 1));
    running_leave(&calls[3]); /* it does not run */
    running_leave(&calls[1]); /* in the middle */
    running_leave(&calls[1]);
    assert_true(running_enter(&l, &calls[3], 1));
    running_leave(&calls[3]); /* the first of the list */
    running_leave(&calls[0]); /* the last */
    running_leave(&calls[2]);
    assert_null(l.first);
}
