/* The addresses of the export of one conversation. */
#ifndef ALFRED_WEB_TRANSFER_CONVERSATION_ROUTES_H
#define ALFRED_WEB_TRANSFER_CONVERSATION_ROUTES_H

#include "web/http/route.h"

extern const struct route_table conversation_routes;

#endif
