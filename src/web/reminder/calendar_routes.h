/* The calendar feed (app/calendar/calendar.h): the forms for its address, and the feed itself. */
#ifndef ALFRED_WEB_REMINDER_CALENDAR_ROUTES_H
#define ALFRED_WEB_REMINDER_CALENDAR_ROUTES_H

#include "web/http/route.h"

extern const struct route_table calendar_routes;

#endif
