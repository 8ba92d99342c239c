/* Exports and imports: page and API. */
#ifndef ALFRED_WEB_TRANSFER_TRANSFER_ROUTES_H
#define ALFRED_WEB_TRANSFER_TRANSFER_ROUTES_H

#include "web/http/route.h"

extern const struct route_table transfer_routes;

#endif
