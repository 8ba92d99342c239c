/*
 * Search over all messages of one user and their answers.
 *
 * Ranking (measured on LoCoMo, docs/search.md). The words of the query without stop words are combined by
 * OR. A message's score is the sum of
 * - its BM25 (Robertson and Zaragoza, 2009; k1 1.2, b .4),
 * - .3 times the share of the query's words that its session contains (by idf, over the session's messages
 *   that were found),
 * - .15 times the BM25 of its session's summary, if a model wrote that,
 * - the similarity of its vector times the embedder's weight,
 * each divided by the largest value of this search. Then every message gets half of the score of the adjacent
 * turns in its session and a fifth of the turns two away. It also gets 1.5 times the share of the query's
 * words that occur in all of these: an answer is often beside the searched words.
 *
 * Word statistics are also those of the user's own texts: texts of other users do not change the results. If
 * vectors are not available (no model yet, its provider does not answer), words alone decide. That is logged
 * and is not a failure.
 */
#ifndef ALFRED_APP_SEARCH_SEARCH_H
#define ALFRED_APP_SEARCH_SEARCH_H

#include "app/models/providers.h"
#include "app/search/search_query.h"
#include "base/time_zone.h"
#include "codec/words/tokenizer.h"
#include "store/memory/memory.h"
#include "store/message/message.h"
#include "store/session/session_filter.h"
#include "store/session/workspace_file.h"

#define SEARCH_QUERY_BYTES_MAX 2000 /* the rest of a longer query is ignored */
#define SEARCH_WORDS_MAX       32   /* different words of a query; bits of an uint32_t */
#define SEARCH_HITS_MAX        50
#define SEARCH_HITS            10

enum search_by { SEARCH_ALL, SEARCH_BY_WORDS, SEARCH_BY_VECTORS };

struct search_where {
    struct store *store;
    const struct config *config;
    const struct providers *providers;
};

struct search_request {
    int64_t owner;
    struct str text;       /* any bytes */
    int64_t after, before; /* ms; within [after, before); 0: open */
    int64_t session;       /* only in this session; 0: everywhere. A foreign one gives no results */
    int64_t not_in;        /* this session is left out; 0: none */
    const char *workspace; /* only in its sessions; NULL: everywhere */
    const struct search_query *query; /* its operators, without dates; NULL: none. `text`: its words */
    int limit;                        /* 0: SEARCH_HITS */
    enum search_by by;
};

struct search_hit {
    struct message message;
    struct message before, after;           /* its neighbours in the session; id 0: none */
    const char *session_id, *session_title; /* title NULL: none yet */
    double score;
    bool has_words; /* it has words of the query; else similarity or a neighbour found it */
};

struct search_hits {
    struct search_hit *hits; /* best first */
    size_t n;
    struct bag words; /* the words of the query, for highlighting */
};

/* All results are in the arena. No result is RC_OK with n = 0. Failures: those of the store. */
enum rc search_run(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_hits *out, struct err *e);

/* ---- sessions by their subject ---- */

struct search_session {
    struct session session;
    struct str summary; /* the current one, Markdown; empty: none yet */
    int64_t summary_id; /* 0: none */
    double score;
    bool has_words; /* title, topic, keywords or summary have words of the query */
};

struct search_sessions {
    struct search_session *hits; /* best first */
    size_t n;
    struct bag words; /* the words of the query, for highlighting; empty after search_related() */
};

/* Sessions whose title, topic, keywords or current summary match the query, also archived ones. `after`
 * and `before` limit their last activity. Otherwise like search_run(). */
enum rc search_summaries(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_sessions *out, struct err *e);

#define SEARCH_RELATED 5

/* Sessions with the same subject as one of the owner's, without that one. Compares summaries, or title,
 * topic, keywords and first messages where there is no summary yet. No result is RC_OK with n = 0. `limit`
 * 0: SEARCH_RELATED. RC_NOT_FOUND: not the owner's session. Sends no request to a provider, so a page need
 * not wait. */
enum rc search_related(const struct search_where *s, int64_t owner, int64_t session, int limit,
    struct arena *a, struct search_sessions *out, struct err *e);

/* ---- memories ---- */

struct search_memory {
    struct memory memory;
    double score;
    bool has_words; /* it has words of the query in text or tags */
};

struct search_memories {
    struct search_memory *hits; /* best first */
    size_t n;
    struct bag words;
};

/* The owner's facts that are not deleted. None when the query has conditions on sessions or roles. `after`
 * and `before` limit their creation. `session` keeps those with a source in it, `not_in` removes them.
 * `workspace` is ignored: facts belong to none. Otherwise like search_run(). */
enum rc search_memories(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_memories *out, struct err *e);

/* ---- files of workspaces ---- */

struct search_file {
    struct workspace_file file; /* its text: the part with a word of the query, for an excerpt */
    double score;
};

struct search_files {
    struct search_file *hits; /* best first */
    size_t n;
    struct bag words;
};

/* The owner's files with words of the query in name or text, those of `workspace` or of the operator
 * workspace:. `after` and `before` limit their last change. None when the query has other conditions on
 * sessions or roles, or `session` is set. There are no vectors of files. Otherwise like search_run(). */
enum rc search_files(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_files *out, struct err *e);

/* ---- while a query is typed ---- */

#define SEARCH_TYPED_SESSIONS   6
#define SEARCH_TYPED_MESSAGES   5
#define SEARCH_TYPED_FACTS      3
#define SEARCH_TYPED_WORKSPACES 4
#define SEARCH_TYPED_FILES      4

struct search_typed {
    struct search_offer offers[SEARCH_OFFERS]; /* completions of the last part */
    size_t offers_n;
    struct session *sessions; /* brief (store/session/session_filter.h) */
    size_t sessions_n;
    struct search_hit hits[SEARCH_TYPED_MESSAGES]; /* without neighbours and scores */
    size_t hits_n;
    struct memory *memories;
    size_t memories_n;
    const char *workspaces[SEARCH_TYPED_WORKSPACES]; /* names */
    size_t workspaces_n;
    struct workspace_file files[SEARCH_TYPED_FILES]; /* without their texts */
    size_t files_n;
    struct bag words;
};

/* The newest sessions whose title, topic or keywords contain the text, and the newest messages and facts with
 * all of its words, and workspaces and their files with all of them in the name. Each word of a name may be
 * incomplete, of the others the last one. If there are none, words that no message has are replaced by the
 * nearest ones that some have. There is no ranking and no request to a provider, so that it can run at every
 * key. Without a text: the first sessions of the list. */
enum rc search_typed(struct store *store, const struct search_input *in, struct arena *a,
    struct search_typed *out, struct err *e);

/* The start of a day like "2026-11-20" in a time zone. False when there is no such day. */
bool search_date(struct str text, const struct time_zone *z, int64_t *ms);

#endif
