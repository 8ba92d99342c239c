#include "unit.h"

#include <stdio.h>

#include "base/id.h"
#include "store/message/picture.h"
#include "web/http/fields.h"

#define BIG "0123456789012345678901234567890123456789"

static struct arena *arena;
static struct field_value values[F_COUNT];

static enum rc set(struct field_rule rule, struct str raw, struct err *e)
{
    arena_free(arena);
    arena = arena_new();
    memset(values, 0, sizeof values);
    return field_set(&rule, arena, raw, values, e);
}

TEST(names_and_fields_are_one_to_one)
{
    for (int f = F_NONE + 1; f < F_COUNT; f++) {
        assert_non_null(field_name((enum field)f));
        assert_int_equal(field_by_name(str_of(field_name((enum field)f))), f);
    }
    assert_int_equal(field_by_name(STR("owner")), F_NONE);
    assert_int_equal(field_by_name(STR("")), F_NONE);
    assert_int_equal(field_by_name(STR("Text")), F_NONE);
}

TEST(a_rule_is_found_or_not_declared)
{
    static const struct field_rule rules[] = {{.field = F_TEXT}, {.field = F_Q}, {.field = F_NONE}};
    assert_ptr_equal(field_rule_find(rules, F_Q), &rules[1]);
    assert_null(field_rule_find(rules, F_TITLE));
    assert_null(field_rule_find(NULL, F_TITLE));
}

TEST(a_line_is_trimmed_and_has_no_control_characters)
{
    struct field_rule line = {.field = F_TITLE, .type = FIELD_LINE, .max = 10};
    assert_int_equal(set(line, STR("  a b\t"), NULL), RC_OK);
    assert_true(str_is(values[F_TITLE].s, "a b"));
    assert_true(values[F_TITLE].present);
    assert_int_equal(set(line, STR("a\nb"), NULL), RC_BAD_INPUT);
    assert_int_equal(set(line, STR("a\x7F"), NULL), RC_BAD_INPUT);
    assert_int_equal(set(line, STR("a\x1B[0m"), NULL), RC_BAD_INPUT);
}

TEST(the_cap_counts_characters_not_bytes)
{
    struct field_rule line = {.field = F_TITLE, .type = FIELD_LINE, .max = 4};
    assert_int_equal(set(line, STR("äöüß"), NULL), RC_OK);
    assert_int_equal(set(line, STR("äöüßa"), NULL), RC_BAD_INPUT);
    line.max = 0; /* the type's own cap */
    char many[FIELD_LINE_MAX + 2];
    memset(many, 'x', sizeof many);
    assert_int_equal(set(line, (struct str){many, FIELD_LINE_MAX}, NULL), RC_OK);
    assert_int_equal(set(line, (struct str){many, FIELD_LINE_MAX + 1}, NULL), RC_BAD_INPUT);
}

TEST(text_that_is_not_utf8_or_contains_nul_is_refused)
{
    struct field_rule rule = {.field = F_TEXT, .max = 10};
    static const enum field_type types[] = {FIELD_LINE, FIELD_LINES, FIELD_SECRET, FIELD_INT, FIELD_ID_ROW};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        rule.type = types[i];
        assert_int_equal(set(rule, STR("a\xC3"), NULL), RC_BAD_INPUT);
        assert_int_equal(set(rule, STR("a\0b"), NULL), RC_BAD_INPUT);
        assert_int_equal(set(rule, STR("\xED\xA0\x80"), NULL), RC_BAD_INPUT);
    }
}

TEST(breaks_of_a_text_become_line_feeds_and_the_rest_stays)
{
    struct field_rule lines = {.field = F_TEXT, .type = FIELD_LINES, .max = 40};
    assert_int_equal(set(lines, STR(" a\r\nb\rc\n\r\n{{x}}\t "), NULL), RC_OK);
    assert_true(str_is(values[F_TEXT].s, " a\nb\nc\n\n{{x}}\t "));
    assert_int_equal(set(lines, STR("\r"), NULL), RC_OK);
    assert_string_equal(values[F_TEXT].s.s, "\n");
}

TEST(a_secret_stays_as_it_came)
{
    struct field_rule secret = {.field = F_PASSWORD, .type = FIELD_SECRET};
    assert_int_equal(set(secret, STR("  pass\tword\r\n"), NULL), RC_OK);
    assert_string_equal(values[F_PASSWORD].s.s, "  pass\tword\r\n");
    char many[FIELD_SECRET_MAX + 1];
    memset(many, 'x', sizeof many);
    assert_int_equal(set(secret, (struct str){many, sizeof many}, NULL), RC_BAD_INPUT);
}

