#include "unit.h"

#include <string.h>

#include "base/rand.h"

TEST(random_hex_has_two_digits_for_each_byte_and_ends)
{
    char out[2 * 64 + 2];
    memset(out, '!', sizeof out);
    rand_hex(out, 64);
    assert_int_equal(strlen(out), 128);
    assert_int_equal(strspn(out, "0123456789abcdef"), 128);
    assert_int_equal(out[129], '!');
}

TEST(random_hex_has_every_digit_at_both_places_of_a_byte)
{
    char out[2 * 4096 + 1];
    bool high[256] = {0}, low[256] = {0};
    rand_hex(out, 4096);
    for (size_t i = 0; i < 4096; i++) {
        high[(unsigned char)out[2 * i]] = true;
        low[(unsigned char)out[2 * i + 1]] = true;
    }
    for (const char *c = "0123456789abcdef"; *c; c++)
        assert_true(high[(unsigned char)*c] && low[(unsigned char)*c]);
}
