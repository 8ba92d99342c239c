/*
 * The filter of every list of sessions: of the page, the API, the model's tools, the search, and of actions
 * on many sessions at once. One builder makes the statements.
 *
 * A list has the pinned sessions first, then the others, both the newest first. It pages by key: the last
 * row's (pinned, time, id). The usual plan walks the index of the order and skips what the filter refuses. If
 * few sessions pass one of the conditions, that condition's index is read and sorted instead.
 */
#ifndef ALFRED_STORE_SESSION_SESSION_FILTER_H
#define ALFRED_STORE_SESSION_SESSION_FILTER_H

#include "store/session/session.h"

enum session_show {
    SESSIONS_LISTED, /* all but those that the user archived */
    SESSIONS_ARCHIVED_BY_USER,
    SESSIONS_ACTIVE,
    SESSIONS_ARCHIVED, /* by the user or because they were idle */
    SESSIONS_ALL,
    SESSIONS_TEMPORARY_TOO /* and temporary chats, which no other list has */
};

enum session_sort { SESSIONS_BY_ACTIVITY, SESSIONS_BY_CREATION };

enum session_is { SESSION_EITHER, SESSION_YES, SESSION_NO };

/* A text that a column has, or has not. NULL: any. */
struct session_text {
    const char *is;
    bool negated;
};

#define SESSION_FILTER_TAGS_MAX  10
#define SESSION_FILTER_WORDS_MAX 8

/* Zeroed: the usual list. */
struct session_filter {
    enum session_show show;
    enum session_sort sort;
    enum session_is pinned, running, unread;
    struct session_text workspace, channel;
    struct session_text model;      /* the name; with a "*" at its end: the beginning of one */
    const int64_t *tags, *not_tags; /* has all of these, and none of those (store/session/tag.h) */
    size_t tags_n, not_tags_n;      /* at most SESSION_FILTER_TAGS_MAX */
    int64_t id;                     /* only this session; 0: any */
    int64_t after, before;          /* last activity within [after, before); 0: open */
    /* Each is contained in title, topic or keywords, or is not, ignoring ASCII case. */
    const char *const *words, *const *not_words;
    size_t words_n, not_words_n; /* at most SESSION_FILTER_WORDS_MAX */
};

/* `from` zeroed: the first page. `newer`: the rows before the key instead of those after it, in the same
 * order. */
struct session_page {
    struct session_key from;
    bool newer;
    int limit; /* SESSION_PAGE_MAX */
    /* Only id, pub, title, message_count, running_turns, created_at, active_at, seen_at, pinned, topic,
     * workspace, archived_by_user and tags are read: what pages and commands show in lists. */
    bool brief;
};

/* The key of a row of a list. */
struct session_key session_key_of(const struct session *s, enum session_sort sort);

/* A page of the list, and the number of all sessions that the filter accepts. */
enum rc store_session_list(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    const struct session_page *page, struct session **out, size_t *n, struct err *e);
enum rc store_session_count(
    struct db *db, int64_t owner, const struct session_filter *f, int64_t *n, struct err *e);
/* The ids of at most `limit` sessions, in the order of the list. */
enum rc store_session_ids(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    int limit, int64_t **out, size_t *n, struct err *e);

/* Models and channels of the owner's sessions, in alphabetical order: for menus and completion. */
#define SESSION_NAMES_MAX 100
enum rc store_session_models(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e);
enum rc store_session_channels(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e);

#endif
