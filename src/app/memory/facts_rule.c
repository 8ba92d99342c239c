/*
 * Facts by rule: a sentence that begins with one of the patterns is a fact. The patterns are few and simple
 * on purpose. "Remember that" covers the facts that they miss, and Dismiss removes wrong ones.
 *
 * Syntax of a pattern: words separated by blanks. "a|b" is either word. "@kin" is a word of a class. "*" is
 * none to three words. The text after the pattern must not refer to the conversation ("I prefer the second
 * one"). After a class no text is needed. Words are folded as by codec/words/tokenizer.h: without accents,
 * and an apostrophe separates words ("I'm" is "i m").
 */
#include "app/memory/facts.h"

#include "codec/words/tokenizer.h"

#define WORDS_MAX   40
#define ANY_MAX     3
#define LEAD_MAX    6 /* words allowed before the pattern: "Hi Alfred, by the way" */
#define SIDE_MARKS  " \t.,;!-*_"
#define CLASS_WORDS 48

static const struct {
    const char *name, *words[CLASS_WORDS];
} classes[] = {
    {"@kin", {"wife", "husband", "partner", "girlfriend", "boyfriend", "fiance", "fiancee", "son", "daughter",
                 "child", "kid", "brother", "sister", "mother", "father", "mum", "mom", "dad", "grandmother",
                 "grandfather", "grandma", "grandpa", "aunt", "uncle", "cousin", "nephew", "niece", "dog",
                 "cat", "horse", "parents", "children", "kids", "sons", "daughters", "brothers", "sisters",
                 "friend", "boss", "colleague", "neighbour", "neighbor"}},
    {"@own",
        {"birthday", "anniversary", "address", "email", "doctor", "dentist", "therapist", "vet", "employer",
            "profession", "hobby", "hobbies", "nationality", "hometown", "timezone", "nickname", "pronouns",
            "allergies", "diet", "landlord", "landlady", "favourite", "favorite"}},
    {"@am", {"vegetarian", "vegan", "pescatarian", "diabetic", "coeliac", "celiac", "intolerant", "lactose",
                "gluten", "colourblind", "deaf", "married", "divorced", "widowed", "retired", "vegetarier",
                "vegetarierin", "veganer", "veganerin", "diabetiker", "diabetikerin", "vegetarisch",
                "verheiratet", "geschieden", "verwitwet", "rentner", "rentnerin", "laktoseintolerant",
                "farbenblind", "linkshander", "linkshanderin"}},
    {"@kinde",
        {"frau", "mann", "partner", "partnerin", "freund", "freundin", "verlobter", "verlobte", "sohn",
            "tochter", "kind", "kinder", "bruder", "schwester", "mutter", "vater", "mama", "papa", "oma",
            "opa", "tante", "onkel", "cousin", "cousine", "neffe", "nichte", "hund", "katze", "kater",
            "eltern", "geschwister", "chef", "chefin", "kollege", "kollegin", "nachbar", "nachbarin"}},
    {"@ownde",
        {"geburtstag", "hochzeitstag", "adresse", "telefonnummer", "handynummer", "nummer", "hausarzt",
            "hausarztin", "arzt", "arztin", "zahnarzt", "zahnarztin", "arbeitgeber", "beruf", "hobby",
            "hobbys", "spitzname", "muttersprache", "lieblingsessen", "lieblingsfarbe", "lieblingsbuch",
            "lieblingsfilm", "lieblingsmusik", "lieblingsverein", "heimatstadt", "blutgruppe", "schuhgrosse",
            "schuhgrosse", "vermieter", "vermieterin", "mailadresse", "tierarzt"}},
};

static const char *const patterns[] = {
    "my name is",
    "i am|m called",
    "i go by",
    "my|our @kin s name is",
    "my|our @kin s birthday is",
    "my|our @kin is|are called|named",
    "my|our @kin * lives|live|works|work|studies|study in|at|near|as|for|with",
    "my|our @kin * was|were born in|on",
    "my|our @kin * is|are allergic to",
    "my @own * is|are",
    "my phone|telephone|mobile|cell number is",
    "my blood|shoe|ring type|group|size is",
    "my native|first|mother language|tongue is",
    "i|we live|lived in|at|near|with",
    "i|we have|ve lived in|at|near|with",
    "i work|worked at|for|as|in",
    "i am|m working at|for|as",
    "i study at|in",
    "i am|m studying",
    "i grew up in|on|near",
    "i was born in|on|at",
    "i|we come from",
    "i am|m|we are|re from",
    "i am|m * allergic to",
    "i am|m * intolerant to",
    "i am|m @am",
    "i am|m a @am",
    "i am|m married to",
    "i|we have a|an|one|two|three|four|five @kin",
    "i have a|an * allergy|intolerance",
    "i prefer",
    "i don t|not|never eat|drink|like|want",
    "i do not eat|drink|like",
    "i never eat|drink",
    "i can t|not eat|drink|stand",
    "i cannot eat|drink|stand",
    "i love|hate|like",
    "i drive|own a|an",
    "i play|speak",
    "mein name ist",
    "ich heisse",
    "mein|meine|unser|unsere @kinde heisst|heissen",
    "mein|meine|unser|unsere @kinde * wohnt|lebt|arbeitet|wohnen|leben|arbeiten in|bei|als",
    "mein|meine|unser|unsere @kinde * hat am",
    "mein|meine|unser|unsere @ownde ist|sind|lautet|heisst",
    "ich habe am",
    "ich|wir wohne|wohnen|lebe|leben in|bei|am|auf",
    "ich arbeite bei|als|fur|in|im|am",
    "ich studiere",
    "ich bin * allergisch gegen|auf",
    "ich bin @am",
    "ich bin in|am * geboren",
    "ich wurde in|am",
    "ich|wir komme|kommen aus",
    "ich|wir habe|haben ein|eine|einen|zwei|drei|vier|funf @kinde",
    "ich bevorzuge",
    "ich mag",
    "ich esse|trinke kein|keine|keinen|nie|nur|gern|gerne|am",
    "ich vertrage kein|keine|keinen",
    "ich spreche|spiele|fahre",
};

