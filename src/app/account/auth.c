#include "app/account/auth_private.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "app/account/password.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/rand.h"
#include "store/account/audit.h"
#include "store/account/second_step.h"

#define DEVICE_MAX 64 /* length of the key under which a device's failures are counted */

static const char wrong[] = "auth.wrong";
static const char wrong_code[] = "auth.wrong_code";
static const char used_up[] = "auth.used_up";

/* ---- logins ---- */

/* People who share a browser share one device cookie. It is known for each of their accounts. */
static enum rc note_device(
    struct db *db, const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    enum rc rc = RC_NOT_FOUND;
    if (from->device) {
        token_hash(from->device, hash);
        rc = store_device_find(db, hash, 0, from->now - AUTH_DEVICE_DAYS * MS_PER_DAY, e);
    }
    if (rc == RC_OK) {
        snprintf(out->device, sizeof out->device, "%s", from->device);
    } else if (rc == RC_NOT_FOUND) {
        token_new(out->device);
        token_hash(out->device, hash);
    } else {
        return rc;
    }
    return store_device_note(db, hash, out->user_id, from->now, e);
}

enum rc auth_login_add(struct db *db, const struct config *c, const struct auth_client *from,
    struct auth_signin *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_new(out->token);
    token_hash(out->token, hash);
    int64_t expires = from->now + c->login.absolute_days * MS_PER_DAY;
    enum rc rc = store_login_add(db, out->user_id, hash, from->agent, from->address, from->now, expires, e);
    return rc == RC_OK ? note_device(db, from, out, e) : rc;
}

struct login_tx {
    const struct config *c;
    const struct auth_client *from;
    const struct signin_attempt *forgive; /* NULL: nothing was counted */
    const char *verified;                 /* the hash that the password was compared with; NULL: none was */
    const char *action;
    struct second_try second; /* code NULL: a page asks for it afterwards */
    const char *refused;      /* result: the sentence about the code; NULL: it was right, or not needed */
    struct auth_signin *out;
};

/* The cookie of the browser, not the address of a page, says whose code is awaited. */
static enum rc begin_signin(struct db *db, const struct login_tx *l, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_new(l->out->begun);
    token_hash(l->out->begun, hash);
    enum rc rc =
        store_signin_begun_add(db, l->out->user_id, hash, l->from->now + AUTH_BEGUN_MINUTES * MS_PER_MIN, e);
    return rc == RC_OK ? auth_audit(db, l->from, l->out->user_id, "code_asked", "", e) : rc;
}

/* The password was right. It is not counted, but it does not forgive earlier failures: otherwise a guesser of
 * codes who knows it could clear their count. */
static enum rc ask_code(struct db *db, struct login_tx *l, struct err *e)
{
    bool right;
    enum rc rc = l->forgive ? signin_attempt_withdraw(db, l->forgive, e) : RC_OK;
    l->forgive = NULL;
    if (rc != RC_OK)
        return rc;
    if (!l->second.code)
        return begin_signin(db, l, e);
    if (!*l->second.code) {
        l->refused = "auth.code_needed";
        return RC_OK;
    }
    rc = second_step_try(db, &l->second, &right, e);
    l->refused = rc == RC_OK && !right ? wrong_code : NULL;
    return rc;
}

/* Committed also when the code is wrong, because the attempt counts. */
static enum rc login_tx(struct db *db, void *arg, struct err *e)
{
    struct login_tx *l = arg;
    bool two_steps = false;
    enum rc rc = l->verified ? auth_password_is(db, l->out->user_id, l->verified, e) : RC_OK;
    if (rc == RC_OK)
        rc = store_second_step_is_on(db, l->out->user_id, &two_steps, e);
    if (rc == RC_OK && two_steps)
        rc = ask_code(db, l, e);
    if (rc != RC_OK || l->refused || *l->out->begun)
        return rc;
    rc = auth_login_add(db, l->c, l->from, l->out, e);
    if (rc == RC_OK && l->forgive)
        rc = signin_attempt_forgive(db, l->forgive, e);
    if (rc == RC_OK)
        rc = auth_audit(db, l->from, l->out->user_id, l->action, "", e);
    return rc;
}

