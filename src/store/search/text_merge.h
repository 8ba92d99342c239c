/*
 * Merges of the segments of the text indexes (FTS5). Each transaction that changes an index adds a segment.
 * Searches read all segments, so they are merged in the background: FTS5's own automatic merge is off
 * (migration 59), because it would make single transactions of users 50 ms longer. If nobody merges, FTS5
 * still merges 16 segments of a level at once.
 *
 * A deletion adds a delete marker. The words stay in older segments until these are merged. FTS5's option
 * secure-delete rewrites a page for every word. It took 2 ms per message (400 messages: 0.8 s against 0.04
 * s), during which no one else can write. So a deletion plans a purge (store_job_purge_later()), which merges
 * all segments into one.
 */
#ifndef ALFRED_STORE_SEARCH_TEXT_MERGE_H
#define ALFRED_STORE_SEARCH_TEXT_MERGE_H

#include "store/store.h"

/* One step: merges a few pages of one index. `*more`: repeat it, in a transaction of its own. */
enum rc store_text_merge(struct db *db, bool *more, struct err *e);

/* One step of a purge, to be repeated in the same way. The first step has `begin`: it marks all segments of
 * all indexes to be merged. */
enum rc store_text_purge(struct db *db, bool begin, bool *more, struct err *e);

#endif
