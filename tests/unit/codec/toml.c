#include "unit.h"

#include <stdio.h>

#include "codec/toml.h"

static struct toml_entry *es;
static size_t en;
static struct arena *arena;

static enum rc parse(const char *text, struct err *e)
{
    arena_free(arena);
    arena = arena_new();
    return toml_parse(arena, str_of(text), &es, &en, e);
}

static const struct toml_entry *get(const char *table, const char *key)
{
    for (size_t i = 0; i < en; i++)
        if (!strcmp(es[i].table, table) && !strcmp(es[i].key, key))
            return &es[i];
    return NULL;
}

TEST(toml_gives_every_type_with_its_line)
{
    struct err e = ERR_INIT;
    assert_int_equal(parse("# Alfred\n"
                           "name = \"Alfred \\u00e9\"\n"
                           "port = 8_080\n"
                           "ratio = 0.5\n"
                           "on = true\n"
                           "hosts = [\"a\", 'b']\n"
                           "none = []\n"
                           "day = 2026-01-02\n"
                           "mixed = [1, \"a\"]\n",
                         &e),
        RC_OK);
    assert_int_equal(en, 8);
    assert_string_equal(get("", "name")->s, "Alfred \xc3\xa9");
    assert_int_equal(get("", "name")->line, 2);
    assert_int_equal(get("", "port")->type, TOML_INTEGER);
    assert_int_equal(get("", "port")->i, 8080);
    assert_int_equal(get("", "ratio")->type, TOML_FLOAT);
    assert_true(get("", "ratio")->d > 0.49 && get("", "ratio")->d < 0.51);
    assert_int_equal(get("", "on")->type, TOML_BOOLEAN);
    assert_true(get("", "on")->b);
    assert_int_equal(get("", "hosts")->type, TOML_STRINGS);
    assert_int_equal(get("", "hosts")->list_n, 2);
    assert_string_equal(get("", "hosts")->list[1], "b");
    assert_int_equal(get("", "none")->type, TOML_STRINGS);
    assert_int_equal(get("", "none")->list_n, 0);
    assert_int_equal(get("", "day")->type, TOML_OTHER);
    assert_int_equal(get("", "mixed")->type, TOML_OTHER);
    assert_int_equal(get("", "mixed")->line, 9);
}

TEST(toml_names_tables_by_dotted_path)
{
    struct err e = ERR_INIT;
    assert_int_equal(parse("top.inner = 1\n"
                           "[provider.work]\n"
                           "url = \"https://x\"\n"
                           "limits = {tokens = 5}\n"
                           "[models.\"gpt-4.1\"]\n"
                           "\"a b\" = 2\n"
                           "[empty]\n"
                           "[[list]]\nx = 1\n",
                         &e),
        RC_OK);
    assert_int_equal(get("top", "inner")->i, 1);
    assert_string_equal(get("provider.work", "url")->s, "https://x");
    assert_int_equal(get("provider.work.limits", "tokens")->i, 5);
    assert_int_equal(get("models.\"gpt-4.1\"", "a b")->i, 2);
    assert_int_equal(get("", "list")->type, TOML_OTHER);
    assert_int_equal(en, 5);
}

TEST(toml_keeps_the_order_of_the_text)
{
    assert_int_equal(parse("z = 1\na = 2\n[y]\nk = 3\n[b]\nk = 4\n", NULL), RC_OK);
    assert_int_equal(en, 4);
    for (size_t i = 0; i < en; i++)
        assert_int_equal(es[i].i, (int)i + 1);
}

TEST(toml_errors_name_line_and_column)
{
    static const struct {
        const char *text, *where;
    } cases[] = {
        {"a = 1\nb = \n", "Line 2, column "},
        {"a = 1\na = 2\n", "Line 2, column "},
        {"[x\n", "Line 1, column "},
        {"a = \"open\n", "Line 1, column "},
        {"a = 1 2", "Line 1, column 7"},
        {"a = \"\xff\"", "Line 1, column "},
        {"\n\nk = \"a\\u0000b\"", "Line 3, column 5"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err e = ERR_INIT;
        assert_int_equal(parse(cases[i].text, &e), RC_BAD_INPUT);
        assert_true(e.for_user);
        assert_non_null(strstr(e.text, cases[i].where));
        assert_null(es);
        assert_int_equal(en, 0);
        print_message("%s\n", e.text);
    }
}

TEST(toml_takes_empty_text_and_refuses_too_much)
{
    assert_int_equal(parse("", NULL), RC_OK);
    assert_int_equal(en, 0);
    struct str big = {NULL, TOML_TEXT_MAX + 1}; /* refused before it is read */
    struct err e = ERR_INIT;
    assert_int_equal(toml_parse(arena, big, &es, &en, &e), RC_TOO_BIG);
}

TEST(toml_survives_deep_nesting)
{
    enum { DEPTH = 20000 };
    char *text = xmalloc(DEPTH + 8);
    memcpy(text, "a = ", 4);
    memset(text + 4, '[', DEPTH);
    text[DEPTH + 4] = '\0';
    struct err e = ERR_INIT;
    assert_int_equal(parse(text, &e), RC_BAD_INPUT);
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 2 * i, "k.", 3);
    memcpy(text + 2000, "k = 1", 6);
    assert_int_equal(parse(text, &e), RC_BAD_INPUT);
    assert_non_null(strstr(e.text, "16 deep"));
    free_charp(&text);
    arena_free(arena);
    arena = NULL;
}
