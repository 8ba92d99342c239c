#include "unit.h"

#include <string.h>

#include "base/said.h"
#include "base/utf8.h"

static const char *in(const char *code, const char *said)
{
    static struct arena *a;
    if (!a)
        a = arena_new();
    return said_words(a, lang_find(str_of(code)), said);
}

TEST(said_becomes_the_sentence_of_each_language)
{
    char said[SAID_MAX] = "";
    said_add(said, "chat.title_long", SAID_ARGS(arg_int("max", 12000)));
    assert_string_equal(said, "chat.title_long\tmax:12000");
    assert_string_equal(in("en", said), "A title may have at most 12,000 characters.");
    assert_string_equal(in("de", said), "Ein Titel darf höchstens 12.000 Zeichen haben.");
}

TEST(said_has_limits_in_the_unit_that_people_expect)
{
    AUTO(arena) a = arena_new();
    const char *said = said_new(a, "chat.message_limit", SAID_ARGS(arg_limit("max", 1536 * 1024 + 1)));
    assert_string_equal(said, "chat.message_limit\tmax#1572865");
    assert_string_equal(in("en", said), "A message may have at most 1.5\xC2\xA0MB.");
    assert_string_equal(in("de", said), "Eine Nachricht darf höchstens 1,5\xC2\xA0MB haben.");
}

TEST(said_selects_the_plural_form_by_n)
{
    AUTO(arena) a = arena_new();
    const char *one = said_new(a, "server.silent", SAID_ARGS(arg_text("server", "x:1"), arg_int("n", 1)));
    const char *two = said_new(a, "server.silent", SAID_ARGS(arg_text("server", "x:1"), arg_int("n", 2)));
    assert_string_equal(in("en", one), "x:1 has been silent for 1 second.");
    assert_string_equal(in("en", two), "x:1 has been silent for 2 seconds.");
    assert_string_equal(in("de", one), "x:1 hat 1 Sekunde lang nichts geschickt.");
}

TEST(said_has_texts_of_the_catalogue_as_arguments)
{
    AUTO(arena) a = arena_new();
    const char *said = said_new(a, "json.unreadable",
        SAID_ARGS(arg_key("what", "json.nul"), arg_int("line", 2), arg_int("column", 3)));
    assert_string_equal(
        in("de", said), "Das JSON ist nicht lesbar: es enthält ein NUL-Zeichen (Zeile 2, Spalte 3).");
}

TEST(said_has_several_sentences)
{
    char said[SAID_MAX] = "";
    said_add(said, "chat.empty_message", SAID_ARGS());
    said_add(said, "provider.it_said", SAID_ARGS(arg_text("words", "No.")));
    assert_string_equal(in("en", said), "There is nothing to send: the message is empty. It said: No.");
}

TEST(said_leaves_sentences_of_older_versions_as_they_are)
{
    assert_string_equal(in("de", "The provider did not answer."), "The provider did not answer.");
    assert_string_equal(in("de", "no.such_key\tn:1"), "no.such_key\tn:1");
    assert_string_equal(in("de", ""), "");
    assert_null(in("de", NULL));
}

TEST(said_keeps_values_from_forging_arguments_and_sentences)
{
    AUTO(arena) a = arena_new();
    const char *said =
        said_new(a, "provider.it_said", SAID_ARGS(arg_text("words", "a\twords=b\nchat.not_saved\x7F")));
    assert_string_equal(in("en", said), "It said: a words=b chat.not_saved ");
    said = said_new(a, "provider.it_said", SAID_ARGS(arg_text("words", "{words} <1>")));
    assert_string_equal(in("en", said), "It said: {words} <1>");
}

TEST(said_cuts_long_values_between_characters)
{
    char lots[2 * SAID_VALUE_MAX + 1];
    for (size_t i = 0; i + 2 < sizeof lots; i += 2)
        memcpy(lots + i, "ü", 2);
    lots[sizeof lots - 1] = '\0';
    lots[0] = 'u';
    lots[1] = 'u';
    AUTO(arena) a = arena_new();
    const char *said = said_new(a, "provider.it_said", SAID_ARGS(arg_text("words", lots)));
    assert_int_equal(strlen(in("en", said)), strlen("It said: ") + SAID_VALUE_MAX);
    assert_true(utf8_valid_text(str_of(said)));
}

TEST(said_drops_what_does_not_fit)
{
    char lots[SAID_VALUE_MAX + 1];
    memset(lots, 'x', sizeof lots - 1);
    lots[sizeof lots - 1] = '\0';
    char said[SAID_MAX] = "";
    for (int i = 0; i < 5; i++)
        said_add(said, "provider.it_said", SAID_ARGS(arg_text("words", lots), arg_int("n", INT64_MIN)));
    assert_true(strlen(said) < SAID_MAX);
    assert_non_null(strstr(in("de", said), "xxx"));
}
