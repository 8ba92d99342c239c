/* Suggestions as the memory page and the API show them. */
#ifndef ALFRED_WEB_SUGGESTIONS_H
#define ALFRED_WEB_SUGGESTIONS_H

#include "store/suggestion.h"
#include "web/http/request.h"

/* Into `v`: suggestions (the newest first; all there are) and upto, the newest one's id, which "keep all"
 * sends back, so that nothing is kept unseen; null without any. */
enum rc suggestions_view(const struct req *r, struct view *v, struct err *e);

#endif
