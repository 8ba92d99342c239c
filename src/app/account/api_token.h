/*
 * API tokens: "alf_", 160 random bits in base62, and a checksum of 6 characters, so that a mistyped token is
 * refused without a look into the database and scanners for secrets find few false matches. A token is shown
 * once; the store has its hash (token.h).
 *
 * A token ends by its date, by revocation, and with the logins of its user: by a new password and when the
 * user is disabled. Requests with a bad token are limited by network. A valid token passes this limit,
 * because 160 bits cannot be guessed, and another program of the same network must not be able to lock it
 * out.
 *
 * Every new, revoked and refused token adds an audit row.
 */
#ifndef ALFRED_APP_ACCOUNT_API_TOKEN_H
#define ALFRED_APP_ACCOUNT_API_TOKEN_H

#include "app/account/auth.h"
#include "store/account/api_token.h"

#define API_TOKEN_SIZE           38 /* "alf_", 27 and 6 characters, and NUL */
#define API_TOKEN_NAME_CHARS_MAX 60
#define API_TOKENS_MAX           50   /* of one user */
#define API_TOKEN_DAYS_MAX       3650 /* until its end */
#define API_TOKEN_TOUCH_MS       MS_PER_MIN

void api_token_new(char out[API_TOKEN_SIZE]); /* random, with its checksum */
/* True when prefix, characters and checksum are right, so that the token may exist. */
bool api_token_well_formed(struct str token);

/* The names in a string with blanks between, in the arena. */
const char *api_scopes_text(struct arena *a, unsigned scopes);
/* RC_BAD_INPUT: an unknown word, or no word. */
enum rc api_scopes_parse(struct str words, unsigned *out, struct err *e);

struct api_token_input {
    const char *name;
    unsigned scopes;
    bool use_memory, use_tools;
    int64_t days; /* until its end; 0: none */
};

/*
 * Makes a token for the user. `by`: the rights of the program that asks; the new token gets no right that it
 * lacks and ends no later. NULL: no program. RC_BAD_INPUT, RC_FORBIDDEN, RC_CONFLICT: the user has
 * API_TOKENS_MAX.
 */
enum rc api_token_add(struct store *s, int64_t user_id, const struct api_rights *by,
    const struct api_token_input *in, const struct auth_client *from, struct arena *a, struct api_token *out,
    char token[API_TOKEN_SIZE], struct err *e);
enum rc api_token_revoke(
    struct store *s, int64_t user_id, const char *pub, const struct auth_client *from, struct err *e);

/* The user and the rights of a token. Stores the time of use at most every API_TOKEN_TOUCH_MS.
 * RC_UNAUTHENTICATED with a sentence, RC_RATE_LIMITED. */
enum rc api_token_identify(struct store *s, const struct config *c, struct str token,
    const struct auth_client *from, struct identity *out, struct err *e);

#endif