enum rc auth_name(const char *typed, char out[USER_NAME_MAX + 1], struct err *e)
{
    size_t n = strlen(typed);
    bool good = n > 0 && n <= USER_NAME_MAX;
    for (size_t i = 0; good && i < n; i++) {
        unsigned char c = (unsigned char)typed[i];
        good = c < 0x80 && (isalnum(c) || c == '.' || c == '_' || c == '-');
        out[i] = (char)tolower(c);
    }
    if (!good)
        return err_say(e, RC_BAD_INPUT, "auth.bad_name", arg_int("max", USER_NAME_MAX));
    out[n] = '\0';
    return RC_OK;
}

struct asked {
    const struct config *c;
    const struct auth_client *from;
    const char *name; /* NULL: the typed name is not valid */
    struct arena *arena;
    struct user user; /* id 0: there is no such user */
    bool known;       /* the device is known to the account */
    struct auth_try try;
};

static enum rc is_known_device(struct db *db, struct asked *q, char device[DEVICE_MAX], struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    char hex[DEVICE_MAX / 2 + 1];
    q->known = false;
    if (!q->user.id || !q->from->device)
        return RC_OK;
    token_hash(q->from->device, hash);
    int64_t since = q->from->now - AUTH_DEVICE_DAYS * MS_PER_DAY;
    enum rc rc = store_device_find(db, hash, q->user.id, since, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    q->known = true;
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hex / 2);
    snprintf(device, DEVICE_MAX, "%s:%lld", hex, (long long)q->user.id);
    return RC_OK;
}

static enum rc find_limits(struct db *db, struct asked *q, struct err *e)
{
    char device[DEVICE_MAX];
    enum rc rc = is_known_device(db, q, device, e);
    if (rc != RC_OK)
        return rc;
    if (q->known)
        signin_attempt_device(&q->try.attempt, q->c, device, q->from->now);
    else
        signin_attempt_stranger(
            &q->try.attempt, q->c, q->name ? q->name : "?", q->from->address, q->from->now);
    return RC_OK;
}

/* Finds the user and the limits that apply. */
static enum rc look_up(struct db *db, void *arg, struct err *e)
{
    struct asked *q = arg;
    enum rc rc = q->name ? store_user_by_name(db, q->arena, q->name, &q->user, e) : RC_NOT_FOUND;
    return rc == RC_OK || rc == RC_NOT_FOUND ? find_limits(db, q, e) : rc;
}

/* The attempt with a code counts like one with a password, and for a stranger more strictly. */
static struct second_try second_try(const struct asked *q, const char *code)
{
    struct second_try t = {.attempt = q->try.attempt, .from = q->from, .user_id = q->user.id, .code = code};
    if (!q->known)
        signin_attempt_second_step(&t.attempt, q->user.id);
    return t;
}

static enum rc login_write(struct store *s, store_fn *run, void *tx, struct login_tx *l, struct err *e)
{
    enum rc rc = store_write(s, run, tx, e);
    if (rc == RC_RATE_LIMITED)
        auth_note(s, l->from, l->out->user_id, "signin_limited", "code");
    return rc == RC_OK && l->refused ? err_say(e, RC_UNAUTHENTICATED, l->refused) : rc;
}

enum rc auth_signin(struct store *s, const struct config *c, const char *typed, const char *password,
    const char *code, const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    char name[USER_NAME_MAX + 1];
    bool named = auth_name(typed, name, NULL) == RC_OK;
    struct asked q = {.c = c, .from = from, .name = named ? name : NULL, .arena = a, .try = {.from = from}};
    q.try.label = arena_printf(a, "name:%s", named ? name : "?");
    *out->begun = '\0';
    enum rc rc = code ? second_step_load(code, e) : RC_OK;
    if (rc == RC_OK)
        rc = store_with_reader(s, look_up, &q, e);
    if (rc == RC_OK)
        rc = auth_try_allowed(s, &q.try, e);
    if (rc == RC_OK)
        rc = password_enter(q.known ? PASSWORD_KNOWN_DEVICE : PASSWORD_STRANGER, e);
    if (rc != RC_OK)
        return rc;
    rc = auth_try_password(s, &q.try, q.user.id && !q.user.disabled_at ? q.user.password : NULL, password, e);
    password_leave();
    if (rc != RC_OK)
        return rc == RC_UNAUTHENTICATED ? err_say(e, RC_UNAUTHENTICATED, wrong) : rc;
    out->user_id = q.user.id;
    snprintf(out->name, sizeof out->name, "%s", q.user.name);
    struct login_tx tx = {.c = c,
        .from = from,
        .forgive = &q.try.attempt,
        .verified = q.user.password,
        .action = "signin",
        .second = second_try(&q, code),
        .out = out};
    rc = login_write(s, login_tx, &tx, &tx, e);
    if (rc == RC_RATE_LIMITED)
        auth_try_withdraw(s, &q.try); /* the codes are limited, the password was right */
    return rc == RC_UNAUTHENTICATED && !tx.refused ? err_say(e, RC_UNAUTHENTICATED, wrong) : rc;
}

