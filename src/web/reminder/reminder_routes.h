/* The API of reminders and schedules. */
#ifndef ALFRED_WEB_REMINDER_REMINDER_ROUTES_H
#define ALFRED_WEB_REMINDER_REMINDER_ROUTES_H

#include "web/http/route.h"

extern const struct route_table reminder_routes;

#endif
