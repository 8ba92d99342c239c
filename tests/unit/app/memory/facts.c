#include "unit.h"

#include <stdio.h>

#include "app/memory/facts.h"

static const char *own(struct arena *a, const char *message)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 16384);
    facts_own_words(str_of(message), &out);
    assert_false(out.failed);
    return arena_strndup(a, out.len ? out.s : "", out.len);
}

/* The facts of one message by rule, with " / " between. */
static const char *ruled(struct arena *a, const char *message)
{
    struct utterance u = {1, str_of(message)};
    struct fact f[FACTS_MAX];
    size_t n = facts_by_rule(a, &u, 1, f);
    const char *all = "";
    for (size_t i = 0; i < n; i++)
        all = arena_printf(a, "%s%s%.*s", all, i ? " / " : "", STR_FMT(f[i].text));
    return all;
}

#define assert_ruled(message, want) assert_string_equal(ruled(a, message), want)

/* ---- whose words ---- */

TEST(own_words_are_sentences_one_per_line)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(own(a, "I live in Porto. My wife is Ida!"), "I live in Porto.\nMy wife is Ida!\n");
    assert_string_equal(own(a, "short line\n- a list\n\n  more"), "short line\na list\nmore\n");
    assert_string_equal(own(a, "My dentist is Dr. Weiss. My birthday is the 3. of May"),
        "My dentist is Dr. Weiss.\nMy birthday is the 3. of May\n");
    assert_string_equal(
        own(a, "A line of words that is long enough to have been wrapped by whoever\nsent it. Yes."),
        "A line of words that is long enough to have been wrapped by whoever sent it.\nYes.\n");
    assert_string_equal(own(a, ""), "");
}

TEST(text_by_other_authors_is_left_out)
{
    static const char *const messages[] = {
        "> I live in Rome",
        "> I live in Rome\nI work at Fiat", /* Markdown's lazy continuation */
        "```\nI live in Rome\n```",
        "```\nI live in Rome",
        "    I live in Rome",
        "\tI live in Rome",
        "He said \"Hello you. I live in Rome. Good bye.\"",
        "She said \xE2\x80\x9EIch wohne in Rom.\xE2\x80\x9C",
        "\xE2\x80\x9C"
        "Hello you. I live in Rome. Good bye.\xE2\x80\x9D",
        "\xC2\xAB"
        "Hello you. I live in Rome. Good bye.\xC2\xBB",
        "'Hello you. I live in Rome. Good bye.'",
        "\xE2\x80\x98"
        "Hello you. I live in Rome. Good bye.\xE2\x80\x99",
        "Is this English right: I live in Rome. I work at Fiat.",
        "From: bob@example.org\nSubject: me\n\nI live in Rome",
        "On Monday Bob wrote:\nI live in Rome",
        "-----Original Message-----\nI live in Rome",
        "--- forwarded ---\nI live in Rome",
        "Translate this into German. I live in Rome.",
        "\xC3\x9C"
        "bersetze das. Ich wohne in Rom.",
        "I live in Rome?",
        "<p>I live in Rome</p>",
        "name = I live in Rome",
        "My password is Rome",
        "Mein Passwort ist Rom",
        "My PIN is 4711",
        "My card is 4111 1111 1111 1111",
    };
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (*own(a, messages[i]) &&
            (strstr(own(a, messages[i]), "Rom") || strpbrk(own(a, messages[i]), "0123456789")))
            fail_msg("of \"%s\" was left \"%s\"", messages[i], own(a, messages[i]));
}

TEST(a_quotation_that_is_closed_gives_the_word_back)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(own(a, "He said \"hello\" to me. I live in Porto."), "I live in Porto.\n");
    assert_string_equal(
        own(a, "It's my parents' house. I'm from Porto."), "It's my parents' house.\nI'm from Porto.\n");
    assert_string_equal(own(a, "> quoted\n\nI live in Porto"), "I live in Porto\n");
    assert_string_equal(own(a, "```\ncode\n```\nI live in Porto"), "I live in Porto\n");
}

