/*
 * The progress of a new embedding model while the old one is in use, for pages. It is computed from the marks
 * of the embedding task (embedding_progress) as ranges of ids, so reading it costs a few rows for any number
 * of messages. Deleted rows count on both sides.
 */
#ifndef ALFRED_STORE_SEARCH_INDEXING_H
#define ALFRED_STORE_SEARCH_INDEXING_H

#include "store/store.h"

struct indexing {
    int64_t done, total; /* messages, summaries and facts */
};

/* The progress of one owner, or of all (0). RC_NOT_FOUND: no model is being built. */
enum rc store_indexing(struct db *db, int64_t owner, struct indexing *out, struct err *e);

#endif
