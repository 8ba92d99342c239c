/* Logins: one per signed-in browser. The cookie has the token, the store its hash. */
#include "base/utf8.h"
#include "store/account/user.h"
#include "store/row.h"

/* The conditions of a valid login; the user's row is u. Parameters: now, idle_since. */
#define LIVE "l.revoked_at IS NULL AND l.expires_at > ? AND l.used_at >= ? AND u.disabled_at IS NULL"

enum rc store_login_add(struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE],
    const char *agent, const char *address, int64_t now, int64_t expires_at, struct err *e)
{
    char pub[ID_SIZE];
    id_new(ID_LOGIN, pub);
    struct str cut = str_of(agent ? agent : "");
    cut.len = utf8_cut_bytes(cut, LOGIN_AGENT_MAX);
    return db_exec(db,
        "INSERT INTO login (pub, user_id, token_hash, agent, address, created_at, used_at, expires_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_text(pub), v_int(user_id), v_blob(hash, TOKEN_HASH_SIZE), v_str(cut), v_text(address),
            v_int(now), v_int(now), v_int(expires_at)),
        NULL, e);
}

static void copy_text(char *to, size_t size, struct str from)
{
    size_t n = from.len < size ? from.len : size - 1;
    if (n)
        memcpy(to, from.s, n);
    to[n] = '\0';
}

static struct identity read_identity(const struct rows *q, struct arena *a)
{
    struct identity who = {
        .login_id = rows_int(q, 0),
        .used_at = rows_int(q, 2),
        .user_id = rows_int(q, 3),
        .sidebar_changes = rows_int(q, 6),
        .nothing_due = rows_int(q, 8) != 0,
        .role = str_is(rows_str(q, 5), "admin") ? USER_ADMIN : USER_MEMBER,
    };
    (void)a;
    copy_text(who.login_pub, sizeof who.login_pub, rows_str(q, 1));
    copy_text(who.name, sizeof who.name, rows_str(q, 4));
    copy_text(who.time_zone, sizeof who.time_zone, rows_str(q, 7));
    return who;
}

static struct login read_login(const struct rows *q, struct arena *a)
{
    return (struct login){
        .id = rows_int(q, 0),
        .pub = row_text(q, 1, a),
        .agent = row_text(q, 2, a),
        .address = row_text(q, 3, a),
        .created_at = rows_int(q, 4),
        .used_at = rows_int(q, 5),
        .expires_at = rows_int(q, 6),
    };
}

DEFINE_ROWS(identity, struct identity, read_identity, "login")
DEFINE_ROWS(login, struct login, read_login, "login")

static enum rc add_settings(struct db *db, struct identity *who, struct err *e)
{
    enum rc rc = store_setting_short(db, who->user_id, &who->settings, e);
    if (rc == RC_OK && who->settings.value[SETTING_TIME_ZONE][0])
        copy_text(who->time_zone, sizeof who->time_zone, str_of(who->settings.value[SETTING_TIME_ZONE]));
    return rc;
}

enum rc store_login_find(struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now,
    int64_t idle_since, struct identity *out, struct err *e)
{
    enum rc rc = get_identity(db, NULL,
        "SELECT l.id, l.pub, l.used_at, u.id, u.name, u.role, u.sidebar_changes, "
        "u.time_zone, NOT EXISTS (SELECT 1 FROM reminder_due d "
        "JOIN reminder r ON r.id = d.reminder_id AND r.deleted_at IS NULL "
        "WHERE d.owner = u.id AND d.state = 'open') "
        "FROM login l JOIN user u ON u.id = l.user_id WHERE l.token_hash = ? AND " LIVE,
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(now), v_int(idle_since)), out, e);
    return rc == RC_OK ? add_settings(db, out, e) : rc;
}

enum rc store_identity_of_user(struct db *db, int64_t user_id, struct identity *out, struct err *e)
{
    enum rc rc = get_identity(db, NULL,
        "SELECT 0, '', 0, id, name, role, sidebar_changes, time_zone, 0 FROM user WHERE id = ?",
        ARGS(v_int(user_id)), out, e);
    return rc == RC_OK ? add_settings(db, out, e) : rc;
}

enum rc store_login_check(struct db *db, int64_t login_id, int64_t now, int64_t idle_since, struct err *e)
{
    int64_t id;
    return db_one_int(db, "SELECT l.id FROM login l JOIN user u ON u.id = l.user_id WHERE l.id = ? AND " LIVE,
        ARGS(v_int(login_id), v_int(now), v_int(idle_since)), &id, e);
}

enum rc store_login_touch(struct db *db, int64_t login_id, int64_t now, struct err *e)
{
    return db_exec(db, "UPDATE login SET used_at = ? WHERE id = ? AND used_at < ?",
        ARGS(v_int(now), v_int(login_id), v_int(now)), NULL, e);
}

enum rc store_login_list(struct db *db, struct arena *a, int64_t user_id, int64_t now, int64_t idle_since,
    struct login **out, size_t *n, struct err *e)
{
    return list_login(db, a,
        "SELECT l.id, l.pub, l.agent, l.address, l.created_at, l.used_at, l.expires_at FROM login l "
        "JOIN user u ON u.id = l.user_id WHERE l.user_id = ? AND " LIVE " ORDER BY l.used_at DESC, l.id DESC",
        ARGS(v_int(user_id), v_int(now), v_int(idle_since)), out, n, e);
}

enum rc store_login_revoke(struct db *db, int64_t user_id, const char *pub, int64_t now, struct err *e)
{
    return row_change(db, "login",
        "UPDATE login SET revoked_at = ? WHERE user_id = ? AND pub = ? AND revoked_at IS NULL",
        ARGS(v_int(now), v_int(user_id), v_text(pub)), e);
}

enum rc store_login_revoke_all(
    struct db *db, int64_t user_id, int64_t except_login_id, int64_t now, struct err *e)
{
    return db_exec(db, "UPDATE login SET revoked_at = ? WHERE user_id = ? AND id <> ? AND revoked_at IS NULL",
        ARGS(v_int(now), v_int(user_id), v_int(except_login_id)), NULL, e);
}

enum rc store_login_sweep(struct db *db, int64_t dead_before, int64_t *removed, struct err *e)
{
    return db_exec(db, "DELETE FROM login WHERE expires_at < ? OR revoked_at < ?",
        ARGS(v_int(dead_before), v_int(dead_before)), removed, e);
}
