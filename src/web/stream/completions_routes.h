/* POST /v1/chat/completions. */
#ifndef ALFRED_WEB_STREAM_COMPLETIONS_ROUTES_H
#define ALFRED_WEB_STREAM_COMPLETIONS_ROUTES_H

#include "web/http/route.h"

extern const struct route_table completions_routes;

#endif
