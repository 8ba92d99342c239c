/* People of channels as rows of a list. */
#ifndef ALFRED_WEB_ACCOUNT_LINKED_VIEW_H
#define ALFRED_WEB_ACCOUNT_LINKED_VIEW_H

#include "store/channel/identity.h"
#include "web/http/request.h"

void people_view(const struct req *r, struct view *list, const struct channel_identity *people, size_t n);

#endif
