/* The progress of the search index, when indexing takes long or has stopped: of the user on the search
 * page, of all users on the admins' page of jobs. */
#ifndef ALFRED_WEB_SEARCH_INDEX_PROGRESS_H
#define ALFRED_WEB_SEARCH_INDEX_PROGRESS_H

#include "web/http/request.h"

/* Adds "progress" to `v`: done and total while the index is rebuilt (else null), and stuck, a sentence
 * while indexing has stopped (else null). "progress" is null when the index is complete. `owner` 0: all
 * users. */
enum rc index_progress_resource(const struct req *r, struct view *v, int64_t owner, struct err *e);
/* The same with "words": "Re-indexing: 1,200 of 5,000" (null unless the index is rebuilt). */
enum rc index_progress_text(const struct req *r, struct view *v, int64_t owner, struct err *e);

#endif
