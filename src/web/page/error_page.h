/* Errors for the user: as page or JSON. */
#ifndef ALFRED_WEB_PAGE_ERROR_PAGE_H
#define ALFRED_WEB_PAGE_ERROR_PAGE_H

#include "web/http/request.h"

/* Replaces the content of `out` by the error, as page or JSON by the request's surface. */
void respond_error(struct req *r, struct resp *out, const struct err *e);

#endif
