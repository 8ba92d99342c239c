#include "unit.h"

#include "web/page/form_again.h"

static const struct field_rule rules[] = {
    {.field = F_TEXT, .type = FIELD_LINES},
    {.field = F_DUE, .type = FIELD_LINE},
    {.field = F_LIMIT, .type = FIELD_INT, .max = 9},
    {.field = F_PERMANENT, .type = FIELD_BOOL},
    {.field = F_CHOICE, .type = FIELD_LINE},
    {.field = F_PASSWORD, .type = FIELD_SECRET},
    {.field = F_NONE},
};

static void again(struct arena *a, const struct form_sent *sent, const char *page, const char *expected)
{
    AUTO_STRBUF html;
    strbuf_init(&html, 4096);
    strbuf_adds(&html, page);
    form_again(a, sent, &html);
    assert_string_equal(html.s, expected);
}

static void marked(const char *path, const char *field, const char *page, const char *expected)
{
    struct arena *a = arena_new();
    static const struct field_value none[F_COUNT];
    again(a, &(struct form_sent){str_of(path), NULL, none, field}, page, expected);
    arena_free(a);
}

struct pair {
    enum field field;
    const char *value;
};

static void filled(const struct pair *sent, size_t n, const char *page, const char *expected)
{
    struct arena *a = arena_new();
    struct field_value values[F_COUNT] = {0};
    struct err e = ERR_INIT;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(
            field_set(field_rule_find(rules, sent[i].field), a, str_of(sent[i].value), values, &e), RC_OK);
    again(a, &(struct form_sent){STR("/a"), rules, values, NULL}, page, expected);
    arena_free(a);
}
#define FILLED(page, expected, ...)            \
    filled((const struct pair[]){__VA_ARGS__}, \
        sizeof((const struct pair[]){__VA_ARGS__}) / sizeof(struct pair), page, expected)

TEST(the_control_of_the_form_is_marked_and_gets_the_focus)
{
    marked("/tasks", "due",
        "<form action=\"/other\"><input name=\"due\"></form>"
        "<form action=\"/tasks\"><input name=\"text\" autofocus><input type=\"date\" name=\"due\"></form>",
        "<form action=\"/other\"><input name=\"due\"></form>"
        "<form action=\"/tasks\"><input name=\"text\"><input aria-invalid=\"true\" autofocus "
        "aria-describedby=\"problem\" type=\"date\" name=\"due\"></form>");
    marked("/a", "text", "<form action=\"/a?x=1\"><textarea name=\"text\">t</textarea></form>",
        "<form action=\"/a?x=1\"><textarea aria-invalid=\"true\" autofocus aria-describedby=\"problem\" "
        "name=\"text\">t</textarea></form>");
}

TEST(a_description_of_the_control_stays)
{
    marked("/a", "b", "<form action=\"/a\"><input name=\"b\" aria-describedby=\"hint\" autofocus></form>",
        "<form action=\"/a\"><input aria-invalid=\"true\" autofocus aria-describedby=\"problem hint\" "
        "name=\"b\"></form>");
}

TEST(closed_details_around_and_in_the_form_are_opened)
{
    marked("/a", "b",
        "<form action=\"/a\"><input name=\"b\"><details><input "
        "name=\"c\"></details></form><details></details>",
        "<form action=\"/a\"><input aria-invalid=\"true\" autofocus aria-describedby=\"problem\" "
        "name=\"b\"><details open><input name=\"c\"></details></form><details></details>");
    marked("/a", "b",
        "<details><p></p></details><details class=\"x\"><form action=\"/a\"><input "
        "name=\"b\"></form></details>",
        "<details><p></p></details><details open class=\"x\"><form action=\"/a\"><input "
        "aria-invalid=\"true\" "
        "autofocus aria-describedby=\"problem\" name=\"b\"></form></details>");
}

TEST(hidden_controls_other_forms_and_texts_stay_as_they_are)
{
    static const char *const pages[] = {
        "<form action=\"/a\"><input type=\"hidden\" name=\"b\"></form>",
        "<form action=\"/ab\"><input name=\"b\"></form>",
        "<form action=\"/a\"><button name=\"b\"></button></form><input name=\"b\">",
        "no form",
    };
    for (size_t i = 0; i < ARRAY_LEN(pages); i++)
        marked("/a", "b", pages[i], pages[i]);
    marked("/a", "b",
        "<p>use autofocus</p><i title=\"no autofocus\"></i><form action=\"/a\"><input name=\"b\"></form>",
        "<p>use autofocus</p><i title=\"no autofocus\"></i><form action=\"/a\"><input aria-invalid=\"true\" "
        "autofocus aria-describedby=\"problem\" name=\"b\"></form>");
}

