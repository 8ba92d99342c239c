/*
 * How far a new embedding model has come while the one before still serves: for pages that show it. Counted
 * in numbers of ids, from the marks that embedding leaves behind (embedding_progress), so that asking costs a
 * few rows however much there is; what was deleted counts on both sides.
 */
#ifndef ALFRED_STORE_INDEXING_H
#define ALFRED_STORE_INDEXING_H

#include "store/store.h"

struct indexing {
    int64_t done, total; /* messages, summaries and facts */
};

/* Of one owner, 0: of everybody. RC_NOT_FOUND: no model is being built. */
enum rc store_indexing(struct db *db, int64_t owner, struct indexing *out, struct err *e);

#endif
