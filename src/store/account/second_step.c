#include "store/account/second_step.h"

#include "store/row.h"

static struct second_step read_step(const struct rows *q, struct arena *a)
{
    struct second_step s = {
        .login_id = rows_int(q, 0),
        .begun_at = rows_int(q, 1),
        .active_at = rows_int(q, 2),
        .last_step = rows_int(q, 3),
        .recovery = rows_int(q, 4),
    };
    struct str secret = rows_blob(q, 5);
    (void)a;
    if (secret.len == sizeof s.secret)
        memcpy(s.secret, secret.s, sizeof s.secret);
    return s;
}

DEFINE_ROWS(step, struct second_step, read_step, "second step")

enum rc store_second_step_get(struct db *db, int64_t user_id, struct second_step *out, struct err *e)
{
    return get_step(db, NULL,
        "SELECT login_id, begun_at, active_at, last_step, "
        "(SELECT count(*) FROM recovery_code r WHERE r.user_id = s.user_id), secret "
        "FROM second_step s WHERE user_id = ?",
        ARGS(v_int(user_id)), out, e);
}

enum rc store_second_step_is_on(struct db *db, int64_t user_id, bool *on, struct err *e)
{
    int64_t found = 0;
    enum rc rc = db_one_int(db,
        "SELECT EXISTS (SELECT 1 FROM second_step WHERE user_id = ? AND active_at IS NOT NULL)",
        ARGS(v_int(user_id)), &found, e);
    *on = found != 0;
    return rc;
}

enum rc store_second_step_begin(struct db *db, int64_t user_id, int64_t login_id,
    const unsigned char secret[SECOND_STEP_SECRET], int64_t now, struct err *e)
{
    return row_change(db, "second step that is off",
        "INSERT INTO second_step (user_id, secret, login_id, begun_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, login_id = excluded.login_id, "
        "begun_at = excluded.begun_at WHERE active_at IS NULL",
        ARGS(v_int(user_id), v_blob(secret, SECOND_STEP_SECRET), v_int(login_id), v_int(now)), e);
}

enum rc store_second_step_activate(struct db *db, int64_t user_id, int64_t step, int64_t now, struct err *e)
{
    return row_change(db, "second step",
        "UPDATE second_step SET active_at = ?, last_step = ? WHERE user_id = ? AND active_at IS NULL",
        ARGS(v_int(now), v_int(step), v_int(user_id)), e);
}

enum rc store_second_step_used(struct db *db, int64_t user_id, int64_t step, struct err *e)
{
    return row_change(db, "second step", "UPDATE second_step SET last_step = ? WHERE user_id = ?",
        ARGS(v_int(step), v_int(user_id)), e);
}

enum rc store_second_step_delete(struct db *db, int64_t user_id, struct err *e)
{
    return row_change(db, "second step",
        "DELETE FROM second_step WHERE user_id = ? AND active_at IS NOT NULL", ARGS(v_int(user_id)), e);
}

/* ---- recovery codes ---- */

enum rc store_recovery_code_add(
    struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e)
{
    return db_exec(db, "INSERT INTO recovery_code (user_id, hash) VALUES (?, ?)",
        ARGS(v_int(user_id), v_blob(hash, TOKEN_HASH_SIZE)), NULL, e);
}

enum rc store_recovery_code_use(
    struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e)
{
    return row_change(db, "recovery code", "DELETE FROM recovery_code WHERE user_id = ? AND hash = ?",
        ARGS(v_int(user_id), v_blob(hash, TOKEN_HASH_SIZE)), e);
}

enum rc store_recovery_code_clear(struct db *db, int64_t user_id, struct err *e)
{
    return db_exec(db, "DELETE FROM recovery_code WHERE user_id = ?", ARGS(v_int(user_id)), NULL, e);
}

/* ---- sign-ins whose code is awaited ---- */

enum rc store_signin_begun_add(struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE],
    int64_t expires_at, struct err *e)
{
    return db_exec(db, "INSERT INTO signin_begun (token_hash, user_id, expires_at) VALUES (?, ?, ?)",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(user_id), v_int(expires_at)), NULL, e);
}

enum rc store_signin_begun_user(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e)
{
    return db_one_int(db, "SELECT user_id FROM signin_begun WHERE token_hash = ? AND expires_at > ?",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(now)), user_id, e);
}

enum rc store_signin_begun_delete(struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], struct err *e)
{
    return db_exec(
        db, "DELETE FROM signin_begun WHERE token_hash = ?", ARGS(v_blob(hash, TOKEN_HASH_SIZE)), NULL, e);
}

enum rc store_signin_begun_drop(struct db *db, int64_t user_id, struct err *e)
{
    return db_exec(db, "DELETE FROM signin_begun WHERE user_id = ?", ARGS(v_int(user_id)), NULL, e);
}

enum rc store_signin_begun_sweep(struct db *db, int64_t expired_before, struct err *e)
{
    return db_exec(db, "DELETE FROM signin_begun WHERE expires_at < ?", ARGS(v_int(expired_before)), NULL, e);
}
