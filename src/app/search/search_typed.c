/* The search box while the user types: a few results of each kind, from the text indexes only. */
#include "app/search/search_private.h"

#include <stdio.h>

#include "app/memory/memory.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "store/memory/memory.h"
#include "store/search/search.h"
#include "store/session/temporary.h"
#include "store/session/workspace.h"

#define WORDS_MAX  8
#define PREFIX_MIN 2              /* letters of a last word that is also searched as the beginning of words */
#define LOOKED_AT  40             /* messages; some of them cannot be found (store_search_covers()) */
#define TITLES     ((size_t)1000) /* of the newest sessions, searched for the right spelling of a word */

/* For a short beginning of words FTS5 reads all entries of very many words: 70 ms for two letters and
 * 1,000,000 messages. Most messages have such a word, so the newest messages are read first. */
#define SHORT  4   /* letters of a short beginning, at most */
#define NEWEST 500 /* messages that are read; also for a query with operators, which can exclude most */

/* FTS5 queries for all words of the text: "garden" "pl"*, and for the character pairs of scripts without
 * blanks. NULL: no query. */
struct match {
    const char *words, *pairs;
    const char *beginning; /* the last word, when it is a short beginning; else NULL */
    const char *others;    /* `words` without `beginning`; NULL when that is NULL */
};

static const char *query(struct arena *a, const struct strbuf *q)
{
    return q->len ? arena_strndup(a, q->s, q->len) : NULL;
}

static struct match match_of(struct arena *a, struct str text)
{
    AUTO_STRBUF words;
    AUTO_STRBUF pairs;
    strbuf_init(&words, (size_t)WORDS_MAX * (TERM_MAX + 8));
    strbuf_init(&pairs, (size_t)WORDS_MAX * (PAIR_NAME_MAX + 8));
    bool open = text.len && text.s[text.len - 1] != ' '; /* the last word may be incomplete */
    struct match m = {0};
    struct term t = {0};
    for (int i = 0; i < WORDS_MAX && term_next(&text, &t); i++) {
        bool is_pair = term_is_pair(t.word), ends = open && text.len == 0;
        struct strbuf *q = is_pair ? &pairs : &words;
        char name[PAIR_NAME_MAX];
        if (is_pair)
            term_pair_name(t.word, name);
        bool prefix = is_pair ? !strchr(name + 1, 'u') : ends && strlen(t.word) >= PREFIX_MIN;
        if (prefix && !is_pair && utf8_count(str_of(t.word)) <= SHORT) {
            m.beginning = arena_strdup(a, t.word);
            m.others = query(a, &words);
        }
        strbuf_addf(q, "%s\"%s\"%s", q->len ? " " : "", is_pair ? name : t.word, prefix ? "*" : "");
    }
    m.words = query(a, &words);
    m.pairs = query(a, &pairs);
    return m;
}

struct ids {
    int64_t id[NEWEST];
    size_t n;
};

static void on_id(void *arg, int64_t id)
{
    struct ids *ids = arg;
    if (ids->n < NEWEST)
        ids->id[ids->n++] = id;
}

static bool has_operators(const struct search_query *q)
{
    return q->about_sessions || q->has_role || q->after || q->before || q->need_n > 0;
}

/* True when the operators of the query allow a message that its words found. */
static enum rc allows(struct db *db, int64_t owner, const struct search_query *q, const struct message *m,
    bool *out, struct err *e)
{
    struct session_filter f = q->sessions;
    int64_t n = 1;
    f.id = m->session_id;
    enum rc rc = q->about_sessions ? store_session_count(db, owner, &f, &n, e) : RC_OK;
    *out = n > 0 && (!q->has_role || m->role == q->role) && m->created_at >= q->after &&
           (!q->before || m->created_at < q->before) && search_query_meets(q, m->text);
    return rc;
}

