/* The page with the list of sessions. */
#ifndef ALFRED_WEB_SESSION_PAGES_SESSIONS_H
#define ALFRED_WEB_SESSION_PAGES_SESSIONS_H

#include "web/http/request.h"

enum rc page_sessions(struct req *r, struct resp *out, struct err *e);

#endif