/* ---- the code of the second step ---- */

struct code_tx {
    struct login_tx login;
    struct asked asked;
    unsigned char begun_hash[TOKEN_HASH_SIZE];
};

static enum rc find_begun(struct db *db, void *arg, struct err *e)
{
    struct code_tx *t = arg;
    int64_t id;
    enum rc rc = store_signin_begun_user(db, t->begun_hash, t->asked.from->now, &id, e);
    if (rc == RC_OK)
        rc = store_user_by_id(db, t->asked.arena, id, &t->asked.user, e);
    t->asked.name = rc == RC_OK ? t->asked.user.name : NULL;
    return rc == RC_OK ? find_limits(db, &t->asked, e) : rc;
}

/* A new password, disabling the user and turning the second step off delete the row of the begun sign-in. */
static enum rc code_tx(struct db *db, void *arg, struct err *e)
{
    struct code_tx *t = arg;
    int64_t id;
    bool right;
    enum rc rc = store_signin_begun_user(db, t->begun_hash, t->login.from->now, &id, e);
    if (rc == RC_OK)
        rc = second_step_try(db, &t->login.second, &right, e);
    if (rc == RC_OK && !right)
        t->login.refused = wrong_code;
    if (rc != RC_OK || t->login.refused)
        return rc;
    rc = store_signin_begun_delete(db, t->begun_hash, e);
    if (rc == RC_OK)
        rc = auth_login_add(db, t->login.c, t->login.from, t->login.out, e);
    return rc == RC_OK ? auth_audit(db, t->login.from, id, t->login.action, "", e) : rc;
}

enum rc auth_signin_code(struct store *s, const struct config *c, const char *begun, const char *code,
    const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct code_tx t = {.login = {.c = c, .from = from, .action = "signin", .out = out},
        .asked = {.c = c, .from = from, .arena = a}};
    token_hash(begun, t.begun_hash);
    *out->begun = '\0';
    enum rc rc = store_with_reader(s, find_begun, &t, e);
    if (rc == RC_OK)
        rc = second_step_load(code, e);
    if (rc != RC_OK)
        return rc;
    out->user_id = t.asked.user.id;
    snprintf(out->name, sizeof out->name, "%s", t.asked.user.name);
    t.login.second = second_try(&t.asked, code);
    return login_write(s, code_tx, &t, &t.login, e);
}

enum rc auth_signin_is_begun(struct store *s, const char *begun, int64_t now, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    int64_t id;
    token_hash(begun, hash);
    struct db *db = store_read(s);
    enum rc rc = store_signin_begun_user(db, hash, now, &id, e);
    store_read_done(s, db);
    return rc;
}

/* ---- one-time codes ---- */

struct welcome_tx {
    struct login_tx login;
    unsigned char code_hash[TOKEN_HASH_SIZE];
    const char *name, *password_hash; /* name NULL: none was given */
};

static enum rc first_admin(struct db *db, struct welcome_tx *w, int64_t *id, struct err *e)
{
    int64_t users;
    enum rc rc = store_user_count(db, &users, e);
    if (rc != RC_OK)
        return rc;
    if (users > 0)
        return err_say(e, RC_UNAUTHENTICATED, used_up);
    if (!w->name)
        return err_say(e, RC_BAD_INPUT, "auth.choose_name");
    return store_user_add(db, w->name, USER_ADMIN, w->password_hash, w->login.from->now, id, e);
}

