/* The routes of a conversation and its messages: pages and API. */
#ifndef ALFRED_WEB_CHAT_CHAT_ROUTES_H
#define ALFRED_WEB_CHAT_CHAT_ROUTES_H

#include "web/http/route.h"

extern const struct route_table chat_routes;

#endif
