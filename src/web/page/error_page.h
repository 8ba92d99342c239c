/* Errors for the user: a page, or JSON. */
#ifndef ALFRED_WEB_PAGE_ERROR_PAGE_H
#define ALFRED_WEB_PAGE_ERROR_PAGE_H

#include "web/http/request.h"

/* Replaces whatever is in `out` by the error, as page or JSON by the request's surface. */
void respond_error(struct req *r, struct resp *out, const struct err *e);

#endif
