/* Changes of logins and users. Each adds its audit row in the same transaction. */
#include "app/account/auth_private.h"

#include <stdio.h>

#include "app/account/password.h"
#include "base/clock.h"
#include "store/account/second_step.h"
#include "store/job.h"

struct change {
    enum rc (*run)(struct db *db, struct change *c, struct err *e);
    const char *action; /* of the audit row */
    bool names_role;    /* the audit row has `role` */
    int64_t by;         /* the acting user; 0: the command line */
    const struct auth_client *from;
    int64_t user_id, login_id;
    const char *text;     /* a login's public id, or a new user's name */
    const char *password; /* hash */
    enum user_role role;
    bool disabled;
    unsigned char code_hash[TOKEN_HASH_SIZE];
    const char *verified; /* the hash that the user's password was compared with; NULL: none was asked for */
    /* A new password by the user: the new login, and the attempt with the current password */
    struct auth_signin *signin;
    const struct signin_attempt *forgive;
    const struct config *config;
};

/* RC_CONFLICT: the user is the last active admin. */
static enum rc refuse_last_admin(struct db *db, const struct change *c, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    int64_t admins;
    enum rc rc = store_user_by_id(db, a, c->user_id, &u, e);
    if (rc == RC_OK)
        rc = store_user_active_admins(db, &admins, e);
    if (rc != RC_OK)
        return rc;
    if (u.role == USER_ADMIN && !u.disabled_at && admins <= 1)
        return err_say(e, RC_CONFLICT, "auth.last_admin", arg_text("name", u.name));
    return RC_OK;
}

/* Ends all logins, API tokens and sign-ins that wait for a code, and deletes the links that were not used
 * yet. */
static enum rc end_access(struct db *db, const struct change *c, struct err *e)
{
    enum rc rc = store_login_revoke_all(db, c->user_id, 0, c->from->now, e);
    if (rc == RC_OK)
        rc = store_api_token_delete_all(db, c->user_id, e);
    if (rc == RC_OK)
        rc = store_signin_begun_drop(db, c->user_id, e);
    if (rc == RC_OK)
        rc = signin_codes_forget(db, c->user_id, e);
    return rc == RC_OK ? store_code_drop_unused(db, c->user_id, e) : rc;
}

static enum rc set_password(struct db *db, struct change *c, struct err *e)
{
    enum rc rc = store_user_set_password(db, c->user_id, c->password, e);
    if (rc == RC_OK)
        rc = end_access(db, c, e);
    if (rc != RC_OK || !c->signin)
        return rc;
    rc = signin_attempt_forgive(db, c->forgive, e);
    return rc == RC_OK ? auth_login_add(db, c->config, c->from, c->signin, e) : rc;
}

static enum rc set_disabled(struct db *db, struct change *c, struct err *e)
{
    enum rc rc = c->disabled ? refuse_last_admin(db, c, e) : RC_OK;
    if (rc == RC_OK)
        rc = store_user_set_disabled(db, c->user_id, c->disabled ? c->from->now : 0, e);
    if (rc == RC_OK)
        rc = c->disabled ? end_access(db, c, e) : store_job_hasten(db, c->user_id, c->from->now, e);
    return rc;
}

/* The helper erases the account and its data. */
static enum rc leave(struct db *db, struct change *c, struct err *e)
{
    enum rc rc = set_disabled(db, c, e);
    return rc == RC_OK ? store_job_add(db, JOB_ERASE_USER, 0, c->user_id, c->from->now, c->from->now, e) : rc;
}

static enum rc drop_second_step(struct db *db, struct change *c, struct err *e)
{
    return second_step_remove(db, c->user_id, e);
}

static enum rc set_role(struct db *db, struct change *c, struct err *e)
{
    enum rc rc = c->role == USER_ADMIN ? RC_OK : refuse_last_admin(db, c, e);
    return rc == RC_OK ? store_user_set_role(db, c->user_id, c->role, e) : rc;
}

static enum rc add_link(struct db *db, struct change *c, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    enum rc rc = store_user_by_id(db, a, c->user_id, &u, e);
    return rc == RC_OK
               ? store_code_add(db, c->code_hash, c->user_id, c->from->now + AUTH_LINK_HOURS * MS_PER_H, e)
               : rc;
}

static enum rc revoke(struct db *db, struct change *c, struct err *e)
{
    return store_login_revoke(db, c->user_id, c->text, c->from->now, e);
}

