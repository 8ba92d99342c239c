/*
 * Tags: names that a user gives to sessions, several to each. A name is unique for its user, ignoring case. A
 * tag exists until it is deleted, also without a session. Names are cleaned by app/session/tags.h.
 */
#ifndef ALFRED_STORE_SESSION_TAG_H
#define ALFRED_STORE_SESSION_TAG_H

#include "store/store.h"

#define TAG_CHARS_MAX       50
#define TAGS_MAX            1000 /* of a user */
#define TAGS_OF_SESSION_MAX 20
#define TAG_COLOURS         8

struct tag {
    int64_t id;
    const char *name;
    int colour;       /* 0 to TAG_COLOURS - 1 */
    int64_t sessions; /* that have it; only set by store_tag_list_counted() */
};

/* The owner's tags by name (as letter_compare_names(), ignoring case), at most TAGS_MAX. */
enum rc store_tag_list(
    struct db *db, struct arena *a, int64_t owner, struct tag **out, size_t *n, struct err *e);
/* The same with the number of their sessions, without those in the trash. */
enum rc store_tag_list_counted(
    struct db *db, struct arena *a, int64_t owner, struct tag **out, size_t *n, struct err *e);
/* RC_NOT_FOUND: not the owner's. */
enum rc store_tag_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct tag *out, struct err *e);
/* Ignores case. RC_NOT_FOUND: none has this name. */
enum rc store_tag_find(
    struct db *db, struct arena *a, int64_t owner, const char *name, struct tag *out, struct err *e);
/* RC_CONFLICT: the owner has the name already; or, with a sentence, TAGS_MAX. */
enum rc store_tag_add(
    struct db *db, int64_t owner, const char *name, int colour, int64_t now, int64_t *id, struct err *e);
/* RC_CONFLICT: another tag of the owner has the name. */
enum rc store_tag_rename(struct db *db, int64_t owner, int64_t id, const char *name, struct err *e);
enum rc store_tag_set_colour(struct db *db, int64_t owner, int64_t id, int colour, struct err *e);
/* One step before the next two, to be repeated while there is `more`: at most `most` sessions of `from` lose
 * it, and get `to` (0: none). RC_NOT_FOUND: one is not the owner's. */
enum rc store_tag_move_some(
    struct db *db, int64_t owner, int64_t from, int64_t to, int most, bool *more, struct err *e);
/* All sessions of `from` get `to`, and `from` is deleted. RC_NOT_FOUND: one is not the owner's. */
enum rc store_tag_merge(struct db *db, int64_t owner, int64_t from, int64_t to, struct err *e);
/* Sessions lose it. */
enum rc store_tag_delete(struct db *db, int64_t owner, int64_t id, struct err *e);

/* ---- of a session ---- */

/* Reads the next name and colour of `*rest`, which begins as session.tags; false at the end. */
bool session_tag_next(struct arena *a, struct str *rest, struct tag *out);

/* In the same order. A foreign session has none. */
enum rc store_session_tags(struct db *db, struct arena *a, int64_t owner, int64_t session, struct tag **out,
    size_t *n, struct err *e);
/* Harmless when it has the tag already. RC_NOT_FOUND: the session or the tag is not the owner's.
 * RC_CONFLICT: TAGS_OF_SESSION_MAX. */
enum rc store_session_tag(struct db *db, int64_t owner, int64_t session, int64_t tag, struct err *e);
/* Harmless when it does not have the tag. */
enum rc store_session_untag(struct db *db, int64_t owner, int64_t session, int64_t tag, struct err *e);

#endif
