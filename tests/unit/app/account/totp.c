#include "unit.h"

#include <string.h>

#include "app/account/totp.h"

#define MS_PER_S 1000

static const unsigned char *const secret = (const unsigned char *)"12345678901234567890";

/* RFC 6238, appendix B, SHA-1: the last 6 of 8 digits */
static const struct {
    int64_t at_s;
    const char *code;
} known[] = {
    {59, "287082"},
    {1111111109, "081804"},
    {1111111111, "050471"},
    {1234567890, "005924"},
    {2000000000, "279037"},
    {20000000000, "353130"},
};

TEST(codes_are_those_of_rfc_6238)
{
    assert_int_equal(totp_load(NULL), RC_OK);
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        char code[TOTP_DIGITS + 1];
        totp_code(secret, known[i].at_s * MS_PER_S / TOTP_STEP_MS, code);
        assert_string_equal(code, known[i].code);
    }
}

/* Whether the code of a step is accepted at the time of the step 1000 after the step `last`. */
static bool accepts(int64_t step, int64_t last)
{
    char code[TOTP_DIGITS + 1];
    int64_t got = 0;
    totp_code(secret, step, code);
    bool right = totp_match(secret, str_of(code), 1000 * TOTP_STEP_MS + 7, last, &got);
    assert_int_equal(got, right ? step : 0);
    return right;
}

TEST(a_clock_may_be_wrong_by_one_step)
{
    assert_int_equal(totp_load(NULL), RC_OK);
    assert_false(accepts(998, 0));
    assert_true(accepts(999, 0));
    assert_true(accepts(1000, 0));
    assert_true(accepts(1001, 0));
    assert_false(accepts(1002, 0));
}

TEST(a_code_works_once_and_then_only_later_ones)
{
    assert_int_equal(totp_load(NULL), RC_OK);
    assert_false(accepts(1000, 1000));
    assert_false(accepts(999, 1000));
    assert_true(accepts(1001, 1000));
    assert_false(accepts(1001, 1001));
}

TEST(a_step_from_before_the_clock_was_set_back_does_not_count)
{
    assert_int_equal(totp_load(NULL), RC_OK);
    assert_true(accepts(1000, 1002));
}

TEST(other_texts_are_no_codes)
{
    int64_t step;
    char code[TOTP_DIGITS + 1];
    assert_int_equal(totp_load(NULL), RC_OK);
    totp_code(secret, 1000, code);
    assert_false(totp_match(secret, STR(""), 1000 * TOTP_STEP_MS, 0, &step));
    assert_false(totp_match(secret, (struct str){code, TOTP_DIGITS - 1}, 1000 * TOTP_STEP_MS, 0, &step));
    assert_false(totp_match(secret, STR("0000000"), 1000 * TOTP_STEP_MS, 0, &step));
}

TEST(an_address_has_the_secret_as_text)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(totp_secret_text(a, secret), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    assert_string_equal(totp_url(a, secret, "anna@alfred.example"),
        "otpauth://totp/Alfred:anna%40alfred.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Alfred");
}
