/*
 * The second step of a sign-in: a code of the user's authenticator app (totp.h), or one of RECOVERY_CODES
 * recovery codes, each of which works once.
 *
 * A user sets it up: second_step_begin() makes a secret, and second_step_confirm() makes it active when the
 * app shows the right code. From then on auth_signin() with a right password only begins the sign-in, and
 * auth_signin_code() ends it. Codes of the app work once, too. Wrong codes count like wrong passwords, and
 * the right password does not forgive them (signin_limit.h).
 *
 * The store has the secret as it is, and hashes of the recovery codes. No code and no secret is in a log or
 * an audit row. All functions may be called from any thread.
 */
#ifndef ALFRED_APP_ACCOUNT_SECOND_STEP_H
#define ALFRED_APP_ACCOUNT_SECOND_STEP_H

#include "app/account/auth.h"
#include "store/account/second_step.h"

#define SECOND_STEP_SETUP_MINUTES 60 /* from the password to the first code */
#define RECOVERY_CODES            10
#define RECOVERY_CODE_SIZE        25 /* 5 groups of 4 digits (66 bits), dashes, and NUL */

/* Makes a secret that is not active yet. The login of `who` can confirm it. RC_UNAUTHENTICATED: the password
 * is wrong (rate limited as in auth.h). RC_CONFLICT: the second step is on. RC_UNAVAILABLE: this machine
 * cannot compute codes. All have a sentence, except the last. */
enum rc second_step_begin(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const struct auth_client *from, struct err *e);

/* The secret that this login has begun to set up. RC_NOT_FOUND: none, or it is too old. */
enum rc second_step_begun(struct store *s, const struct identity *who, int64_t now,
    unsigned char secret[SECOND_STEP_SECRET], struct err *e);

/* Makes it active and gives the recovery codes, which cannot be read again. RC_UNAUTHENTICATED with a
 * sentence: the code is wrong. RC_NOT_FOUND as above. */
enum rc second_step_confirm(struct store *s, const struct identity *who, const char *code,
    const struct auth_client *from, char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE], struct err *e);

/* Both need the password and a code. RC_UNAUTHENTICATED with a sentence: one of them is wrong.
 * RC_RATE_LIMITED. RC_NOT_FOUND: the second step is off. */
enum rc second_step_new_codes(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const char *code, const struct auth_client *from,
    char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE], struct err *e);
enum rc second_step_off(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const char *code, const struct auth_client *from, struct err *e);

#endif
