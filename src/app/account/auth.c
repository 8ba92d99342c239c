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

#define CSRF_HASH  32
#define DEVICE_MAX 64 /* length of the key under which a device's failures are counted */

static const char wrong[] = "auth.wrong";
static const char used_up[] = "auth.used_up";

/* ---- audit rows ---- */

enum rc auth_audit(struct db *db, const struct auth_client *from, int64_t user_id, const char *action,
    const char *detail, struct err *e)
{
    return store_audit(db, from->now, user_id, action, detail, from->address, e);
}

struct note {
    const struct auth_client *from;
    int64_t user_id; /* 0: not known */
    const char *action, *detail;
};

static enum rc note_tx(struct db *db, void *arg, struct err *e)
{
    const struct note *n = arg;
    return auth_audit(db, n->from, n->user_id, n->action, n->detail, e);
}

enum rc auth_audit_write(struct store *s, const struct auth_client *from, int64_t user_id, const char *action,
    const char *detail, struct err *e)
{
    return store_write(s, note_tx, &(struct note){from, user_id, action, detail}, e);
}

/* The caller reports the refusal. */
void auth_note(
    struct store *s, const struct auth_client *from, int64_t user_id, const char *action, const char *detail)
{
    struct err e = ERR_INIT;
    if (auth_audit_write(s, from, user_id, action, detail, &e) != RC_OK)
        log_error("noting a refusal: %s", e.text);
}

void auth_note_refused(
    struct store *s, const struct identity *who, const struct auth_client *from, const char *what)
{
    auth_note(s, from, who->user_id, "refused", what);
}

/* ---- attempts ---- */

/* A refused attempt is not counted: otherwise the limit would never end. */
static enum rc limited(struct store *s, struct auth_try *t, enum rc rc)
{
    if (rc == RC_RATE_LIMITED)
        auth_note(s, t->from, 0, "signin_limited", t->label);
    return rc;
}

enum rc auth_try_allowed(struct store *s, struct auth_try *t, struct err *e)
{
    return limited(s, t, signin_attempt_allowed(s, &t->attempt, e));
}

void auth_try_withdraw(struct store *s, struct auth_try *t)
{
    struct err e = ERR_INIT;
    if (signin_attempt_write(s, signin_attempt_withdraw, &t->attempt, &e) != RC_OK)
        log_error("withdrawing a sign-in attempt: %s", e.text);
}

enum rc auth_try_password(
    struct store *s, struct auth_try *t, const char *hash, const char *password, struct err *e)
{
    enum rc rc = limited(s, t, signin_attempt_write(s, signin_attempt_begin, &t->attempt, e));
    if (rc != RC_OK)
        return rc;
    rc = password_verify(hash, password, e);
    if (rc == RC_UNAUTHENTICATED)
        auth_note(s, t->from, 0, "signin_refused", t->label);
    else if (rc != RC_OK)
        auth_try_withdraw(s, t);
    return rc;
}

enum rc auth_password_is(struct db *db, int64_t user_id, const char *hash, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    enum rc rc = store_user_by_id(db, a, user_id, &u, e);
    if (rc == RC_OK && (u.disabled_at || strcmp(u.password, hash) != 0))
        return err_set(e, RC_UNAUTHENTICATED, "the password of user %lld was changed", (long long)user_id);
    return rc;
}

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
    struct auth_signin *out;
};

