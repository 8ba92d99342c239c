/*
 * Authentication: signing in and out, one-time codes, passwords, a user's logins, users' rights.
 *
 * A login's token (32 random bytes, base64url) exists only in the browser's cookie; the store has its hash.
 * The CSRF token is derived from it (keyed BLAKE2b). It needs no storage and becomes invalid with the login.
 *
 * Failures are limited (signin_limit.h). Over a limit the answer is RC_RATE_LIMITED whether the password is
 * right or wrong. A second token marks the browser as a known device. Failures of strangers do not count for
 * a known device. The device token gives no rights and stays valid after the login ends. Few passwords are
 * hashed at once (password.h); beyond that the answer is RC_UNAVAILABLE. Every sign-in, refusal and change of
 * rights adds an audit row.
 *
 * All functions may be called from any thread. RC_UNAUTHENTICATED has a sentence for the user that does not
 * reveal whether the name exists.
 */
#ifndef ALFRED_APP_ACCOUNT_AUTH_H
#define ALFRED_APP_ACCOUNT_AUTH_H

#include "app/account/token.h"
#include "app/config/config.h"
#include "store/account/user.h"

#define CSRF_SIZE           87               /* mask and hash, 32 bytes each, as base64url, and NUL */
#define AUTH_TOUCH_AFTER_MS (5 * MS_PER_MIN) /* a login's last use is written at most this often */
#define AUTH_LINK_HOURS     24
#define AUTH_BEGUN_MINUTES  5   /* between the password and the code of the second step */
#define AUTH_DEVICE_DAYS    365 /* a device stays known for this long after its last sign-in */

struct auth_client {
    const char *address, *agent;
    int64_t now;
    const char *device; /* the device cookie as received, or NULL; used by sign-in only */
};

/* store_audit() at the client's time and from its address. */
enum rc auth_audit(struct db *db, const struct auth_client *from, int64_t user_id, const char *action,
    const char *detail, struct err *e);
/* The same in a transaction of its own. */
enum rc auth_audit_write(struct store *s, const struct auth_client *from, int64_t user_id, const char *action,
    const char *detail, struct err *e);

struct auth_signin {
    char token[TOKEN_SIZE];  /* for the cookie of the login */
    char device[TOKEN_SIZE]; /* for the cookie of the known device */
    char begun[TOKEN_SIZE]; /* not empty: there is no login yet, a code is missing; for the cookie of these */
    int64_t user_id;
    char name[USER_NAME_MAX + 1];
};

/* `code`: of the second step (second_step.h). NULL: a page asks for it afterwards, if the user has one, and
 * auth_signin_code() ends the sign-in that has begun. Otherwise a missing code ("") is RC_UNAUTHENTICATED
 * with a sentence of its own. RC_UNAUTHENTICATED, RC_RATE_LIMITED. */
enum rc auth_signin(struct store *s, const struct config *c, const char *name, const char *password,
    const char *code, const struct auth_client *from, struct auth_signin *out, struct err *e);

/* Ends the sign-in that the token `begun` stands for. RC_UNAUTHENTICATED: the code is wrong. RC_RATE_LIMITED.
 * RC_NOT_FOUND: it has not begun, was AUTH_BEGUN_MINUTES ago, or the password was changed since. */
enum rc auth_signin_code(struct store *s, const struct config *c, const char *begun, const char *code,
    const struct auth_client *from, struct auth_signin *out, struct err *e);
/* RC_NOT_FOUND as above. */
enum rc auth_signin_is_begun(struct store *s, const char *begun, int64_t now, struct err *e);

/*
 * Uses up a one-time code and answers with a login. A code without a user (first run) creates the first admin
 * `name`. The code of a user sets that user's password; if the user has a second step, the login waits for
 * its code, as after auth_signin(). RC_UNAUTHENTICATED: the code is bad. RC_BAD_INPUT and RC_CONFLICT leave
 * the code usable.
 */
enum rc auth_welcome(struct store *s, const struct config *c, const char *code, const char *name,
    const char *password, const struct auth_client *from, struct auth_signin *out, struct err *e);

