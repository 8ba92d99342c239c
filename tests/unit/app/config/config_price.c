#include "unit.h"

#include "app/config/config_price.h"

static void reads(const char *line, const char *model, int64_t in, int64_t out, int64_t cached)
{
    struct str name;
    struct config_price p;
    if (!config_price_parse(line, &name, &p))
        fail_msg("%s", line);
    assert_true(str_is(name, model));
    assert_int_equal(p.in, in);
    assert_int_equal(p.out, out);
    assert_int_equal(p.cached, cached);
}

TEST(config_price_reads_prices_with_up_to_six_decimals)
{
    reads("gpt-4.1 2.00 8 0.5", "gpt-4.1", 2000000, 8000000, 500000);
    reads("  a/b*   0.000001 1000000  ", "a/b*", 1, INT64_C(1000000000000), 1);
    reads("free 0 0", "free", 0, 0, 0);
}

TEST(config_price_refuses_other_lines)
{
    static const char *const wrong[] = {"", "gpt", "gpt 1", "gpt -1 2", "gpt 1 2 3 4", "gpt 1,5 2",
        "gpt 1. 2", "gpt .5 2", "gpt 1.0000001 2", "gpt 1000001 2", "gpt 1 2 x", "gpt 1e3 2"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        if (config_price_parse(wrong[i], &(struct str){0}, &(struct config_price){0}))
            fail_msg("%s", wrong[i]);
}

TEST(config_price_of_takes_the_first_line_that_matches)
{
    static const char *const lines[] = {"gpt-4.1-mini 1 2", "gpt-4.1* 3 4", "* 5 6"};
    const struct config_provider p[] = {{.name = "other"}, {.name = "openai", .prices = {lines, 3}}};
    const struct config c = {.providers = p, .providers_n = 2};
    struct config_price price;
    assert_true(config_price_of(&c, "openai", "gpt-4.1-mini", &price));
    assert_int_equal(price.in, 1000000);
    assert_true(config_price_of(&c, "openai", "gpt-4.1-2025", &price));
    assert_int_equal(price.in, 3000000);
    assert_true(config_price_of(&c, "openai", "o3", &price));
    assert_int_equal(price.in, 5000000);
    assert_false(config_price_of(&c, "other", "o3", &price));
    assert_false(config_price_of(&c, "absent", "o3", &price));
}
