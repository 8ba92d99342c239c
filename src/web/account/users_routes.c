/* The admins' page about users. */
#include "web/account/users_routes.h"

#include "app/account/channel_identity.h"
#include "app/jobs/helper_notify.h"
#include "codec/url.h"
#include "web/account/linked_view.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"

#define PAGE       "/admin/users"
#define USERS_ROWS 50

/* A new one-time link: shown once, in the answer to its request. */
struct link {
    const char *name, *code;
};

static void view_user(struct req *r, struct view *v, const struct user *u)
{
    const struct locale l = req_locale(r);
    view_id(r->arena, v, "id", u->id);
    view_text(v, "name", u->name);
    view_text(v, "display_name", strcmp(u->shown, u->name) != 0 ? u->shown : NULL);
    view_text(v, "role", user_role_name(u->role));
    view_bool(v, "is_admin", u->role == USER_ADMIN);
    view_bool(v, "disabled", u->disabled_at != 0);
    view_bool(v, "second_step", u->second_step);
    view_bool(v, "is_self", u->id == r->who.user_id);
    view_at(v, "last_at", u->last_used_at);
    if (u->last_used_at)
        view_time_words(r->arena, v, &l, "last_words", "last_exact", u->last_used_at);
}

static enum rc view_users(struct req *r, struct view *v, struct err *e)
{
    struct user_filter f = {.after = req_has(r, F_AFTER) ? req_text(r, F_AFTER) : "",
        .part = req_str(r, F_Q),
        .limit = USERS_ROWS + 1};
    struct user *users;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_user_part(db, r->arena, &f, &users, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    bool more = n > USERS_ROWS, whole = !req_has(r, F_AFTER) && !f.part.len;
    n = more ? USERS_ROWS : n;
    view_bool(v, "adds", whole && n == 1); /* the admin is alone */
    view_bool(v, "any", n > 0);
    view_bool(v, "searchable", more || !whole);
    view_text(v, "q", f.part.len ? req_text(r, F_Q) : NULL);
    view_text(v, "next_url",
        more ? URL_WITH(r->arena, PAGE, {field_name(F_Q), f.part},
                   {field_name(F_AFTER), str_of(users[n - 1].name)})
             : NULL);
    struct view *list = view_list(v, "users");
    for (size_t i = 0; i < n; i++)
        view_user(r, view_item(list), &users[i]);
    return RC_OK;
}

/* People of channels who ask for an account. */
static enum rc view_asking(struct req *r, struct view *v, struct err *e)
{
    struct channel_identity *people;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_channel_identity_list(db, r->arena, 0, &people, &n, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        people_view(r, view_list(v, "asking"), people, n);
    view_bool(v, "any_asking", rc == RC_OK && n > 0);
    return rc;
}

static void view_link(const struct req *r, struct view *v, const struct link *l)
{
    struct view *o = view_obj(v, "link");
    view_text(o, "name", l->name);
    view_text(o, "url", arena_printf(r->arena, "%s/welcome#%s", r->web->config->server.public_url, l->code));
    view_text(o, "valid_for", lang_count(r->arena, r->lang, "count.hours", AUTH_LINK_HOURS, NULL));
}

/* `link` and `why` may be NULL. */
static enum rc users(
    struct req *r, struct resp *out, const struct link *link, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "users.title"), AT_USERS, 0, &v, e);
    if (rc == RC_OK)
        rc = view_users(r, v, e);
    if (rc == RC_OK)
        rc = view_asking(r, v, e);
    if (rc != RC_OK)
        return rc;
    if (link)
        view_link(r, v, link);
    return why ? page_problem(r, out, "users", v, why, e) : resp_page(r, out, 200, "users", v, e);
}

static enum rc users_again(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return users(r, out, NULL, why, e);
}

static enum rc changed(
    struct req *r, struct resp *out, enum rc rc, const struct err *why, const char *done, struct err *e)
{
    return rc == RC_OK ? page_done(out, page_list_path(r, PAGE), done)
                       : page_again(r, out, users_again, why, e);
}

static enum rc role_of(const struct req *r, enum user_role *out, struct err *e)
{
    static const enum user_role roles[] = {USER_MEMBER, USER_ADMIN};
    for (size_t i = 0; i < ARRAY_LEN(roles); i++)
        if (str_is(req_str(r, F_ROLE), user_role_name(*out = roles[i])))
            return RC_OK;
    return err_say(e, RC_BAD_INPUT, "form.role");
}

static enum rc name_of(struct req *r, int64_t id, const char **out, struct err *e)
{
    struct user u;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_user_by_id(db, r->arena, id, &u, e);
    store_read_done(r->web->store, db);
    *out = rc == RC_OK ? u.name : NULL;
    return rc;
}

/* Creates a link for a user and shows it with the list. */
static enum rc give_link(struct req *r, struct resp *out, int64_t id, struct err *e)
{
    struct auth_client from = req_client(r);
    char code[TOKEN_SIZE];
    struct link link = {.code = code};
    enum rc rc = name_of(r, id, &link.name, e);
    if (rc == RC_OK)
        rc = auth_user_link(r->web->store, r->who.user_id, id, &from, code, e);
    return rc == RC_OK ? users(r, out, &link, NULL, e) : rc;
}

static enum rc page_users(struct req *r, struct resp *out, struct err *e)
{
    return users(r, out, NULL, NULL, e);
}

static enum rc page_user_add(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum user_role role;
    int64_t id;
    struct err why = ERR_INIT;
    enum rc rc = role_of(r, &role, &why);
    if (rc == RC_OK)
        rc = auth_user_add(r->web->store, r->who.user_id, req_text(r, F_NAME), role, NULL, &from, &id, &why);
    return rc == RC_OK ? give_link(r, out, id, e) : page_again(r, out, users_again, &why, e);
}

