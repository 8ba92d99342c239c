/*
 * Vectors for similarity search. A layer is a kind of row with an id and a text. Each layer has one table per
 * embedding model, named by the layer's word and the model's number, with the row's own id as key, so one
 * user's vectors are one range of ids. A row has one vector per passage of its text; they share a key and a
 * scale. A row that the model refuses is skipped (store/search/vector_skip.h).
 *
 * One model serves searches. Another one may be building meanwhile. When it is complete, it is promoted, and
 * the others are retired: they are gone at once, and their tables are emptied in steps. A vector is deleted
 * with its row (foreign key). store_vector_forget() removes it when the text changes.
 *
 * The position up to which an owner is embedded is kept in embedding_progress. Finding rows without a vector
 * therefore costs in proportion to the new rows, not to all rows.
 */
#ifndef ALFRED_STORE_SEARCH_VECTOR_H
#define ALFRED_STORE_SEARCH_VECTOR_H

#include "store/search/vec8.h"
#include "store/store.h"

enum vector_layer {
    VECTOR_MESSAGE,
    VECTOR_SUMMARY, /* the current one of each session */
    VECTOR_MEMORY,  /* text and tags */
    VECTOR_LAYERS
};

struct embedding_model {
    int64_t id;
    const char *provider, *model, *prefix;
    int64_t dimension;
    int64_t passage_bytes, batch_texts; /* limits of its provider, learned; 0: unknown */
    bool serving;                       /* otherwise building */
};

/* The newest with these names; dimension 0: any. RC_NOT_FOUND. */
enum rc store_embedding_model_find(struct db *db, struct arena *a, const char *provider, const char *model,
    const char *prefix, int64_t dimension, struct embedding_model *out, struct err *e);
/* The one in use. RC_NOT_FOUND: none yet. */
enum rc store_embedding_model_serving(
    struct db *db, struct arena *a, struct embedding_model *out, struct err *e);
/* Creates tables that models of an older program lack, in a separate transaction. Called by store_open(),
 * which other programs may run at the same time. */
enum rc store_embedding_model_tables(struct db *db, struct err *e);
/* Adds a model with its tables, in use when none is. An existing one is kept (RC_OK). RC_BAD_INPUT: the
 * dimension is not within 1 and VEC8_DIMS_MAX. */
enum rc store_embedding_model_add(
    struct db *db, const struct embedding_model *m, int64_t now, int64_t *id, struct err *e);
/* Stores passage_bytes and batch_texts. */
enum rc store_embedding_model_learn(struct db *db, const struct embedding_model *m, struct err *e);
/* Puts the model in use and retires all others. RC_NOT_FOUND. */
enum rc store_embedding_model_promote(struct db *db, int64_t id, struct err *e);
/* Retires the other models that are being built: they are no longer configured. */
enum rc store_embedding_model_build_only(struct db *db, int64_t id, struct err *e);
/* A retired model still has tables. */
enum rc store_embedding_model_retired(struct db *db, bool *any, struct err *e);
/* Deletes some vectors or skip marks of a retired model, and its tables when they are empty. To be repeated
 * while there is `more`. */
enum rc store_embedding_model_drop_some(struct db *db, bool *more, struct err *e);

struct vector_lack {
    int64_t id;
    struct str text;
};

/* One owner's rows of a layer, with their vectors by one model. */
struct vector_scope {
    enum vector_layer layer;
    int64_t model, owner;
};

#define VECTOR_PASSAGES_MAX 64 /* passages of a row */

/* The vectors of a row: passage i has v[i * dimension] to v[(i + 1) * dimension - 1]. */
struct vector_set {
    const int8_t *v;
    size_t n, dimension;
    float scale;
};

/* The owner's first rows without a vector, by id: at most `limit`, and as many as fit `bytes` of text, but
 * at least one. */
enum rc store_vector_lacking(struct db *db, struct arena *a, struct vector_scope s, int limit, size_t bytes,
    struct vector_lack **out, size_t *n, struct err *e);
/* Stores the vectors of `row`, 1 to VECTOR_PASSAGES_MAX; replaces old ones. Does nothing (RC_OK) when the
 * row was deleted, has another text or is no longer wanted. */
enum rc store_vector_put(struct db *db, struct vector_scope s, const struct vector_lack *row,
    const struct vector_set *set, struct err *e);
/* Records the owner's progress: after a batch, in its transaction. */
enum rc store_vector_advance(struct db *db, struct vector_scope s, struct err *e);
/* The text of a row, or whether it is wanted, has changed: removes its vectors of all models and embeds it
 * again. */
enum rc store_vector_forget(struct db *db, enum vector_layer layer, int64_t owner, int64_t id, struct err *e);

/* For messages of a session in the trash, those with ids above `after` and up to `upto`: searches leave out
 * their vectors, and the purge removes them. Until this call searches find the vectors, but show no message
 * of a session that is in the trash. */
enum rc store_vector_hide(struct db *db, int64_t session_id, int64_t after, int64_t upto, struct err *e);
/* Hides the vectors of a message that is going to the trash, and of all below it. */
enum rc store_vector_hide_below(struct db *db, int64_t message_id, struct err *e);
/* Reverses store_vector_hide(): vectors that the purge has not removed are used again, the others are made
 * anew. The last call for a session comes after its row of the trash was deleted. */
enum rc store_vector_show(
    struct db *db, int64_t owner, int64_t session_id, int64_t after, int64_t upto, struct err *e);

/* Moves the owner's progress back to the first message of a session that store_vector_show() found without a
 * vector, so that these messages are embedded. store_vector_show() does this, too. */
enum rc store_vector_wanted(struct db *db, int64_t owner, int64_t session_id, struct err *e);

/* Compares every vector of the scope with the query, which is a single vector, in any order. A row with
 * several passages is reported several times. `score` is the dot product of both with their scales. Rows of
 * another dimension are left out. */
typedef void vector_seen_fn(void *arg, int64_t id, float score);
enum rc store_vector_scan(struct db *db, struct vector_scope s, const struct vector_set *query,
    vector_seen_fn *seen, void *arg, struct err *e);
/* One row's vectors, in the arena. RC_NOT_FOUND: none of this dimension. */
enum rc store_vector_get(struct db *db, struct arena *a, struct vector_scope s, int64_t id, size_t dimension,
    struct vector_set *out, struct err *e);

/*
 * ---- packs (store/search/vector_pack.c) ----
 *
 * Older vectors are stored in packs of VECTOR_PACK_BYTES, one per row: 256 vectors of 1,024 numbers. This
 * halves the cost of a scan and makes the table a quarter smaller. A pack has the vectors of all rows of the
 * layer between its first and its last id that need one, except skipped rows. The passages of a row are in
 * one pack.
 *
 * A changed text turns its pack into rows again. A trigger records the ids of deleted rows, and
 * store_vector_purge() removes their vectors, and those of messages in the trash. All of it happens in the
 * transactions of the callers.
 */

#define VECTOR_PACK_BYTES (256 * 1024) /* bytes of vectors; more if one row has more */
#define VECTOR_PACK_LEAVE 512          /* newest vectors of an owner that stay rows: their texts may change */

/* Makes one pack if there are enough rows. `more`: another call may make another. */
enum rc store_vector_pack(struct db *db, struct vector_scope s, bool *more, struct err *e);
/* Removes some vectors of deleted rows from their packs, of all owners. */
enum rc store_vector_purge(struct db *db, bool *more, struct err *e);
/* Deletes some packs of an owner whose messages are deleted. `more`: another call may delete others. */
enum rc store_vector_erase_some(struct db *db, int64_t owner, bool *more, struct err *e);

#endif
