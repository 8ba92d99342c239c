/* Shared by the files of the trash. */
#ifndef ALFRED_STORE_TRASH_TRASH_PRIVATE_H
#define ALFRED_STORE_TRASH_TRASH_PRIVATE_H

#include "store/row.h"
#include "store/trash/trash.h"

/* Puts messages of a long entry, which stays hidden, back into the indexes. `*more`: it did, and others are
 * left. False: nothing was done, and at most TRASH_STEP are left. */
enum rc trash_index_step(struct db *db, int64_t owner, const char *pub, bool *more, struct err *e);

/* For an entry with messages: another entry that must be restored before it, which is the session that they
 * were in, or has the parent of one of them. 0: none. */
enum rc trash_above(struct db *db, int64_t owner, int64_t session_id, int64_t *above, struct err *e);

#endif
