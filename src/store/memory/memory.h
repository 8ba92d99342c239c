/*
 * Memories: the facts that Alfred stores about a user. An id is (owner << 32) | n, so that one user's facts
 * and their text index are one range. Only store_memory_restore() and the sweep find a fact that was deleted
 * or has expired. `tags` are words separated by one blank.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_MEMORY_MEMORY_H
#define ALFRED_STORE_MEMORY_MEMORY_H

#include "store/store.h"

#define MEMORY_PAGE_MAX 200

struct memory {
    int64_t id;
    struct str text;
    const char *tags;           /* "" without any */
    int64_t source_id;          /* the user's source message; 0: typed by hand, or the message was deleted */
    const char *source_session; /* public id of its session; NULL without a source; only read */
    bool source_in_trash;       /* only read */
    const char *embedder;       /* name of the embedder of the vector */
    struct str vector;          /* int8_t[vector.len] */
    float scale;
    int64_t created_at; /* when its present text was written */
    int64_t used_at;    /* 0: never */
    int64_t expires_at; /* 0: permanent */
};

/* Sets m->id. RC_NOT_FOUND: the source is not the owner's. */
enum rc store_memory_add(struct db *db, int64_t owner, struct memory *m, struct err *e);
/* Stores text, tags, vector and expiry of m->id. */
enum rc store_memory_change(struct db *db, int64_t owner, const struct memory *m, int64_t now, struct err *e);
enum rc store_memory_get(struct db *db, struct arena *a, int64_t owner, int64_t id, int64_t now,
    struct memory *out, struct err *e);

struct memory_filter {
    int64_t before;    /* only ids below this one; 0: from the newest */
    const char *match; /* an FTS5 query of quoted words; NULL: all */
    const char *parts; /* a JSON array of texts that text or tags have to hold; NULL: all */
    const char *tag;   /* NULL: all */
    int limit;         /* at most MEMORY_PAGE_MAX */
};
/* Newest first. */
enum rc store_memory_list(struct db *db, struct arena *a, int64_t owner, int64_t now,
    const struct memory_filter *f, struct memory **out, size_t *n, struct err *e);
/* All facts, oldest first, for ranking. The caller limits the number per owner. */
enum rc store_memory_all(struct db *db, struct arena *a, int64_t owner, int64_t now, struct memory **out,
    size_t *n, struct err *e);

/* The tags of each fact with tags. */
enum rc store_memory_tags(
    struct db *db, struct arena *a, int64_t owner, int64_t now, const char ***out, size_t *n, struct err *e);

/* Marks as deleted, which can be undone. The text leaves the index at once. */
enum rc store_memory_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* RC_NOT_FOUND: not deleted, or already removed by the sweep. An expired one gets `expires_at`. */
enum rc store_memory_restore(
    struct db *db, int64_t owner, int64_t id, int64_t now, int64_t expires_at, struct err *e);
/* Deletes all facts of the owner for good. `removed`: their number, including deleted ones. */
enum rc store_memory_clear(struct db *db, int64_t owner, int64_t *removed, struct err *e);
/* Removes expired facts of all users, and those deleted before `deleted_before`. */
enum rc store_memory_sweep(
    struct db *db, int64_t now, int64_t deleted_before, int64_t *removed, struct err *e);

enum rc store_memory_paused(struct db *db, int64_t owner, bool *paused, struct err *e);
/* `paused_at` 0: resumes. */
enum rc store_memory_set_paused(struct db *db, int64_t owner, int64_t paused_at, struct err *e);

/* Records that facts were in the context of an answer, and when. Deleted ones are left out. */
enum rc store_memory_used(struct db *db, int64_t owner, int64_t message_id, const int64_t *ids, size_t n,
    int64_t now, struct err *e);
/* The answer called tools and continues in another message: moves the record there. */
enum rc store_memory_use_move(struct db *db, int64_t owner, int64_t from, int64_t to, struct err *e);
/* The facts recorded for a message, oldest first. */
enum rc store_memory_of_message(struct db *db, struct arena *a, int64_t owner, int64_t message_id,
    int64_t now, struct memory **out, size_t *n, struct err *e);

#endif
