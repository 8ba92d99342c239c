/*
 * The queries of a search. Each is about one owner: by the range of ids, and for a session by its owner.
 * app/search/search.h describes the ranking.
 */
#ifndef ALFRED_STORE_SEARCH_SEARCH_H
#define ALFRED_STORE_SEARCH_SEARCH_H

#include "codec/words/tokenizer.h"
#include "store/message/message.h"

typedef void search_id_fn(void *arg, int64_t id);

/* Begins and ends a snapshot for many small statements; end it also after a failure. Do not wait for
 * others inside it: the write-ahead log grows meanwhile. */
enum rc store_search_begin(struct db *db, struct err *e);
void store_search_end(struct db *db);

/* The largest number (the low 32 bits of an id) of the owner's messages. RC_NOT_FOUND: no such user. */
enum rc store_search_room(struct db *db, int64_t owner, int64_t *room, struct err *e);

/* The owner's messages that contain a word, ids ascending. `word` has letters and digits only. It is
 * quoted for FTS5, so that it cannot contain an operator. RC_BAD_INPUT: it contains a quote. */
enum rc store_search_word(struct db *db, int64_t owner, const char *word, enum term_match match,
    search_id_fn *fn, void *arg, struct err *e);

/* True when a message of the owner contains the word. Otherwise like store_search_word(). */
enum rc store_search_has_word(
    struct db *db, int64_t owner, const char *word, enum term_match match, bool *out, struct err *e);

/* The terms of the text index that begin with `beginning`, with the number of messages that hold them. The
 * terms are those of all users. Before a user learns of a term, it must be found in the user's own messages.
 */
typedef void search_term_fn(void *arg, struct str term, int64_t messages);
enum rc store_search_vocabulary(
    struct db *db, const char *beginning, search_term_fn *fn, void *arg, struct err *e);

/* A message of the owner that holds the term. RC_NOT_FOUND: none. */
enum rc store_search_term(struct db *db, int64_t owner, const char *term, int64_t *message, struct err *e);

/* The owner's messages that match an FTS5 query of quoted words and one of pairs (term_add_match()), the
 * newest first. One of them may be NULL. */
enum rc store_search_match(struct db *db, int64_t owner, const char *words, const char *pairs, int limit,
    search_id_fn *fn, void *arg, struct err *e);

/* The owner's newest messages, also those that no search finds. */
enum rc store_search_latest(
    struct db *db, int64_t owner, int limit, search_id_fn *fn, void *arg, struct err *e);

struct search_filter {
    int64_t session;       /* 0: all */
    int64_t after, before; /* within [after, before); 0: open */
};
/* The owner's messages of a filter. */
enum rc store_search_filter(
    struct db *db, int64_t owner, const struct search_filter *f, search_id_fn *fn, void *arg, struct err *e);

#define SEARCH_AROUND 2 /* turns on each side */

/* Searchable messages near one in its session: [0] and [1] before it, [2] and [3] after it, the nearest
 * first; 0: none. */
enum rc store_search_around(
    struct db *db, int64_t owner, int64_t session, int64_t id, int64_t out[2 * SEARCH_AROUND], struct err *e);

/* ---- sessions by their subject ---- */

/* The largest number of the owner's summaries. RC_NOT_FOUND: no such user. */
enum rc store_search_summary_room(struct db *db, int64_t owner, int64_t *room, struct err *e);
/* The owner's current summaries that contain a word, as in store_search_word(). */
enum rc store_search_summary_word(
    struct db *db, int64_t owner, const char *word, search_id_fn *fn, void *arg, struct err *e);

/* The texts that describe a session. Valid until the callback returns; empty when absent. */
struct search_head {
    int64_t session, active_at;
    int64_t summary;   /* the current one, 0: none */
    bool in_workspace; /* in the requested one */
    struct str title, topic, keywords;
};
typedef void search_head_fn(void *arg, const struct search_head *head);
/* All sessions of the owner with a message. `workspace` NULL: in_workspace is true for all. */
enum rc store_search_heads(
    struct db *db, int64_t owner, const char *workspace, search_head_fn *fn, void *arg, struct err *e);

struct search_summary {
    int64_t session, created_at;
    struct str text;
    bool by_rule; /* sentences of the session itself; otherwise by a model */
};
/* A summary of the owner; RC_NOT_FOUND. */
enum rc store_search_summary(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct search_summary *out, struct err *e);

/* The session's newest `limit` searchable messages. */
enum rc store_search_newest(
    struct db *db, int64_t owner, int64_t session, int limit, search_id_fn *fn, void *arg, struct err *e);

/* True when a message is searchable: by a user or a model, and finished. Answers of the built-in offline
 * model are only quotes and its description. */
bool store_search_covers(const struct message *m);

#endif
