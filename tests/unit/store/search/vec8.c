#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/search/vec8.h"

TEST(vec8_ways_of_multiplying_agree)
{
    static int8_t a[VEC8_DIMS_MAX + 1], b[VEC8_DIMS_MAX + 1];
    vec8_dot_fn *fast = vec8_dot();
    srand(1);
    for (size_t n = 0; n < 300; n++) {
        for (size_t i = 0; i <= n; i++) {
            a[i] = (int8_t)(rand() % 255 - 127);
            b[i] = (int8_t)(rand() % 255 - 127);
        }
        /* from an odd address, too: SQLite's blobs lie anywhere */
        assert_int_equal(fast(a, b, n), vec8_dot_portable(a, b, n));
        assert_int_equal(fast(a + 1, b, n), vec8_dot_portable(a + 1, b, n));
    }
    for (size_t i = 0; i < VEC8_DIMS_MAX; i++)
        a[i] = b[i] = -127;
    assert_int_equal(fast(a, b, VEC8_DIMS_MAX), 127 * 127 * VEC8_DIMS_MAX);
    assert_int_equal(vec8_dot_portable(a, b, VEC8_DIMS_MAX), 127 * 127 * VEC8_DIMS_MAX);
}

TEST(vec8_quantising_keeps_numbers_within_half_a_step)
{
    static const float from[] = {0.5F, -1, 0.25F, 0, 0.999F};
    int8_t v[ARRAY_LEN(from)];
    float scale;
    assert_true(vec8_quantise(from, ARRAY_LEN(from), v, &scale));
    assert_int_equal(v[1], -127);
    for (size_t i = 0; i < ARRAY_LEN(from); i++)
        assert_true(fabsf((float)v[i] * scale - from[i]) <= scale / 2 + 1e-6F);
}

TEST(vec8_zeros_have_no_scale_and_odd_numbers_are_refused)
{
    float scale = 1;
    int8_t v[2];
    assert_true(vec8_quantise((const float[]){0, 0}, 2, v, &scale));
    assert_true(scale == 0 && v[0] == 0 && v[1] == 0);
    assert_true(vec8_quantise((const float[]){1e-44F, 0}, 2, v, &scale));
    assert_false(vec8_quantise((const float[]){1, NAN}, 2, v, &scale));
    assert_false(vec8_quantise((const float[]){INFINITY, 1}, 2, v, &scale));
}
