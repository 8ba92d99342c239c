/* The list of sessions, and actions on one: pages and API. */
#ifndef ALFRED_WEB_SESSION_SESSION_ROUTES_H
#define ALFRED_WEB_SESSION_SESSION_ROUTES_H

#include "web/http/route.h"

extern const struct route_table session_routes;

#endif
