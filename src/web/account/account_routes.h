/* The account of a user: page and API. */
#ifndef ALFRED_WEB_ACCOUNT_ACCOUNT_ROUTES_H
#define ALFRED_WEB_ACCOUNT_ACCOUNT_ROUTES_H

#include "web/http/route.h"

extern const struct route_table account_routes;

#endif
