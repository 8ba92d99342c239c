/* Messages to chats of channels: the admins' page and the API. */
#ifndef ALFRED_WEB_CHANNEL_OUTBOX_ROUTES_H
#define ALFRED_WEB_CHANNEL_OUTBOX_ROUTES_H

#include "web/http/route.h"

extern const struct route_table outbox_routes;

#endif
