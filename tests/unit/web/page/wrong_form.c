#include "unit.h"

#include "web/page/wrong_form.h"

static void marked(const char *path, const char *field, const char *page, const char *expected)
{
    struct arena *a = arena_new();
    AUTO_STRBUF html;
    strbuf_init(&html, 4096);
    strbuf_adds(&html, page);
    wrong_form_mark(a, str_of(path), field, &html);
    assert_string_equal(html.s, expected);
    arena_free(a);
}

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

TEST(closed_details_around_the_control_are_opened)
{
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
