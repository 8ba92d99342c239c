/* API tokens as values of the API and of the Account page. */
#ifndef ALFRED_WEB_ACCOUNT_TOKEN_VIEW_H
#define ALFRED_WEB_ACCOUNT_TOKEN_VIEW_H

#include "app/account/api_token.h"
#include "web/http/request.h"

struct token_shown {
    const struct api_token *token;
    const char *secret;
};

/* The user's tokens, newest first, in the arena. */
enum rc tokens_read(const struct req *r, struct api_token **out, size_t *n, struct err *e);

void token_resource(const struct req *r, struct view *v, const struct api_token *t);

/* "tokens" and "token_fresh". */
enum rc tokens_view(struct req *r, struct view *v, const struct token_shown *fresh, struct err *e);

#endif
