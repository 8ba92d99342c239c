/* The Account page, also for the forms of token_routes.c. */
#ifndef ALFRED_WEB_ACCOUNT_ACCOUNT_PAGE_H
#define ALFRED_WEB_ACCOUNT_ACCOUNT_PAGE_H

#include "web/http/request.h"

struct token_shown;

/* `fresh`: a token that was made by this request, to be shown once; NULL: none. `why` as in page_form. */
enum rc account_show(
    struct req *r, struct resp *out, const struct token_shown *fresh, const struct err *why, struct err *e);

#endif
