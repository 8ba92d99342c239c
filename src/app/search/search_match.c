/* The requirements of a query: phrases, beginnings and excluded words, as queries of the text index and
 * compared with a text; and the sessions that its operators allow. */
#include "app/search/search_private.h"

#include <limits.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "codec/words/tokenizer.h"
#include "store/search/search.h"

#define TERMS_MAX    32   /* words of one need; further ones are ignored */
#define SESSIONS_FEW 5000 /* sessions whose messages are enumerated */

static const char *query(struct arena *a, const struct strbuf *q)
{
    return q->len ? arena_strndup(a, q->s, q->len) : NULL;
}

/* FTS5 queries: of quoted words, and of pairs of characters (store/search/search.h). NULL: none. */
struct match {
    const char *words, *pairs;
};

/* A phrase of words is one string of FTS5; other words, and pairs, are strings of their own, so that all of
 * them must occur. A word has letters and digits only. The index of pairs has no places, and that of words
 * does not tell how far a word is from a pair: a phrase with pairs is looked for by its pairs alone. */
static struct match match_of(struct arena *a, const struct search_need *need)
{
    AUTO_STRBUF words;
    AUTO_STRBUF pairs;
    strbuf_init(&words, TERMS_MAX * TERM_MATCH_MAX(TERM_MAX));
    strbuf_init(&pairs, (size_t)TERMS_MAX * (PAIR_NAME_MAX + 8));
    struct str text = need->text;
    bool phrase = need->op != QUERY_WORD;
    struct term t;
    for (int i = 0; i < TERMS_MAX && term_next(&text, &t); i++) {
        if (term_is_pair(t.word)) {
            term_add_match(&pairs, t.word, MATCH_WORD);
        } else if (phrase) {
            strbuf_addf(&words, "%s%s", words.len ? " " : "", t.word);
        } else {
            term_add_match(&words, t.word, MATCH_WORD);
        }
    }
    if (phrase && pairs.len)
        return (struct match){.pairs = query(a, &pairs)};
    if (!phrase || !words.len)
        return (struct match){.words = query(a, &words), .pairs = query(a, &pairs)};
    AUTO_STRBUF whole;
    strbuf_init(&whole, TERM_MATCH_MAX(words.len));
    term_add_match(&whole, words.s, need->op == QUERY_BEGINNING ? MATCH_BEGINNING : MATCH_WORD);
    return (struct match){.words = query(a, &whole)};
}

/* The words of `want`, one after the other, begin at `rest`. */
static bool begins_with(struct str rest, struct str want, bool beginning)
{
    struct term have, next;
    while (term_next(&want, &next)) {
        if (!term_next(&rest, &have))
            return false;
        struct str left = want;
        struct term further;
        bool last = !term_next(&left, &further);
        bool open = beginning && last && !term_is_pair(next.word);
        bool same = open ? strncmp(have.word, next.word, strlen(next.word)) == 0
                         : strcmp(have.stem, next.stem) == 0 || term_is_in(next.word, have.word);
        if (!same)
            return false;
    }
    return true;
}

static bool has_text(struct str text, struct str want, bool beginning)
{
    struct term t, any;
    struct str words = want;
    if (!term_next(&words, &any))
        return true; /* nothing to look for */
    for (struct str rest = text; rest.len;) {
        if (begins_with(rest, want, beginning))
            return true;
        if (!term_next(&rest, &t))
            break;
    }
    return false;
}

/* A word needs all of its parts, in any place: "well-known". */
static bool has_words(struct str text, struct str want)
{
    struct term t;
    while (term_next(&want, &t))
        if (!has_text(text, str_of(t.word), false))
            return false;
    return true;
}

static bool meets(const struct search_need *n, struct str text)
{
    bool has =
        n->op == QUERY_WORD ? has_words(text, n->text) : has_text(text, n->text, n->op == QUERY_BEGINNING);
    struct str letters = n->text;
    struct term t;
    return has != n->negated || !term_next(&letters, &t);
}

