/* The routes of a conversation and its messages: pages and API. */
#ifndef ALFRED_WEB_CHAT_CHAT_ROUTES_H
#define ALFRED_WEB_CHAT_CHAT_ROUTES_H

#include "web/http/request.h"
#include "web/http/route.h"

extern const struct route_table chat_routes;

route_handler page_new, page_session, page_message_delete_ask, page_message_delete, page_message_text,
    page_message_choose;
route_handler api_session, api_messages, api_message_change, api_message_delete;

#endif
