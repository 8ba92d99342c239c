/* The pages for choosing and connecting models. */
#ifndef ALFRED_WEB_MODELS_MODELS_ROUTES_H
#define ALFRED_WEB_MODELS_MODELS_ROUTES_H

#include "web/http/route.h"

extern const struct route_table models_routes;

#endif
