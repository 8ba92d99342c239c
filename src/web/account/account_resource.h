/* The user who is signed in, as the API answers with it. */
#ifndef ALFRED_WEB_ACCOUNT_ACCOUNT_RESOURCE_H
#define ALFRED_WEB_ACCOUNT_ACCOUNT_RESOURCE_H

#include "web/http/web.h"

/* Into `v`: name, role, csrf (what X-CSRF-Token has to be) and choices, the models that can be chosen. */
void me_resource(const struct web *w, struct view *v, const struct identity *who, const char *csrf);

#endif
