/* Compactions as pages and the API show them. */
#ifndef ALFRED_WEB_COMPACTIONS_H
#define ALFRED_WEB_COMPACTIONS_H

#include "store/compaction.h"
#include "store/session.h"
#include "web/http/request.h"
#include "web/chat/message_view.h"

#define COMPACTIONS_SHOWN 20 /* at once */

/* Into `v`: session, compactions (the newest first, F_BEFORE an id), next (the id to go on before, or null).
 */
enum rc compactions_view(struct req *r, struct view *v, struct err *e);

/* The session and the compaction of the path. RC_NOT_FOUND. */
enum rc compaction_find(struct req *r, struct session *s, struct compaction *c, struct err *e);
void compaction_view(
    const struct req *r, struct view *v, const struct session *s, const struct compaction *c);

/* "compaction" of a message: the one whose border lies above it, else null. */
void compaction_mark_view(const struct message_frame *f, struct view *v, const struct message *m);

/* The transcript of the compaction of the path, as a file. For both programs. */
route_handler compaction_transcript;

#endif
