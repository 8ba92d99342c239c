/* Decides whether two facts say the same (memory_same()). */
#include "app/memory/memory.h"

#include <string.h>

#include "codec/words/lexical.h"
#include "codec/words/tokenizer.h"

bool memory_negates(const char *word)
{
    static const char *const words[] = {"no", "not", "never", "none", "nor", "without", "don", "doesn",
        "didn", "isn", "aren", "wasn", "weren", "won", "wouldn", "can", "couldn", "hasn", "haven", "hadn",
        "cannot", "neither", "nobody", "nothing", "hardly", "nicht", "nichts", "kein", "keine", "keinen",
        "keinem", "keiner", "nie", "niemals", "niemand", "ohne", "weder"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static bool has_digit(const char *word)
{
    return strpbrk(word, "0123456789") != NULL;
}

struct word_list {
    const char **words;
    size_t n;
};

/* DECIDING_WORDS distinguish a fact: the stems of all words but stop words, and every negation. */
enum word_choice { ALL_WORDS, DECIDING_WORDS };

static struct word_list words_of(struct arena *a, struct str text, enum word_choice choice)
{
    struct term t;
    size_t room = text.len / 2 + 1;
    bool all = choice == ALL_WORDS;
    struct word_list s = {.words = ARENA_ARRAY(a, const char *, room)};
    while (s.n < room && term_next(&text, &t))
        if (all || memory_negates(t.word) || !term_is_stop(t.word))
            s.words[s.n++] = arena_strdup(a, all || memory_negates(t.word) ? t.word : t.stem);
    return s;
}

static bool holds(const struct word_list *s, const char *word)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->words[i], word) == 0)
            return true;
    return false;
}

/* Compares the words that distinguish facts whose other words are equal: numbers and negations. */
static bool decisive_are_in(const struct word_list *these, const struct word_list *those)
{
    for (size_t i = 0; i < these->n; i++)
        if ((memory_negates(these->words[i]) || has_digit(these->words[i])) && !holds(those, these->words[i]))
            return false;
    return true;
}

static bool shared_in_order(const struct word_list *a, const struct word_list *b)
{
    size_t j = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (!holds(b, a->words[i]))
            continue;
        while (j < b->n && !holds(a, b->words[j]))
            j++;
        if (j == b->n || strcmp(a->words[i], b->words[j]) != 0)
            return false;
        j++;
    }
    return true;
}

static bool equal(const struct word_list *a, const struct word_list *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = strcmp(a->words[i], b->words[i]) == 0;
    return same;
}

static double likeness(struct arena *a, struct str x, struct str y)
{
    float v[LEXICAL_DIMS], w[LEXICAL_DIMS];
    struct bag b = bag_of(a, x), c = bag_of(a, y);
    double sum = 0;
    lexical_embed(&b, NULL, v);
    lexical_embed(&c, NULL, w);
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        sum += (double)v[i] * (double)w[i];
    return sum;
}

struct memory_words {
    struct str text;
    struct word_list all, deciding;
};

const struct memory_words *memory_words_of(struct arena *a, struct str text)
{
    struct memory_words *w = ARENA_NEW(a, struct memory_words);
    *w = (struct memory_words){text, words_of(a, text, ALL_WORDS), words_of(a, text, DECIDING_WORDS)};
    return w;
}

bool memory_words_same(const struct memory_words *x, const struct memory_words *y)
{
    if (x->all.n == 0 || y->all.n == 0)
        return str_eq(str_trim(x->text), str_trim(y->text)); /* texts without words */
    if (equal(&x->all, &y->all))
        return true;
    const struct word_list *sx = &x->deciding, *sy = &y->deciding;
    if (!decisive_are_in(sx, sy) || !decisive_are_in(sy, sx) || !shared_in_order(sx, sy))
        return false;
    AUTO(arena) a = arena_new();
    return likeness(a, x->text, y->text) >= MEMORY_SAME_LIKENESS;
}

bool memory_same(struct str x, struct str y)
{
    AUTO(arena) a = arena_new();
    return memory_words_same(memory_words_of(a, x), memory_words_of(a, y));
}

enum rc memory_find_same(struct db *db, struct arena *a, int64_t owner, struct str text, int64_t now,
    struct memory *out, bool *reworded, struct err *e)
{
    struct memory *all;
    size_t n;
    enum rc rc = store_memory_all(db, a, owner, now, &all, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        if (!memory_same(all[i].text, text))
            continue;
        struct word_list old = words_of(a, all[i].text, ALL_WORDS), new = words_of(a, text, ALL_WORDS);
        *out = all[i];
        *reworded = !equal(&old, &new);
        return RC_OK;
    }
    return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "no such memory") : rc;
}
