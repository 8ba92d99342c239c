/* API tokens: the forms of the Account page, and the API. */
#ifndef ALFRED_WEB_ACCOUNT_TOKEN_ROUTES_H
#define ALFRED_WEB_ACCOUNT_TOKEN_ROUTES_H

#include "web/http/route.h"

extern const struct route_table token_routes;

#endif
