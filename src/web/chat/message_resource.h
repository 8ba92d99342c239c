/* A message in the API. */
#ifndef ALFRED_WEB_CHAT_MESSAGE_RESOURCE_H
#define ALFRED_WEB_CHAT_MESSAGE_RESOURCE_H

#include "web/chat/message_view.h"

/*
 * Adds to `v`:
 * - id, session, url, parent_id, role, status, text, error, created_at;
 * - of an answer: model (null: unknown), edited (the user wrote this version), calls_tools,
 *   usage (input_tokens, output_tokens), turn (while it is being written),
 *   facts (made from it: id, text, url), question (an open one: id, text, subject);
 * - of a tool's result: tool and arguments (the model's JSON); text is the result;
 * - the place among its versions: sibling, siblings (from 1), prev_id, next_id;
 * - compaction: the one that replaces the messages above (compaction_mark_resource()).
 * A member that does not apply is null, an empty list or false.
 */
void message_resource(const struct message_frame *f, struct view *v, const struct message *m);

/* "usage" of an answer; null when the provider has not counted. */
void usage_resource(struct view *v, const struct message *m);

#endif
