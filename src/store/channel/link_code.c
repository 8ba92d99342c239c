#include "store/channel/link_code.h"

#include "store/row.h"

enum rc store_link_code_add(struct db *db, int64_t user_id, const unsigned char hash[LINK_HASH_SIZE],
    int64_t expires_at, int64_t now, int keep, struct err *e)
{
    enum rc rc = db_exec(db, "INSERT INTO link_code (user_id, code_hash, expires_at) VALUES (?, ?, ?)",
        ARGS(v_int(user_id), v_blob(hash, LINK_HASH_SIZE), v_int(expires_at)), NULL, e);
    if (rc != RC_OK)
        return rc;
    return db_exec(db,
        "DELETE FROM link_code WHERE expires_at <= ? OR (user_id = ? AND id NOT IN "
        "(SELECT id FROM link_code WHERE user_id = ? ORDER BY id DESC LIMIT ?))",
        ARGS(v_int(now), v_int(user_id), v_int(user_id), v_int(keep)), NULL, e);
}

enum rc store_link_code_find(
    struct db *db, const unsigned char hash[LINK_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e)
{
    return db_one_int(db,
        "SELECT c.user_id FROM link_code c JOIN user u ON u.id = c.user_id "
        "WHERE c.code_hash = ? AND c.expires_at > ? AND u.disabled_at IS NULL",
        ARGS(v_blob(hash, LINK_HASH_SIZE), v_int(now)), user_id, e);
}

enum rc store_link_code_delete(struct db *db, const unsigned char hash[LINK_HASH_SIZE], struct err *e)
{
    return db_exec(
        db, "DELETE FROM link_code WHERE code_hash = ?", ARGS(v_blob(hash, LINK_HASH_SIZE)), NULL, e);
}

enum rc store_link_try_count(struct db *db, const unsigned char sender[LINK_HASH_SIZE], int64_t from,
    int64_t *own, int64_t *all, struct err *e)
{
    enum rc rc = db_one_int(db, "SELECT count(*) FROM link_try WHERE sender = ? AND at > ?",
        ARGS(v_blob(sender, LINK_HASH_SIZE), v_int(from)), own, e);
    if (rc != RC_OK)
        return rc;
    return db_one_int(db, "SELECT count(*) FROM link_try WHERE at > ?", ARGS(v_int(from)), all, e);
}

enum rc store_link_try_add(
    struct db *db, const unsigned char sender[LINK_HASH_SIZE], int64_t now, int64_t from, struct err *e)
{
    enum rc rc = db_exec(db, "INSERT INTO link_try (sender, at) VALUES (?, ?)",
        ARGS(v_blob(sender, LINK_HASH_SIZE), v_int(now)), NULL, e);
    if (rc != RC_OK)
        return rc;
    return db_exec(db, "DELETE FROM link_try WHERE at <= ?", ARGS(v_int(from)), NULL, e);
}

enum rc store_link_try_clear(struct db *db, const unsigned char sender[LINK_HASH_SIZE], struct err *e)
{
    return db_exec(
        db, "DELETE FROM link_try WHERE sender = ?", ARGS(v_blob(sender, LINK_HASH_SIZE)), NULL, e);
}
