/* What the stream program serves. */
#ifndef ALFRED_WEB_STREAM_ROUTES_H
#define ALFRED_WEB_STREAM_ROUTES_H

#include "web/http/route.h"

#define STREAM_ROUTES_N 10
extern const struct route stream_routes[STREAM_ROUTES_N];

#endif
