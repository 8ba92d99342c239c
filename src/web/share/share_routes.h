/* The pages and the API of shared links for their owners. */
#ifndef ALFRED_WEB_SHARE_SHARE_ROUTES_H
#define ALFRED_WEB_SHARE_SHARE_ROUTES_H

#include "web/http/route.h"

extern const struct route_table share_routes;

#endif
