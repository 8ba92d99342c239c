/*
 * Public ids: a prefix for the kind, then a UUIDv7 (RFC 9562: 48 bits of milliseconds, 74 random bits) in
 * Crockford's base32, lower case, 26 characters. They sort by their time of creation and cannot be guessed.
 */
#ifndef ALFRED_BASE_ID_H
#define ALFRED_BASE_ID_H

#include <stdbool.h>

#define ID_BODY      26
#define ID_SIZE      (4 + ID_BODY + 1) /* "ses_" + body + NUL */
#define ID_SESSION   "ses_"
#define ID_TURN      "trn_"
#define ID_LOGIN     "lgn_"
#define ID_API_TOKEN "tok_"
#define ID_BATCH     "bat_"

/* `prefix` is one of the four-character ID_ prefixes. */
void id_new(const char *prefix, char out[ID_SIZE]);
bool id_valid(const char *prefix, const char *id); /* NULL is not valid */

#endif
