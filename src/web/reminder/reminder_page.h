/* The page of reminders and schedules, and the answers to those that are due. */
#ifndef ALFRED_WEB_REMINDER_REMINDER_PAGE_H
#define ALFRED_WEB_REMINDER_REMINDER_PAGE_H

#include "web/http/request.h"
#include "web/http/route.h"

extern const struct route_table reminder_page_routes;

/* Shows the page. `token`: of a calendar address that was made by this request, else NULL. */
enum rc reminders_show(
    struct req *r, struct resp *out, const char *token, const struct err *why, struct err *e);

#endif
