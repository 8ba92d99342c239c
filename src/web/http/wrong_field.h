/* The field of the request that an error is about: for the errors of the API and for forms. */
#ifndef ALFRED_WEB_HTTP_WRONG_FIELD_H
#define ALFRED_WEB_HTTP_WRONG_FIELD_H

#include "web/http/request.h"

/* Its name. NULL: none, or unknown. */
const char *wrong_field(const struct req *r, const struct err *e);

#endif
