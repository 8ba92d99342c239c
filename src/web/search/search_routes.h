/* Search: page and API. */
#ifndef ALFRED_WEB_SEARCH_SEARCH_ROUTES_H
#define ALFRED_WEB_SEARCH_SEARCH_ROUTES_H

#include "web/http/route.h"

extern const struct route_table search_routes;

#endif
