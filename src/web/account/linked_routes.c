#include "web/account/linked_routes.h"

#include "app/account/channel_identity.h"
#include "store/channel/bot.h"
#include "web/account/account_page.h"
#include "web/account/linked_view.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"

/* ---- views ---- */

void people_view(const struct req *r, struct view *list, const struct channel_identity *people, size_t n)
{
    const struct locale l = req_locale(r);
    for (size_t i = 0; i < n; i++) {
        struct view *row = view_item(list);
        int64_t at = people[i].linked_at ? people[i].linked_at : people[i].created_at;
        view_id(r->arena, row, "id", people[i].id);
        view_text(row, "name", *people[i].name ? people[i].name : people[i].external_id);
        view_text(row, "channel_words", channel_label(r, people[i].channel));
        view_at(row, "created_at", at);
        view_created_words(r->arena, row, &l, at);
    }
}

/* Shows the ways to send the code: a link of the channel, and the line to type. */
static enum rc view_code(struct req *r, struct db *db, struct view *v, const char *code, struct err *e)
{
    struct channel_bot bot;
    struct err why = ERR_INIT;
    struct view *o = view_obj(v, "link_code");
    enum rc rc = store_channel_bot_get(db, r->arena, "telegram", &bot, &why);
    view_text(o, "code", code);
    view_text(o, "line", arena_printf(r->arena, "/link %s", code));
    if (rc == RC_OK && bot.username && *bot.username) {
        view_text(o, "bot", bot.username);
        view_text(o, "url", arena_printf(r->arena, "https://t.me/%s?start=%s", bot.username, code));
    }
    if (rc != RC_OK && rc != RC_NOT_FOUND && e)
        *e = why;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc linked_view(struct req *r, struct view *v, const char *link_code, struct err *e)
{
    struct channel_identity *people;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_channel_identity_list(db, r->arena, r->who.user_id, &people, &n, e);
    if (rc == RC_OK && link_code)
        rc = view_code(r, db, v, link_code, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    people_view(r, view_list(v, "linked"), people, n);
    view_bool(v, "any_linked", n > 0);
    view_bool(v, "can_link", r->web->config->telegram.mode != CONFIG_TELEGRAM_OFF || n > 0);
    return RC_OK;
}

/* ---- the account page ---- */

static enum rc page_code(struct req *r, struct resp *out, struct err *e)
{
    char code[LINK_CODE_SIZE];
    enum rc rc = link_code_new(r->web->store, r->who.user_id, r->now, code, e);
    return rc == RC_OK ? account_show(r, out, &(struct account_fresh){.link_code = code}, NULL, e) : rc;
}

static enum rc page_unlink(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = channel_unlink(r->web->store, r->who.user_id, req_int(r, F_IDENTITY), &from, e);
    return rc == RC_OK ? page_done(out, "/account", "unlinked") : rc;
}

/* ---- routes ---- */

static const struct field_rule identity_fields[] = {
    {.field = F_IDENTITY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/account/links",                   page_code,   PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/account/links/{identity}/delete", page_unlink, PAGE_CHANGE(ACCESS_MEMBER), identity_fields},
};
/* clang-format on */

const struct route_table linked_routes = {routes, ARRAY_LEN(routes)};
