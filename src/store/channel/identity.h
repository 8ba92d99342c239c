/* People of channels: senders that are linked to a user, and senders that ask to be admitted. */
#ifndef ALFRED_STORE_CHANNEL_IDENTITY_H
#define ALFRED_STORE_CHANNEL_IDENTITY_H

#include "store/store.h"

struct channel_identity {
    int64_t id, user_id; /* user_id 0: asks to be admitted */
    const char *channel, *external_id, *name;
    int64_t created_at, linked_at;
    const char *ask_chat; /* gets a message when the person is admitted; NULL: none */
    const char *language; /* of the person's app, "de"; NULL: unknown */
};

/* RC_NOT_FOUND: unknown, or the user is disabled. A row that asks to be admitted is found. */
enum rc store_channel_identity_find(struct db *db, struct arena *a, const char *channel,
    const char *external_id, struct channel_identity *out, struct err *e);
/* Links the person to `user_id` (0: asks to be admitted), also one that is linked already. */
enum rc store_channel_identity_put(
    struct db *db, const struct channel_identity *c, int64_t now, struct err *e);
/* The linked people of a user; 0: those that ask. Oldest first. */
enum rc store_channel_identity_list(
    struct db *db, struct arena *a, int64_t user_id, struct channel_identity **out, size_t *n, struct err *e);
/* Keeps the language of the person's app ("de"). */
enum rc store_channel_identity_speaks(
    struct db *db, const char *channel, const char *external_id, const char *language, struct err *e);
/* The language of the person of a user who was linked last; in `a`. RC_NOT_FOUND: unknown. */
enum rc store_channel_identity_language(
    struct db *db, struct arena *a, int64_t user_id, const char **out, struct err *e);
enum rc store_channel_identity_count(struct db *db, int64_t user_id, int64_t *out, struct err *e);
/* RC_NOT_FOUND: not of this user (0: does not ask). */
enum rc store_channel_identity_get(
    struct db *db, struct arena *a, int64_t user_id, int64_t id, struct channel_identity *out, struct err *e);
enum rc store_channel_identity_delete(struct db *db, int64_t user_id, int64_t id, struct err *e);

/* Admitted people whose chat has not yet got a message about it; not those of disabled users. */
enum rc store_channel_identity_admitted(
    struct db *db, struct arena *a, struct channel_identity **out, size_t *n, struct err *e);
enum rc store_channel_identity_told(struct db *db, int64_t id, struct err *e);

#endif
