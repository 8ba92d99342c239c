#include "unit.h"

#include "base/strbuf.h"
#include "codec/form.h"

/* .s is NULL when it did not come. */
static struct str value_of(const struct form *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (str_is(f->fields[i].name, name))
            return f->fields[i].value;
    return (struct str){0};
}

TEST(form_decodes_names_and_values)
{
    AUTO(arena) a = arena_new();
    struct form f;
    assert_int_equal(form_parse(a, STR("text=a+b%26c&na%6De=J%C3%B6rg&empty=&bare"), &f, NULL), RC_OK);
    assert_int_equal(f.n, 4);
    assert_true(str_is(f.fields[0].name, "text"));
    assert_true(str_is(value_of(&f, "text"), "a b&c"));
    assert_true(str_is(value_of(&f, "name"), "J\xC3\xB6rg"));
    assert_true(value_of(&f, "empty").s && value_of(&f, "empty").len == 0);
    assert_true(value_of(&f, "bare").s && value_of(&f, "bare").len == 0);
    assert_null(value_of(&f, "absent").s);
}

TEST(form_keeps_equal_signs_and_line_breaks_in_values)
{
    AUTO(arena) a = arena_new();
    struct form f;
    assert_int_equal(form_parse(a, STR("q=a=b&t=1%0D%0A2"), &f, NULL), RC_OK);
    assert_true(str_is(value_of(&f, "q"), "a=b"));
    assert_true(str_is(value_of(&f, "t"), "1\r\n2"));
}

TEST(form_skips_empty_pairs)
{
    AUTO(arena) a = arena_new();
    struct form f;
    assert_int_equal(form_parse(a, STR("&&a=1&&b=2&"), &f, NULL), RC_OK);
    assert_int_equal(f.n, 2);
    assert_int_equal(form_parse(a, STR(""), &f, NULL), RC_OK);
    assert_int_equal(f.n, 0);
    assert_int_equal(form_parse(a, (struct str){0}, &f, NULL), RC_OK);
}

TEST(form_keeps_repeated_names_in_their_order)
{
    AUTO(arena) a = arena_new();
    struct form f;
    assert_int_equal(form_parse(a, STR("a=1&b=2&a=3"), &f, NULL), RC_OK);
    assert_int_equal(f.n, 3);
    assert_string_equal(f.fields[0].value.s, "1");
    assert_string_equal(f.fields[2].name.s, "a");
    assert_string_equal(f.fields[2].value.s, "3");
}

TEST(form_refuses_bad_escapes_and_bad_text)
{
    AUTO(arena) a = arena_new();
    struct form f;
    assert_int_equal(form_parse(a, STR("a=%"), &f, NULL), RC_BAD_INPUT);
    assert_int_equal(form_parse(a, STR("a%0=1"), &f, NULL), RC_BAD_INPUT);
    assert_int_equal(form_parse(a, STR("a=%00"), &f, NULL), RC_BAD_INPUT);
    assert_int_equal(form_parse(a, STR("a=\xC3"), &f, NULL), RC_BAD_INPUT);
    assert_int_equal(form_parse(a, STR("\xFF=a"), &f, NULL), RC_BAD_INPUT);
}

TEST(form_stops_at_its_number_of_fields)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF b;
    strbuf_init(&b, 4096);
    for (int i = 0; i < FORM_FIELDS_MAX; i++)
        strbuf_addf(&b, "f%d=%d&", i, i);
    struct form f;
    assert_int_equal(form_parse(a, strbuf_str(&b), &f, NULL), RC_OK);
    assert_int_equal(f.n, FORM_FIELDS_MAX);
    assert_true(str_is(value_of(&f, "f63"), "63"));
    strbuf_adds(&b, "one=more");
    assert_int_equal(form_parse(a, strbuf_str(&b), &f, NULL), RC_TOO_BIG);
}