static enum rc page_user_link(struct req *r, struct resp *out, struct err *e)
{
    return give_link(r, out, req_int(r, F_USER), e);
}

static enum rc set_disabled(struct req *r, struct resp *out, bool disabled, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc =
        auth_user_set_disabled(r->web->store, r->who.user_id, req_int(r, F_USER), disabled, &from, &why);
    return changed(r, out, rc, &why, disabled ? "disabled" : "enabled", e);
}

static enum rc page_user_disable(struct req *r, struct resp *out, struct err *e)
{
    return set_disabled(r, out, true, e);
}

static enum rc page_user_enable(struct req *r, struct resp *out, struct err *e)
{
    return set_disabled(r, out, false, e);
}

static enum rc page_user_second_step_off(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc = auth_user_second_step_off(r->web->store, r->who.user_id, req_int(r, F_USER), &from, &why);
    return changed(r, out, rc, &why, "user_second_off", e);
}

static enum rc page_user_role(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum user_role role;
    struct err why = ERR_INIT;
    enum rc rc = role_of(r, &role, &why);
    if (rc == RC_OK)
        rc = auth_user_set_role(r->web->store, r->who.user_id, req_int(r, F_USER), role, &from, &why);
    return changed(r, out, rc, &why, "role", e);
}

/* ---- people who ask ---- */

/* Finds the account of a typed name. */
static enum rc account_named(struct req *r, int64_t *id, struct err *e)
{
    char name[USER_NAME_MAX + 1];
    struct user u;
    enum rc rc = auth_name(req_text(r, F_NAME), name, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    rc = store_user_by_name(db, r->arena, name, &u, e);
    store_read_done(r->web->store, db);
    *id = rc == RC_OK ? u.id : 0;
    if (rc == RC_OK && u.disabled_at)
        return err_say(e, RC_BAD_INPUT, "users.is_disabled", arg_text("name", name));
    return rc == RC_NOT_FOUND ? err_say(e, RC_BAD_INPUT, "users.no_such", arg_text("name", name)) : rc;
}

static enum rc page_admit(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    int64_t user;
    enum rc rc = account_named(r, &user, &why);
    if (rc == RC_OK)
        rc = channel_admit(r->web->store, r->who.user_id, req_int(r, F_IDENTITY), user, &from, &why);
    if (rc == RC_OK)
        helper_notify(r->web->config->server.data_dir); /* it tells the chat */
    return changed(r, out, rc, &why, "admitted", e);
}

/* A new account; its link is for the browser. */
static enum rc page_admit_new(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    int64_t id;
    enum rc rc = channel_admit_new(
        r->web->store, r->who.user_id, req_int(r, F_IDENTITY), req_text(r, F_NAME), &from, &id, &why);
    if (rc == RC_OK)
        helper_notify(r->web->config->server.data_dir);
    return rc == RC_OK ? give_link(r, out, id, e) : page_again(r, out, users_again, &why, e);
}

static enum rc page_refuse(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc = channel_refuse(r->web->store, r->who.user_id, req_int(r, F_IDENTITY), &from, &why);
    return changed(r, out, rc, &why, "asking_refused", e);
}

/* ---- routes ---- */

static const struct field_rule users_fields[] = {
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_Q, .type = FIELD_LINE, .max = USER_NAME_MAX},
    {.field = F_AFTER, .type = FIELD_LINE, .max = USER_NAME_MAX},
    {.field = F_NONE},
};

static const struct field_rule admit_fields[] = {
    {.field = F_IDENTITY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_NONE},
};

static const struct field_rule refuse_fields[] = {
    {.field = F_IDENTITY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule user_add_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_ROLE, .type = FIELD_LINE, .required = true},
    {.field = F_NONE},
};

static const struct field_rule user_fields[] = {
    {.field = F_USER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule user_role_fields[] = {
    {.field = F_USER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_ROLE, .type = FIELD_LINE, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/admin/users",                   page_users,         PAGE_READ(ACCESS_ADMIN),    users_fields},
    {HTTP_POST, "/admin/users",                   page_user_add,      PAGE_CHANGE(ACCESS_ADMIN),  user_add_fields},
    {HTTP_POST, "/admin/users/{user}/link",       page_user_link,     PAGE_CHANGE(ACCESS_ADMIN),  user_fields},
    {HTTP_POST, "/admin/users/{user}/disable",    page_user_disable,  PAGE_CHANGE(ACCESS_ADMIN),  user_fields},
    {HTTP_POST, "/admin/users/{user}/enable",     page_user_enable,   PAGE_CHANGE(ACCESS_ADMIN),  user_fields},
    {HTTP_POST, "/admin/users/{user}/second-step-off", page_user_second_step_off, PAGE_CHANGE(ACCESS_ADMIN), user_fields},
    {HTTP_POST, "/admin/users/{user}/role",       page_user_role,     PAGE_CHANGE(ACCESS_ADMIN),  user_role_fields},
    {HTTP_POST, "/admin/asking/{identity}/admit",  page_admit,         PAGE_CHANGE(ACCESS_ADMIN),  admit_fields},
    {HTTP_POST, "/admin/asking/{identity}/new",    page_admit_new,     PAGE_CHANGE(ACCESS_ADMIN),  admit_fields},
    {HTTP_POST, "/admin/asking/{identity}/refuse", page_refuse,        PAGE_CHANGE(ACCESS_ADMIN),  refuse_fields},
};
/* clang-format on */

const struct route_table users_routes = {routes, ARRAY_LEN(routes)};
