/* Words: borders, folding, stems, stop words, and their counts in a text. */
#include "codec/words/tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/letter.h"
#include "base/utf8.h"

/* ---- characters ---- */

static bool in(uint32_t cp, uint32_t first, uint32_t last)
{
    return cp >= first && cp <= last;
}

static bool is_letter(uint32_t cp)
{
    if (cp < 0x80)
        return in(cp, 'a', 'z') || in(cp, 'A', 'Z') || in(cp, '0', '9');
    if (cp < 0xC0)
        return cp == 0xAA || cp == 0xB5 || cp == 0xBA;
    return cp != 0xD7 && cp != 0xF7 && cp != UTF8_REPLACEMENT && cp != 0xFEFF && !in(cp, 0x2000, 0x2BFF) &&
           !in(cp, 0x3000, 0x3004) && !in(cp, 0x3008, 0x3020) && !in(cp, 0xE000, 0xF8FF) &&
           !in(cp, 0xFF00, 0xFF0F) && !in(cp, 0xFF1A, 0xFF20) && !in(cp, 0xFF3B, 0xFF40) &&
           !in(cp, 0xFF5B, 0xFF65) && !in(cp, 0x1F000, 0x1FAFF);
}

/* Scripts without blanks between words, and Hangul. */
static bool is_paired(uint32_t cp)
{
    return in(cp, 0xE00, 0xEFF) || in(cp, 0x1000, 0x109F) || in(cp, 0x1100, 0x11FF) ||
           in(cp, 0x1780, 0x17FF) || in(cp, 0x3005, 0x3007) || in(cp, 0x3040, 0x30FA) ||
           in(cp, 0x30FC, 0x318F) || in(cp, 0x31A0, 0x31BF) || in(cp, 0x31F0, 0x31FF) ||
           in(cp, 0x3400, 0x4DBF) || in(cp, 0x4E00, 0x9FFF) || in(cp, 0xAC00, 0xD7A3) ||
           in(cp, 0xF900, 0xFAFF) || in(cp, 0xFF66, 0xFF9F) || in(cp, 0x20000, 0x323AF);
}

/* ---- stems ---- */

static bool ends(const char *s, size_t n, const char *tail)
{
    size_t t = strlen(tail);
    return n >= t && memcmp(s + n - t, tail, t) == 0;
}

static size_t without_plural(char *s, size_t n)
{
    if (n < 4 || s[n - 1] != 's')
        return n;
    if (ends(s, n, "ies") && !ends(s, n, "eies") && !ends(s, n, "aies")) {
        s[n - 3] = 'y';
        return n - 2;
    }
    if (ends(s, n, "us") || ends(s, n, "ss"))
        return n;
    return n - 1;
}

#define STEM_KEPT 3 /* characters that remain before -ing and -ed */

static bool has_vowel(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("aeiouy", s[i]))
            return true;
    return false;
}

static size_t without_ending(const char *s, size_t n)
{
    size_t cut = ends(s, n, "ing") ? 3 : ends(s, n, "ed") ? 2 : 0;
    if (cut == 0 || n < cut + STEM_KEPT || !has_vowel(s, n - cut))
        return n;
    n -= cut;
    bool doubled = s[n - 1] == s[n - 2] && !strchr("lsz", s[n - 1]);
    return doubled ? n - 1 : n;
}

static size_t make_stem(char *s, size_t n)
{
    n = without_plural(s, n);
    n = without_ending(s, n);
    if (n > STEM_KEPT && s[n - 1] == 'e') /* "make" and "making" */
        n--;
    s[n] = '\0';
    return n;
}

/* ---- words ---- */

/* Makes the pair whose first character is between the starts of `before` and `*rest`. With the last pair of a
 * run, `*rest` moves behind its second character, because that one begins no pair. A run of one character is
 * a term by itself. */
static size_t take_pair(struct str *rest, struct str before, struct term *out)
{
    struct str after = *rest, beyond;
    size_t first = before.len - after.len, n = first;
    bool bad = false;
    memcpy(out->word, before.s, first);
    uint32_t cp = after.len ? utf8_next(&after, &bad) : 0;
    if (!bad && is_paired(cp)) {
        memcpy(out->word + n, rest->s, rest->len - after.len);
        n += rest->len - after.len;
        beyond = after;
        if (!beyond.len || !is_paired(utf8_next(&beyond, &bad)) || bad)
            *rest = after;
    }
    out->source = (struct str){before.s, n};
    out->word[n] = '\0';
    memcpy(out->stem, out->word, n + 1);
    out->stem_len = n;
    return n;
}

#define SHARP_S         "\xC3\x9F"
#define CAPITAL_SHARP_S "\xE1\xBA\x9E"

/* Returns the bytes of the letter as it is in a word; 0: it is a mark. */
static size_t put_folded(uint32_t cp, bool keeps_sharp_s, char bytes[4])
{
    if (letter_is_mark(cp))
        return 0;
    if ((cp != 0xDF && cp != 0x1E9E) || keeps_sharp_s)
        return utf8_put(letter_fold(cp), bytes);
    memcpy(bytes, "ss", 2);
    return 2;
}

