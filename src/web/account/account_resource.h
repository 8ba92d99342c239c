/* The signed-in user in the API. */
#ifndef ALFRED_WEB_ACCOUNT_ACCOUNT_RESOURCE_H
#define ALFRED_WEB_ACCOUNT_ACCOUNT_RESOURCE_H

#include "web/http/web.h"

/* Adds to `v`: name, role, csrf (the value for X-CSRF-Token) and choices, the models that can be chosen. */
/* `csrf` is empty and `scopes` set for a program with an API token; `scopes` is NULL for a login. */
void me_resource(
    const struct web *w, struct view *v, const struct identity *who, const char *csrf, const char *scopes);

#endif
