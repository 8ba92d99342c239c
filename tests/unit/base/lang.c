#include "base/lang.h"

#include "base/lang_piece.h"
#include "base/lang_plural.h"
#include "unit.h"

static const char *accepted(const char *header)
{
    return lang_code(lang_accepted(header));
}

TEST(the_language_that_the_browser_prefers_most_is_chosen)
{
    assert_string_equal(accepted("de"), "de");
    assert_string_equal(accepted("de-AT,de;q=0.9,en;q=0.8"), "de");
    assert_string_equal(accepted("xx, de;q=0.5, en;q=0.4"), "de");
    assert_string_equal(accepted("en;q=0.4,de;q=0.5"), "de");
    assert_string_equal(accepted("de;q=0.25,en;q=0.3"), "en");
    assert_string_equal(accepted("DE-de-1996"), "de");
    assert_string_equal(accepted("de;q=0, en"), "en");
}

TEST(english_is_the_language_when_no_other_fits)
{
    const char *const headers[] = {NULL, "", "xx", "*", "xx-de", "de;q=0", ";q=1", ",,;,", "q=0.5", "-", "d"};
    for (size_t i = 0; i < ARRAY_LEN(headers); i++)
        assert_string_equal(accepted(headers[i]), "en");
    assert_ptr_equal(lang_accepted("xx,*;q=0.1"), lang_english());
}

TEST(a_text_is_found_in_each_language)
{
    const struct lang *de = lang_find(STR("de"));
    assert_non_null(de);
    assert_string_equal(lang_text(lang_english(), "signin.password"), "Password");
    assert_string_equal(lang_text(de, "signin.password"), "Passwort");
    assert_string_equal(lang_name(de), "Deutsch");
    assert_null(lang_find(STR("xx")));
    assert_null(lang_lookup(de, STR("signin.passwor")));
    assert_null(lang_lookup(de, STR("signin.password_")));
    assert_null(lang_lookup(de, STR("")));
    assert_string_equal(lang_text(de, "no.such"), "no.such");
}

TEST(languages_are_listed_with_their_index)
{
    size_t n = 0;
    for (const struct lang *l; (l = lang_at(n)); n++) {
        assert_int_equal(lang_index(l), n);
        assert_ptr_equal(lang_find(str_of(lang_code(l))), l);
    }
    assert_true(n >= 2);
}

TEST(a_count_has_the_plural_form_and_the_number_of_its_language)
{
    AUTO(arena) a = arena_new();
    const struct lang *en = lang_english(), *de = lang_find(STR("de"));
    assert_string_equal(lang_count(a, en, "count.messages", 1, NULL), "1 message");
    assert_string_equal(lang_count(a, en, "count.messages", 0, NULL), "0 messages");
    assert_string_equal(lang_count(a, en, "count.messages", 1204, NULL), "1,204 messages");
    assert_string_equal(lang_count(a, de, "count.messages", 1, NULL), "1 Nachricht");
    assert_string_equal(lang_count(a, de, "count.messages", 1204567, NULL), "1.204.567 Nachrichten");
    assert_string_equal(lang_count(a, en, "count.messages", -1, NULL), "-1 message");
    assert_string_equal(
        lang_count(a, en, "count.messages", INT64_MIN, NULL), "-9,223,372,036,854,775,808 messages");
}

TEST(arguments_fill_placeholders_and_are_not_read_again)
{
    AUTO(arena) a = arena_new();
    const struct lang *en = lang_english();
    assert_string_equal(
        lang_fill(a, en, "Delete “{title}”?", LANG_ARGS({"title", "{n} {title}"})), "Delete “{n} {title}”?");
    assert_string_equal(lang_fill(a, en, "{a}{b}", LANG_ARGS({"a", "1"}, {"b", NULL})), "1");
    assert_string_equal(lang_fill(a, en, "{a} {c}", LANG_ARGS({"a", "1"})), "1 {c}");
    assert_string_equal(lang_fill(a, en, "plain {", NULL), "plain {");
}

static void piece(struct str *rest, enum lang_piece_kind kind, const char *text, int element)
{
    struct lang_piece p = lang_piece_next(rest);
    assert_int_equal(p.kind, kind);
    assert_true(!text || str_is(p.text, text));
    assert_int_equal(p.element, element);
}

TEST(a_text_has_literals_placeholders_and_elements)
{
    struct str rest = STR("a {b_2} <1>c</1><2/> {{x}} {X} <b> {");
    piece(&rest, LANG_LITERAL, "a ", 0);
    piece(&rest, LANG_PLACE, "b_2", 0);
    piece(&rest, LANG_LITERAL, " ", 0);
    piece(&rest, LANG_OPEN, NULL, 1);
    piece(&rest, LANG_LITERAL, "c", 0);
    piece(&rest, LANG_CLOSE, NULL, 1);
    piece(&rest, LANG_WHOLE, NULL, 2);
    piece(&rest, LANG_LITERAL, " ", 0);
    piece(&rest, LANG_LITERAL, "{", 0);
    piece(&rest, LANG_LITERAL, "x", 0);
    piece(&rest, LANG_LITERAL, "}", 0);
    piece(&rest, LANG_LITERAL, " {X} <b> {", 0);
    piece(&rest, LANG_END, NULL, 0);
}

/* The forms of the numbers below by ICU: z(ero), o(ne), w (two), f(ew), m(any), t (other). */
TEST(plural_families_are_those_of_the_cldr)
{
    static const uint64_t n[] = {
        0, 1, 2, 3, 5, 10, 11, 12, 14, 20, 21, 22, 25, 100, 101, 102, 103, 111, 1000000};
    static const struct {
        const char *family, *forms;
    } rows[] = {
        {"other", "ttttttttttttttttttt"},
        {"one_other", "tottttttttttttttttt"},
        {"spanish", "tottttttttttttttttm"},
        {"french", "oottttttttttttttttm"},
        {"russian", "moffmmmmmmofmmoffmm"},
        {"polish", "moffmmmmmmmfmmmffmm"},
        {"serbian", "toffttttttofttofftt"},
        {"czech", "toffttttttttttttttt"},
        {"romanian", "foffffffftttttfffft"},
        {"slovene", "towfttttttttttowftt"},
        {"lithuanian", "toffftttttofftofftt"},
        {"latvian", "zotttzzzzzottzottzz"},
        {"hebrew", "towtttttttttttttttt"},
        {"arabic", "zowfffmmmmmmmtttfmt"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int family = plural_family_find(rows[i].family);
        assert_true(family >= 0);
        char forms[ARRAY_LEN(n) + 1] = "";
        for (size_t k = 0; k < ARRAY_LEN(n); k++) {
            enum plural form = plural_families[family].form(n[k]);
            assert_true(plural_families[family].forms & 1u << form);
            forms[k] = "zowfmt"[form];
        }
        assert_string_equal(forms, rows[i].forms);
    }
    assert_int_equal(plural_family_find("klingon"), -1);
}