static enum rc login_tx(struct db *db, void *arg, struct err *e)
{
    const struct login_tx *l = arg;
    enum rc rc = l->verified ? auth_password_is(db, l->out->user_id, l->verified, e) : RC_OK;
    if (rc == RC_OK)
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

/* Finds the user and the limits that apply. */
static enum rc look_up(struct db *db, void *arg, struct err *e)
{
    struct asked *q = arg;
    char device[DEVICE_MAX];
    enum rc rc = q->name ? store_user_by_name(db, q->arena, q->name, &q->user, e) : RC_NOT_FOUND;
    if (rc == RC_OK || rc == RC_NOT_FOUND)
        rc = is_known_device(db, q, device, e);
    if (rc != RC_OK)
        return rc;
    if (q->known)
        signin_attempt_device(&q->try.attempt, q->c, device, q->from->now);
    else
        signin_attempt_stranger(
            &q->try.attempt, q->c, q->name ? q->name : "?", q->from->address, q->from->now);
    return RC_OK;
}

enum rc auth_signin(struct store *s, const struct config *c, const char *typed, const char *password,
    const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    char name[USER_NAME_MAX + 1];
    bool named = auth_name(typed, name, NULL) == RC_OK;
    struct asked q = {.c = c, .from = from, .name = named ? name : NULL, .arena = a, .try = {.from = from}};
    q.try.label = arena_printf(a, "name:%s", named ? name : "?");
    enum rc rc = store_with_reader(s, look_up, &q, e);
    if (rc == RC_OK)
        rc = auth_try_allowed(s, &q.try, e);
    if (rc == RC_OK)
        rc = password_enter(q.known ? PASSWORD_KNOWN_DEVICE : PASSWORD_STRANGER, e);
    if (rc != RC_OK)
        return rc;
    rc = auth_try_password(s, &q.try, q.user.id && !q.user.disabled_at ? q.user.password : NULL, password, e);
    password_leave();
    if (rc == RC_OK) {
        out->user_id = q.user.id;
        snprintf(out->name, sizeof out->name, "%s", q.user.name);
        struct login_tx tx = {.c = c,
            .from = from,
            .forgive = &q.try.attempt,
            .verified = q.user.password,
            .action = "signin",
            .out = out};
        rc = store_write(s, login_tx, &tx, e);
    }
    return rc == RC_UNAUTHENTICATED ? err_say(e, RC_UNAUTHENTICATED, wrong) : rc;
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
        rc = store_user_by_id(db, a, id, &u, e);
    if (rc == RC_OK && u.disabled_at)
        rc = err_say(e, RC_UNAUTHENTICATED, "auth.disabled");
    if (rc != RC_OK)
        return rc;
    w->login.out->user_id = id;
    snprintf(w->login.out->name, sizeof w->login.out->name, "%s", u.name);
    return login_tx(db, &w->login, e);
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

/* ---- requests ---- */

struct touch_tx {
    int64_t login_id, now;
};

static enum rc touch_tx(struct db *db, void *arg, struct err *e)
{
    struct touch_tx *t = arg;
    return store_login_touch(db, t->login_id, t->now, e);
}

enum rc auth_identify(struct store *s, const struct config *c, const char *token, int64_t now,
    struct identity *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_hash(token, hash);
    struct db *db = store_read_state(s); /* two statements */
    enum rc rc = store_login_find(db, hash, now, now - c->login.idle_days * MS_PER_DAY, out, e);
    store_read_done(s, db);
    if (rc == RC_NOT_FOUND)
        return err_set(e, RC_UNAUTHENTICATED, "no live login");
    if (rc == RC_OK && now - out->used_at > AUTH_TOUCH_AFTER_MS) {
        struct touch_tx t = {out->login_id, now};
        store_write_visit(s, touch_tx, &t); /* a full disk must not sign users out */
    }
    return rc;
}

void auth_csrf(const char *token, char out[CSRF_SIZE])
{
    static const char purpose[] = "alfred csrf";
    unsigned char masked[2 * CSRF_HASH], *mask = masked, *hash = masked + CSRF_HASH;
    size_t n = strlen(token);
    crypto_generichash(hash, CSRF_HASH, (const unsigned char *)purpose, sizeof purpose - 1,
        (const unsigned char *)token,
        n > crypto_generichash_KEYBYTES_MAX ? crypto_generichash_KEYBYTES_MAX : n);
    rand_bytes(mask, CSRF_HASH);
    for (size_t i = 0; i < CSRF_HASH; i++)
        hash[i] ^= mask[i];
    sodium_bin2base64(out, CSRF_SIZE, masked, sizeof masked, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* The hash without its mask; false: not a token. */
static bool csrf_hash(const char *token, unsigned char hash[CSRF_HASH])
{
    unsigned char masked[2 * CSRF_HASH];
    size_t n;
    if (strlen(token) != CSRF_SIZE - 1 ||
        sodium_base642bin(masked, sizeof masked, token, CSRF_SIZE - 1, NULL, &n, NULL,
            sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        n != sizeof masked)
        return false;
    for (size_t i = 0; i < CSRF_HASH; i++)
        hash[i] = masked[i] ^ masked[CSRF_HASH + i];
    return true;
}

bool auth_csrf_equal(const char *a, const char *b)
{
    unsigned char of_a[CSRF_HASH], of_b[CSRF_HASH];
    return csrf_hash(a, of_a) && csrf_hash(b, of_b) && sodium_memcmp(of_a, of_b, CSRF_HASH) == 0;
}
