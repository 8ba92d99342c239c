/*
 * Codes of authenticator apps: TOTP (RFC 6238) with HMAC-SHA-1, 6 digits and steps of 30 s, which all apps
 * support. The hash is that of OpenSSL's libcrypto, which libcurl needs anyway. It is loaded at the first
 * code (base/shared_library.h).
 *
 * Any thread. Other functions than totp_load() may be called after it has returned RC_OK.
 */
#ifndef ALFRED_APP_ACCOUNT_TOTP_H
#define ALFRED_APP_ACCOUNT_TOTP_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define TOTP_SECRET_BYTES 20 /* the size of SHA-1, RFC 4226 section 4 */
#define TOTP_DIGITS       6
#define TOTP_STEP_MS      INT64_C(30000)
#define TOTP_SKEW         1 /* steps by which the clock of a phone may be wrong, either way */

/* RC_UNAVAILABLE: the library is missing. */
enum rc totp_load(struct err *e);

/* The code of a step: the number of steps since 1970. */
void totp_code(const unsigned char secret[TOTP_SECRET_BYTES], int64_t step, char out[TOTP_DIGITS + 1]);

/*
 * Whether `code`, digits only, is that of a step around `now` which is later than `last`, the step of the
 * last code that was accepted: each code works once. A `last` that is later than all of these is from before
 * the clock was set back, and does not count. Sets `*step` to the step of the code. In constant time.
 */
bool totp_match(
    const unsigned char secret[TOTP_SECRET_BYTES], struct str code, int64_t now, int64_t last, int64_t *step);

/* The secret in base32, and the address that opens an app with it (Key URI Format of Google Authenticator).
 * `account`: what the app shows below the name Alfred. In the arena. */
const char *totp_secret_text(struct arena *a, const unsigned char secret[TOTP_SECRET_BYTES]);
const char *totp_url(struct arena *a, const unsigned char secret[TOTP_SECRET_BYTES], const char *account);

#endif
