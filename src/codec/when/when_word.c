/* The meaning of single words: numbers, days, months, parts of a day. Words are folded: "früh" is "fruh". */
#include "codec/when/when_private.h"

char when_sign(const struct when_words *w, size_t i)
{
    const char *end = w->t[i].source.s + w->t[i].source.len;
    return i + 1 < w->n && end < w->t[i + 1].source.s ? *end : '\0';
}

bool when_is(const struct when_words *w, size_t i, const char *list)
{
    struct str rest = str_of(list);
    while (i < w->n && rest.s)
        if (str_is(str_cut(&rest, '|'), w->t[i].word))
            return true;
    return false;
}

int when_index_of(const struct when_words *w, size_t i, const char *lists)
{
    struct str rest = str_of(lists);
    for (int n = 0; i < w->n && rest.s; n++) {
        struct str list = str_cut(&rest, ',');
        while (list.s)
            if (str_is(str_cut(&list, '|'), w->t[i].word))
                return n;
    }
    return UNKNOWN;
}

int when_digits(const struct when_words *w, size_t i)
{
    int64_t n;
    return i < w->n && str_to_int(str_of(w->t[i].word), 0, NUMBER_MAX * 10, &n) ? (int)n : UNKNOWN;
}

int when_number(const struct when_words *w, size_t i)
{
    static const int large[] = {15, 20, 25, 30, 40, 45, 50, 60, 90};
    int n = when_digits(w, i);
    if (n == UNKNOWN)
        n = when_index_of(w, i,
            "zero|null,one|a|an|ein|eine|einem|einer|einen|eins,two|zwei|zwo,three|drei,four|vier,five|funf,"
            "six|sechs,seven|sieben,eight|acht,nine|neun,ten|zehn,eleven|elf,twelve|zwolf");
    if (n == UNKNOWN) {
        n = when_index_of(w, i,
            "fifteen|funfzehn,twenty|zwanzig,funfundzwanzig,thirty|dreissig,forty|vierzig,"
            "funfundvierzig,fifty|funfzig,sixty|sechzig,neunzig|ninety");
        n = n == UNKNOWN ? UNKNOWN : large[n];
    }
    return n;
}

int when_minute_word(const struct when_words *w, size_t i)
{
    int n = when_digits(w, i) == UNKNOWN ? when_number(w, i) : UNKNOWN;
    return n >= 10 && n <= 50 ? n : UNKNOWN;
}

bool when_joined(const struct when_words *w, size_t i, int *n, const char **letters)
{
    if (!w->t || i >= w->n)
        return false;
    const char *word = w->t[i].word;
    size_t len = strspn(word, "0123456789");
    int64_t value;
    *letters = word + len;
    if (!word[len] || !str_to_int((struct str){word, len}, 0, NUMBER_MAX, &value))
        return false;
    *n = (int)value;
    return true;
}

int when_weekday(const struct when_words *w, size_t i)
{
    return when_index_of(w, i,
        "sunday|sonntag,monday|montag,tuesday|dienstag,wednesday|mittwoch,thursday|donnerstag,friday|freitag,"
        "saturday|samstag|sonnabend");
}

int when_weekdays(const struct when_words *w, size_t i)
{
    return when_index_of(w, i,
        "sundays|sonntags,mondays|montags,tuesdays|dienstags,wednesdays|mittwochs,thursdays|donnerstags,"
        "fridays|freitags,saturdays|samstags|sonnabends");
}

int when_month(const struct when_words *w, size_t i)
{
    return when_index_of(w, i,
        "january|januar|janner,february|februar|feber,march|marz,april,may|mai,june|juni,july|juli,august,"
        "september,october|oktober,november,december|dezember");
}

int when_ordinal(const struct when_words *w, size_t i)
{
    int n;
    const char *letters;
    if (when_is(w, i, "last|letzten|letzter|letzte|letztem"))
        return -1;
    n = when_index_of(w, i,
        "first|erster|ersten|erste|erstem,second|zweiter|zweiten|zweite|zweitem,third|dritter|dritten|dritte,"
        "fourth|vierter|vierten|vierte,fifth|funfter|funften,sixth|sechsten,seventh|siebten,eighth|achten,"
        "ninth|neunten,tenth|zehnten");
    if (n != UNKNOWN)
        return n + 1;
    n = when_digits(w, i);
    if (n >= 1 && n <= 31 && when_sign(w, i) == '.')
        return n;
    if (when_joined(w, i, &n, &letters) && n >= 1 && n <= 31 &&
        (!strcmp(letters, "st") || !strcmp(letters, "nd") || !strcmp(letters, "rd") ||
            !strcmp(letters, "th")))
        return n;
    return 0;
}

enum day_part when_part_of(const struct when_words *w, size_t i)
{
    static const enum day_part parts[] = {
        PART_MORNING, PART_NOON, PART_AFTERNOON, PART_EVENING, PART_NIGHT, PART_MIDNIGHT};
    int n = when_index_of(w, i,
        "morning|mornings|morgens|fruh|vormittag|vormittags|fruhmorgens,noon|mittag|mittags|midday|lunchtime,"
        "afternoon|afternoons|nachmittag|nachmittags,evening|evenings|abend|abends,night|nights|nacht|nachts,"
        "midnight|mitternacht");
    return n == UNKNOWN ? NO_PART : parts[n];
}
