/* The page /api: the calls of the API for people who write programs. Its text is docs/api_reference.md. */
#ifndef ALFRED_WEB_REFERENCE_REFERENCE_ROUTES_H
#define ALFRED_WEB_REFERENCE_REFERENCE_ROUTES_H

#include "web/http/route.h"

extern const struct route_table reference_routes;

#endif
