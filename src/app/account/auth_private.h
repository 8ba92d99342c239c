/* Shared by the files of accounts: checking a password or a code, beginning a login, adding a user. */
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

/* Compares the password of a signed-in user, between password_enter() and password_leave(), and takes a right
 * attempt back. RC_UNAUTHENTICATED, with a sentence. `u`: the user, in the arena, for auth_password_is(). */
enum rc auth_own_password(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const struct auth_client *from, struct arena *a, struct user *u, struct err *e);

/* A code of the second step (second_step.h). */
struct second_try {
    struct signin_attempt attempt;
    const struct auth_client *from;
    int64_t user_id;
    const char *code; /* as typed */
};
/* Call it before the transaction: loads what this code needs. RC_UNAVAILABLE. */
enum rc second_step_load(const char *code, struct err *e);
/* In a writing transaction, which must be committed after RC_OK: counts the attempt and checks the code,
 * which is used up if it is right; otherwise the attempt stays counted. RC_NOT_FOUND: the second step is off.
 * RC_RATE_LIMITED. */
enum rc second_step_try(struct db *db, const struct second_try *t, bool *right, struct err *e);
/* Turns it off. RC_NOT_FOUND: it is off. */
enum rc second_step_remove(struct db *db, int64_t user_id, struct err *e);

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
