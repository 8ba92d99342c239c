/* The page of a workspace, and the API of its instructions. */
#ifndef ALFRED_WEB_LIBRARY_INSTRUCTION_ROUTES_H
#define ALFRED_WEB_LIBRARY_INSTRUCTION_ROUTES_H

#include "web/http/route.h"

extern const struct route_table instruction_routes;

#endif