static const char *const leading[] = {"hi", "hello", "hey", "alfred", "yes", "no", "ok", "okay", "well", "so",
    "and", "but", "btw", "by", "the", "way", "also", "oh", "actually", "please", "note", "know", "that",
    "remember", "because", "thanks", "thank", "you", "fyi", "just", "ja", "nein", "hallo", "ubrigens", "ach",
    "also", "und", "aber", "denn", "danke", "bitte", "merk", "dir", "dass"};

static const char *const pointing[] = {"this", "that", "it", "these", "those", "them", "your", "you", "how",
    "what", "when", "where", "to", "option", "both", "neither", "another", "one", "first", "second", "third",
    "last", "former", "latter", "other", "idea", "das", "dies", "diese", "diesen", "dieses", "es", "deine",
    "dein", "wie", "wenn", "erste", "zweite", "dritte", "letzte", "beide", "andere", "nicht"};

struct words {
    struct term t[WORDS_MAX];
    size_t n;
};

static bool in_class(struct str name, const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(classes); i++)
        for (size_t k = 0; str_is(name, classes[i].name) && k < CLASS_WORDS && classes[i].words[k]; k++)
            if (strcmp(classes[i].words[k], word) == 0)
                return true;
    return false;
}

static bool word_fits(struct str token, const char *word)
{
    if (token.s[0] == '@')
        return in_class(token, word);
    while (token.s)
        if (str_is(str_cut(&token, '|'), word))
            return true;
    return false;
}

/* The number of words from `at` on that match the pattern; 0: no match. */
static size_t fits(const struct words *w, size_t at, struct str pattern)
{
    size_t from = at;
    while (pattern.s) {
        struct str token = str_cut(&pattern, ' ');
        if (str_is(token, "*")) {
            for (size_t skip = 0; skip <= ANY_MAX; skip++) {
                size_t rest = fits(w, at + skip, pattern);
                if (rest)
                    return at + skip + rest - from;
            }
            return 0;
        }
        if (at >= w->n || !word_fits(token, w->t[at].word))
            return 0;
        at++;
    }
    return at - from;
}

/* True when the words at `at` refer to the conversation: "this", "the second one". */
static bool points(const struct words *w, size_t at)
{
    if (at + 1 < w->n && strcmp(w->t[at].word, "the") == 0)
        at++;
    return at < w->n && STR_IN(str_of(w->t[at].word), pointing);
}

static bool ends_in_class(const char *pattern)
{
    const char *last = strrchr(pattern, ' ');
    return last && last[1] == '@';
}

/* The statement about the speaker in `sentence`, from its first word on; empty when there is none. */
static struct str statement(struct str sentence)
{
    struct words w = {.n = 0};
    size_t from = 0;
    for (struct str rest = sentence; w.n < WORDS_MAX && term_next(&rest, &w.t[w.n]);)
        w.n++;
    while (from < w.n && from < LEAD_MAX && STR_IN(str_of(w.t[from].word), leading))
        from++;
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        size_t took = fits(&w, from, str_of(patterns[i])), next = from + took;
        if (took == 0 || (next >= w.n && !ends_in_class(patterns[i])) || points(&w, next))
            continue;
        const char *begin = w.t[from].source.s;
        return (struct str){begin, (size_t)(sentence.s + sentence.len - begin)};
    }
    return (struct str){"", 0};
}

/* The statement as a line: without marks at its ends, with a capital. */
static struct str as_line(struct arena *a, struct str s)
{
    while (s.len && strchr(SIDE_MARKS, s.s[s.len - 1]))
        s.len--;
    char *line = arena_strndup(a, s.s, s.len);
    if (line[0] >= 'a' && line[0] <= 'z')
        line[0] = (char)(line[0] - 'a' + 'A');
    return (struct str){line, s.len};
}

size_t facts_by_rule(struct arena *a, const struct utterance *said, size_t n, struct fact out[FACTS_MAX])
{
    size_t found = 0;
    for (size_t i = 0; i < n && found < FACTS_MAX; i++) {
        AUTO_STRBUF own;
        strbuf_init(&own, FACTS_OWN_MAX);
        facts_own_words(said[i].text, &own);
        for (struct str rest = strbuf_str(&own); rest.s && found < FACTS_MAX;) {
            struct str s = statement(str_cut(&rest, '\n'));
            if (s.len)
                out[found++] = (struct fact){as_line(a, s), &said[i]};
        }
    }
    return found;
}
