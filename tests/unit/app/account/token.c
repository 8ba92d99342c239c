#include "unit.h"

#include <sodium.h>

#include "app/account/token.h"

TEST(tokens_differ_and_hash_the_same_way_every_time)
{
    char a[TOKEN_SIZE], b[TOKEN_SIZE];
    unsigned char ha[TOKEN_HASH_SIZE], hb[TOKEN_HASH_SIZE];
    assert_true(sodium_init() >= 0);
    token_new(a);
    token_new(b);
    assert_int_equal(strlen(a), TOKEN_SIZE - 1);
    assert_int_equal(
        strspn(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), TOKEN_SIZE - 1);
    assert_string_not_equal(a, b);
    token_hash(a, ha);
    token_hash(a, hb);
    assert_memory_equal(ha, hb, sizeof ha);
    token_hash(b, hb);
    assert_memory_not_equal(ha, hb, sizeof ha);
}
