/* The mark in a conversation where a compaction ends. */
#ifndef ALFRED_WEB_CHAT_COMPACTION_MARK_H
#define ALFRED_WEB_CHAT_COMPACTION_MARK_H

#include "store/memory/compaction.h"
#include "web/chat/message_view.h"

const char *compaction_url(struct arena *a, const char *session, int64_t id);
/* "18,400 → 2,100 tokens" */
const char *compaction_numbers(struct arena *a, const struct lang *l, const struct compaction *c);

/* "compaction" of a message for the API: the one whose border is above it (id, url, messages,
 * tokens_before, tokens_after, created_at), else null. */
void compaction_mark_resource(const struct message_frame *f, struct view *v, const struct message *m);

/* The same with labels, for pages. */
void compaction_mark_view(const struct message_frame *f, struct view *v, const struct message *m);

#endif
