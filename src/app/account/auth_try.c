/* Attempts with a password, which are counted, and the audit rows about them. */
#include "app/account/auth_private.h"

#include <string.h>

#include "app/account/password.h"
#include "base/log.h"
#include "store/account/audit.h"

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

enum rc auth_own_password(struct store *s, const struct config *config, const struct identity *who,
    const char *password, const struct auth_client *from, struct arena *a, struct user *u, struct err *e)
{
    struct auth_try try = {.from = from, .label = arena_printf(a, "name:%s", who->name)};
    signin_attempt_device(&try.attempt, config, who->login_pub, from->now); /* the login is the device */
    struct db *db = store_read(s);
    enum rc rc = store_user_by_id(db, a, who->user_id, u, e);
    store_read_done(s, db);
    if (rc == RC_OK)
        rc = auth_try_allowed(s, &try, e);
    if (rc == RC_OK && (rc = password_enter(PASSWORD_KNOWN_DEVICE, e)) == RC_OK) {
        rc = auth_try_password(s, &try, u->password, password, e);
        password_leave();
    }
    if (rc == RC_OK)
        auth_try_withdraw(s, &try);
    return rc == RC_UNAUTHENTICATED ? err_say(e, RC_UNAUTHENTICATED, "auth.wrong_password") : rc;
}
