/* One-time codes of links, failed attempts, known devices. */
#include "store/account/user.h"
#include "store/row.h"

enum rc store_code_add(struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t user_id,
    int64_t expires_at, struct err *e)
{
    return db_exec(db, "INSERT INTO signin_code (code_hash, user_id, expires_at) VALUES (?, ?, ?)",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_id(user_id), v_int(expires_at)), NULL, e);
}

enum rc store_code_user(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce(user_id, 0) FROM signin_code WHERE code_hash = ? AND used_at IS NULL AND expires_at "
        "> ?",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(now)), user_id, e);
}

enum rc store_code_use(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e)
{
    return db_one_int(db,
        "UPDATE signin_code SET used_at = ? WHERE code_hash = ? AND used_at IS NULL AND expires_at > ? "
        "RETURNING coalesce(user_id, 0)",
        ARGS(v_int(now), v_blob(hash, TOKEN_HASH_SIZE), v_int(now)), user_id, e);
}

enum rc store_code_drop_unused(struct db *db, int64_t user_id, struct err *e)
{
    return db_exec(
        db, "DELETE FROM signin_code WHERE user_id IS ? AND used_at IS NULL", ARGS(v_id(user_id)), NULL, e);
}

enum rc store_code_sweep(struct db *db, int64_t expired_before, struct err *e)
{
    return db_exec(db, "DELETE FROM signin_code WHERE expires_at < ?", ARGS(v_int(expired_before)), NULL, e);
}

enum rc store_failure_add(struct db *db, const char *subject, int64_t now, struct err *e)
{
    return db_exec(db, "INSERT INTO signin_failure (subject, at) VALUES (?, ?)",
        ARGS(v_text(subject), v_int(now)), NULL, e);
}

enum rc store_failure_count(struct db *db, const char *subject, int64_t since, int64_t until, int64_t *count,
    int64_t *oldest, struct err *e)
{
    struct rows q;
    *count = *oldest = 0;
    enum rc rc = db_query(db, &q,
        "SELECT count(*), coalesce(min(at), 0) FROM signin_failure WHERE subject = ? AND at BETWEEN ? AND ?",
        ARGS(v_text(subject), v_int(since), v_int(until)), e);
    if (rc == RC_OK && rows_next(&q)) {
        *count = rows_int(&q, 0);
        *oldest = rows_int(&q, 1);
    }
    return rows_done(&q, rc, e);
}

enum rc store_failure_remove(struct db *db, const char *subject, int64_t at, struct err *e)
{
    return db_exec(db,
        "DELETE FROM signin_failure WHERE rowid = "
        "(SELECT rowid FROM signin_failure WHERE subject = ? AND at = ? LIMIT 1)",
        ARGS(v_text(subject), v_int(at)), NULL, e);
}

enum rc store_failure_clear(struct db *db, const char *subject, struct err *e)
{
    return db_exec(db, "DELETE FROM signin_failure WHERE subject = ?", ARGS(v_text(subject)), NULL, e);
}

enum rc store_failure_sweep(struct db *db, int64_t before, struct err *e)
{
    return db_exec(db, "DELETE FROM signin_failure WHERE at < ?", ARGS(v_int(before)), NULL, e);
}

enum rc store_device_note(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t user_id, int64_t now, struct err *e)
{
    enum rc rc = db_exec(db,
        "INSERT INTO device (token_hash, user_id, used_at) VALUES (?, ?, ?) "
        "ON CONFLICT (token_hash, user_id) DO UPDATE SET used_at = excluded.used_at",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(user_id), v_int(now)), NULL, e);
    if (rc != RC_OK)
        return rc;
    return db_exec(db,
        "DELETE FROM device WHERE user_id = ? AND token_hash IN "
        "(SELECT token_hash FROM device WHERE user_id = ? ORDER BY used_at DESC LIMIT -1 OFFSET ?)",
        ARGS(v_int(user_id), v_int(user_id), v_int(USER_DEVICES_MAX)), NULL, e);
}

enum rc store_device_find(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t user_id, int64_t since, struct err *e)
{
    int64_t one;
    return db_one_int(db,
        "SELECT 1 FROM device WHERE token_hash = ? AND user_id = coalesce(?, user_id) AND used_at >= ? "
        "LIMIT 1",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_id(user_id), v_int(since)), &one, e);
}

enum rc store_device_sweep(struct db *db, int64_t used_before, struct err *e)
{
    return db_exec(db, "DELETE FROM device WHERE used_at < ?", ARGS(v_int(used_before)), NULL, e);
}