static bool next(struct str *rest, bool keeps_sharp_s, struct term *out)
{
    size_t n = 0;
    const char *begin = NULL, *end = NULL;
    while (rest->len) {
        struct str before = *rest;
        unsigned char c = (unsigned char)*rest->s;
        if (c < 0x80) { /* the usual case; same as below */
            bool letter = is_letter(c);
            if (letter && n == TERM_MAX)
                break;
            *rest = (struct str){rest->s + 1, rest->len - 1};
            if (!letter && begin)
                break;
            if (!letter)
                continue;
            if (!begin)
                begin = before.s;
            out->word[n++] = (char)(in(c, 'A', 'Z') ? c + 32 : c);
            end = rest->s;
            continue;
        }
        bool bad = false;
        char bytes[4];
        uint32_t cp = utf8_next(rest, &bad);
        if (!begin && (bad || !is_letter(cp) || letter_is_mark(cp)))
            continue;
        if (bad || (!is_letter(cp) && !letter_is_mark(cp)))
            break;
        if (is_paired(cp) && begin) {
            *rest = before;
            break;
        }
        if (is_paired(cp))
            return take_pair(rest, before, out);
        size_t size = put_folded(cp, keeps_sharp_s, bytes);
        if (n + size > TERM_MAX) {
            *rest = before;
            break;
        }
        if (!begin)
            begin = before.s;
        memcpy(out->word + n, bytes, size);
        n += size;
        end = rest->s;
    }
    if (!begin)
        return false;
    out->source = (struct str){begin, (size_t)(end - begin)};
    out->word[n] = '\0';
    memcpy(out->stem, out->word, n + 1);
    out->stem_len = make_stem(out->stem, n);
    return true;
}

bool term_next(struct str *rest, struct term *out)
{
    return next(rest, false, out);
}

/* ---- pairs ---- */

bool term_is_pair(const char *word)
{
    struct str s = str_of(word);
    return s.len && is_paired(utf8_next(&s, NULL));
}

bool term_is_in(const char *word, const char *other)
{
    return strcmp(word, other) == 0 || (term_is_pair(word) && term_is_pair(other) && strstr(other, word));
}

static void name_of(struct str pair, char *out)
{
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < 2 && pair.len; i++)
        n += (size_t)snprintf(out + n, PAIR_NAME_MAX - n, "u%x", (unsigned)utf8_next(&pair, NULL));
}

void term_add_pairs(struct strbuf *out, struct str text)
{
    struct term t;
    char name[PAIR_NAME_MAX];
    while (term_next(&text, &t)) {
        if (!term_is_pair(t.word))
            continue;
        struct str last = t.source;
        bool ends_run = text.s == t.source.s + t.source.len;
        utf8_next(&last, NULL);
        name_of(t.source, name);
        strbuf_addf(out, "%s%s", out->len ? " " : "", name);
        if (ends_run && last.len) {
            name_of(last, name);
            strbuf_addf(out, " %s", name);
        }
    }
}

/* ---- queries of a text index ---- */

#define SPELLED_MAX 3 /* "ss" that are also searched as "ß"; further ones are searched as they are */

static void add_pair_match(struct strbuf *out, const char *pair)
{
    char name[PAIR_NAME_MAX];
    name_of(str_of(pair), name);
    bool single = !strchr(name + 1, 'u');
    strbuf_addf(out, "\"%s\"%s", name, single ? "*" : "");
}

static void add_word_match(struct strbuf *out, const char *words, enum term_match match)
{
    const char *at[SPELLED_MAX], *s = words;
    unsigned n = 0;
    for (; n < SPELLED_MAX && (s = strstr(s, "ss")); s += 2)
        at[n++] = s;
    strbuf_adds(out, n ? "(" : "");
    for (unsigned sharp = 0; sharp < 1U << n; sharp++) { /* a bit for each place */
        const char *from = words;
        strbuf_adds(out, sharp ? " OR \"" : "\"");
        for (unsigned i = 0; i < n; i++) {
            if (!(sharp >> i & 1))
                continue;
            strbuf_add(out, from, (size_t)(at[i] - from));
            strbuf_adds(out, SHARP_S);
            from = at[i] + 2;
        }
        strbuf_addf(out, "%s\"%s", from, match == MATCH_BEGINNING ? "*" : "");
    }
    strbuf_adds(out, n ? ")" : "");
}

void term_add_match(struct strbuf *out, const char *words, enum term_match match)
{
    strbuf_adds(out, out->len ? " AND " : "");
    if (term_is_pair(words))
        add_pair_match(out, words);
    else
        add_word_match(out, words, match);
}

