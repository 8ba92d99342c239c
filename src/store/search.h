/*
 * The queries of a search. All of them are about one owner: by the range of the ids, and for a session by its
 * owner. app/search/search.h describes the ranking.
 */
#ifndef ALFRED_STORE_SEARCH_H
#define ALFRED_STORE_SEARCH_H

#include "store/message.h"

typedef void search_id_fn(void *arg, int64_t id);

/* Many small statements on one snapshot: begins it, and ends it, also after a failure. Not across a wait for
 * anybody else: the log of the database grows meanwhile. */
enum rc store_search_begin(struct db *db, struct err *e);
void store_search_end(struct db *db);

/* The largest number (the low 32 bits of an id) that a message of the owner has. RC_NOT_FOUND: no such user.
 */
enum rc store_search_room(struct db *db, int64_t owner, int64_t *room, struct err *e);

/* The owner's messages that hold a word, ids rising. `word` is letters and digits only; it is quoted for
 * FTS5, so that nothing in it is an operator. RC_BAD_INPUT for a quote in it. */
enum rc store_search_word(
    struct db *db, int64_t owner, const char *word, search_id_fn *fn, void *arg, struct err *e);

/* The owner's messages of a session (0: all) within [after, before) (0: open). */
enum rc store_search_filter(struct db *db, int64_t owner, int64_t session, int64_t after, int64_t before,
    search_id_fn *fn, void *arg, struct err *e);

#define SEARCH_AROUND 2 /* turns looked at on each side */

/* Searchable messages beside one in its session: [0] and [1] the next before it, [2] and [3] after it; 0:
 * none. */
enum rc store_search_around(
    struct db *db, int64_t owner, int64_t session, int64_t id, int64_t out[2 * SEARCH_AROUND], struct err *e);

/* ---- sessions by what they were about ---- */

/* The largest number that a summary of the owner has. RC_NOT_FOUND: no such user. */
enum rc store_search_summary_room(struct db *db, int64_t owner, int64_t *room, struct err *e);
/* The owner's current summaries that hold a word; as store_search_word(). */
enum rc store_search_summary_word(
    struct db *db, int64_t owner, const char *word, search_id_fn *fn, void *arg, struct err *e);

/* The texts that describe a session. They are valid until the callback returns, and empty when absent. */
struct search_head {
    int64_t session, active_at;
    int64_t summary;   /* the current one, 0: none */
    bool in_workspace; /* that was asked about */
    struct str title, topic, keywords;
};
typedef void search_head_fn(void *arg, const struct search_head *head);
/* All sessions of the owner that have a message; `workspace` NULL: in_workspace is true for all. */
enum rc store_search_heads(
    struct db *db, int64_t owner, const char *workspace, search_head_fn *fn, void *arg, struct err *e);

struct search_summary {
    int64_t session, created_at;
    struct str text;
    bool by_rule; /* sentences of the session itself; else a model has read it */
};
/* A summary of the owner; RC_NOT_FOUND. */
enum rc store_search_summary(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct search_summary *out, struct err *e);

/* The session's newest `limit` messages that can be found. */
enum rc store_search_newest(
    struct db *db, int64_t owner, int64_t session, int limit, search_id_fn *fn, void *arg, struct err *e);

/* Whether a message can be found at all: said by a person or a model, and finished. What the built-in offline
 * model says is no more than quotes and its own description. */
bool store_search_covers(const struct message *m);

#endif
