/* The routes of the memory: pages and API. */
#ifndef ALFRED_WEB_MEMORY_MEMORY_ROUTES_H
#define ALFRED_WEB_MEMORY_MEMORY_ROUTES_H

#include "web/http/route.h"

extern const struct route_table memory_routes;

#endif