TEST(a_number_keeps_its_bounds)
{
    struct field_rule n = {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = 200};
    assert_int_equal(set(n, STR("200"), NULL), RC_OK);
    assert_int_equal(values[F_LIMIT].i, 200);
    static const char *const bad[] = {"0", "201", "-1", "1.5", "1x", "0x10", BIG, "+5"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(set(n, str_of(bad[i]), NULL), RC_BAD_INPUT);
}

TEST(an_id_that_cannot_be_is_one_that_is_not_there)
{
    struct field_rule row = {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true};
    assert_int_equal(set(row, STR("4294967297"), NULL), RC_OK);
    assert_int_equal(values[F_MESSAGE].i, INT64_C(4294967297));
    static const char *const bad[] = {"", "0", "-1", "abc", "1 2", BIG, "9223372036854775808"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(set(row, str_of(bad[i]), NULL), RC_NOT_FOUND);

    char id[ID_SIZE];
    id_new(ID_SESSION, id);
    struct field_rule session = {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true};
    struct field_rule or_new = {.field = F_SESSION, .type = FIELD_ID_SESSION_NEW, .required = true};
    struct field_rule turn = {.field = F_TURN, .type = FIELD_ID_TURN, .required = true};
    struct field_rule login = {.field = F_LOGIN, .type = FIELD_ID_LOGIN, .required = true};
    assert_int_equal(set(session, str_of(id), NULL), RC_OK);
    assert_int_equal(set(or_new, str_of(id), NULL), RC_OK);
    assert_int_equal(set(turn, str_of(id), NULL), RC_NOT_FOUND);
    assert_int_equal(set(login, str_of(id), NULL), RC_NOT_FOUND);
    assert_int_equal(set(session, STR("new"), NULL), RC_NOT_FOUND);
    assert_int_equal(set(or_new, STR("new"), NULL), RC_OK);
    assert_int_equal(set(session, STR("ses_../../etc/passwd"), NULL), RC_NOT_FOUND);
}

TEST(pictures_are_a_list_of_ids)
{
    char one[ID_SIZE], two[ID_SIZE], other[ID_SIZE], both[3 * ID_SIZE];
    struct field_rule list = {.field = F_PICTURES, .type = FIELD_IDS_PICTURE};
    struct field_rule alone = {.field = F_PICTURE, .type = FIELD_ID_PICTURE, .required = true};
    id_new(ID_PICTURE, one);
    id_new(ID_PICTURE, two);
    id_new(ID_SESSION, other);
    assert_true(field_is_list(FIELD_IDS_PICTURE) && field_is_list(FIELD_IDS_SESSION));
    assert_false(field_is_list(FIELD_ID_PICTURE));
    snprintf(both, sizeof both, "%s %s ", one, two);
    assert_int_equal(set(list, str_of(both), NULL), RC_OK);
    assert_true(values[F_PICTURES].present);
    assert_int_equal(set(list, STR(""), NULL), RC_OK); /* not the same as none */
    assert_true(values[F_PICTURES].present);
    static const char *const bad[] = {"?", "pic_../../etc/passwd", "pic_A", "a,b"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(set(list, str_of(bad[i]), NULL), RC_BAD_INPUT);
    assert_int_equal(set(alone, str_of(one), NULL), RC_OK);
    assert_int_equal(set(alone, str_of(other), NULL), RC_NOT_FOUND);
    assert_int_equal(set(alone, STR("pic_../../etc/passwd"), NULL), RC_NOT_FOUND);
}

TEST(an_empty_optional_id_counts_as_absent)
{
    struct field_rule row = {.field = F_PARENT, .type = FIELD_ID_ROW};
    assert_int_equal(set(row, STR(""), NULL), RC_OK);
    assert_false(values[F_PARENT].present);
    struct field_rule line = {.field = F_NAME, .type = FIELD_LINE};
    assert_int_equal(set(line, STR(""), NULL), RC_OK);
    assert_true(values[F_NAME].present);
}

TEST(a_refusal_names_the_field_but_not_its_value)
{
    struct err e = ERR_INIT;
    struct field_rule secret = {.field = F_PASSWORD, .type = FIELD_SECRET, .max = 3};
    assert_int_equal(set(secret, STR("hunter2"), &e), RC_BAD_INPUT);
    assert_true(e.for_user);
    assert_non_null(strstr(e.text, "password"));
    assert_null(strstr(e.text, "hunter2"));
}

TEST(the_first_required_field_that_is_missing_is_the_error)
{
    static const struct field_rule rules[] = {{.field = F_NAME, .required = true}, {.field = F_NEXT},
        {.field = F_PASSWORD, .required = true}, {.field = F_NONE}};
    struct field_value v[F_COUNT] = {[F_NAME] = {.present = true}};
    struct err e = ERR_INIT;
    assert_int_equal(fields_complete(rules, v, &e), RC_BAD_INPUT);
    assert_string_equal(e.text, "\"password\" is missing.");
    v[F_PASSWORD].present = true;
    assert_int_equal(fields_complete(rules, v, &e), RC_OK);
    assert_int_equal(fields_complete(NULL, v, &e), RC_OK);
}
