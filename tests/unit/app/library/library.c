/* Temperatures as people write them. */
#include "unit.h"

#include "app/library/library.h"

static int parsed(const char *text)
{
    int t = -2;
    return temperature_parse(str_of(text), &t, NULL) == RC_OK ? t : -2;
}

TEST(temperatures_are_read_in_both_notations_and_written_shortly)
{
    AUTO(arena) a = arena_new();
    static const struct {
        const char *text;
        int value;
    } table[] = {{"0.7", 70}, {" 0,75 ", 75}, {"1", 100}, {"2", 200}, {".5", 50}, {"0", 0},
        {"", TEMPERATURE_NONE}, {"2.1", -2}, {"-1", -2}, {"10", -2}, {"0.755", -2}, {"x", -2}, {".", -2},
        {"1.2.3", -2}, {"1e1", -2}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        assert_int_equal(parsed(table[i].text), table[i].value);
    assert_string_equal(temperature_text(a, 70), "0.7");
    assert_string_equal(temperature_text(a, 75), "0.75");
    assert_string_equal(temperature_text(a, 105), "1.05");
    assert_string_equal(temperature_text(a, 100), "1");
    assert_string_equal(temperature_text(a, 0), "0");
    assert_null(temperature_text(a, TEMPERATURE_NONE));
}
