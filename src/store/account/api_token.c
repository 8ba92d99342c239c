#include "store/account/api_token.h"

#include "store/row.h"

/* The conditions of a valid token; the user's row is u. Parameter: now. */
#define LIVE "(t.expires_at IS NULL OR t.expires_at > ?) AND u.disabled_at IS NULL"

struct found {
    struct api_rights rights;
    int64_t user_id;
};

static struct found read_found(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct found){.rights = {.id = rows_int(q, 0),
                              .scopes = (unsigned)rows_int(q, 2),
                              .use_memory = rows_int(q, 3) != 0,
                              .use_tools = rows_int(q, 4) != 0,
                              .used_at = rows_int(q, 5),
                              .expires_at = rows_int(q, 6)},
        .user_id = rows_int(q, 1)};
}

static struct api_token read_token(const struct rows *q, struct arena *a)
{
    return (struct api_token){
        .id = rows_int(q, 0),
        .user_id = rows_int(q, 1),
        .pub = row_text(q, 2, a),
        .name = row_text(q, 3, a),
        .begins = row_text(q, 4, a),
        .scopes = (unsigned)rows_int(q, 5),
        .use_memory = rows_int(q, 6) != 0,
        .use_tools = rows_int(q, 7) != 0,
        .created_at = rows_int(q, 8),
        .used_at = rows_int(q, 9),
        .address = row_text(q, 10, a),
        .expires_at = rows_int(q, 11),
    };
}

DEFINE_ROWS(found, struct found, read_found, "API token")
DEFINE_ROWS(token, struct api_token, read_token, "API token")

enum rc store_api_token_add(struct db *db, struct arena *a, struct api_token *t,
    const unsigned char hash[API_TOKEN_HASH_SIZE], struct err *e)
{
    char pub[ID_SIZE];
    id_new(ID_API_TOKEN, pub);
    t->pub = arena_strdup(a, pub);
    return db_exec(db,
        "INSERT INTO api_token (pub, user_id, token_hash, name, begins, scopes, use_memory, use_tools, "
        "created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_text(pub), v_int(t->user_id), v_blob(hash, API_TOKEN_HASH_SIZE), v_text(t->name),
            v_text(t->begins), v_int((int64_t)t->scopes), v_int(t->use_memory), v_int(t->use_tools),
            v_int(t->created_at), v_id(t->expires_at)),
        NULL, e);
}

enum rc store_api_token_find(struct db *db, const unsigned char hash[API_TOKEN_HASH_SIZE], int64_t now,
    struct api_rights *out, int64_t *user_id, struct err *e)
{
    struct found f;
    enum rc rc = get_found(db, NULL,
        "SELECT t.id, t.user_id, t.scopes, t.use_memory, t.use_tools, t.used_at, t.expires_at "
        "FROM api_token t JOIN user u ON u.id = t.user_id WHERE t.token_hash = ? AND " LIVE,
        ARGS(v_blob(hash, API_TOKEN_HASH_SIZE), v_int(now)), &f, e);
    if (rc != RC_OK)
        return rc;
    *out = f.rights;
    *user_id = f.user_id;
    return RC_OK;
}

enum rc store_api_token_check(struct db *db, int64_t id, int64_t now, struct err *e)
{
    int64_t found;
    return db_one_int(db,
        "SELECT t.id FROM api_token t JOIN user u ON u.id = t.user_id WHERE t.id = ? AND " LIVE,
        ARGS(v_int(id), v_int(now)), &found, e);
}

enum rc store_api_token_touch(struct db *db, int64_t id, int64_t now, const char *address, struct err *e)
{
    return db_exec(db,
        "UPDATE api_token SET used_at = ?, address = ? WHERE id = ? AND coalesce(used_at, 0) < ?",
        ARGS(v_int(now), v_text(address), v_int(id), v_int(now)), NULL, e);
}

enum rc store_api_token_list(
    struct db *db, struct arena *a, int64_t user_id, struct api_token **out, size_t *n, struct err *e)
{
    return list_token(db, a,
        "SELECT id, user_id, pub, name, begins, scopes, use_memory, use_tools, created_at, used_at, address, "
        "expires_at FROM api_token WHERE user_id = ? ORDER BY id DESC",
        ARGS(v_int(user_id)), out, n, e);
}

enum rc store_api_token_count(struct db *db, int64_t user_id, int64_t *out, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM api_token WHERE user_id = ?", ARGS(v_int(user_id)), out, e);
}

enum rc store_api_token_delete(struct db *db, int64_t user_id, const char *pub, struct err *e)
{
    return row_change(db, "API token", "DELETE FROM api_token WHERE user_id = ? AND pub = ?",
        ARGS(v_int(user_id), v_text(pub)), e);
}

enum rc store_api_token_delete_all(struct db *db, int64_t user_id, struct err *e)
{
    return db_exec(db, "DELETE FROM api_token WHERE user_id = ?", ARGS(v_int(user_id)), NULL, e);
}

enum rc store_api_token_sweep(struct db *db, int64_t expired_before, struct err *e)
{
    return db_exec(db, "DELETE FROM api_token WHERE expires_at < ?", ARGS(v_int(expired_before)), NULL, e);
}
