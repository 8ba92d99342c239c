/* A compaction in the API. */
#ifndef ALFRED_WEB_SUMMARY_COMPACTION_RESOURCE_H
#define ALFRED_WEB_SUMMARY_COMPACTION_RESOURCE_H

#include "store/memory/compaction.h"
#include "store/session/session.h"
#include "web/http/request.h"

/* Finds the session and the compaction of the path. RC_NOT_FOUND. */
enum rc compaction_find(struct req *r, struct session *s, struct compaction *c, struct err *e);

/* Adds to `v`: id, addresses, the range of messages, tokens before and after, keep, text, facts, by_rule,
 * model, created_at. */
void compaction_resource(
    const struct req *r, struct view *v, const struct session *s, const struct compaction *c);

#endif
