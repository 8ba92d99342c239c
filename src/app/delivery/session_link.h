/* The link from a chat to its session on Alfred's pages. */
#ifndef ALFRED_APP_DELIVERY_SESSION_LINK_H
#define ALFRED_APP_DELIVERY_SESSION_LINK_H

#include "app/config/config.h"
#include "base/lang.h"
#include "base/mem.h"
#include "store/channel/chat.h"

/* A line of Markdown, with a line break before it. "": the chat has no session, several people read it, or
 * their devices cannot open the address. */
const char *session_link(
    struct arena *a, const struct lang *l, const struct config *config, const struct channel_chat *c);

#endif
