/* How far the search index is, when indexing takes long or does not go on: of the user on the search page, of
 * everybody on the admins' page of jobs. */
#ifndef ALFRED_WEB_SEARCH_INDEX_PROGRESS_H
#define ALFRED_WEB_SEARCH_INDEX_PROGRESS_H

#include "web/http/request.h"

/* Into `v` under "progress": done and total while the index is made anew (else null), and stuck, a sentence
 * while it does not go on (else null). "progress" is null when there is nothing to say. `owner` 0: of
 * everybody. */
enum rc index_progress_resource(const struct req *r, struct view *v, int64_t owner, struct err *e);
/* The same with "words": "Re-indexing: 1,200 of 5,000" (null unless it is made anew). */
enum rc index_progress_text(const struct req *r, struct view *v, int64_t owner, struct err *e);

#endif
