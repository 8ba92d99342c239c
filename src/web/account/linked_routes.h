/* Accounts of channels that are linked to a user, on the account page; people who ask for an account, on the
 * users page. */
#ifndef ALFRED_WEB_ACCOUNT_LINKED_ROUTES_H
#define ALFRED_WEB_ACCOUNT_LINKED_ROUTES_H

#include "web/http/route.h"

extern const struct route_table linked_routes;

#endif
