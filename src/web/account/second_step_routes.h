/* The second step of the sign-in: the part of the Account page, setting it up, recovery codes. */
#ifndef ALFRED_WEB_ACCOUNT_SECOND_STEP_ROUTES_H
#define ALFRED_WEB_ACCOUNT_SECOND_STEP_ROUTES_H

#include "web/http/route.h"

extern const struct route_table second_step_routes;

#endif
