/*
 * Links senders of channels to users. A user makes a code on the account page and sends it from the channel
 * ("/link CODE", or a link of the channel that contains it). From then on the sender acts as that user. A
 * code has 8 characters, without letters and digits that look alike. It is valid for an hour and works once.
 * The store has its hash.
 *
 * Wrong codes lock the sender for an hour. There is also a limit for all senders together, which bounds the
 * table and the guesses of many accounts.
 */
#ifndef ALFRED_APP_ACCOUNT_CHANNEL_IDENTITY_H
#define ALFRED_APP_ACCOUNT_CHANNEL_IDENTITY_H

#include "app/account/auth.h"
#include "base/clock.h"
#include "store/channel/identity.h"

#define LINK_CODE_SIZE         9 /* with its NUL */
#define LINK_CODE_MS           MS_PER_H
#define LINK_CODES_MAX         3   /* of one user; the oldest ends */
#define LINK_TRIES_MAX         5   /* wrong codes of one sender in LINK_LOCK_MS */
#define LINK_TRIES_ALL_MAX     500 /* of all senders */
#define LINK_LOCK_MS           MS_PER_H
#define LINKED_MAX             20  /* accounts of one user */
#define ADMISSIONS_MAX         100 /* people that wait for an admin */
#define CHANNEL_NAME_CHARS_MAX 80  /* of a person's name; longer ones are cut */

/* The user of a sender; 0: none, or one that is disabled. */
enum rc channel_identity_find(struct db *db, struct arena *a, const char *channel, const char *external_id,
    int64_t *user, struct err *e);

/* Makes a code for a user. */
enum rc link_code_new(struct store *s, int64_t user, int64_t now, char out[LINK_CODE_SIZE], struct err *e);

/* Uses a code that a sender sent, in the caller's transaction. Upper and lower case, blanks and hyphens do
 * not matter. `*wrong`: the code is wrong or has expired. The result is then RC_OK with `*user` 0, because
 * the transaction counts the wrong code and must be committed. RC_RATE_LIMITED: too many wrong ones.
 * RC_CONFLICT: the user has LINKED_MAX. Both have a sentence. */
enum rc channel_link(struct db *db, const char *channel, const char *external_id, const char *name,
    struct str code, int64_t now, int64_t *user, bool *wrong, struct err *e);

/* Stores that a stranger asks to be admitted. `chat` gets a message when an admin admits the stranger
 * (app/channel/router.h). `*is_new` false: the stranger has asked before. RC_CONFLICT, with a sentence:
 * ADMISSIONS_MAX wait. In the caller's transaction. */
enum rc channel_ask_admission(struct db *db, const char *channel, const char *external_id, const char *name,
    const char *chat, int64_t now, bool *is_new, struct err *e);

/* ---- the account and the users page ---- */

/* RC_NOT_FOUND. Adds an audit row. */
enum rc channel_unlink(
    struct store *s, int64_t user, int64_t id, const struct auth_client *from, struct err *e);
/* Links a person who asks for an account to the user. RC_NOT_FOUND, RC_CONFLICT. */
enum rc channel_admit(
    struct store *s, int64_t by, int64_t id, int64_t user, const struct auth_client *from, struct err *e);
/* The same with a new account of this name, in one transaction. Also the failures of auth_user_add(). */
enum rc channel_admit_new(struct store *s, int64_t by, int64_t id, const char *typed,
    const struct auth_client *from, int64_t *user, struct err *e);
/* Deletes the request. The person can ask again. RC_NOT_FOUND. */
enum rc channel_refuse(
    struct store *s, int64_t by, int64_t id, const struct auth_client *from, struct err *e);

#endif
