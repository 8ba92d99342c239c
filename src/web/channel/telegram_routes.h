/* The admins' page of the Telegram bot: check, setup, removal. */
#ifndef ALFRED_WEB_CHANNEL_TELEGRAM_ROUTES_H
#define ALFRED_WEB_CHANNEL_TELEGRAM_ROUTES_H

#include "web/http/route.h"

extern const struct route_table telegram_routes;

#endif
