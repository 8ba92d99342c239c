/* The page that a shared link leads to, for everybody who has it. */
#ifndef ALFRED_WEB_SHARE_SHARED_ROUTES_H
#define ALFRED_WEB_SHARE_SHARED_ROUTES_H

#include "web/http/route.h"

extern const struct route_table shared_routes;

#endif