static enum rc revoke_others(struct db *db, struct change *c, struct err *e)
{
    return store_login_revoke_all(db, c->user_id, c->login_id, c->from->now, e);
}

static enum rc add_user(struct db *db, struct change *c, struct err *e)
{
    enum rc rc = store_user_add(db, c->text, c->role, c->password, c->from->now, &c->user_id, e);
    return rc == RC_CONFLICT ? err_say(e, RC_CONFLICT, "auth.name_taken") : rc;
}

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    enum rc rc = c->verified ? auth_password_is(db, c->user_id, c->verified, e) : RC_OK;
    if (rc == RC_OK)
        rc = c->run(db, c, e);
    if (rc != RC_OK)
        return rc;
    char detail[64];
    snprintf(detail, sizeof detail, "user %lld%s%s", (long long)c->user_id, c->names_role ? ": " : "",
        c->names_role ? user_role_name(c->role) : "");
    return auth_audit(db, c->from, c->by, c->action, detail, e);
}

enum rc auth_signout(
    struct store *s, const struct identity *who, const struct auth_client *from, struct err *e)
{
    struct change c = {.run = revoke,
        .action = "signout",
        .by = who->user_id,
        .from = from,
        .user_id = who->user_id,
        .text = who->login_pub};
    return store_write(s, change_tx, &c, e);
}

enum rc auth_revoke(struct store *s, const struct identity *who, const char *login_pub,
    const struct auth_client *from, struct err *e)
{
    struct change c = {.run = revoke,
        .action = "login_revoked",
        .by = who->user_id,
        .from = from,
        .user_id = who->user_id,
        .text = login_pub};
    return store_write(s, change_tx, &c, e);
}

enum rc auth_revoke_others(
    struct store *s, const struct identity *who, const struct auth_client *from, struct err *e)
{
    struct change c = {.run = revoke_others,
        .action = "other_logins_revoked",
        .by = who->user_id,
        .from = from,
        .user_id = who->user_id,
        .login_id = who->login_id};
    return store_write(s, change_tx, &c, e);
}

/* Hashes twice within one place of password_enter(). */
static enum rc try_and_hash(struct store *s, struct auth_try *t, const char *old, const char *current,
    const char *fresh, char hash[PASSWORD_HASH_SIZE], struct err *e)
{
    enum rc rc = auth_try_allowed(s, t, e);
    if (rc == RC_OK)
        rc = password_enter(PASSWORD_KNOWN_DEVICE, e);
    if (rc != RC_OK)
        return rc;
    rc = auth_try_password(s, t, old, current, e);
    if (rc == RC_OK && (rc = password_hash(fresh, hash, e)) != RC_OK)
        auth_try_withdraw(s, t);
    password_leave();
    return rc;
}

