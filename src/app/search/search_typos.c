/*
 * Words that occur in no text.
 *
 * Parts of compounds, as in German: a word can be the beginning or the end of a longer one. Beginnings are
 * found by the index, ends only in the texts that are read: the best by their vectors.
 *
 * Mistyped words. A query word that occurs in none of the user's texts is replaced by the nearest word that
 * does. The distance is that of Damerau (CACM 7:3, 1964), by optimal string alignment: wrong, missing and
 * extra letters, and swapped neighbours. The first letter must be right: it is rarely mistyped, and the
 * vocabulary is then read as a range.
 */
#include "app/search/search_private.h"

#include "base/utf8.h"
#include "store/search/search.h"

#define PART_MIN 4 /* letters of a part of a longer word */
#define HEAD     3 /* letters that must be right in a word with two errors */
#define TERMS    8 /* terms of the vocabulary that are looked up in the user's messages */
#define SHARP_S  0xDF

struct letters {
    uint32_t at[TERM_MAX];
    size_t n;
};

/* "ß" counts as "ss": the vocabulary has both. */
static struct letters letters_of(struct str s)
{
    struct letters l = {.n = 0};
    while (s.len && l.n < TERM_MAX) {
        uint32_t cp = utf8_next(&s, NULL);
        if (cp == SHARP_S && l.n + 1 < TERM_MAX)
            l.at[l.n++] = 's';
        l.at[l.n++] = cp == SHARP_S ? 's' : cp;
    }
    return l;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The distance, or `most` + 1 if it is larger than `most`. */
static unsigned distance(const struct letters *a, const struct letters *b, unsigned most)
{
    unsigned rows[3][TERM_MAX + 1];
    if (a->n + most < b->n || b->n + most < a->n)
        return most + 1;
    for (size_t j = 0; j <= b->n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a->n; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3], best;
        best = now[0] = (unsigned)i;
        for (size_t j = 1; j <= b->n; j++) {
            now[j] = before[j - 1] + (a->at[i - 1] != b->at[j - 1]);
            now[j] = least(now[j], least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a->at[i - 1] == b->at[j - 2] && a->at[i - 2] == b->at[j - 1])
                now[j] = least(now[j], two_before[j - 2] + 1);
            best = least(best, now[j]);
        }
        if (best > most)
            return most + 1;
    }
    unsigned d = rows[a->n % 3][b->n];
    bool same_head = a->n >= HEAD && b->n >= HEAD && memcmp(a->at, b->at, HEAD * sizeof a->at[0]) == 0;
    return d > most || (d > 1 && !same_head) ? most + 1 : d;
}

/* In a short word one letter makes another word. Numbers are not corrected. */
static unsigned slips_of(const struct letters *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->at[i] >= '0' && word->at[i] <= '9')
            return 0;
    return word->n < 4 ? 0 : word->n < 7 ? 1 : 2;
}

/* ---- parts of longer words ---- */

bool search_make_part(struct bag_word *word)
{
    struct letters l = letters_of(str_of(word->word));
    word->part = l.n >= PART_MIN && !term_is_pair(word->word);
    for (size_t i = 0; i < l.n; i++)
        word->part = word->part && (l.at[i] < '0' || l.at[i] > '9');
    return word->part;
}

enum rc search_make_part_of(struct db *db, int64_t owner, struct bag_word *word, bool *any, struct err *e)
{
    *any = false;
    return search_make_part(word) ? store_search_has_word(db, owner, word->word, MATCH_BEGINNING, any, e)
                                  : RC_OK;
}

/* ---- mistyped words ---- */

void search_typo_init(struct search_typo *t, const struct bag_word *typed)
{
    struct letters word = letters_of(str_of(typed->word));
    *t = (struct search_typo){.typed = typed, .slips = term_is_pair(typed->word) ? 0 : slips_of(&word)};
    t->nearest = t->slips + 1;
}

void search_typo_look(struct search_typo *t, struct arena *a, struct str text)
{
    struct letters typed = letters_of(str_of(t->typed->word));
    struct term said;
    while (t->slips && term_next(&text, &said)) {
        struct letters word = letters_of(str_of(said.word));
        if (said.word[0] != t->typed->word[0] || term_is_stop(said.word))
            continue;
        unsigned d = distance(&typed, &word, t->slips);
        if (d >= t->nearest)
            continue;
        t->nearest = d;
        t->found = bag_word_of(a, &said);
        t->found.count = t->typed->count;
    }
}

bool search_typo_found(const struct search_typo *t)
{
    return t->nearest <= t->slips;
}

/* ---- the vocabulary of the messages ---- */

struct near_term {
    char term[TERM_MAX + 1];
    unsigned distance;
    int64_t messages;
};

struct vocabulary {
    struct letters stem;
    unsigned slips;
    struct near_term best[TERMS]; /* nearest first, then those that are said most */
    size_t n;
};

static bool is_nearer(const struct near_term *x, const struct near_term *y)
{
    return x->distance != y->distance ? x->distance < y->distance : x->messages > y->messages;
}

static void on_term(void *arg, struct str term, int64_t messages)
{
    struct vocabulary *v = arg;
    if (term.len > TERM_MAX)
        return;
    struct letters stem = letters_of(term);
    struct near_term mine = {.distance = distance(&v->stem, &stem, v->slips), .messages = messages};
    if (mine.distance > v->slips)
        return;
    memcpy(mine.term, term.s, term.len);
    size_t at = v->n < TERMS ? v->n++ : TERMS;
    if (at == TERMS && is_nearer(&mine, &v->best[TERMS - 1]))
        at--;
    else if (at == TERMS)
        return;
    for (; at && is_nearer(&mine, &v->best[at - 1]); at--)
        v->best[at] = v->best[at - 1];
    v->best[at] = mine;
}

/* Examines the owner's messages that hold similar words. */
static enum rc look_at_messages(
    struct db *db, struct arena *a, int64_t owner, struct search_typo *t, struct err *e)
{
    AUTO(arena) scratch = arena_new();
    struct vocabulary v = {.stem = letters_of(str_of(t->typed->stem)), .slips = t->slips};
    struct str first = str_of(t->typed->stem);
    if (!t->slips || !first.len)
        return RC_OK;
    utf8_next(&first, NULL);
    first = (struct str){t->typed->stem, (size_t)(first.s - t->typed->stem)};
    enum rc rc = store_search_vocabulary(db, arena_strndup(scratch, first.s, first.len), on_term, &v, e);
    for (size_t i = 0; rc == RC_OK && i < v.n && t->nearest > v.best[i].distance; i++) {
        int64_t id;
        struct message m;
        rc = store_search_term(db, owner, v.best[i].term, &id, e);
        if (rc == RC_OK)
            rc = store_message_get(db, scratch, owner, id, &m, e);
        if (rc == RC_OK)
            search_typo_look(t, a, m.text);
        else if (rc == RC_NOT_FOUND)
            rc = RC_OK; /* others say it, or it has just been deleted */
    }
    return rc;
}

enum rc search_correct_word(
    struct db *db, struct arena *a, int64_t owner, struct bag_word *word, bool *corrected, struct err *e)
{
    struct search_typo typo;
    search_typo_init(&typo, word);
    enum rc rc = look_at_messages(db, a, owner, &typo, e);
    *corrected = rc == RC_OK && search_typo_found(&typo);
    if (*corrected)
        *word = typo.found;
    return rc;
}
