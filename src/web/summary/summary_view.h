/* A session's summaries as the page and the API show them. */
#ifndef ALFRED_WEB_SUMMARIES_H
#define ALFRED_WEB_SUMMARIES_H

#include "store/session.h"
#include "web/http/request.h"

#define SUMMARIES_SHOWN       20   /* at once */
#define SUMMARIES_LAST_MAX    1000 /* messages that "the last N" may name */
#define SUMMARIES_VERSION_MAX INT64_C(0xFFFFFFFF)

/* Into `v`: session, summaries (the newest first, F_BEFORE a version), next (the version to go on before, or
 * null), and pending: what was asked for and is not written yet (null: nothing). */
enum rc summaries_view(struct req *r, struct session *s, struct view *v, struct err *e);

#endif
