/*
 * The meaning of a query of the search box: its operators with the values that this user has, and the words
 * that remain. Every text is a query. An operator whose value has no meaning (is:blue, before:banana) is
 * searched as words. One that names something that the user does not have (tag:nowhere) is left out, and a
 * notice says so.
 */
#ifndef ALFRED_APP_SEARCH_SEARCH_QUERY_H
#define ALFRED_APP_SEARCH_SEARCH_QUERY_H

#include "base/time_zone.h"
#include "codec/words/search_query.h"
#include "store/message/message.h"
#include "store/session/session_filter.h"

/* A text that a result must have, or must not have. */
struct search_need {
    enum query_op op; /* QUERY_WORD, QUERY_PHRASE or QUERY_BEGINNING */
    bool negated;
    struct str text;
};

struct search_notice {
    const char *key; /* of the catalogue, with the argument "name" */
    const char *name;
};

struct search_query {
    struct str text;                /* as typed, without the rest of a longer one */
    struct query_parts parts;       /* of it */
    bool used[QUERY_PARTS_MAX];     /* the part is an operator in use, or a need */
    struct str words;               /* to rank by; empty: operators alone */
    struct session_filter sessions; /* SESSIONS_ALL unless the query says more; without dates and words */
    bool about_sessions;            /* it has conditions */
    bool trashed;                   /* it asks for the trash, where store_trash_list() looks */
    bool has_role;
    enum message_role role;
    int64_t after, before; /* ms; within [after, before); 0: open */
    struct search_need needs[QUERY_PARTS_MAX];
    size_t needs_n;
    struct search_notice notices[QUERY_PARTS_MAX];
    size_t notices_n;
};

/* A text that a user typed, and the time and zone that its dates are relative to. */
struct search_input {
    int64_t owner, now;
    const struct time_zone *zone;
    struct str text;
};

/* In the arena. Failures: those of the store. */
enum rc search_query_read(
    struct db *db, struct arena *a, const struct search_input *in, struct search_query *out, struct err *e);

/* True when the query lists sessions: it has an operator and no words. */
bool search_query_lists(const struct search_query *q);

/* The filter for a list of sessions: with the dates and words of the query. */
struct session_filter search_query_filter(struct arena *a, const struct search_query *q);

/* "2026", "2026-03", "2026-03-05", "today", "yesterday", "7d", "2w", "3m", "1y", or the German words: the
 * beginning of that day in the time zone. */
bool search_query_date(struct str text, const struct time_zone *z, int64_t now, int64_t *ms);

/* True when a text meets all needs. */
bool search_query_meets(const struct search_query *q, struct str text);

/* ---- completion ---- */

#define SEARCH_OFFERS 8
struct search_offer {
    const char *query; /* the whole query with this completion */
    const char *part;  /* the completed part */
};
/* For the last part of a text that is being typed: names of operators, and the values that the user has. */
enum rc search_query_offers(struct db *db, struct arena *a, int64_t owner, struct str text,
    struct search_offer out[SEARCH_OFFERS], size_t *n, struct err *e);

#endif
