/* Usage: the user's own page, the admins' page of all users, and the API. */
#ifndef ALFRED_WEB_USAGE_USAGE_ROUTES_H
#define ALFRED_WEB_USAGE_USAGE_ROUTES_H

#include "web/http/route.h"

extern const struct route_table usage_routes;

#endif
