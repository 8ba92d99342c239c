/*
 * Rows that an embedding model refuses, with the reason. A skipped row does not lack a vector
 * (store/search/vector.h), so it delays neither the other rows nor the promotion of a model. Its mark is
 * deleted with the row, with its model, and when its text changes. The reason is one of a fixed list, never a
 * provider's own text, because that may quote the message.
 */
#ifndef ALFRED_STORE_SEARCH_VECTOR_SKIP_H
#define ALFRED_STORE_SEARCH_VECTOR_SKIP_H

#include "store/search/vector.h"

enum vector_skip {
    SKIP_TOO_LONG,  /* even its shortest passage is too long for the provider */
    SKIP_REFUSED,   /* the provider accepts no part of it */
    SKIP_NO_VECTOR, /* the provider's answer is not a vector */
    SKIP_EMPTY,     /* it has only white space */
    SKIP_REASONS
};

/* Marks `row`, unless it was deleted, has another text or is no longer wanted. */
enum rc store_vector_skip(struct db *db, struct vector_scope s, const struct vector_lack *row,
    enum vector_skip reason, struct err *e);

/* Counts the rows that the newest model skips, by reason. */
enum rc store_vector_skip_counts(struct db *db, int64_t out[SKIP_REASONS], struct err *e);
/* Removes all marks, so that these rows lack a vector again, and the learned limits of their models. The
 * caller adds the jobs. */
enum rc store_vector_skip_retry(struct db *db, struct err *e);

#endif
