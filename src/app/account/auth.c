#include "app/account/auth.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "app/account/password.h"
#include "base/clock.h"
#include "base/log.h"

#define SUBJECT_MAX 128
#define DETAIL_MAX  128

static const char wrong[] = "Name or password is wrong.";

/* Failures: one subject per account name and one per address */

struct subjects {
    char name[SUBJECT_MAX], address[SUBJECT_MAX];
};

static void subjects_of(struct subjects *s, const char *name, const char *address)
{
    snprintf(s->name, sizeof s->name, "name:%s", name);
    snprintf(s->address, sizeof s->address, "addr:%s", address);
}

struct failure_check {
    const struct config *c;
    struct subjects subjects;
    int64_t now;
};

static enum rc check_failures(struct db *db, void *arg, struct err *e)
{
    struct failure_check *f = arg;
    const char *all[] = {f->subjects.name, f->subjects.address};
    int64_t window = f->c->login.failure_minutes * MS_PER_MIN;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        int64_t count, oldest;
        enum rc rc = store_failure_count(db, all[i], f->now - window, &count, &oldest, e);
        if (rc != RC_OK)
            return rc;
        if (count >= f->c->login.failures) {
            err_say(e, RC_RATE_LIMITED, "Too many failed attempts. Please wait a few minutes and try again.");
            if (e)
                e->retry_after_s = (int)((oldest + window - f->now) / MS_PER_S) + 1;
            return RC_RATE_LIMITED;
        }
    }
    return RC_OK;
}

struct refusal {
    const struct auth_client *from;
    const struct subjects *count; /* the failure to count, NULL: none */
    int64_t user_id;              /* 0: not known */
    const char *action, *detail;
};

static enum rc refusal_tx(struct db *db, void *arg, struct err *e)
{
    const struct refusal *r = arg;
    enum rc rc = r->count ? store_failure_add(db, r->count->name, r->from->now, e) : RC_OK;
    if (rc == RC_OK && r->count)
        rc = store_failure_add(db, r->count->address, r->from->now, e);
    if (rc == RC_OK)
        rc = store_audit(db, r->from->now, r->user_id, r->action, r->detail, r->from->address, e);
    return rc;
}

/* The refusal itself is what the caller reports; that it could not be noted is only logged. */
static void note(struct store *s, struct refusal r)
{
    struct err e = ERR_INIT;
    if (store_write(s, refusal_tx, &r, &e) != RC_OK)
        log_error("noting a refusal: %s", e.text);
}

static void note_failure(struct store *s, const struct subjects *subjects, const struct auth_client *from)
{
    note(s, (struct refusal){from, subjects, 0, "signin_refused", subjects->name});
}

void auth_note_refused(
    struct store *s, const struct identity *who, const struct auth_client *from, const char *what)
{
    note(s, (struct refusal){from, NULL, who->user_id, "refused", what});
}

/* Refuses before the password is looked at when there were too many failures. */
static enum rc failures_allow(
    struct store *s, struct failure_check *f, const struct auth_client *from, struct err *e)
{
    enum rc rc = store_with_reader(s, check_failures, f, e);
    if (rc == RC_RATE_LIMITED) /* not counted again: the limit would never end */
        note(s, (struct refusal){from, NULL, 0, "signin_limited", f->subjects.name});
    return rc;
}

/* Logins */

struct login_tx {
    const struct config *c;
    const struct auth_client *from;
    const struct subjects *forgive; /* failures to forget, may be NULL */
    const char *action;
    struct auth_signin *out;
};

static enum rc add_login(struct db *db, const struct login_tx *l, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_new(l->out->token);
    token_hash(l->out->token, hash);
    int64_t expires = l->from->now + l->c->login.absolute_days * MS_PER_DAY;
    enum rc rc = store_login_add(
        db, l->out->user_id, hash, l->from->agent, l->from->address, l->from->now, expires, e);
    if (rc == RC_OK && l->forgive)
        rc = store_failure_clear(db, l->forgive->name, e);
    if (rc == RC_OK)
        rc = store_audit(db, l->from->now, l->out->user_id, l->action, "", l->from->address, e);
    return rc;
}

static enum rc signin_tx(struct db *db, void *arg, struct err *e)
{
    return add_login(db, arg, e);
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
        return err_say(e, RC_BAD_INPUT, "A name has 1 to %d letters, digits, dots, dashes or underscores.",
            USER_NAME_MAX);
    out[n] = '\0';
    return RC_OK;
}

static enum rc find_user(struct store *s, struct arena *a, const char *name, struct user *u, struct err *e)
{
    struct db *db = store_read(s);
    enum rc rc = store_user_by_name(db, a, name, u, e);
    store_read_done(s, db);
    return rc;
}

