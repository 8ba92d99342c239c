/* The Account page, also for the forms of token_routes.c. */
#ifndef ALFRED_WEB_ACCOUNT_ACCOUNT_PAGE_H
#define ALFRED_WEB_ACCOUNT_ACCOUNT_PAGE_H

#include "codec/view.h"
#include "web/http/request.h"

struct token_shown;

/* Secrets that this request made, which are shown once. NULL: none. */
struct account_fresh {
    const struct token_shown *token;
    const char *link_code;
};

/* `why` as in page_form. */
enum rc account_show(
    struct req *r, struct resp *out, const struct account_fresh *fresh, const struct err *why, struct err *e);

/* The accounts of channels that are linked (linked_routes.c). */
enum rc linked_view(struct req *r, struct view *v, const char *link_code, struct err *e);

/* Whether the second step of the sign-in is on (second_step_routes.c). */
enum rc second_step_view(struct req *r, struct view *v, struct err *e);

#endif
