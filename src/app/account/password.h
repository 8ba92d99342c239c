/*
 * Passwords: argon2id with 64 MiB and 2 passes (libsodium's crypto_pwhash_str, which keeps salt and
 * parameters in the hash).
 *
 * A hash takes a thread a tenth of a second or more. A program that serves strangers therefore hashes between
 * password_enter() and password_leave(). At most PASSWORD_AT_ONCE threads hash at the same time. At most
 * PASSWORD_PLACES threads are inside. The last place is kept for known devices. A caller without a place is
 * refused at once.
 *
 * Any thread; the places are the only shared state, with a lock of their own. sodium_init() must have run.
 */
#ifndef ALFRED_APP_ACCOUNT_PASSWORD_H
#define ALFRED_APP_ACCOUNT_PASSWORD_H

#include "base/err.h"

#define PASSWORD_CHARS_MIN 10
#define PASSWORD_BYTES_MAX 1024
#define PASSWORD_HASH_SIZE 128 /* crypto_pwhash_STRBYTES */
#define PASSWORD_AT_ONCE   3
#define PASSWORD_PLACES    4
#define PASSWORD_SPARE     2 /* threads for changes that never hash */
#define PASSWORD_RETRY_S   2

/* RC_BAD_INPUT with a sentence: shorter than PASSWORD_CHARS_MIN characters, longer than PASSWORD_BYTES_MAX
 * bytes, not UTF-8. */
enum rc password_check(const char *typed, struct err *e);

/* Call before the threads of a program start. `threads`: the number of its threads for changes.
 * PASSWORD_SPARE of them never hash, unless no thread would be left for hashing. */
void password_threads(int threads);

enum password_caller {
    PASSWORD_STRANGER,
    PASSWORD_KNOWN_DEVICE, /* or a user who has signed in */
};
/* Takes a place and waits until it may hash. One place is kept for callers that are known. RC_UNAVAILABLE
 * with the time to wait: all are taken. */
enum rc password_enter(enum password_caller from, struct err *e);
void password_leave(void);

/* RC_UNAVAILABLE: no memory for it. */
enum rc password_hash(const char *typed, char out[PASSWORD_HASH_SIZE], struct err *e);

/*
 * RC_OK when it is the password of `hash`; RC_UNAUTHENTICATED when not. A NULL or empty `hash` (an unknown
 * name, a user without a password) never matches, but takes as long.
 */
enum rc password_verify(const char *hash, const char *typed, struct err *e);

#endif
