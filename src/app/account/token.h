/*
 * Secrets that we hand out: the cookie of a login, the code of a sign-in link. The holder has the token, the
 * store only its hash, so a stolen database gives no access.
 */
#ifndef ALFRED_APP_ACCOUNT_TOKEN_H
#define ALFRED_APP_ACCOUNT_TOKEN_H

#include "store/account/user.h"

#define TOKEN_BYTES 32
#define TOKEN_SIZE  44 /* as base64url without padding, and NUL */

void token_new(char out[TOKEN_SIZE]);

/* BLAKE2b of the token's text. Any string is accepted; a malformed one matches nothing. */
void token_hash(const char *token, unsigned char out[TOKEN_HASH_SIZE]);

#endif
