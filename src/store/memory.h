/*
 * Memories: the facts that Alfred keeps about a user. An id is (owner << 32) | n, so that one user's facts
 * and their text index are one range. A fact that was deleted or has expired is not there for any of these
 * functions but store_memory_restore() and the sweep. `tags` are words with one blank between them.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_MEMORY_H
#define ALFRED_STORE_MEMORY_H

#include "store/store.h"

#define MEMORY_PAGE_MAX 200

struct memory {
    int64_t id;
    struct str text;
    const char *tags;  /* "" without any */
    int64_t source_id; /* the user's message that it comes from; 0: typed by hand, or the message is gone */
    const char *source_session; /* public id of its session; NULL without a source; only read */
    const char *embedder;       /* which one made the vector */
    struct str vector;          /* int8_t[vector.len] */
    float scale;
    int64_t created_at, used_at; /* used_at 0: never */
    int64_t expires_at;          /* 0: permanent */
};

/* Gives m->id. A source that is not the owner's is RC_NOT_FOUND. */
enum rc store_memory_add(struct db *db, int64_t owner, struct memory *m, struct err *e);
/* Text, tags, vector and expiry of m->id. */
enum rc store_memory_change(struct db *db, int64_t owner, const struct memory *m, int64_t now, struct err *e);
enum rc store_memory_get(struct db *db, struct arena *a, int64_t owner, int64_t id, int64_t now,
    struct memory *out, struct err *e);

struct memory_filter {
    int64_t before;    /* only ids below this one; 0: from the newest */
    const char *match; /* an FTS5 query of quoted words; NULL: all */
    const char *tag;   /* NULL: all */
    int limit;         /* at most MEMORY_PAGE_MAX */
};
/* Newest first. */
enum rc store_memory_list(struct db *db, struct arena *a, int64_t owner, int64_t now,
    const struct memory_filter *f, struct memory **out, size_t *n, struct err *e);
/* All of them, oldest first, for ranking: the caller limits how many an owner may have. */
enum rc store_memory_all(struct db *db, struct arena *a, int64_t owner, int64_t now, struct memory **out,
    size_t *n, struct err *e);

/* The tags of each one that has any. */
enum rc store_memory_tags(
    struct db *db, struct arena *a, int64_t owner, int64_t now, const char ***out, size_t *n, struct err *e);

/* Deletes so that it can be undone; the text leaves the index at once. */
enum rc store_memory_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* RC_NOT_FOUND when it is not deleted, or swept. An expired one gets `expires_at`. */
enum rc store_memory_restore(
    struct db *db, int64_t owner, int64_t id, int64_t now, int64_t expires_at, struct err *e);
/* All of the owner's, at once and for good; `removed` counts them, those that could be undone too. */
enum rc store_memory_clear(struct db *db, int64_t owner, int64_t *removed, struct err *e);
/* Everybody's expired ones, and those deleted before `deleted_before`. */
enum rc store_memory_sweep(
    struct db *db, int64_t now, int64_t deleted_before, int64_t *removed, struct err *e);

enum rc store_memory_paused(struct db *db, int64_t owner, bool *paused, struct err *e);
enum rc store_memory_set_paused(
    struct db *db, int64_t owner, int64_t paused_at, struct err *e); /* 0: goes on */

/* Facts went into the context of an answer: notes them beside it, and when. Those gone meanwhile are left
 * out. */
enum rc store_memory_used(struct db *db, int64_t owner, int64_t message_id, const int64_t *ids, size_t n,
    int64_t now, struct err *e);
/* The answer called tools and goes on in another message: the notes stand beside its end. */
enum rc store_memory_use_move(struct db *db, int64_t owner, int64_t from, int64_t to, struct err *e);
/* Those noted beside a message, oldest first. */
enum rc store_memory_of_message(struct db *db, struct arena *a, int64_t owner, int64_t message_id,
    int64_t now, struct memory **out, size_t *n, struct err *e);

#endif
