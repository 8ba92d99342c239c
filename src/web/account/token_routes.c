#include "web/account/token_routes.h"

#include "web/account/account_page.h"
#include "web/account/token_view.h"
#include "web/http/web.h"
#include "web/page/pages.h"

static enum rc show_again(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return account_show(r, out, NULL, why, e);
}

/* The scopes of the new token. A form has a checkbox for each; the API sends words. */
static enum rc wanted_scopes(const struct req *r, unsigned *out, struct err *e)
{
    if (r->surface != SURFACE_PAGE)
        return api_scopes_parse(req_str(r, F_SCOPES), out, e);
    *out = (req_int(r, F_SCOPE_READ) ? SCOPE_READ : 0) | (req_int(r, F_SCOPE_WRITE) ? SCOPE_WRITE : 0) |
           (req_int(r, F_SCOPE_CHAT) ? SCOPE_CHAT : 0);
    return RC_OK;
}

static enum rc add(struct req *r, struct api_token *t, char secret[API_TOKEN_SIZE], struct err *e)
{
    struct auth_client from = req_client(r);
    struct api_token_input input = {.name = req_text(r, F_NAME),
        .use_memory = req_int(r, F_USE_MEMORY) != 0,
        .use_tools = req_int(r, F_USE_TOOLS) != 0,
        .days = req_int(r, F_DAYS)};
    enum rc rc = wanted_scopes(r, &input.scopes, e);
    return rc == RC_OK ? api_token_add(r->web->store, r->who.user_id, r->bearer ? &r->who.token : NULL,
                             &input, &from, r->arena, t, secret, e)
                       : rc;
}

static enum rc revoke(struct req *r, struct err *e)
{
    struct auth_client from = req_client(r);
    return api_token_revoke(r->web->store, r->who.user_id, req_text(r, F_TOKEN), &from, e);
}

/* ---- the page ---- */

/* The answer has the token, so it is no redirect. */
static enum rc page_token_add(struct req *r, struct resp *out, struct err *e)
{
    struct api_token t;
    char secret[API_TOKEN_SIZE];
    struct err why = ERR_INIT;
    enum rc rc = add(r, &t, secret, &why);
    if (rc != RC_OK)
        return page_again(r, out, show_again, &why, e);
    return account_show(r, out, &(struct account_fresh){.token = &(struct token_shown){&t, secret}}, NULL, e);
}

static enum rc page_token_revoke(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = revoke(r, e);
    return rc == RC_OK ? page_done(out, "/account", "token_revoked") : rc;
}

/* ---- the API ---- */

static enum rc api_tokens(struct req *r, struct resp *out, struct err *e)
{
    struct api_token *tokens;
    size_t n;
    enum rc rc = tokens_read(r, &tokens, &n, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "tokens");
    for (size_t i = 0; i < n; i++)
        token_resource(r, view_item(list), &tokens[i]);
    return resp_json(out, 200, v, e);
}

static enum rc api_token_create(struct req *r, struct resp *out, struct err *e)
{
    struct api_token t;
    char secret[API_TOKEN_SIZE];
    enum rc rc = add(r, &t, secret, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    token_resource(r, view_obj(v, "token"), &t);
    out->secret = true;
    view_text(v, "secret", secret);
    return resp_json(out, 201, v, e);
}

static enum rc api_token_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = revoke(r, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

#define TOKEN                                                          \
    {                                                                  \
        .field = F_TOKEN, .type = FIELD_ID_API_TOKEN, .required = true \
    }
#define OF_TOKEN                                                                                          \
    {.field = F_NAME, .type = FIELD_LINE, .required = true}, {.field = F_USE_MEMORY, .type = FIELD_BOOL}, \
        {.field = F_USE_TOOLS, .type = FIELD_BOOL},                                                       \
    {                                                                                                     \
        .field = F_DAYS, .type = FIELD_INT, .min = 1, .max = API_TOKEN_DAYS_MAX                           \
    }
#define SCOPE_BOXES                                                                            \
    {.field = F_SCOPE_READ, .type = FIELD_BOOL}, {.field = F_SCOPE_WRITE, .type = FIELD_BOOL}, \
    {                                                                                          \
        .field = F_SCOPE_CHAT, .type = FIELD_BOOL                                              \
    }
#define END             \
    {                   \
        .field = F_NONE \
    }

/* clang-format off */
static const struct field_rule token_form_fields[] = {OF_TOKEN, SCOPE_BOXES, END};
static const struct field_rule token_add_fields[] = {OF_TOKEN, {.field = F_SCOPES, .type = FIELD_LINE, .required = true}, END};
static const struct field_rule token_fields[] = {TOKEN, END};

static const struct route routes[] = {
    {HTTP_POST,   "/account/tokens",                page_token_add,    PAGE_CHANGE(ACCESS_MEMBER),             token_form_fields},
    {HTTP_POST,   "/account/tokens/{token}/revoke", page_token_revoke, PAGE_CHANGE(ACCESS_MEMBER),             token_fields},
    {HTTP_GET,    "/api/tokens",                    api_tokens,        API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_POST,   "/api/tokens",                    api_token_create,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), token_add_fields},
    {HTTP_DELETE, "/api/tokens/{token}",            api_token_delete,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), token_fields},
};
/* clang-format on */

const struct route_table token_routes = {routes, ARRAY_LEN(routes)};