TEST(a_long_message_is_a_paste)
{
    AUTO(arena) a = arena_new();
    char text[FACTS_MESSAGE_MAX + 2];
    memset(text, 'x', sizeof text);
    memcpy(text, "I live in Porto. ", 17);
    text[FACTS_MESSAGE_MAX + 1] = '\0';
    assert_string_equal(own(a, text), "");
    text[FACTS_MESSAGE_MAX] = '\0';
    assert_string_equal(own(a, text), "I live in Porto.\n");
}

TEST(a_text_of_any_bytes_is_read_without_a_fault)
{
    AUTO(arena) a = arena_new();
    for (int i = 0; i < 256; i++) {
        char bytes[] = {(char)i, '"', (char)(255 - i), '\'', ':', (char)i, 0};
        own(a, bytes);
        ruled(a, bytes);
    }
}

/* ---- by rule ---- */

TEST(statements_about_oneself_are_found)
{
    AUTO(arena) a = arena_new();
    assert_ruled("My wife's name is Ida.", "My wife's name is Ida");
    assert_ruled("my wife\xE2\x80\x99s name is Ida", "My wife\xE2\x80\x99s name is Ida");
    assert_ruled("Hi Alfred, by the way I live in Porto. What is the weather there?", "I live in Porto");
    assert_ruled("I'm allergic to peanuts!", "I'm allergic to peanuts");
    assert_ruled("I am severely allergic to bee stings", "I am severely allergic to bee stings");
    assert_ruled("I prefer window seats and aisle rows", "I prefer window seats and aisle rows");
    assert_ruled("My birthday is the 3rd of May", "My birthday is the 3rd of May");
    assert_ruled("I work at Siemens. We have two kids.", "I work at Siemens / We have two kids");
    assert_ruled("I'm a vegetarian since 2010", "I'm a vegetarian since 2010");
    assert_ruled("I'm vegan.", "I'm vegan");
    assert_ruled("My favourite composer is Bach", "My favourite composer is Bach");
    assert_ruled("Ich wohne in K\xC3\xB6ln.", "Ich wohne in K\xC3\xB6ln");
    assert_ruled("Meine Frau hei\xC3\x9Ft Ida", "Meine Frau hei\xC3\x9Ft Ida");
    assert_ruled("Mein Geburtstag ist der 3. Mai.", "Mein Geburtstag ist der 3. Mai");
    assert_ruled("Hallo, ich bin allergisch gegen N\xC3\xBCsse", "Ich bin allergisch gegen N\xC3\xBCsse");
    assert_ruled("\xC3\x9C"
                 "brigens arbeite ich viel. Ich arbeite bei Bosch",
        "Ich arbeite bei Bosch");
}

TEST(temporary_or_referring_sentences_are_not_facts)
{
    AUTO(arena) a = arena_new();
    static const char *const messages[] = {"I prefer the second one", "I like it", "I prefer that option",
        "Do I live in Rome?", "If I live in Rome, what tax is due", "Bob says I live in Rome", "I live in",
        "My wife is angry", "My phone is broken", "My first idea is bad", "I love the last answer",
        "My code is broken", "What is my name", "Where I live in the summer nobody knows", "ich mag das",
        "I like how you put this", "Tell me where my sister lives", ""};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (*ruled(a, messages[i]))
            fail_msg("\"%s\" gave \"%s\"", messages[i], ruled(a, messages[i]));
}

TEST(a_look_ends_at_five)
{
    AUTO(arena) a = arena_new();
    struct utterance u[9];
    struct fact f[FACTS_MAX];
    for (int i = 0; i < 9; i++)
        u[i] = (struct utterance){i + 1, str_of(arena_printf(a, "I live in town %d", i))};
    assert_int_equal(facts_by_rule(a, u, 9, f), FACTS_MAX);
    assert_int_equal(f[4].from->id, 5);
}

/* ---- by a model ---- */

static const struct utterance two[] = {
    {11, STR("I live in Porto since 2019.")},
    {12, STR("> My password is x\n\nMy wife's name is Ida")},
};

