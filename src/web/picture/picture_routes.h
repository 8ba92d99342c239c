/* The pictures of messages: uploading one, and its bytes for pages and programs. */
#ifndef ALFRED_WEB_PICTURE_PICTURE_ROUTES_H
#define ALFRED_WEB_PICTURE_PICTURE_ROUTES_H

#include "web/http/route.h"

extern const struct route_table picture_routes;

#endif
