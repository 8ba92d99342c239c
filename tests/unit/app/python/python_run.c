/* The files that a run is given. tests/http/tools/python.test.js runs code. */
#include "unit.h"

#include <string.h>

#include "app/python/python.h"

static const char *give(struct python_run *r, const char *name)
{
    return python_give(r, str_of(name), STR("x"));
}

TEST(names_of_files_stay_in_their_folder)
{
    struct python_run r = {0};
    python_want(&r, STR("1"));
    assert_string_equal(give(&r, "a b.csv"), "a b.csv");
    assert_string_equal(give(&r, "../../etc/x"), "_._.._etc_x");
    assert_string_equal(give(&r, ".."), "_.");
    python_release(&r);
}

TEST(a_file_that_does_not_fit_or_has_a_name_twice_is_left_out)
{
    static char big[PYTHON_GIVEN_MAX];
    struct python_run r = {0};
    python_want(&r, STR("1"));
    assert_non_null(give(&r, "a"));
    assert_null(give(&r, "a"));
    assert_null(give(&r, ""));
    assert_null(python_give(&r, STR("b"), (struct str){big, sizeof big}));
    assert_non_null(python_give(&r, STR("b"), (struct str){big, sizeof big - 1}));
    assert_null(give(&r, "c"));
    assert_int_equal(r.given_n, 2);
    python_release(&r);
}

TEST(a_long_name_is_cut)
{
    char name[1000];
    struct python_run r = {0};
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    python_want(&r, STR("1"));
    assert_int_equal(strlen(give(&r, name)), PYTHON_NAME_MAX);
    python_release(&r);
}