/* The name of the user whose code it is, for the page of the link; "": the code of the first admin. The code
 * stays usable. A bad one counts as a failure, as in auth_welcome(). RC_RATE_LIMITED; RC_UNAUTHENTICATED,
 * with one sentence for a code that was used and for one that never existed. */
enum rc auth_code_name(struct store *s, const struct config *c, const char *code,
    const struct auth_client *from, char name[USER_NAME_MAX + 1], struct err *e);

/* The login of a cookie's token. Stores the time of use at most every AUTH_TOUCH_AFTER_MS.
 * RC_UNAUTHENTICATED. */
enum rc auth_identify(struct store *s, const struct config *c, const char *token, int64_t now,
    struct identity *out, struct err *e);
/* Adds the audit row of a signed-in user's request that the gate refused. `what` is its route. */
void auth_note_refused(
    struct store *s, const struct identity *who, const struct auth_client *from, const char *what);
/* The CSRF token of a login: a random mask, and a hash of the login's token under that mask. Each call gives
 * other text, so that the length of a compressed page reveals nothing about it (BREACH). */
void auth_csrf(const char *token, char out[CSRF_SIZE]);
bool auth_csrf_equal(const char *a, const char *b); /* of the same login; in constant time */

/* Ends the login of the request, another one of the same user, or all others, with an audit row.
 * RC_NOT_FOUND: the user has no such login. */
enum rc auth_signout(
    struct store *s, const struct identity *who, const struct auth_client *from, struct err *e);
enum rc auth_revoke(struct store *s, const struct identity *who, const char *login_pub,
    const struct auth_client *from, struct err *e);
enum rc auth_revoke_others(
    struct store *s, const struct identity *who, const struct auth_client *from, struct err *e);

/* Ends every login and API token of the user and gives a new login. RC_UNAUTHENTICATED when `current` is
 * wrong (rate limited as above). */
enum rc auth_change_password(struct store *s, const struct config *c, const struct identity *who,
    const char *current, const char *fresh, const struct auth_client *from, struct auth_signin *out,
    struct err *e);

/* Ends the account of `who` at once: nobody can sign in, every login and token ends. The helper erases it
 * with all data. RC_BAD_INPUT: `name` is not that of the account. RC_UNAUTHENTICATED: the password is wrong
 * (rate limited as above). RC_CONFLICT: the last active admin. All have a sentence. */
enum rc auth_leave(struct store *s, const struct config *c, const struct identity *who, const char *name,
    const char *password, const struct auth_client *from, struct err *e);

/* Names: 1 to 64 bytes of letters, digits and . _ - ; folded to lower case. RC_BAD_INPUT. */
enum rc auth_name(const char *typed, char out[USER_NAME_MAX + 1], struct err *e);

/* For the admin page and the command line (`by`: 0 from the command line). A link code signs its user in once
 * and lets them choose a password. */
enum rc auth_user_add(struct store *s, int64_t by, const char *name, enum user_role role,
    const char *password /* NULL: by link */, const struct auth_client *from, int64_t *id, struct err *e);
enum rc auth_user_link(struct store *s, int64_t by, int64_t user_id, const struct auth_client *from,
    char code[TOKEN_SIZE], struct err *e);
/* RC_CONFLICT for the last active admin. Disabling ends all logins and API tokens and deletes unused links,
 * as a new password does. */
enum rc auth_user_set_disabled(struct store *s, int64_t by, int64_t user_id, bool disabled,
    const struct auth_client *from, struct err *e);
enum rc auth_user_set_role(struct store *s, int64_t by, int64_t user_id, enum user_role role,
    const struct auth_client *from, struct err *e);
/* For a user who has lost the phone. RC_NOT_FOUND: it is off. */
enum rc auth_user_second_step_off(
    struct store *s, int64_t by, int64_t user_id, const struct auth_client *from, struct err *e);
enum rc auth_user_set_password(struct store *s, int64_t by, int64_t user_id, const char *password,
    const struct auth_client *from, struct err *e);

/* RC_BAD_INPUT for what cannot be the name of a time zone. One that this machine does not know is kept. */
enum rc auth_set_time_zone(struct store *s, int64_t user_id, const char *name, struct err *e);

#endif
