/* The to-do list: page and API. */
#ifndef ALFRED_WEB_TASKS_TASKS_ROUTES_H
#define ALFRED_WEB_TASKS_TASKS_ROUTES_H

#include "web/http/route.h"

extern const struct route_table tasks_routes;

#endif
