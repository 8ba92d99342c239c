/* The values of usage in the API. Costs are millionths of the currency. */
#ifndef ALFRED_WEB_USAGE_USAGE_RESOURCE_H
#define ALFRED_WEB_USAGE_USAGE_RESOURCE_H

#include "app/usage/budget.h"
#include "app/usage/usage.h"
#include "web/http/request.h"

void usage_days_resource(struct req *r, struct view *v, const struct usage *u, const struct budget *b);

#endif
