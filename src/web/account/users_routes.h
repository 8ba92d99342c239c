/* The admins' page about users. */
#ifndef ALFRED_WEB_ACCOUNT_USERS_ROUTES_H
#define ALFRED_WEB_ACCOUNT_USERS_ROUTES_H

#include "web/http/route.h"

extern const struct route_table users_routes;

#endif
