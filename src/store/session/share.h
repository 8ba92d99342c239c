/*
 * Shares: links to a copy of one branch of a session, made when it was shared or last renewed. The copy has
 * the texts and pictures of the user, the answers, and the calls of tools when that was chosen. It never has
 * reasoning, names of models or system messages. Pictures are copied, too: the copy does not change when a
 * message is deleted.
 *
 * A link is found by the hash of its token. Deleting the session deletes its links.
 */
#ifndef ALFRED_STORE_SESSION_SHARE_H
#define ALFRED_STORE_SESSION_SHARE_H

#include "store/account/user.h"
#include "store/message/message.h"

#define SHARE_TOKEN_SIZE 23  /* 16 bytes as base64url without padding, and NUL */
#define SHARES_MAX       200 /* of a user */

struct share {
    int64_t id, owner, session_id;
    const char *session; /* its public id */
    const char *token;
    const char *title;    /* NULL: none yet */
    const char *name;     /* NULL: none */
    const char *password; /* hash; NULL: none */
    bool tools;
    int64_t messages, pictures;                /* of the copy */
    int64_t created_at, copied_at, expires_at; /* expires_at 0: never */
    enum user_role owner_role;
};

/* Reads owner, session_id, token, name, password, tools, created_at, expires_at; sets the id. The copy is
 * made by store_share_copy(). RC_CONFLICT: SHARES_MAX. RC_NOT_FOUND: not the owner's session. */
enum rc store_share_add(
    struct db *db, struct share *s, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e);
/* Replaces the copy by the branch that the session shows now. RC_TOO_BIG, with a sentence: over
 * `bytes_max` of text, or `picture_bytes_max`. RC_CONFLICT: the branch has no message for it.
 * RC_NOT_FOUND: not the owner's. */
enum rc store_share_copy(struct db *db, int64_t owner, int64_t id, int64_t bytes_max,
    int64_t picture_bytes_max, int64_t now, struct err *e);
enum rc store_share_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct share *out, struct err *e);
/* The newest first. `session_id` 0: of all sessions. */
enum rc store_share_list(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct share **out, size_t *n, struct err *e);
enum rc store_share_delete(struct db *db, int64_t owner, int64_t id, struct err *e);

/* For everybody who has the link: RC_NOT_FOUND also after its end, and when its owner is disabled. */
enum rc store_share_find(struct db *db, struct arena *a, const unsigned char hash[TOKEN_HASH_SIZE],
    int64_t now, struct share *out, struct err *e);
/* The messages after `after` (0: from the first), with role, status, text, tool, calls, created_at, pictures,
 * and as id the place in the copy. At most `limit`, or fewer: at most `bytes_max` bytes of text and calls,
 * but at least one message. */
enum rc store_share_messages(struct db *db, struct arena *a, int64_t share_id, int64_t after, int limit,
    int64_t bytes_max, struct message **out, size_t *n, struct err *e);
struct share_picture {
    const char *media_type;
    struct str data;
};
/* A picture of the copy. RC_NOT_FOUND. */
enum rc store_share_picture(struct db *db, struct arena *a, int64_t share_id, const char *pub,
    struct share_picture *out, struct err *e);
/* Removes at most `limit` links that ended before `before`, with their copies. */
enum rc store_share_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);

#endif
