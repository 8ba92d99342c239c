/* The routes of the program `stream`. */
#ifndef ALFRED_WEB_STREAM_STREAM_ROUTES_H
#define ALFRED_WEB_STREAM_STREAM_ROUTES_H

#include "web/http/route.h"

extern const struct route_table stream_routes;

#endif
