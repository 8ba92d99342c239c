/* Shared by the files of accounts: checking a password, beginning a login, adding a user. */
#ifndef ALFRED_APP_ACCOUNT_AUTH_PRIVATE_H
#define ALFRED_APP_ACCOUNT_AUTH_PRIVATE_H

#include "app/account/auth.h"
#include "app/account/signin_limit.h"

struct auth_try {
    struct signin_attempt attempt;
    const char *label; /* detail of the audit rows, like "name:anna" */
    const struct auth_client *from;
};

/* Checks the limits without waiting. RC_RATE_LIMITED, with an audit row. */
enum rc auth_try_allowed(struct store *s, struct auth_try *t, struct err *e);
/* Counts the attempt and compares. The caller is between password_enter() and password_leave().
 * RC_UNAUTHENTICATED adds an audit row. After any other failure the attempt does not count. After RC_OK it
 * counts until signin_attempt_forgive() or auth_try_withdraw(). */
enum rc auth_try_password(
    struct store *s, struct auth_try *t, const char *hash, const char *password, struct err *e);
void auth_try_withdraw(struct store *s, struct auth_try *t);
/* In the transaction that uses a verified password: `hash`, which it was compared with, is still the user's.
 * RC_UNAUTHENTICATED: the password was changed meanwhile, or the user disabled. */
enum rc auth_password_is(struct db *db, int64_t user_id, const char *hash, struct err *e);

/* An audit row about a request that failed. A failure to write it is only logged. user_id 0: not known. */
void auth_note(
    struct store *s, const struct auth_client *from, int64_t user_id, const char *action, const char *detail);

/* A new login of out->user_id: fills out->token and out->device, and notes the device. */
enum rc auth_login_add(struct db *db, const struct config *c, const struct auth_client *from,
    struct auth_signin *out, struct err *e);

/* auth_user_add() in the caller's transaction: a member without a password. `name`: of auth_name(). */
enum rc auth_user_add_in(
    struct db *db, int64_t by, const char *name, const struct auth_client *from, int64_t *id, struct err *e);

#endif