TEST(text_controls_have_what_was_sent)
{
    FILLED("<form action=\"/a\"><input name=\"due\" value=\"old\" required><textarea name=\"text\">\nold"
           "</textarea></form>",
        "<form action=\"/a\"><input name=\"due\" value=\"&lt;&quot;&gt;\" required><textarea "
        "name=\"text\">\n\nnew &amp;"
        "</textarea></form>",
        {F_DUE, "<\">"}, {F_TEXT, "\nnew &"});
    FILLED("<form action=\"/a\"><input name=\"text\"><input name=\"due\" value=\"as it was\"></form>",
        "<form action=\"/a\"><input name=\"text\" value=\"x\"><input name=\"due\" value=\"as it "
        "was\"></form>",
        {F_TEXT, "x"});
}

TEST(an_emptied_control_is_empty)
{
    FILLED("<form action=\"/a\"><input name=\"due\" value=\"old\"><input name=\"limit\" value=\"7\"></form>",
        "<form action=\"/a\"><input name=\"due\" value=\"\"><input name=\"limit\" value=\"\"></form>",
        {F_DUE, ""}, {F_LIMIT, ""});
}

TEST(boxes_and_lists_have_what_was_chosen)
{
    static const char unticked[] =
        "<form action=\"/a\"><input name=\"text\" value=\"x\"><input type=\"checkbox\" "
        "name=\"permanent\" value=\"yes\"></form>";
    FILLED("<form action=\"/a\"><input name=\"text\" value=\"x\"><input type=\"checkbox\" name=\"permanent\" "
           "value=\"yes\" checked></form>",
        "<form action=\"/a\"><input name=\"text\" value=\"x\"><input type=\"checkbox\" name=\"permanent\" "
        "value=\"yes\"></form>",
        {F_TEXT, "x"});
    FILLED(unticked,
        "<form action=\"/a\"><input name=\"text\" value=\"x\"><input type=\"checkbox\" name=\"permanent\" "
        "value=\"yes\" checked></form>",
        {F_TEXT, "x"}, {F_PERMANENT, "yes"});
    FILLED("<form action=\"/a\"><select name=\"choice\"><option value=\"\" "
           "selected>none</option><option>b</option>"
           "<option value=\"c\">d</option></select></form>",
        "<form action=\"/a\"><select name=\"choice\"><option value=\"\">none</option><option "
        "selected>b</option>"
        "<option value=\"c\">d</option></select></form>",
        {F_CHOICE, "b"});
    FILLED(
        "<form action=\"/a\"><input type=\"radio\" name=\"choice\" value=\"1\" checked><input type=\"radio\" "
        "name=\"choice\" value=\"2\"></form>",
        "<form action=\"/a\"><input type=\"radio\" name=\"choice\" value=\"1\"><input type=\"radio\" "
        "name=\"choice\" value=\"2\" checked></form>",
        {F_CHOICE, "2"});
    FILLED("<form action=\"/a\"><select name=\"choice\"><option selected>b</option></select></form>",
        "<form action=\"/a\"><select name=\"choice\"><option selected>b</option></select></form>",
        {F_CHOICE, "gone"});
}

TEST(a_password_is_not_repeated)
{
    FILLED("<form action=\"/a\"><input name=\"due\"><input type=\"password\" name=\"password\"></form>",
        "<form action=\"/a\"><input name=\"due\" value=\"x\"><input type=\"password\" "
        "name=\"password\"></form>",
        {F_DUE, "x"}, {F_PASSWORD, "secret"});
}

TEST(the_form_with_the_most_fields_that_were_sent_is_the_one)
{
    FILLED(
        "<form action=\"/a\"><input name=\"text\"></form><details><form action=\"/a\"><input name=\"text\">"
        "<input name=\"due\"></form></details><form action=\"/b\"><input name=\"text\"><input "
        "name=\"due\"></form>",
        "<form action=\"/a\"><input name=\"text\"></form><details open><form action=\"/a\"><input "
        "name=\"text\" "
        "value=\"x\"><input name=\"due\" value=\"y\"></form></details><form action=\"/b\"><input "
        "name=\"text\">"
        "<input name=\"due\"></form>",
        {F_TEXT, "x"}, {F_DUE, "y"});
}