enum rc auth_signin(struct store *s, const struct config *c, const char *typed, const char *password,
    const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u = {0};
    char name[USER_NAME_MAX + 1] = "";
    bool named = auth_name(typed, name, NULL) == RC_OK;
    struct failure_check check = {.c = c, .now = from->now};
    subjects_of(&check.subjects, named ? name : "?", from->address);
    enum rc rc = failures_allow(s, &check, from, e);
    if (rc != RC_OK)
        return rc;
    rc = named ? find_user(s, a, name, &u, e) : RC_NOT_FOUND;
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    rc = password_verify(rc == RC_OK && !u.disabled_at ? u.password : NULL, password, e);
    if (rc == RC_UNAUTHENTICATED) {
        note_failure(s, &check.subjects, from);
        return err_say(e, RC_UNAUTHENTICATED, "%s", wrong);
    }
    if (rc != RC_OK)
        return rc;
    out->user_id = u.id;
    snprintf(out->name, sizeof out->name, "%s", u.name);
    struct login_tx tx = {.c = c, .from = from, .forgive = &check.subjects, .action = "signin", .out = out};
    return store_write(s, signin_tx, &tx, e);
}

/* One-time codes */

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
        return err_say(e, RC_UNAUTHENTICATED, "This link has been used or is too old.");
    if (!w->name)
        return err_say(e, RC_BAD_INPUT, "Choose a name to sign in with.");
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
        return err_say(e, RC_UNAUTHENTICATED, "This link has been used or is too old.");
    if (rc != RC_OK)
        return rc;
    if (id == 0)
        rc = first_admin(db, w, &id, e);
    else if ((rc = store_user_set_password(db, id, w->password_hash, e)) == RC_OK)
        rc = store_login_revoke_all(db, id, 0, w->login.from->now, e);
    if (rc == RC_OK)
        rc = store_user_by_id(db, a, id, &u, e);
    if (rc == RC_OK && u.disabled_at)
        rc = err_say(e, RC_UNAUTHENTICATED, "This account is disabled.");
    if (rc != RC_OK)
        return rc;
    w->login.out->user_id = id;
    snprintf(w->login.out->name, sizeof w->login.out->name, "%s", u.name);
    return add_login(db, &w->login, e);
}

enum rc auth_welcome(struct store *s, const struct config *c, const char *code, const char *typed,
    const char *password, const struct auth_client *from, struct auth_signin *out, struct err *e)
{
    char name[USER_NAME_MAX + 1], hash[PASSWORD_HASH_SIZE];
    struct failure_check check = {.c = c, .now = from->now};
    subjects_of(&check.subjects, "welcome", from->address);
    snprintf(check.subjects.name, sizeof check.subjects.name, "code:%s", from->address);
    enum rc rc = failures_allow(s, &check, from, e);
    if (rc == RC_OK && typed && *typed)
        rc = auth_name(typed, name, e);
    if (rc == RC_OK)
        rc = password_check(password, e);
    if (rc == RC_OK)
        rc = password_hash(password, hash, e);
    if (rc != RC_OK)
        return rc;
    struct welcome_tx w = {.login = {.c = c, .from = from, .action = "welcome", .out = out},
        .name = typed && *typed ? name : NULL,
        .password_hash = hash};
    token_hash(code, w.code_hash);
    rc = store_write(s, welcome_tx, &w, e);
    if (rc == RC_UNAUTHENTICATED)
        note_failure(s, &check.subjects, from);
    return rc;
}

/* Requests */

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
    struct db *db = store_read(s);
    enum rc rc = store_login_find(db, hash, now, now - c->login.idle_days * MS_PER_DAY, out, e);
    store_read_done(s, db);
    if (rc == RC_NOT_FOUND)
        return err_set(e, RC_UNAUTHENTICATED, "no live login");
    if (rc == RC_OK && now - out->used_at > AUTH_TOUCH_AFTER_MS) {
        struct touch_tx t = {out->login_id, now};
        struct err why = ERR_INIT;
        if (store_write(s, touch_tx, &t, &why) != RC_OK)
            log_warn("noting the use of a login: %s", why.text); /* a full disk signs nobody out */
    }
    return rc;
}

void auth_csrf(const char *token, char out[CSRF_SIZE])
{
    static const char purpose[] = "alfred csrf";
    unsigned char mac[32];
    size_t n = strlen(token);
    crypto_generichash(mac, sizeof mac, (const unsigned char *)purpose, sizeof purpose - 1,
        (const unsigned char *)token,
        n > crypto_generichash_KEYBYTES_MAX ? crypto_generichash_KEYBYTES_MAX : n);
    sodium_bin2base64(out, CSRF_SIZE, mac, sizeof mac, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool auth_csrf_equal(const char *a, const char *b)
{
    return strlen(a) == CSRF_SIZE - 1 && strlen(b) == CSRF_SIZE - 1 &&
           sodium_memcmp(a, b, CSRF_SIZE - 1) == 0;
}
