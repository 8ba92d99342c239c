/* The users' page of admins. */
#include "base/clock.h"
#include "web/page/pages.h"
#include "web/page/humanize.h"

#define DEFAULT_HTTPS_PORT 443

/* A link that was just made: shown in the answer to the post that made it and never again. */
struct link {
    const char *name, *code;
};

static void view_last_use(struct req *r, struct view *v, int64_t at)
{
    char iso[CLOCK_RFC3339_SIZE];
    if (at)
        clock_rfc3339(at, iso);
    view_text(v, "last_iso", at ? iso : NULL);
    view_text(v, "last_words", at ? words_ago(r->arena, at, r->now) : NULL);
    view_text(v, "last_exact", at ? words_exact(r->arena, at) : NULL);
}

static void view_user(struct req *r, struct view *v, const struct user *u)
{
    view_text(v, "id", arena_printf(r->arena, "%lld", (long long)u->id));
    view_text(v, "name", u->name);
    view_text(v, "role", user_role_name(u->role));
    view_bool(v, "is_admin", u->role == USER_ADMIN);
    view_bool(v, "disabled", u->disabled_at != 0);
    view_bool(v, "is_self", u->id == r->who.user_id);
    view_last_use(r, v, u->last_used_at);
}

static enum rc view_users(struct req *r, struct view *v, struct err *e)
{
    struct user *users;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_user_list(db, r->arena, &users, &n, e);
    store_read_done(r->web->store, db);
    struct view *list = view_list(v, "users");
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        view_user(r, view_item(list), &users[i]);
    return rc;
}

static const char *public_address(const struct req *r)
{
    const struct config *c = r->web->config;
    if (*c->server.public_url)
        return c->server.public_url;
    if (c->server.https_port == DEFAULT_HTTPS_PORT)
        return "https://localhost";
    return arena_printf(r->arena, "https://localhost:%lld", (long long)c->server.https_port);
}

static void view_link(const struct req *r, struct view *v, const struct link *l)
{
    struct view *o = view_obj(v, "link");
    view_text(o, "name", l->name);
    view_text(o, "url", arena_printf(r->arena, "%s/welcome#%s", public_address(r), l->code));
    view_text(o, "url_days", words_count(r->arena, AUTH_LINK_HOURS, "hour", "hours"));
}

/* `link` and `why` may be NULL. */
static enum rc users(
    struct req *r, struct resp *out, const struct link *link, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, "Users", AT_USERS, 0, &v, e);
    if (rc == RC_OK)
        rc = view_users(r, v, e);
    if (rc != RC_OK)
        return rc;
    if (link)
        view_link(r, v, link);
    view_text(v, "new_name", why ? req_text(r, F_NAME) : NULL);
    return why ? page_problem(r, out, "users", v, why, e) : resp_page(r, out, 200, "users", v, e);
}

/* After a change: to the list, or the list with what went wrong. */
static enum rc changed(
    struct req *r, struct resp *out, enum rc rc, const struct err *why, const char *done, struct err *e)
{
    if (rc == RC_OK)
        page_done(out, "/admin/users", done);
    else if (page_can_say(rc))
        return users(r, out, NULL, why, e);
    else
        *e = *why;
    return rc;
}

static enum rc role_of(const struct req *r, enum user_role *out, struct err *e)
{
    static const enum user_role roles[] = {USER_MEMBER, USER_ADMIN};
    for (size_t i = 0; i < ARRAY_LEN(roles); i++)
        if (str_is(req_str(r, F_ROLE), user_role_name(*out = roles[i])))
            return RC_OK;
    return err_say(e, RC_BAD_INPUT, "A role is \"member\" or \"admin\".");
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

/* Makes a link for a user and shows it with the list. */
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

enum rc page_users(struct req *r, struct resp *out, struct err *e)
{
    return users(r, out, NULL, NULL, e);
}

enum rc page_user_add(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum user_role role;
    int64_t id;
    struct err why = ERR_INIT;
    enum rc rc = role_of(r, &role, &why);
    if (rc == RC_OK)
        rc = auth_user_add(r->web->store, r->who.user_id, req_text(r, F_NAME), role, NULL, &from, &id, &why);
    return rc == RC_OK ? give_link(r, out, id, e) : changed(r, out, rc, &why, NULL, e);
}

enum rc page_user_link(struct req *r, struct resp *out, struct err *e)
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

enum rc page_user_disable(struct req *r, struct resp *out, struct err *e)
{
    return set_disabled(r, out, true, e);
}

enum rc page_user_enable(struct req *r, struct resp *out, struct err *e)
{
    return set_disabled(r, out, false, e);
}

enum rc page_user_role(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum user_role role;
    struct err why = ERR_INIT;
    enum rc rc = role_of(r, &role, &why);
    if (rc == RC_OK)
        rc = auth_user_set_role(r->web->store, r->who.user_id, req_int(r, F_USER), role, &from, &why);
    return changed(r, out, rc, &why, "role", e);
}
