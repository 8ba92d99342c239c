/* Personas and prompts: two pages, the API, and the settings of a session for its model. */
#ifndef ALFRED_WEB_LIBRARY_LIBRARY_ROUTES_H
#define ALFRED_WEB_LIBRARY_LIBRARY_ROUTES_H

#include "web/http/route.h"

extern const struct route_table library_routes;

#endif
