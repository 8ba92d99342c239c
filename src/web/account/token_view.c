#include "web/account/token_view.h"

#include "base/humanize.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/views.h"

void token_resource(const struct req *r, struct view *v, const struct api_token *t)
{
    view_text(v, "id", t->pub);
    view_text(v, "name", t->name);
    view_text(v, "begins", t->begins);
    view_text(v, "scopes", api_scopes_text(r->arena, t->scopes));
    view_bool(v, "use_memory", t->use_memory);
    view_bool(v, "use_tools", t->use_tools);
    view_at(v, "created_at", t->created_at);
    view_at(v, "used_at", t->used_at);
    view_text(v, "address", *t->address ? t->address : NULL);
    view_at(v, "expires_at", t->expires_at);
    view_bool(v, "expired", t->expires_at && t->expires_at <= r->now);
}

static const char *scope_words(const struct req *r, unsigned scopes)
{
    static const char *const texts[API_SCOPES] = {[API_SCOPE_READ] = "token.may_read",
        [API_SCOPE_WRITE] = "token.may_write",
        [API_SCOPE_CHAT] = "token.may_chat"};
    const char *words = "";
    for (int s = 0; s < API_SCOPES; s++)
        if (scopes & 1u << s)
            words = arena_printf(r->arena, "%s%s%s", words, *words ? ", " : "", lang_text(r->lang, texts[s]));
    return words;
}

static void view_row(const struct req *r, struct view *row, const struct api_token *t)
{
    const struct locale l = req_locale(r);
    token_resource(r, row, t);
    view_text(row, "scope_words", scope_words(r, t->scopes));
    if (t->used_at)
        view_time_words(r->arena, row, &l, "used_words", "used_exact", t->used_at);
    if (t->expires_at)
        view_text(row, "expires_exact", humanize_exact(r->arena, &l, t->expires_at));
}

enum rc tokens_read(const struct req *r, struct api_token **out, size_t *n, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_api_token_list(db, r->arena, r->who.user_id, out, n, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc tokens_view(struct req *r, struct view *v, const struct token_shown *fresh, struct err *e)
{
    struct api_token *tokens;
    size_t n;
    enum rc rc = tokens_read(r, &tokens, &n, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any_tokens", n > 0);
    struct view *list = view_list(v, "tokens");
    for (size_t i = 0; i < n; i++)
        view_row(r, view_item(list), &tokens[i]);
    if (!fresh)
        return RC_OK;
    struct view *shown = view_obj(v, "token_fresh");
    view_text(shown, "name", fresh->token->name);
    view_text(shown, "secret", fresh->secret);
    view_text(shown, "base_url", arena_printf(r->arena, "%s/v1", r->web->config->server.public_url));
    return RC_OK;
}
