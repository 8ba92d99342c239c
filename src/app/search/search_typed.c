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
    strbuf_init(&words, WORDS_MAX * TERM_MATCH_MAX(TERM_MAX));
    strbuf_init(&pairs, (size_t)WORDS_MAX * (PAIR_NAME_MAX + 8));
    bool open = text.len && text.s[text.len - 1] != ' '; /* the last word may be incomplete */
    struct match m = {0};
    struct term t = {0};
    for (int i = 0; i < WORDS_MAX && term_next(&text, &t); i++) {
        bool is_pair = term_is_pair(t.word), ends = open && text.len == 0;
        struct strbuf *q = is_pair ? &pairs : &words;
        bool prefix = !is_pair && ends && strlen(t.word) >= PREFIX_MIN;
        if (prefix && utf8_count(str_of(t.word)) <= SHORT) {
            m.beginning = arena_strdup(a, t.word);
            m.others = query(a, &words);
        }
        term_add_match(q, t.word, prefix ? MATCH_BEGINNING : MATCH_WORD);
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

/* Facts, and titles of sessions: texts with words that perhaps no message has. */
struct other_texts {
    struct str *text;
    size_t n;
    bool read;
};

struct run {
    struct db *db;
    struct arena *a;
    struct search_input in;
    struct search_query q; /* of in.text */
    struct other_texts others;
    struct search_typed *out;
};

/* ---- messages ---- */

static bool has_operators(const struct search_query *q)
{
    return q->about_sessions || q->has_role || q->after || q->before || q->needs_n > 0;
}

/* True when the operators of the query allow a message that its words found. */
static enum rc allows(const struct run *r, const struct message *m, bool *out, struct err *e)
{
    const struct search_query *q = &r->q;
    struct session_filter f = q->sessions;
    int64_t n = 1;
    f.id = m->session_id;
    enum rc rc = q->about_sessions ? store_session_count(r->db, r->in.owner, &f, &n, e) : RC_OK;
    *out = n > 0 && (!q->has_role || m->role == q->role) && m->created_at >= q->after &&
           (!q->before || m->created_at < q->before) && search_query_meets(q, m->text);
    return rc;
}

/* False, with RC_OK, also for a message that is hidden: a conversation that is being imported. */
static enum rc is_hit(const struct run *r, int64_t id, bool *is, struct err *e)
{
    AUTO(arena) scratch = arena_new();
    struct message m;
    *is = false;
    enum rc rc = store_message_get(r->db, scratch, r->in.owner, id, &m, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    return store_search_covers(&m) ? allows(r, &m, is, e) : RC_OK;
}

/* Adds the message to the hits, if it is one. */
static enum rc add_hit(struct run *r, int64_t id, struct err *e)
{
    bool is;
    struct search_hit *h = &r->out->hits[r->out->hits_n];
    struct session s;
    *h = (struct search_hit){0};
    enum rc rc = is_hit(r, id, &is, e);
    if (rc != RC_OK || !is)
        return rc;
    rc = store_message_get(r->db, r->a, r->in.owner, id, &h->message, e);
    if (rc == RC_OK)
        rc = store_session_by_id(r->db, r->a, r->in.owner, h->message.session_id, &s, e);
    if (rc != RC_OK)
        return rc;
    h->session_id = s.pub;
    h->session_title = s.title;
    r->out->hits_n++;
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

/* Whether it has a word besides the beginning. An index then gives the messages, else all are looked at. */
static bool has_index(const struct match *m)
{
    return m->others || m->pairs;
}

static enum rc newest(const struct run *r, const struct match *m, struct ids *out, struct err *e)
{
    return has_index(m) ? store_search_match(r->db, r->in.owner, m->others, m->pairs, NEWEST, on_id, out, e)
                        : store_search_latest(r->db, r->in.owner, NEWEST, on_id, out, e);
}

/* Whether one of these messages has the beginning, and is searched. */
static enum rc begins(const struct run *r, int64_t id, const struct match *m, bool *is, struct err *e)
{
    AUTO(arena) scratch = arena_new();
    struct message message;
    bool temporary = false;
    *is = false;
    enum rc rc = store_message_get(r->db, scratch, r->in.owner, id, &message, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    if (!has_beginning(message.text, m->beginning))
        return RC_OK;
    rc = has_index(m) ? RC_OK : store_temporary_is(r->db, message.session_id, &temporary, e);
    *is = !temporary;
    return rc;
}

/* Looks for the beginning in the newest messages that have the other words. `whole`: the hits are those that
 * find_indexed() would give. */
static enum rc find_newest(struct run *r, const struct match *m, bool *whole, struct err *e)
{
    struct ids ids = {.n = 0};
    enum rc rc = newest(r, m, &ids, e);
    for (size_t i = 0; rc == RC_OK && i < ids.n && r->out->hits_n < SEARCH_TYPED_MESSAGES; i++) {
        bool is;
        rc = begins(r, ids.id[i], m, &is, e);
        if (rc == RC_OK && is)
            rc = add_hit(r, ids.id[i], e);
    }
    *whole = rc == RC_OK && (ids.n < NEWEST || r->out->hits_n == SEARCH_TYPED_MESSAGES);
    return rc;
}

static enum rc find_indexed(struct run *r, const struct match *m, struct err *e)
{
    struct ids ids = {.n = 0};
    r->out->hits_n = 0;
    int looked_at = has_operators(&r->q) ? NEWEST : LOOKED_AT;
    enum rc rc = store_search_match(r->db, r->in.owner, m->words, m->pairs, looked_at, on_id, &ids, e);
    for (size_t i = 0; rc == RC_OK && i < ids.n && r->out->hits_n < SEARCH_TYPED_MESSAGES; i++)
        rc = add_hit(r, ids.id[i], e);
    return rc;
}

static enum rc find_messages(struct run *r, const struct match *m, struct err *e)
{
    bool whole = false;
    enum rc rc = m->beginning ? find_newest(r, m, &whole, e) : RC_OK;
    return rc == RC_OK && !whole ? find_indexed(r, m, e) : rc;
}

/* ---- all kinds ---- */

static bool has_beginnings(const char *name, struct str words)
{
    struct term t;
    while (term_next(&words, &t))
        if (!has_beginning(str_of(name), t.word))
            return false;
    return true;
}

/* Workspaces and their files whose names have a beginning of every word. */
static enum rc find_names(struct run *r, struct str words, struct err *e)
{
    struct search_typed *out = r->out;
    const char **names;
    struct workspace_file *files;
    size_t n;
    enum rc rc = store_workspace_list(r->db, r->a, r->in.owner, &names, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n && out->workspaces_n < SEARCH_TYPED_WORKSPACES; i++)
        if (has_beginnings(names[i], words))
            out->workspaces[out->workspaces_n++] = names[i];
    if (rc == RC_OK)
        rc = store_workspace_files(r->db, r->a, r->in.owner, NULL, &files, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n && out->files_n < SEARCH_TYPED_FILES; i++)
        if (has_beginnings(files[i].name, words))
            out->files[out->files_n++] = files[i];
    return rc;
}

/* The words as typed: a blank at the end of the text says that the last one is complete. */
static struct str typed_words(const struct run *r)
{
    struct str text = r->in.text;
    bool ended = text.len && text.s[text.len - 1] == ' ';
    return str_of(arena_printf(r->a, "%.*s%s", STR_FMT(r->q.words), ended ? " " : ""));
}

static enum rc find(struct run *r, struct err *e)
{
    const struct search_query *q = &r->q;
    struct search_typed *out = r->out;
    int64_t owner = r->in.owner;
    struct session_filter f = search_query_filter(r->a, q);
    f.show = q->parts.n ? f.show : SESSIONS_LISTED;
    struct str words = typed_words(r);
    struct match m = match_of(r->a, words);
    out->words = bag_of_all(r->a, words);
    const struct session_page page = {.limit = SEARCH_TYPED_SESSIONS, .brief = true};
    enum rc rc = store_session_list(r->db, r->a, owner, &f, &page, &out->sessions, &out->sessions_n, e);
    if (rc != RC_OK || (!m.words && !m.pairs))
        return rc;
    rc = find_messages(r, &m, e);
    if (rc != RC_OK || q->about_sessions || q->has_role)
        return rc;
    if ((rc = find_names(r, words, e)) != RC_OK)
        return rc;
    struct memory_filter facts = {.match = memory_match(r->a, q->words),
        .parts = memory_parts(r->a, q->words),
        .limit = SEARCH_TYPED_FACTS};
    return store_memory_list(r->db, r->a, owner, r->in.now, &facts, &out->memories, &out->memories_n, e);
}

/* ---- mistyped words ---- */

/* Whether one of the owner's messages has the word. */
static enum rc is_said(const struct run *r, const char *word, enum term_match match, bool *is, struct err *e)
{
    if (match == MATCH_WORD)
        return store_search_has_word(r->db, r->in.owner, word, match, is, e);
    char query[TERM_MAX + 4];
    struct ids ids = {.n = 0};
    snprintf(query, sizeof query, "\"%s\"*", word);
    enum rc rc = store_search_match(r->db, r->in.owner, query, NULL, 1, on_id, &ids, e);
    *is = ids.n > 0;
    return rc;
}

static enum rc read_titles(struct run *r, struct err *e)
{
    const struct session_filter listed = {.show = SESSIONS_LISTED};
    struct session_page page = {.limit = SESSION_PAGE_MAX, .brief = true};
    size_t left = TITLES, n = SESSION_PAGE_MAX;
    enum rc rc = RC_OK;
    while (rc == RC_OK && left >= n && n == SESSION_PAGE_MAX) {
        struct session *rows;
        rc = store_session_list(r->db, r->a, r->in.owner, &listed, &page, &rows, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            r->others.text[r->others.n++] = str_of(rows[i].title ? rows[i].title : "");
        if (rc == RC_OK && n)
            page.from = session_key_of(&rows[n - 1], listed.sort);
        left -= n;
    }
    return rc;
}

/* Reads them once. */
static enum rc read_others(struct run *r, struct err *e)
{
    struct memory *facts;
    size_t n = 0;
    if (r->others.read)
        return RC_OK;
    r->others.read = true;
    enum rc rc = store_memory_all(r->db, r->a, r->in.owner, r->in.now, &facts, &n, e);
    if (rc != RC_OK)
        return rc;
    r->others.text = ARENA_ARRAY(r->a, struct str, n + TITLES);
    for (; r->others.n < n; r->others.n++)
        r->others.text[r->others.n] = facts[r->others.n].text;
    return read_titles(r, e);
}

/* The nearest word of the facts and titles. */
static enum rc look_at_others(struct run *r, struct search_typo *typo, struct err *e)
{
    enum rc rc = read_others(r, e);
    for (size_t i = 0; rc == RC_OK && i < r->others.n && typo->nearest > 0; i++)
        search_typo_look(typo, r->a, r->others.text[i]);
    return rc;
}

static enum rc is_anywhere(struct run *r, const char *word, enum term_match match, bool *is, struct err *e)
{
    enum rc rc = is_said(r, word, match, is, e);
    if (rc != RC_OK || *is)
        return rc;
    rc = read_others(r, e);
    for (size_t i = 0; rc == RC_OK && i < r->others.n && !*is; i++)
        *is = has_beginning(r->others.text[i], word);
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

/* Another spelling of a word that nothing has: without umlauts, or "wtu118" as "wtu 118". `out` is empty when
 * nothing has that one either. */
static enum rc respell(
    struct run *r, const char *typed, enum term_match match, struct str *out, struct err *e)
{
    const char *plain = without_umlauts(r->a, typed);
    size_t letters = strcspn(typed, "0123456789"), digits = strspn(typed + letters, "0123456789");
    const char *head = arena_strndup(r->a, typed, letters), *number = typed + letters;
    bool both = letters && digits && letters + digits == strlen(typed), is = false;
    enum rc rc = RC_OK;
    *out = STR("");
    if (strcmp(plain, typed) != 0)
        rc = is_anywhere(r, plain, match, &is, e);
    if (rc == RC_OK && is)
        *out = str_of(plain);
    if (rc != RC_OK || is || !both)
        return rc;
    rc = is_anywhere(r, head, MATCH_WORD, &is, e);
    if (rc == RC_OK && is)
        rc = is_anywhere(r, number, match, &is, e);
    if (rc == RC_OK && is)
        *out = str_of(arena_printf(r->a, "%s %s", head, number));
    return rc;
}

/* The word of the messages that is nearest to a mistyped one, else that of the facts and titles. `out` is
 * empty when none is near. If the query has no other word, no fact and no title has this one, because nothing
 * was found. */
static enum rc nearest_word(struct run *r, const struct bag_word *mistyped, struct str *out, struct err *e)
{
    struct bag_word word = *mistyped;
    struct search_typo typo;
    bool alone = r->q.parts.n == 1, corrected = false;
    enum rc rc = RC_OK;
    *out = STR("");
    search_typo_init(&typo, mistyped);
    if (!alone)
        rc = look_at_others(r, &typo, e);
    if (rc == RC_OK && typo.nearest > 0)
        rc = search_correct_word(r->db, r->a, r->in.owner, &word, &corrected, e);
    if (rc == RC_OK && alone && !corrected)
        rc = look_at_others(r, &typo, e);
    if (rc == RC_OK && corrected)
        *out = str_of(word.word);
    else if (rc == RC_OK && typo.nearest > 0 && search_typo_found(&typo))
        *out = str_of(typo.found.word);
    return rc;
}

/* Replaces a word that none of the owner's messages, facts and titles has: by another spelling, else by the
 * nearest word. A short beginning stays: most are of a word that is being typed. */
static enum rc correct_word(
    struct run *r, struct str *word, enum term_match match, bool *corrected, struct err *e)
{
    struct bag typed = bag_of_all(r->a, *word);
    struct str other;
    bool said;
    if (typed.n != 1 || (match == MATCH_BEGINNING && utf8_count(*word) <= SHORT))
        return RC_OK;
    enum rc rc = is_said(r, typed.words[0].word, match, &said, e);
    if (rc != RC_OK || said)
        return rc;
    rc = respell(r, typed.words[0].word, match, &other, e);
    if (rc == RC_OK && !other.len)
        rc = nearest_word(r, &typed.words[0], &other, e);
    if (rc != RC_OK || !other.len)
        return rc;
    *word = other;
    *corrected = true;
    return RC_OK;
}

/* Replaces the query by one with its words corrected; operators stay. */
static enum rc correct(struct run *r, bool *corrected, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, SEARCH_QUERY_BYTES_MAX + QUERY_PARTS_MAX * (TERM_MAX + 1));
    const struct query_parts *parts = &r->q.parts;
    enum rc rc = RC_OK;
    *corrected = false;
    for (size_t i = 0; rc == RC_OK && i < parts->n; i++) {
        const struct query_part *part = &parts->part[i];
        struct str source = part->source;
        bool open = source.s + source.len == r->in.text.s + r->in.text.len; /* it may be incomplete */
        if (part->op == QUERY_WORD && !r->q.used[i])
            rc = correct_word(r, &source, open ? MATCH_BEGINNING : MATCH_WORD, corrected, e);
        strbuf_addf(&text, "%s%.*s", i ? " " : "", STR_FMT(source));
    }
    if (rc != RC_OK || !*corrected)
        return rc;
    r->in.text = arena_str(r->a, strbuf_str(&text));
    return search_query_read(r->db, r->a, &r->in, &r->q, e);
}

static enum rc find_or_correct(struct run *r, struct err *e)
{
    struct search_typed *out = r->out;
    bool corrected;
    enum rc rc = search_query_read(r->db, r->a, &r->in, &r->q, e);
    if (rc == RC_OK)
        rc = search_query_offers(r->db, r->a, r->in.owner, r->in.text, out->offers, &out->offers_n, e);
    if (rc == RC_OK)
        rc = find(r, e);
    if (rc != RC_OK || out->sessions_n || out->hits_n || out->memories_n || out->workspaces_n || out->files_n)
        return rc;
    rc = correct(r, &corrected, e);
    return rc == RC_OK && corrected ? find(r, e) : rc;
}

enum rc search_typed(struct store *store, const struct search_input *in, struct arena *a,
    struct search_typed *out, struct err *e)
{
    *out = (struct search_typed){0};
    struct db *db = store_read(store);
    struct run r = {.db = db, .a = a, .in = *in, .out = out};
    enum rc rc = store_search_begin(db, e); /* one snapshot, so that each match can be read */
    if (rc == RC_OK) {
        rc = find_or_correct(&r, e);
        store_search_end(db);
    }
    store_read_done(store, db);
    return rc;
}
