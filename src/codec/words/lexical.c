#include "codec/words/lexical.h"

#include <math.h>

#define BORDER_FIRST '\x02' /* never part of a word */
#define BORDER_LAST  '\x03'
#define GOLDEN       UINT64_C(0x9E3779B97F4A7C15)

static void add_feature(float *out, const char *s, size_t n, float weight)
{
    uint64_t h = term_hash(s, n);
    for (unsigned i = 0; i < LEXICAL_PLACES; i++) {
        h += GOLDEN; /* splitmix64 */
        uint64_t z = (h ^ (h >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        z ^= z >> 31;
        out[z % LEXICAL_DIMS] += z >> 63 ? weight : -weight;
    }
}

/* N-grams consist of whole characters. */
static void add_grams(float *out, const char *word, float weight)
{
    char s[TERM_MAX + 2];
    size_t starts[TERM_MAX + 3], chars = 0, n = strlen(word);
    s[0] = BORDER_FIRST;
    memcpy(s + 1, word, n);
    s[n + 1] = BORDER_LAST;
    for (size_t i = 0; i < n + 2; i++)
        if (((unsigned char)s[i] & 0xC0) != 0x80)
            starts[chars++] = i;
    starts[chars] = n + 2;
    for (size_t size = LEXICAL_GRAM_MIN; size <= LEXICAL_GRAM_MAX; size++)
        for (size_t i = 0; i + size <= chars; i++)
            add_feature(out, s + starts[i], starts[i + size] - starts[i], weight);
}

void lexical_embed(const struct bag *b, const float *weights, float out[LEXICAL_DIMS])
{
    float length = 0;
    memset(out, 0, LEXICAL_DIMS * sizeof out[0]);
    for (size_t i = 0; i < b->n; i++) {
        const struct bag_word *w = &b->words[i];
        float weight = (1 + logf((float)w->count)) * (weights ? weights[i] : 1);
        add_feature(out, w->written, strlen(w->written), weight);
        add_grams(out, w->written, LEXICAL_GRAM_WEIGHT * weight);
    }
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        length += out[i] * out[i];
    if (length > 0)
        for (size_t i = 0; i < LEXICAL_DIMS; i++)
            out[i] /= sqrtf(length);
}
