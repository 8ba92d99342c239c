/* The settings of a user: page and API. */
#ifndef ALFRED_WEB_ACCOUNT_SETTINGS_ROUTES_H
#define ALFRED_WEB_ACCOUNT_SETTINGS_ROUTES_H

#include "web/http/route.h"

extern const struct route_table settings_routes;

#endif
