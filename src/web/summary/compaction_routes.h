/* Compactions: their page and the API. */
#ifndef ALFRED_WEB_SUMMARY_COMPACTION_ROUTES_H
#define ALFRED_WEB_SUMMARY_COMPACTION_ROUTES_H

#include "web/http/route.h"

extern const struct route_table compaction_routes;

#endif
