/* Channels whose server refuses the bot's token, for the admins' pages of channels and the API. */
#ifndef ALFRED_WEB_CHANNEL_REFUSED_VIEW_H
#define ALFRED_WEB_CHANNEL_REFUSED_VIEW_H

#include "web/http/request.h"

/* Adds the list `problems` (templates/partials/refused.mustache). */
enum rc refused_view(const struct req *r, struct db *db, struct view *v, struct err *e);
/* The same for the API. */
enum rc refused_resource(const struct req *r, struct db *db, struct view *v, struct err *e);

#endif
