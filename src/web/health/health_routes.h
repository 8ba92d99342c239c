/* GET /api/health, for monitors and container systems. */
#ifndef ALFRED_WEB_HEALTH_HEALTH_ROUTES_H
#define ALFRED_WEB_HEALTH_HEALTH_ROUTES_H

#include "web/http/route.h"

extern const struct route_table health_routes;

#endif
