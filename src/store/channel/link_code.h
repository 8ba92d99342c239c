/* Codes with which a user links an account of a channel, and wrong ones of the last hour. */
#ifndef ALFRED_STORE_CHANNEL_LINK_CODE_H
#define ALFRED_STORE_CHANNEL_LINK_CODE_H

#include "store/store.h"

#define LINK_HASH_SIZE 32

/* Adds a code and deletes the user's oldest beyond `keep`, and those that have expired. */
enum rc store_link_code_add(struct db *db, int64_t user_id, const unsigned char hash[LINK_HASH_SIZE],
    int64_t expires_at, int64_t now, int keep, struct err *e);
/* The user of a code. RC_NOT_FOUND: absent, expired, or the user is disabled. */
enum rc store_link_code_find(
    struct db *db, const unsigned char hash[LINK_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e);
enum rc store_link_code_delete(struct db *db, const unsigned char hash[LINK_HASH_SIZE], struct err *e);

/* Counts since `from`: of the sender, and of all. */
enum rc store_link_try_count(struct db *db, const unsigned char sender[LINK_HASH_SIZE], int64_t from,
    int64_t *own, int64_t *all, struct err *e);
/* Adds one, and deletes those before `from`. */
enum rc store_link_try_add(
    struct db *db, const unsigned char sender[LINK_HASH_SIZE], int64_t now, int64_t from, struct err *e);
enum rc store_link_try_clear(struct db *db, const unsigned char sender[LINK_HASH_SIZE], struct err *e);

#endif
