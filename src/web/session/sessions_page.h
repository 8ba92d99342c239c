/* The page with the list of sessions. */
#ifndef ALFRED_WEB_SESSION_SESSIONS_PAGE_H
#define ALFRED_WEB_SESSION_SESSIONS_PAGE_H

#include "web/page/pages.h"

enum rc page_sessions(struct req *r, struct resp *out, struct err *e);
/* The list with F_SESSION only, and its form open. RC_NOT_FOUND. */
page_form page_sessions_edit;

#endif