/* Sorted, for bsearch(). */
static const char *const stops[] = {"a", "about", "above", "after", "again", "all", "also", "am", "an", "and",
    "any", "are", "aren", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both",
    "but", "by", "can", "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "down",
    "during", "each", "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven",
    "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into",
    "is", "isn", "it", "its", "itself", "just", "ll", "m", "me", "more", "most", "my", "myself", "no", "nor",
    "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over",
    "own", "re", "s", "same", "she", "should", "shouldn", "so", "some", "such", "t", "than", "that", "the",
    "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "ve", "very", "was", "wasn", "we", "were", "weren", "what", "when",
    "where", "which", "while", "who", "whom", "why", "will", "with", "won", "would", "wouldn", "you", "your",
    "yours", "yourself", "yourselves"};

static int compare_word(const void *key, const void *at)
{
    return strcmp(key, *(const char *const *)at);
}

bool term_is_stop(const char *word)
{
    return bsearch(word, stops, ARRAY_LEN(stops), sizeof stops[0], compare_word) != NULL;
}

/* FNV-1a, then the last step of splitmix64 (Steele et al., OOPSLA 2014), so that every bit depends on all. */
uint64_t term_hash(const char *s, size_t n)
{
    uint64_t h = str_hash((struct str){s, n}, 0);
    h = (h ^ (h >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94D049BB133111EB);
    return h ^ (h >> 31);
}

/* ---- counting ---- */

#define SLOTS_FIRST 64

/* Slots contain indices of words[] plus 1; at least half of them are empty. */
struct table {
    struct arena *a;
    size_t *slots, slots_n, room;
};

static size_t *find_slot(const struct table *t, const struct bag *b, uint64_t hash)
{
    size_t i = hash & (t->slots_n - 1);
    while (t->slots[i] && b->words[t->slots[i] - 1].hash != hash)
        i = (i + 1) & (t->slots_n - 1);
    return &t->slots[i];
}

static void grow(struct table *t, struct bag *b)
{
    t->slots_n = t->slots_n ? 2 * t->slots_n : SLOTS_FIRST;
    t->room = t->slots_n / 2;
    struct bag_word *words = ARENA_ARRAY(t->a, struct bag_word, t->room);
    if (b->n)
        memcpy(words, b->words, b->n * sizeof *words);
    b->words = words;
    t->slots = ARENA_ARRAY(t->a, size_t, t->slots_n);
    for (size_t i = 0; i < b->n; i++)
        *find_slot(t, b, words[i].hash) = i + 1;
}

static bool has_sharp_s(struct str s)
{
    return memmem(s.s, s.len, SHARP_S, sizeof SHARP_S - 1) ||
           memmem(s.s, s.len, CAPITAL_SHARP_S, sizeof CAPITAL_SHARP_S - 1);
}

struct bag_word bag_word_of(struct arena *a, const struct term *t)
{
    struct bag_word w = {.hash = term_hash(t->stem, t->stem_len),
        .word = arena_strdup(a, t->word),
        .stem = arena_strdup(a, t->stem)};
    struct str source = t->source;
    struct term written;
    w.written = has_sharp_s(source) && next(&source, true, &written) ? arena_strdup(a, written.stem) : w.stem;
    return w;
}

static struct bag make_bag(struct arena *a, struct str text, bool keeps_stops)
{
    struct bag b = {0};
    struct table t = {.a = a};
    struct term term;
    if (text.len > BAG_TEXT_MAX)
        text.len = utf8_cut_bytes(text, BAG_TEXT_MAX);
    while (term_next(&text, &term)) {
        if (!keeps_stops && term_is_stop(term.word))
            continue;
        b.total++;
        if (b.n == t.room)
            grow(&t, &b);
        uint64_t hash = term_hash(term.stem, term.stem_len);
        size_t *slot = find_slot(&t, &b, hash);
        if (*slot == 0) {
            b.words[b.n] = bag_word_of(a, &term);
            *slot = ++b.n;
        }
        b.words[*slot - 1].count++;
    }
    return b;
}

struct bag bag_of(struct arena *a, struct str text)
{
    return make_bag(a, text, false);
}

struct bag bag_of_all(struct arena *a, struct str text)
{
    return make_bag(a, text, true);
}

bool bag_word_is_in(const struct bag_word *w, const struct term *t)
{
    if (!w->beginning && !w->part)
        return false;
    size_t n = strlen(w->word), of = strlen(t->word);
    return strncmp(t->word, w->word, n) == 0 || (w->part && of > n && strcmp(t->word + of - n, w->word) == 0);
}

float term_idf(size_t holding, size_t all)
{
    double df = (double)holding, n = fmax((double)all, df);
    return (float)log(1 + (n - df + 0.5) / (df + 0.5));
}

const struct bag_word *bag_find(const struct bag *b, const char *stem)
{
    uint64_t hash = term_hash(stem, strlen(stem));
    for (size_t i = 0; i < b->n; i++)
        if (b->words[i].hash == hash)
            return &b->words[i];
    return NULL;
}
