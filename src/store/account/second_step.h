/*
 * The second step of a sign-in: the secret of the user's authenticator app, the hashes of the recovery codes,
 * and sign-ins whose code is awaited (app/account/second_step.h). Deleting a user deletes all of them.
 */
#ifndef ALFRED_STORE_ACCOUNT_SECOND_STEP_H
#define ALFRED_STORE_ACCOUNT_SECOND_STEP_H

#include "store/account/user.h"

#define SECOND_STEP_SECRET 20 /* bytes */

struct second_step {
    int64_t login_id; /* the login that began to set it up */
    int64_t begun_at;
    int64_t active_at; /* 0: not confirmed yet */
    int64_t last_step; /* of the last accepted code; 0: none */
    int64_t recovery;  /* the number of recovery codes that are left */
    unsigned char secret[SECOND_STEP_SECRET];
};

/* RC_NOT_FOUND: the user has none, not even one that is not confirmed. */
enum rc store_second_step_get(struct db *db, int64_t user_id, struct second_step *out, struct err *e);
/* Whether an active one exists. */
enum rc store_second_step_is_on(struct db *db, int64_t user_id, bool *on, struct err *e);
/* In place of an earlier one that is not confirmed. RC_NOT_FOUND: one is active. */
enum rc store_second_step_begin(struct db *db, int64_t user_id, int64_t login_id,
    const unsigned char secret[SECOND_STEP_SECRET], int64_t now, struct err *e);
enum rc store_second_step_activate(struct db *db, int64_t user_id, int64_t step, int64_t now, struct err *e);
/* Notes the step of an accepted code. */
enum rc store_second_step_used(struct db *db, int64_t user_id, int64_t step, struct err *e);
/* With its recovery codes. RC_NOT_FOUND: none is active. */
enum rc store_second_step_delete(struct db *db, int64_t user_id, struct err *e);

enum rc store_recovery_code_add(
    struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e);
/* Uses it up. RC_NOT_FOUND: it is none of the user's. */
enum rc store_recovery_code_use(
    struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e);
enum rc store_recovery_code_clear(struct db *db, int64_t user_id, struct err *e);

enum rc store_signin_begun_add(struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE],
    int64_t expires_at, struct err *e);
/* RC_NOT_FOUND: absent or expired. */
enum rc store_signin_begun_user(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e);
enum rc store_signin_begun_delete(struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e);
/* All of a user. */
enum rc store_signin_begun_drop(struct db *db, int64_t user_id, struct err *e);
enum rc store_signin_begun_sweep(struct db *db, int64_t expired_before, struct err *e);

#endif
