#include "codec/words/ordinal_reference.h"

#include "codec/words/tokenizer.h"

/* True for words that select nothing: "the", "task". */
static bool is_filler(const char *word)
{
    static const char *const words[] = {"the", "a", "my", "task", "todo", "to", "do", "item", "entry",
        "point", "number", "no", "memory", "fact", "thing", "please", "der", "die", "das", "den", "dem",
        "meine", "aufgabe", "eintrag", "punkt", "nummer", "bitte"};
    return STR_IN(str_of(word), words);
}

static bool is_that(const char *word)
{
    static const char *const words[] = {"that", "this", "it", "dies", "diese", "es", "ihn", "sie"};
    return STR_IN(str_of(word), words);
}

/* The number of "second", "2nd", "2", "two"; 0: none. The caller handles "one", which is not a number in
 * "the second one". */
static int number_of(const char *word)
{
    static const char *const ordinals[] = {
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"};
    static const char *const numbers[] = {
        "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
    static const char *const german[] = {"erste", "zweite", "dritte", "vierte", "funfte", "sechste", "siebte",
        "achte", "neunte", "zehnte"}; /* folded, and without a final "n" */
    static const char *const endings[] = {"", "st", "nd", "rd", "th"};
    for (int i = 0; i < (int)ARRAY_LEN(ordinals); i++)
        if (strcmp(word, ordinals[i]) == 0 || strcmp(word, numbers[i]) == 0)
            return i + 1;
    for (int i = 0; i < (int)ARRAY_LEN(german); i++)
        if (strncmp(word, german[i], strlen(german[i])) == 0 && strchr("n", word[strlen(german[i])]))
            return i + 1;
    size_t digits = strspn(word, "0123456789");
    int64_t n;
    if (digits && STR_IN(str_of(word + digits), endings) &&
        str_to_int((struct str){word, digits}, 1, REFERENCE_POSITION_MAX, &n))
        return (int)n;
    return 0;
}

struct ordinal_reference ordinal_reference_of(struct str text)
{
    static const struct ordinal_reference none = {REFERENCE_NONE, 0};
    struct ordinal_reference r = none;
    struct term t;
    bool one = false, any = false;
    while (term_next(&text, &t)) {
        struct ordinal_reference found = none;
        int number = number_of(t.word);
        any = true;
        if (number)
            found = (struct ordinal_reference){REFERENCE_POSITION, number};
        else if (strcmp(t.word, "last") == 0 || strcmp(t.word, "latest") == 0 ||
                 strcmp(t.word, "letzte") == 0 || strcmp(t.word, "letzten") == 0)
            found.kind = REFERENCE_LAST;
        else if (is_that(t.word))
            found.kind = REFERENCE_THAT;
        else if (strcmp(t.word, "one") == 0)
            one = true;
        else if (!is_filler(t.word))
            return none;
        if (found.kind != REFERENCE_NONE && r.kind != REFERENCE_NONE)
            return none; /* "the second to last", "2 3" */
        if (found.kind != REFERENCE_NONE)
            r = found;
    }
    if (r.kind == REFERENCE_NONE && one)
        return (struct ordinal_reference){REFERENCE_POSITION, 1}; /* "number one" */
    if (r.kind == REFERENCE_NONE && any)
        r.kind = REFERENCE_THAT; /* "the task" */
    return r;
}
