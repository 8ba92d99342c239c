/* Suggestions: pages and API. */
#ifndef ALFRED_WEB_SUGGESTION_SUGGESTION_ROUTES_H
#define ALFRED_WEB_SUGGESTION_SUGGESTION_ROUTES_H

#include "web/http/route.h"

extern const struct route_table suggestion_routes;

#endif
