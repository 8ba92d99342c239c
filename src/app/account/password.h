/*
 * Passwords: argon2id with 64 MiB and 2 passes (libsodium's crypto_pwhash_str, which keeps salt and
 * parameters in the hash). At most PASSWORD_AT_ONCE computations run in a process, so that a flood of
 * sign-ins cannot take the machine's memory; the others wait for their turn, and beyond PASSWORD_WAITING or
 * PASSWORD_WAIT_MS are turned away.
 *
 * Any thread; the waiting room is the only shared state, with a lock of its own. sodium_init() must have run.
 */
#ifndef ALFRED_APP_PASSWORD_H
#define ALFRED_APP_PASSWORD_H

#include "base/err.h"

#define PASSWORD_CHARS_MIN 10
#define PASSWORD_BYTES_MAX 1024
#define PASSWORD_HASH_SIZE 128 /* crypto_pwhash_STRBYTES */
#define PASSWORD_AT_ONCE   4
#define PASSWORD_WAITING   32
#define PASSWORD_WAIT_MS   10000

/* RC_BAD_INPUT with a sentence: shorter than PASSWORD_CHARS_MIN characters, longer than PASSWORD_BYTES_MAX
 * bytes, not UTF-8. */
enum rc password_check(const char *typed, struct err *e);

/* RC_UNAVAILABLE: too many at once, or no memory for it. */
enum rc password_hash(const char *typed, char out[PASSWORD_HASH_SIZE], struct err *e);

/*
 * RC_OK when it is the password of `hash`; RC_UNAUTHENTICATED when not. A NULL or empty `hash` (an unknown
 * name, a user without a password) never matches, but takes as long. RC_UNAVAILABLE as above.
 */
enum rc password_verify(const char *hash, const char *typed, struct err *e);

#endif