static size_t parsed(struct arena *a, const char *answer, struct fact f[FACTS_MAX])
{
    size_t n = 99;
    assert_int_equal(facts_parse(a, str_of(answer), two, 2, f, &n, NULL), RC_OK);
    return n;
}

TEST(a_model_gets_own_words_between_unpredictable_lines)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF out;
    char mark[25], other[25];
    strbuf_init(&out, 65536);
    assert_true(facts_lines(two, 2, &out));
    assert_int_equal(sscanf(out.s, "The lines that read %24s", mark), 1);
    assert_non_null(strstr(out.s, "\n1: I live in Porto since 2019.\n2: My wife's name is Ida\n"));
    assert_null(strstr(out.s, "password"));
    strbuf_clear(&out);
    facts_lines(two, 2, &out);
    assert_int_equal(sscanf(out.s, "The lines that read %24s", other), 1);
    assert_string_not_equal(mark, other);
    strbuf_clear(&out);
    assert_false(facts_lines(&(struct utterance){1, STR("What is this?")}, 1, &out));
}

TEST(a_models_list_is_taken)
{
    AUTO(arena) a = arena_new();
    struct fact f[FACTS_MAX];
    assert_int_equal(parsed(a, "```json\n[{\"text\": \" Lives in Porto \", \"message\": 1}]\n```", f), 1);
    assert_string_equal(f[0].text.s, "Lives in Porto");
    assert_int_equal(f[0].from->id, 11);
    assert_int_equal(parsed(a, "[]", f), 0);
}

TEST(invalid_entries_of_a_models_list_are_dropped)
{
    static const char *const entries[] = {
        "{\"text\": \"Lives in Porto\", \"message\": 3}",
        "{\"text\": \"Lives in Porto\", \"message\": 0}",
        "{\"text\": \"Lives in Porto\", \"message\": -1}",
        "{\"text\": \"Lives in Porto\", \"message\": \"1\"}",
        "{\"text\": \"Lives in Porto\"}",
        "{\"message\": 1}",
        "{\"text\": \"\", \"message\": 1}",
        "{\"text\": \"...\", \"message\": 1}",
        "{\"text\": \"Lives in\\nPorto\", \"message\": 1}",
        "{\"text\": \"Lives in Porto since 2018\", \"message\": 1}",
        "{\"text\": \"Owns a yacht and a vineyard\", \"message\": 1}",
        "{\"text\": \"Lives in Porto\", \"message\": 2}",
        "{\"text\": \"Wife Ida has the password x\", \"message\": 2}",
        "\"Lives in Porto\"",
        "null",
        "[[]]",
    };
    AUTO(arena) a = arena_new();
    struct fact f[FACTS_MAX];
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (parsed(a, arena_printf(a, "[%s]", entries[i]), f))
            fail_msg("taken: %s", entries[i]);
    char longer[FACTS_CHARS_MAX + 8];
    memset(longer, 'x', sizeof longer);
    memcpy(longer, "Porto ", 6);
    longer[FACTS_CHARS_MAX + 7] = '\0';
    assert_int_equal(parsed(a, arena_printf(a, "[{\"text\": \"%s\", \"message\": 1}]", longer), f), 0);
}

TEST(of_many_the_first_five_are_taken)
{
    AUTO(arena) a = arena_new();
    struct fact f[FACTS_MAX];
    const char *list = "";
    for (int i = 0; i < 12; i++)
        list = arena_printf(a, "%s%s{\"text\": \"Lives in Porto\", \"message\": 1}", list, i ? "," : "");
    assert_int_equal(parsed(a, arena_printf(a, "[%s]", list), f), FACTS_MAX);
}

TEST(an_answer_without_a_list_is_refused)
{
    AUTO(arena) a = arena_new();
    static const char *const answers[] = {"", "none", "{\"text\": \"x\", \"message\": 1}", "[", "[{]"};
    struct fact f[FACTS_MAX];
    size_t n;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        assert_int_equal(facts_parse(a, str_of(answers[i]), two, 2, f, &n, NULL), RC_UPSTREAM);
}
