/* The background jobs: the admins' page and the API. */
#ifndef ALFRED_WEB_JOBS_JOBS_ROUTES_H
#define ALFRED_WEB_JOBS_JOBS_ROUTES_H

#include "web/http/route.h"

extern const struct route_table jobs_routes;

#endif