bool search_query_meets(const struct search_query *q, struct str text)
{
    for (size_t i = 0; i < q->needs_n; i++)
        if (!meets(&q->needs[i], text))
            return false;
    return true;
}

/* True when not all texts that match_of() finds have the phrase: it has pairs, and another term. */
static bool has_candidates_only(const struct search_need *need)
{
    struct str text = need->text;
    struct term t;
    bool pairs = false;
    int n = 0;
    for (; n < TERMS_MAX && term_next(&text, &t); n++)
        pairs = pairs || term_is_pair(t.word);
    return need->op != QUERY_WORD && pairs && n > 1;
}

bool search_query_confirms(const struct search_query *q, struct str text)
{
    for (size_t i = 0; i < q->needs_n; i++)
        if (has_candidates_only(&q->needs[i]) && !meets(&q->needs[i], text))
            return false;
    return true;
}

/* ---- sessions ---- */

static int by_id(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum rc search_among_read(struct db *db, struct arena *a, int64_t owner, const struct search_query *q,
    struct search_among *out, struct err *e)
{
    *out = (struct search_among){.all = !q || !q->about_sessions};
    if (out->all)
        return RC_OK;
    enum rc rc = store_session_ids(db, a, owner, &q->sessions, INT_MAX, &out->ids, &out->n, e);
    if (rc == RC_OK && out->n)
        qsort(out->ids, out->n, sizeof *out->ids, by_id);
    return rc;
}

bool search_among_has(const struct search_among *among, int64_t session)
{
    return among->all || (among->n && bsearch(&session, among->ids, among->n, sizeof session, by_id));
}

/* ---- messages ---- */

struct marks {
    bool *of;
    size_t room;
    bool value;
};

static void on_id(void *arg, int64_t id)
{
    const struct marks *m = arg;
    if (search_number(id) < m->room)
        m->of[search_number(id)] = m->value;
}

/* `found` is scratch. */
static enum rc allow_need(struct db *db, struct arena *a, int64_t owner, const struct search_need *need,
    struct marks *allowed, bool *found, struct err *e)
{
    struct match m = match_of(a, need);
    if ((!m.words && !m.pairs) || (need->negated && has_candidates_only(need)))
        return RC_OK;
    if (need->negated) {
        allowed->value = false;
        return store_search_match(db, owner, m.words, m.pairs, -1, on_id, allowed, e);
    }
    memset(found, 0, allowed->room * sizeof *found);
    struct marks marks = {found, allowed->room, true};
    enum rc rc = store_search_match(db, owner, m.words, m.pairs, -1, on_id, &marks, e);
    for (size_t i = 0; i < allowed->room; i++)
        allowed->of[i] = allowed->of[i] && found[i];
    return rc;
}

static enum rc allow_sessions(
    struct db *db, int64_t owner, const struct search_among *among, struct marks *marks, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < among->n; i++)
        rc = store_search_filter(
            db, owner, &(struct search_filter){.session = among->ids[i]}, on_id, marks, e);
    return rc;
}

enum rc search_allow(struct db *db, struct arena *a, int64_t owner, const struct search_query *q,
    const struct search_among *among, size_t room, bool **allowed, struct err *e)
{
    bool few = !among->all && among->n <= SESSIONS_FEW;
    if (!q || (!q->needs_n && !few))
        return RC_OK;
    if (!*allowed) {
        *allowed = ARENA_ARRAY(a, bool, room);
        memset(*allowed, true, room * sizeof **allowed);
    }
    bool *found = ARENA_ARRAY(a, bool, room);
    struct marks marks = {*allowed, room, false}, of_sessions = {found, room, true};
    enum rc rc = few ? allow_sessions(db, owner, among, &of_sessions, e) : RC_OK;
    for (size_t i = 0; few && i < room; i++)
        (*allowed)[i] = (*allowed)[i] && found[i];
    for (size_t i = 0; rc == RC_OK && i < q->needs_n; i++)
        rc = allow_need(db, a, owner, &q->needs[i], &marks, found, e);
    return rc;
}
