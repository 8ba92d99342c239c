/* The trash: page, forms and API. */
#ifndef ALFRED_WEB_TRASH_TRASH_ROUTES_H
#define ALFRED_WEB_TRASH_TRASH_ROUTES_H

#include "web/http/route.h"

extern const struct route_table trash_routes;

#endif
