#include "codec/words/snippet.h"

#include "base/utf8.h"

#define HITS_MAX   256 /* in one text; later ones are neither searched nor marked */
#define LEAD       48  /* bytes shown before the first hit */
#define NEAR_LEAST 5   /* shortest stem in bytes that is compared approximately */

struct hit {
    size_t at, len;
    uint64_t hash;
    const struct bag_word *run; /* the first pair of these characters in the query; of a word: itself */
    size_t missing;             /* pairs of the run that the text does not have here */
};

/* True when they differ in one wrong, missing or extra letter, or in two swapped ones. */
static bool one_slip(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t head = 0, tail = 0, least = a_len < b_len ? a_len : b_len, most = a_len + b_len - least;
    while (head < least && a[head] == b[head])
        head++;
    while (tail < least - head && a[a_len - 1 - tail] == b[b_len - 1 - tail])
        tail++;
    size_t rest = most - head - tail;
    return rest <= 1 || (a_len == b_len && rest == 2 && a[head] == b[head + 1] && a[head + 1] == b[head]);
}

/* True for a part of a compound, another ending or a typo, which similarity search finds. */
static bool is_near(const struct term *t, const char *stem)
{
    size_t n = strlen(stem);
    if (n < NEAR_LEAST || t->stem_len < NEAR_LEAST)
        return false;
    return strstr(t->stem, stem) || strstr(stem, t->stem) || one_slip(t->stem, t->stem_len, stem, n);
}

static const struct bag_word *find_near(const struct bag *words, const struct term *t)
{
    for (size_t i = 0; i < words->n; i++)
        if (is_near(t, words->words[i].stem))
            return &words->words[i];
    return NULL;
}

enum likeness { SAME_WORDS, SIMILAR_WORDS };

static const struct bag_word *find_word(const struct bag *words, const struct term *t, enum likeness which)
{
    for (size_t i = 0; i < words->n; i++)
        if (term_is_in(words->words[i].stem, t->stem) || bag_word_is_in(&words->words[i], t))
            return &words->words[i];
    return which == SIMILAR_WORDS ? find_near(words, t) : NULL;
}

/* The place of the word in a term's source: a pair may contain a character that is searched alone. */
static struct str place_of(const struct bag_word *w, const struct term *t)
{
    size_t n = strlen(w->word);
    const char *at =
        n < t->source.len && term_is_pair(w->word) ? memmem(t->source.s, t->source.len, w->word, n) : NULL;
    return at ? (struct str){at, n} : t->source;
}

/* True when the query has the two pairs one after the other: the second begins with the end of the first. */
static bool follows(const char *first, const char *second)
{
    struct str end = str_of(first);
    if (!term_is_pair(first) || !term_is_pair(second))
        return false;
    utf8_next(&end, NULL);
    return end.len && strncmp(second, end.s, end.len) == 0;
}

static struct hit hit_of(const struct bag *words, const struct bag_word *w, size_t at, size_t len)
{
    const struct bag_word *first = w, *last = w, *end = words->words + words->n;
    while (first > words->words && follows(first[-1].word, first->word))
        first--;
    while (last + 1 < end && follows(last->word, last[1].word))
        last++;
    return (struct hit){at, len, w->hash, first, (size_t)(last - first)};
}

static size_t find_all(
    struct str text, const struct bag *words, enum likeness which, struct hit hits[HITS_MAX])
{
    struct str rest = text;
    struct term t;
    size_t n = 0;
    while (n < HITS_MAX && term_next(&rest, &t)) {
        const struct bag_word *w = find_word(words, &t, which);
        if (!w)
            continue;
        struct str place = place_of(w, &t);
        size_t at = (size_t)(place.s - text.s);
        struct hit *before = n ? &hits[n - 1] : NULL;
        if (before && at <= before->at + before->len && term_is_pair(t.word)) {
            before->len = at + place.len - before->at; /* pairs overlap */
            before->missing -= before->missing > 0;
        } else
            hits[n++] = hit_of(words, w, at, place.len);
    }
    return n;
}

static bool has_whole(const struct hit *hits, size_t n, const struct bag_word *run)
{
    for (size_t i = 0; i < n; i++)
        if (hits[i].run == run && hits[i].missing == 0)
            return true;
    return false;
}

/* If characters of a script without blanks occur as they were typed, parts of them are not marked. */
static size_t drop_parts(struct hit *hits, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (hits[i].missing == 0 || !has_whole(hits, n, hits[i].run))
            hits[kept++] = hits[i];
    return kept;
}

/* If a word occurs exactly, similar words are not marked. */
static size_t find_hits(struct str text, const struct bag *words, struct hit hits[HITS_MAX])
{
    size_t n = find_all(text, words, SAME_WORDS, hits);
    return drop_parts(hits, n ? n : find_all(text, words, SIMILAR_WORDS, hits));
}

/* The hit where the best window begins: with the most different words, then the most words. */
static size_t best_start(const struct hit *hits, size_t n, size_t bytes)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t worth = 0;
        for (size_t j = i; j < n && hits[j].at + hits[j].len <= hits[i].at + bytes - LEAD; j++) {
            bool again = false;
            for (size_t k = i; k < j && !again; k++)
                again = hits[k].hash == hits[j].hash;
            worth += again ? 1 : HITS_MAX;
        }
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

/* Moves forward to the next word, if one begins soon; never into a character. */
static size_t to_word(struct str text, size_t at, size_t limit)
{
    if (at == 0)
        return 0;
    for (size_t i = at; i < limit; i++)
        if (is_blank(text.s[i - 1]) && !is_blank(text.s[i]))
            return i;
    return utf8_cut_bytes(text, at);
}

/* Moves back to the end of a word. */
static size_t to_end(struct str text, size_t at, size_t limit)
{
    if (at >= text.len)
        return text.len;
    for (size_t i = at; i > limit; i--)
        if (is_blank(text.s[i]))
            return i;
    return utf8_cut_bytes(text, at);
}

struct snippet snippet_of(struct arena *a, struct str text, const struct bag *words, size_t bytes)
{
    struct hit hits[HITS_MAX];
    if (bytes < 2 * LEAD)
        bytes = 2 * LEAD;
    size_t n = find_hits(text, words, hits), first = n ? best_start(hits, n, bytes) : 0;
    size_t at = n ? hits[first].at : 0, begin = at > LEAD && text.len > bytes ? at - LEAD : 0;
    if (text.len > bytes && text.len - begin < bytes)
        begin = text.len - bytes;
    begin = to_word(text, begin, at > begin ? at : begin);
    size_t end = to_end(text, begin + bytes, begin + bytes / 2);
    struct snippet s = {.pieces = ARENA_ARRAY(a, struct snippet_piece, 2 * n + 1),
        .whole = {text.s + begin, end - begin},
        .cut_head = begin > 0,
        .cut_end = end < text.len};
    size_t done = begin;
    for (size_t i = 0; i < n; i++) {
        if (hits[i].at < done || hits[i].at + hits[i].len > end)
            continue;
        if (hits[i].at > done)
            s.pieces[s.n++] = (struct snippet_piece){{text.s + done, hits[i].at - done}, false};
        s.pieces[s.n++] = (struct snippet_piece){{text.s + hits[i].at, hits[i].len}, true};
        done = hits[i].at + hits[i].len;
    }
    if (done < end)
        s.pieces[s.n++] = (struct snippet_piece){{text.s + done, end - done}, false};
    return s;
}
