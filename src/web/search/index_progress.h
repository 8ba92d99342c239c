/* Embedding that takes long or does not go on, in a sentence: on the search page about one's own, on the
 * admins' page of jobs about everybody's. */
#ifndef ALFRED_WEB_PROGRESS_H
#define ALFRED_WEB_PROGRESS_H

#include "web/http/request.h"

/* Into `v` under "progress": words, done and total (while a new model is being built; else null), stuck (a
 * sentence, null while all goes well; why is on the jobs page); null when there is nothing to say. `owner` 0:
 * how far everybody's is. */
enum rc progress_view(const struct req *r, struct view *v, int64_t owner, struct err *e);

#endif
