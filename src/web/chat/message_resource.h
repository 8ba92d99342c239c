/* A message as the API answers with it. */
#ifndef ALFRED_WEB_CHAT_MESSAGE_RESOURCE_H
#define ALFRED_WEB_CHAT_MESSAGE_RESOURCE_H

#include "web/chat/message_view.h"

/*
 * Into `v`:
 *   id, session, url, parent_id, role, status, text, error, created_at;
 *   of an answer: model (null: none is known), calls_tools, usage (input_tokens, output_tokens), turn (while
 * it is being written), facts (made from it: id, text, url), question (that waits for a yes or a no: id,
 * text, subject); of a tool's result: tool and arguments (JSON, as the model wrote it); the text is the
 * result; its place among the versions: sibling, siblings (from 1), prev_id, next_id; compaction: what stands
 * for the messages above it (compaction_mark_resource()). What does not apply is null, an empty list or
 * false.
 */
void message_resource(const struct message_frame *f, struct view *v, const struct message *m);

/* "usage" of an answer; null when the provider has not counted. */
void usage_resource(struct view *v, const struct message *m);

#endif
