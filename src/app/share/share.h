/*
 * Shared links: a copy of one branch of a session for people without an account (store/session/share.h).
 *
 * Admins may share. Members may when [share] members allows it; when it does not, their links are not found.
 * A link has 128 random bits. It can have an end and a password. Wrong passwords and guessed links are
 * counted like failed sign-ins (app/account/signin_limit.h).
 */
#ifndef ALFRED_APP_SHARE_SHARE_H
#define ALFRED_APP_SHARE_SHARE_H

#include "app/account/auth.h"
#include "base/time_zone.h"
#include "store/session/share.h"

#define SHARE_BYTES_MAX         ((int64_t)8 * 1024 * 1024) /* bytes of text of a copy */
#define SHARE_PICTURE_BYTES_MAX ((int64_t)32 * 1024 * 1024)
#define SHARE_NAME_CHARS_MAX    60
#define SHARE_UNTIL_DAYS_MAX    3660
#define SHARE_KEY_SIZE          44 /* proof of a right password, for a cookie, with NUL */

/* Admins may share, members by [share] members. */
bool share_allowed(const struct config *c, enum user_role role);

struct share_input {
    const char *session;  /* public id */
    const char *name;     /* shown for the owner; NULL or "": none */
    const char *password; /* NULL or "": none */
    const char *until;    /* the last day, YYYY-MM-DD, in `zone`; NULL or "": no end */
    bool tools;
    const struct time_zone *zone;
};

/* Makes a link with its copy. RC_FORBIDDEN: share_allowed() says no. RC_BAD_INPUT: the password or the day.
 * RC_CONFLICT, RC_TOO_BIG: those of the store, with a sentence. */
enum rc share_add(struct store *s, const struct config *c, const struct identity *who,
    const struct share_input *in, const struct auth_client *from, int64_t *id, struct err *e);
/* Replaces the copy by the current visible branch of the session. */
enum rc share_renew(struct store *s, const struct config *c, const struct identity *who, int64_t id,
    const struct auth_client *from, struct err *e);
enum rc share_end(
    struct store *s, const struct identity *who, int64_t id, const struct auth_client *from, struct err *e);

/* ---- for everybody ---- */

/* Finds a link. RC_NOT_FOUND: there is none; that is counted. RC_RATE_LIMITED: this network has guessed too
 * often. */
enum rc share_find(struct store *s, const struct config *c, struct arena *a, const char *token,
    const struct auth_client *from, struct share *out, struct err *e);
/* RC_UNAUTHENTICATED with a sentence: wrong. RC_RATE_LIMITED: too often. */
enum rc share_unlock(struct store *s, const struct config *c, const struct share *share, const char *password,
    const struct auth_client *from, struct err *e);
/* The key that a browser keeps after the right password. Another password makes another key. */
void share_key(const struct share *share, char out[SHARE_KEY_SIZE]);
/* True when the link needs no password, or `key` (NULL: none) is that of its password. */
bool share_is_open(const struct share *share, const char *key);

#endif
