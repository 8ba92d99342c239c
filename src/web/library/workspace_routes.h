#ifndef ALFRED_WEB_LIBRARY_WORKSPACE_ROUTES_H
#define ALFRED_WEB_LIBRARY_WORKSPACE_ROUTES_H

#include "web/http/route.h"

extern const struct route_table workspace_routes;

#endif