enum rc auth_change_password(struct store *s, const struct config *config, const struct identity *who,
    const char *current, const char *fresh, const struct auth_client *from, struct auth_signin *out,
    struct err *e)
{
    AUTO(arena) a = arena_new();
    char hash[PASSWORD_HASH_SIZE];
    struct user u;
    struct auth_try try = {.from = from, .label = arena_printf(a, "name:%s", who->name)};
    signin_attempt_device(&try.attempt, config, who->login_pub, from->now); /* the login is the device */
    enum rc rc = password_check(fresh, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(s);
    rc = store_user_by_id(db, a, who->user_id, &u, e);
    store_read_done(s, db);
    if (rc == RC_OK)
        rc = try_and_hash(s, &try, u.password, current, fresh, hash, e);
    if (rc == RC_OK) {
        out->user_id = u.id;
        snprintf(out->name, sizeof out->name, "%s", u.name);
        struct change c = {.run = set_password,
            .action = "password_changed",
            .by = who->user_id,
            .from = from,
            .user_id = who->user_id,
            .password = hash,
            .verified = u.password,
            .signin = out,
            .forgive = &try.attempt,
            .config = config};
        rc = store_write(s, change_tx, &c, e);
    }
    return rc == RC_UNAUTHENTICATED ? err_say(e, RC_UNAUTHENTICATED, "auth.wrong_password") : rc;
}

enum rc auth_leave(struct store *s, const struct config *config, const struct identity *who, const char *name,
    const char *password, const struct auth_client *from, struct err *e)
{
    AUTO(arena) a = arena_new();
    char typed[USER_NAME_MAX + 1];
    struct user u;
    if (auth_name(name, typed, NULL) != RC_OK || strcmp(typed, who->name) != 0)
        return err_say(e, RC_BAD_INPUT, "auth.other_name", arg_text("name", who->name));
    enum rc rc = auth_own_password(s, config, who, password, from, a, &u, e);
    if (rc == RC_OK) {
        struct change c = {.run = leave,
            .action = "account_deleted",
            .by = who->user_id,
            .from = from,
            .user_id = who->user_id,
            .verified = u.password,
            .disabled = true};
        rc = store_write(s, change_tx, &c, e);
    }
    return rc == RC_UNAUTHENTICATED ? err_say(e, RC_UNAUTHENTICATED, "auth.wrong_password") : rc;
}

static struct change new_user(
    int64_t by, const char *name, enum user_role role, const char *hash, const struct auth_client *from)
{
    return (struct change){.run = add_user,
        .action = "user_added",
        .names_role = true,
        .by = by,
        .from = from,
        .text = name,
        .role = role,
        .password = hash};
}

enum rc auth_user_add(struct store *s, int64_t by, const char *typed, enum user_role role,
    const char *password, const struct auth_client *from, int64_t *id, struct err *e)
{
    char name[USER_NAME_MAX + 1], hash[PASSWORD_HASH_SIZE] = "";
    enum rc rc = auth_name(typed, name, e);
    if (rc == RC_OK && password)
        rc = password_check(password, e);
    if (rc == RC_OK && password)
        rc = password_hash(password, hash, e);
    if (rc != RC_OK)
        return rc;
    struct change c = new_user(by, name, role, hash, from);
    rc = store_write(s, change_tx, &c, e);
    *id = c.user_id;
    return rc;
}

enum rc auth_user_add_in(
    struct db *db, int64_t by, const char *name, const struct auth_client *from, int64_t *id, struct err *e)
{
    struct change c = new_user(by, name, USER_MEMBER, "", from);
    enum rc rc = change_tx(db, &c, e);
    *id = c.user_id;
    return rc;
}

enum rc auth_user_link(struct store *s, int64_t by, int64_t user_id, const struct auth_client *from,
    char code[TOKEN_SIZE], struct err *e)
{
    struct change c = {.run = add_link, .action = "user_link", .by = by, .from = from, .user_id = user_id};
    token_new(code);
    token_hash(code, c.code_hash);
    return store_write(s, change_tx, &c, e);
}

enum rc auth_user_set_disabled(struct store *s, int64_t by, int64_t user_id, bool disabled,
    const struct auth_client *from, struct err *e)
{
    struct change c = {.run = set_disabled,
        .action = disabled ? "user_disabled" : "user_enabled",
        .by = by,
        .from = from,
        .user_id = user_id,
        .disabled = disabled};
    return store_write(s, change_tx, &c, e);
}

enum rc auth_user_set_role(struct store *s, int64_t by, int64_t user_id, enum user_role role,
    const struct auth_client *from, struct err *e)
{
    struct change c = {.run = set_role,
        .action = "user_role",
        .names_role = true,
        .by = by,
        .from = from,
        .user_id = user_id,
        .role = role};
    return store_write(s, change_tx, &c, e);
}

enum rc auth_user_second_step_off(
    struct store *s, int64_t by, int64_t user_id, const struct auth_client *from, struct err *e)
{
    struct change c = {
        .run = drop_second_step, .action = "second_step_off", .by = by, .from = from, .user_id = user_id};
    return store_write(s, change_tx, &c, e);
}

enum rc auth_user_set_password(struct store *s, int64_t by, int64_t user_id, const char *password,
    const struct auth_client *from, struct err *e)
{
    char hash[PASSWORD_HASH_SIZE];
    enum rc rc = password_check(password, e);
    if (rc == RC_OK)
        rc = password_hash(password, hash, e);
    if (rc != RC_OK)
        return rc;
    struct change c = {.run = set_password,
        .action = "password_changed",
        .by = by,
        .from = from,
        .user_id = user_id,
        .password = hash};
    return store_write(s, change_tx, &c, e);
}

struct zone_tx {
    int64_t user_id;
    const char *name;
};

static enum rc zone_tx(struct db *db, void *arg, struct err *e)
{
    const struct zone_tx *t = arg;
    return store_user_set_time_zone(db, t->user_id, t->name, e);
}

enum rc auth_set_time_zone(struct store *s, int64_t user_id, const char *name, struct err *e)
{
    if (!time_zone_is_name(str_of(name)))
        return err_say(e, RC_BAD_INPUT, "auth.bad_time_zone");
    struct zone_tx t = {user_id, name};
    return store_write(s, zone_tx, &t, e);
}
