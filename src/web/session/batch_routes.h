/* Actions on many sessions: the form of the list, its scripts, and the API. */
#ifndef ALFRED_WEB_SESSION_BATCH_ROUTES_H
#define ALFRED_WEB_SESSION_BATCH_ROUTES_H

#include "web/http/route.h"

extern const struct route_table batch_routes;

#endif
