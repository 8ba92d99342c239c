/* A message in the API. */
#ifndef ALFRED_WEB_CHAT_MESSAGE_RESOURCE_H
#define ALFRED_WEB_CHAT_MESSAGE_RESOURCE_H

#include "web/chat/message_view.h"

/* Adds the members of schema Message in scripts/openapi-schemas.js. A member that does not apply is null, an
 * empty list, 0 or false. */
void message_resource(const struct message_frame *f, struct view *v, const struct message *m);

/* "usage" of an answer; null when the provider has not counted. */
void usage_resource(struct view *v, const struct message *m);

#endif
