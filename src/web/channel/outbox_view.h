/* Messages to chats, for admins: chat, time, size and reason, never a text. */
#ifndef ALFRED_WEB_CHANNEL_OUTBOX_VIEW_H
#define ALFRED_WEB_CHANNEL_OUTBOX_VIEW_H

#include "web/http/request.h"

/* Adds to `v`: problems, parts (doubtful, failed, waiting, sent: their newest messages). */
enum rc outbox_view(struct req *r, struct view *v, struct err *e);
/* The same for the API: problems, counts, messages. */
enum rc outbox_resource(struct req *r, struct view *v, struct err *e);

#endif