static enum rc welcome_tx(struct db *db, void *arg, struct err *e)
{
    struct welcome_tx *w = arg;
    AUTO(arena) a = arena_new();
    struct user u;
    int64_t id;
    enum rc rc = store_code_use(db, w->code_hash, w->login.from->now, &id, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_UNAUTHENTICATED, used_up);
    if (rc != RC_OK)
        return rc;
    rc = store_code_drop_unused(db, id, e); /* the other links of the same user */
    if (rc != RC_OK)
        return rc;
    if (id == 0)
        rc = first_admin(db, w, &id, e);
    else if ((rc = store_user_set_password(db, id, w->password_hash, e)) == RC_OK)
        rc = store_login_revoke_all(db, id, 0, w->login.from->now, e);
    if (rc == RC_OK)
        rc = store_api_token_delete_all(db, id, e);
    if (rc == RC_OK)
        rc = store_signin_begun_drop(db, id, e);
    if (rc == RC_OK)
        rc = signin_codes_forget(db, id, e);
    if (rc == RC_OK)
        rc = store_user_by_id(db, a, id, &u, e);
    if (rc == RC_OK && u.disabled_at)
        rc = err_say(e, RC_UNAUTHENTICATED, "auth.disabled");
    if (rc != RC_OK)
        return rc;
    w->login.out->user_id = id;
    snprintf(w->login.out->name, sizeof w->login.out->name, "%s", u.name);
    rc = login_tx(db, &w->login, e);
    return rc == RC_OK && *w->login.out->begun ? auth_audit(db, w->login.from, id, w->login.action, "", e)
                                               : rc;
}

struct code_owner {
    const unsigned char *hash;
    int64_t now;
    char name[USER_NAME_MAX + 1]; /* empty: that of the first admin */
};

/* The code of the first admin is as good as none once there are users. */
static enum rc find_owner(struct db *db, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct code_owner *o = arg;
    struct user u;
    int64_t id, users;
    enum rc rc = store_code_user(db, o->hash, o->now, &id, e);
    if (rc == RC_OK && id == 0 && (rc = store_user_count(db, &users, e)) == RC_OK && users > 0)
        return err_set(e, RC_NOT_FOUND, "there is an admin");
    if (rc != RC_OK || id == 0 || (rc = store_user_by_id(db, a, id, &u, e)) != RC_OK)
        return rc;
    if (u.disabled_at)
        return err_set(e, RC_NOT_FOUND, "user %lld is disabled", (long long)id);
    snprintf(o->name, sizeof o->name, "%s", u.name);
    return RC_OK;
}

/* No password is hashed for a bad code, so a guess is cheap. Concurrent attempts may be counted late. */
static enum rc check_code(struct store *s, struct auth_try *t, struct code_owner *o, struct err *e)
{
    enum rc rc = auth_try_allowed(s, t, e);
    if (rc != RC_OK)
        return rc;
    rc = store_with_reader(s, find_owner, o, e);
    if (rc != RC_NOT_FOUND)
        return rc;
    auth_note(s, t->from, 0, "signin_refused", t->label);
    signin_attempt_write(s, signin_attempt_begin, &t->attempt, NULL);
    return err_say(e, RC_UNAUTHENTICATED, used_up);
}

enum rc auth_welcome(struct store *s, const struct config *c, const char *code, const char *typed,
    const char *password, const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    char name[USER_NAME_MAX + 1], hash[PASSWORD_HASH_SIZE];
    bool named = typed && *typed;
    struct auth_try try = {.from = from};
    signin_attempt_code(&try.attempt, c, from->address, from->now);
    try.label = try.attempt.counts[0].subject;
    struct welcome_tx w = {.login = {.c = c, .from = from, .action = "welcome", .out = out},
        .name = named ? name : NULL,
        .password_hash = hash};
    *out->begun = '\0';
    token_hash(code, w.code_hash);
    struct code_owner owner = {.hash = w.code_hash, .now = from->now};
    enum rc rc = named ? auth_name(typed, name, e) : RC_OK;
    if (rc == RC_OK)
        rc = password_check(password, e);
    if (rc == RC_OK)
        rc = check_code(s, &try, &owner, e);
    if (rc == RC_OK)
        rc = password_enter(PASSWORD_STRANGER, e);
    if (rc != RC_OK)
        return rc;
    rc = password_hash(password, hash, e);
    password_leave();
    return rc == RC_OK ? store_write(s, welcome_tx, &w, e) : rc;
}

enum rc auth_code_name(struct store *s, const struct config *c, const char *code,
    const struct auth_client *from, char name[USER_NAME_MAX + 1], struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    struct auth_try try = {.from = from};
    struct code_owner owner = {.hash = hash, .now = from->now};
    signin_attempt_code(&try.attempt, c, from->address, from->now);
    try.label = try.attempt.counts[0].subject;
    token_hash(code, hash);
    enum rc rc = check_code(s, &try, &owner, e);
    snprintf(name, USER_NAME_MAX + 1, "%s", rc == RC_OK ? owner.name : "");
    return rc;
}
