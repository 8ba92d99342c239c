/* Texts of made-up words for the programs of the bench that fill a database. Included by one file of each. */
#ifndef ALFRED_TESTS_BENCH_TEXTS_H
#define ALFRED_TESTS_BENCH_TEXTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define WORDS     20000
#define WORD_SIZE 16
#define TEXT_MAX  1024

static uint64_t state = 88172645463325252U; /* xorshift64 (Marsaglia, 2003) */
static char words[WORDS][WORD_SIZE];

static inline uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static inline void must(enum rc rc, const struct err *e)
{
    if (rc == RC_OK)
        return;
    fprintf(stderr, "bench: %s: %s\n", rc_name(rc), e->text);
    exit(1);
}

static inline void make_words(void)
{
    static const char *const syllables[] = {"ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa",
        "te", "vi", "wo", "xu", "za", "bel", "dor", "fen", "gar", "kin", "lum", "mar", "nor", "pel", "ras"};
    for (size_t i = 0; i < WORDS; i++) {
        words[i][0] = '\0';
        for (size_t left = i + ARRAY_LEN(syllables) * 20; left; left /= ARRAY_LEN(syllables))
            strcat(words[i], syllables[left % ARRAY_LEN(syllables)]);
    }
}

/* A few words are frequent, most are rare. */
static inline const char *draw_word(double skew)
{
    double u = (double)(draw() >> 11) / 9007199254740992.0;
    return words[(size_t)(pow(u, skew) * WORDS)];
}

static inline const char *make_text(struct arena *a, size_t n)
{
    char text[TEXT_MAX];
    size_t len = 0;
    for (size_t i = 0; i < n && len + WORD_SIZE + 2 < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s ", draw_word(4));
    return arena_strdup(a, text);
}

#endif
