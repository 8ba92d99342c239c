/* Signing in and out, and the page of a one-time link. */
#ifndef ALFRED_WEB_ACCOUNT_SIGN_ROUTES_H
#define ALFRED_WEB_ACCOUNT_SIGN_ROUTES_H

#include "web/http/route.h"

extern const struct route_table sign_routes;

#endif