/* False, with RC_OK, also for a message that is hidden: a conversation that is being imported. */
static enum rc is_hit(
    struct db *db, int64_t owner, int64_t id, const struct search_query *q, bool *is, struct err *e)
{
    AUTO(arena) scratch = arena_new();
    struct message m;
    *is = false;
    enum rc rc = store_message_get(db, scratch, owner, id, &m, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return store_search_covers(&m) ? allows(db, owner, q, &m, is, e) : RC_OK;
}

static enum rc read_hit(struct db *db, int64_t owner, int64_t id, const struct search_query *q,
    struct arena *a, struct search_typed *out, struct err *e)
{
    bool is;
    struct search_hit *h = &out->hits[out->hits_n];
    struct session s;
    *h = (struct search_hit){0};
    enum rc rc = is_hit(db, owner, id, q, &is, e);
    if (rc != RC_OK || !is)
        return rc;
    rc = store_message_get(db, a, owner, id, &h->message, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, owner, h->message.session_id, &s, e);
    if (rc != RC_OK)
        return rc;
    h->session_id = s.pub;
    h->session_title = s.title;
    out->hits_n++;
    return RC_OK;
}

/* Whether the text has a word that begins so, or that has the same stem. */
static bool has_beginning(struct str text, const char *beginning)
{
    struct term t, want;
    struct str rest = str_of(beginning);
    if (!term_next(&rest, &want))
        return true;
    while (term_next(&text, &t))
        if (strncmp(t.word, want.word, strlen(want.word)) == 0 || strcmp(t.stem, want.stem) == 0)
            return true;
    return false;
}

/* Whether a message that no index gave is searched, and has the beginning. */
static enum rc begins(
    struct db *db, int64_t owner, int64_t id, const struct match *m, bool indexed, bool *is, struct err *e)
{
    AUTO(arena) scratch = arena_new();
    struct message message;
    bool temporary = false;
    *is = false;
    enum rc rc = store_message_get(db, scratch, owner, id, &message, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    if (!has_beginning(message.text, m->beginning))
        return RC_OK;
    rc = indexed ? RC_OK : store_temporary_is(db, message.session_id, &temporary, e);
    *is = !temporary;
    return rc;
}

/* Looks for the beginning in the newest messages that have the other words. `whole`: the hits are those that
 * find_indexed() would give. */
static enum rc find_newest(struct db *db, int64_t owner, const struct match *m, const struct search_query *q,
    struct arena *a, struct search_typed *out, bool *whole, struct err *e)
{
    struct ids ids = {.n = 0};
    bool indexed = m->others || m->pairs;
    enum rc rc = indexed ? store_search_match(db, owner, m->others, m->pairs, NEWEST, on_id, &ids, e)
                         : store_search_latest(db, owner, NEWEST, on_id, &ids, e);
    for (size_t i = 0; rc == RC_OK && i < ids.n && out->hits_n < SEARCH_TYPED_MESSAGES; i++) {
        bool is;
        rc = begins(db, owner, ids.id[i], m, indexed, &is, e);
        if (rc == RC_OK && is)
            rc = read_hit(db, owner, ids.id[i], q, a, out, e);
    }
    *whole = rc == RC_OK && (ids.n < NEWEST || out->hits_n == SEARCH_TYPED_MESSAGES);
    return rc;
}

static enum rc find_indexed(struct db *db, int64_t owner, const struct match *m, const struct search_query *q,
    struct arena *a, struct search_typed *out, struct err *e)
{
    struct ids ids = {.n = 0};
    out->hits_n = 0;
    int looked_at = has_operators(q) ? NEWEST : LOOKED_AT;
    enum rc rc = store_search_match(db, owner, m->words, m->pairs, looked_at, on_id, &ids, e);
    for (size_t i = 0; rc == RC_OK && i < ids.n && out->hits_n < SEARCH_TYPED_MESSAGES; i++)
        rc = read_hit(db, owner, ids.id[i], q, a, out, e);
    return rc;
}

static enum rc find_messages(struct db *db, int64_t owner, const struct match *m,
    const struct search_query *q, struct arena *a, struct search_typed *out, struct err *e)
{
    bool whole = false;
    enum rc rc = m->beginning ? find_newest(db, owner, m, q, a, out, &whole, e) : RC_OK;
    return rc == RC_OK && !whole ? find_indexed(db, owner, m, q, a, out, e) : rc;
}

/* Workspaces whose names have a beginning of every word. */
static enum rc find_workspaces(
    struct db *db, int64_t owner, struct str words, struct arena *a, struct search_typed *out, struct err *e)
{
    const char **names;
    size_t n;
    enum rc rc = store_workspace_list(db, a, owner, &names, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n && out->workspaces_n < SEARCH_TYPED_WORKSPACES; i++) {
        struct term t;
        bool all = true;
        for (struct str rest = words; all && term_next(&rest, &t);)
            all = has_beginning(str_of(names[i]), t.word);
        if (all)
            out->workspaces[out->workspaces_n++] = names[i];
    }
    return rc;
}

/* The words as typed: a blank at the end of the text says that the last one is complete. */
static struct str typed_words(struct arena *a, const struct search_query *q, struct str text)
{
    bool ended = text.len && text.s[text.len - 1] == ' ';
    return str_of(arena_printf(a, "%.*s%s", STR_FMT(q->words), ended ? " " : ""));
}

/* `q` is the query of t->text. */
static enum rc find(struct db *db, const struct search_typing *t, const struct search_query *q,
    struct arena *a, struct search_typed *out, struct err *e)
{
    struct session_filter f = search_query_filter(a, q);
    f.show = q->parts.n ? f.show : SESSIONS_LISTED;
    struct str words = typed_words(a, q, t->text);
    struct match m = match_of(a, words);
    out->words = bag_of_all(a, words);
    const struct session_page page = {.limit = SEARCH_TYPED_SESSIONS, .brief = true};
    enum rc rc = store_session_list(db, a, t->owner, &f, &page, &out->sessions, &out->sessions_n, e);
    if (rc != RC_OK || (!m.words && !m.pairs))
        return rc;
    rc = find_messages(db, t->owner, &m, q, a, out, e);
    if (rc != RC_OK || q->about_sessions || q->has_role)
        return rc;
    if ((rc = find_workspaces(db, t->owner, words, a, out, e)) != RC_OK)
        return rc;
    struct memory_filter facts = {
        .match = memory_match(a, q->words), .parts = memory_parts(a, q->words), .limit = SEARCH_TYPED_FACTS};
    return store_memory_list(db, a, t->owner, t->now, &facts, &out->memories, &out->memories_n, e);
}

/* ---- mistyped words ---- */

/* Whether one of the owner's messages has the word, or a word that begins so. */
static enum rc is_said(
    struct db *db, int64_t owner, const char *word, bool beginning, bool *is, struct err *e)
{
    if (!beginning)
        return store_search_has_word(db, owner, word, is, e);
    char match[TERM_MAX + 4];
    struct ids ids = {.n = 0};
    snprintf(match, sizeof match, "\"%s\"*", word);
    enum rc rc = store_search_match(db, owner, match, NULL, 1, on_id, &ids, e);
    *is = ids.n > 0;
    return rc;
}

/* Facts, and titles of sessions: texts with words that perhaps no message has. */
struct other_texts {
    struct str *text;
    size_t n;
    bool read;
};

static enum rc read_titles(
    struct db *db, struct arena *a, int64_t owner, struct other_texts *to, struct err *e)
{
    const struct session_filter listed = {.show = SESSIONS_LISTED};
    struct session_page page = {.limit = SESSION_PAGE_MAX, .brief = true};
    size_t left = TITLES, n = SESSION_PAGE_MAX;
    enum rc rc = RC_OK;
    while (rc == RC_OK && left >= n && n == SESSION_PAGE_MAX) {
        struct session *rows;
        rc = store_session_list(db, a, owner, &listed, &page, &rows, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            to->text[to->n++] = str_of(rows[i].title ? rows[i].title : "");
        if (rc == RC_OK && n)
            page.from = session_key_of(&rows[n - 1], listed.sort);
        left -= n;
    }
    return rc;
}

/* Reads them once. */
static enum rc read_others(
    struct db *db, struct arena *a, const struct search_typing *t, struct other_texts *to, struct err *e)
{
    struct memory *facts;
    size_t n = 0;
    if (to->read)
        return RC_OK;
    to->read = true;
    enum rc rc = store_memory_all(db, a, t->owner, t->now, &facts, &n, e);
    if (rc != RC_OK)
        return rc;
    to->text = ARENA_ARRAY(a, struct str, n + TITLES);
    for (; to->n < n; to->n++)
        to->text[to->n] = facts[to->n].text;
    return read_titles(db, a, t->owner, to, e);
}

/* The nearest word of the facts and titles. */
static enum rc look_at_others(struct db *db, struct arena *a, const struct search_typing *t,
    struct other_texts *others, struct search_typo *typo, struct err *e)
{
    enum rc rc = read_others(db, a, t, others, e);
    for (size_t i = 0; rc == RC_OK && i < others->n && typo->nearest > 0; i++)
        search_typo_look(typo, a, others->text[i]);
    return rc;
}

static enum rc is_anywhere(struct db *db, struct arena *a, const struct search_typing *t, const char *word,
    bool beginning, struct other_texts *others, bool *is, struct err *e)
{
    enum rc rc = is_said(db, t->owner, word, beginning, is, e);
    if (rc != RC_OK || *is)
        return rc;
    rc = read_others(db, a, t, others, e);
    for (size_t i = 0; rc == RC_OK && i < others->n && !*is; i++)
        *is = has_beginning(others->text[i], word);
    return rc;
}

/* "goettlesbr" as "gottlesbr": words are compared without marks, and "oe" stands for "ö". */
static const char *without_umlauts(struct arena *a, const char *word)
{
    char *out = arena_strdup(a, word), *to = out;
    for (const char *at = word; *at; at++) {
        *to++ = *at;
        if (strchr("aou", *at) && at[1] == 'e')
            at++;
    }
    *to = '\0';
    return out;
}

/* Another spelling of a word that nothing has: without umlauts, or "wtu118" as "wtu 118". */
static enum rc respell(struct db *db, struct arena *a, const struct search_typing *t, bool open,
    const char *typed, struct other_texts *others, struct str *word, bool *respelt, struct err *e)
{
    const char *plain = without_umlauts(a, typed);
    size_t letters = strcspn(typed, "0123456789"), digits = strspn(typed + letters, "0123456789");
    const char *head = arena_strndup(a, typed, letters), *number = typed + letters;
    bool both = letters && digits && letters + digits == strlen(typed);
    enum rc rc = RC_OK;
    *respelt = false;
    if (strcmp(plain, typed) != 0)
        rc = is_anywhere(db, a, t, plain, open, others, respelt, e);
    if (rc == RC_OK && *respelt)
        *word = str_of(plain);
    if (rc != RC_OK || *respelt || !both)
        return rc;
    rc = is_anywhere(db, a, t, head, false, others, respelt, e);
    if (rc == RC_OK && *respelt)
        rc = is_anywhere(db, a, t, number, open, others, respelt, e);
    if (rc == RC_OK && *respelt)
        *word = str_of(arena_printf(a, "%s %s", head, number));
    return rc;
}

/* Replaces a word that none of the owner's messages, facts and titles has by the nearest one: of the
 * messages, else of the others. A short beginning stays: most are of a word that is being typed. `alone`: the
 * query has no other word, so no fact and no title has this one, because nothing was found. */
static enum rc correct_word(struct db *db, struct arena *a, const struct search_typing *t, bool open,
    bool alone, struct other_texts *others, struct str *word, bool *corrected, struct err *e)
{
    struct bag typed = bag_of_all(a, *word);
    bool said, replaced = false;
    if (typed.n != 1 || (open && utf8_count(*word) <= SHORT))
        return RC_OK;
    enum rc rc = is_said(db, t->owner, typed.words[0].word, open, &said, e);
    if (rc == RC_OK && !said)
        rc = respell(db, a, t, open, typed.words[0].word, others, word, &replaced, e);
    *corrected = *corrected || replaced;
    if (rc != RC_OK || said || replaced)
        return rc;
    struct bag_word mistyped = typed.words[0];
    struct search_typo typo;
    search_typo_init(&typo, &mistyped);
    if (!alone)
        rc = look_at_others(db, a, t, others, &typo, e);
    if (rc == RC_OK && typo.nearest > 0)
        rc = search_correct_word(db, a, t->owner, &typed.words[0], &replaced, e);
    if (rc == RC_OK && alone && !replaced)
        rc = look_at_others(db, a, t, others, &typo, e);
    if (rc == RC_OK && !replaced && typo.nearest > 0 && search_typo_found(&typo)) {
        typed.words[0] = typo.found;
        replaced = true;
    }
    if (replaced)
        *word = str_of(typed.words[0].word);
    *corrected = *corrected || replaced;
    return rc;
}

/* The query with its words corrected; operators stay. */
static enum rc correct(struct db *db, const struct search_typing *t, const struct search_query *q,
    struct arena *a, struct str *out, bool *corrected, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, SEARCH_QUERY_BYTES_MAX + QUERY_PARTS_MAX * (TERM_MAX + 1));
    struct other_texts others = {.n = 0};
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < q->parts.n; i++) {
        const struct query_part *part = &q->parts.part[i];
        struct str source = part->source;
        bool ends = source.s + source.len == t->text.s + t->text.len;
        if (part->op == QUERY_WORD && !q->used[i])
            rc = correct_word(db, a, t, ends, q->parts.n == 1, &others, &source, corrected, e);
        strbuf_addf(&text, "%s%.*s", i ? " " : "", STR_FMT(source));
    }
    *out = arena_str(a, strbuf_str(&text));
    return rc;
}

static enum rc find_or_correct(
    struct db *db, const struct search_typing *t, struct arena *a, struct search_typed *out, struct err *e)
{
    struct search_query q;
    struct search_typing again = *t;
    bool corrected = false;
    enum rc rc = search_query_read(db, a, t->owner, t->zone, t->now, t->text, &q, e);
    if (rc == RC_OK)
        rc = search_query_offers(db, a, t->owner, t->text, out->offers, &out->offers_n, e);
    if (rc == RC_OK)
        rc = find(db, t, &q, a, out, e);
    if (rc != RC_OK || out->sessions_n || out->hits_n || out->memories_n || out->workspaces_n)
        return rc;
    rc = correct(db, t, &q, a, &again.text, &corrected, e);
    if (rc != RC_OK || !corrected)
        return rc;
    rc = search_query_read(db, a, t->owner, t->zone, t->now, again.text, &q, e);
    return rc == RC_OK ? find(db, &again, &q, a, out, e) : rc;
}

enum rc search_typed(struct store *store, const struct search_typing *t, struct arena *a,
    struct search_typed *out, struct err *e)
{
    *out = (struct search_typed){0};
    struct db *db = store_read(store);
    enum rc rc = store_search_begin(db, e); /* one snapshot, so that each match can be read */
    if (rc == RC_OK) {
        rc = find_or_correct(db, t, a, out, e);
        store_search_end(db);
    }
    store_read_done(store, db);
    return rc;
}
