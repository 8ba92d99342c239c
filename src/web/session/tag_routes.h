/* The page and the API of tags. */
#ifndef ALFRED_WEB_SESSION_TAG_ROUTES_H
#define ALFRED_WEB_SESSION_TAG_ROUTES_H

#include "web/http/route.h"

extern const struct route_table tag_routes;

#endif
