/* The signed-in user in the API. */
#ifndef ALFRED_WEB_ACCOUNT_ACCOUNT_RESOURCE_H
#define ALFRED_WEB_ACCOUNT_ACCOUNT_RESOURCE_H

#include "web/http/web.h"

/* Adds to `v`: name, display_name, role, time_zone, csrf, scopes and choices, the models that can be chosen.
 * A login has `csrf`, the value for X-CSRF-Token, and `scopes` is NULL. A program with an API token has
 * `scopes`, and `csrf` is empty. */
void me_resource(
    const struct web *w, struct view *v, const struct identity *who, const char *csrf, const char *scopes);

#endif
