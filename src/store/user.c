/* Users. Their logins are in login.c, codes and failures in signin.c. */
#include "store/user.h"

#include "store/row.h"

#define USER_COLUMNS "id, name, role, password, disabled_at, created_at"

const char *user_role_name(enum user_role r)
{
    return r == USER_ADMIN ? "admin" : "member";
}

static struct user read_user(const struct rows *q, struct arena *a)
{
    return (struct user){
        .id = rows_int(q, 0),
        .name = row_text(q, 1, a),
        .role = str_is(rows_str(q, 2), "admin") ? USER_ADMIN : USER_MEMBER,
        .password = row_text(q, 3, a),
        .disabled_at = rows_int(q, 4),
        .created_at = rows_int(q, 5),
    };
}

static enum rc one_user(
    struct db *db, struct arena *a, const char *sql, struct db_value key, struct user *out, struct err *e)
{
    bool found = false;
    struct rows q;
    enum rc rc = db_query(db, &q, sql, ARGS(key), e);
    if (rc == RC_OK && (found = rows_next(&q)))
        *out = read_user(&q, a);
    rc = rows_done(&q, rc, e);
    return must_exist(rc, found, "user", e);
}

enum rc store_user_add(struct db *db, const char *name, enum user_role role, const char *password_hash,
    int64_t now, int64_t *id, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO user (name, role, password, created_at) VALUES (?, ?, ?, ?) RETURNING id",
        ARGS(v_text(name), v_text(user_role_name(role)), v_text(password_hash), v_int(now)), id, e);
}

enum rc store_user_by_name(struct db *db, struct arena *a, const char *name, struct user *out, struct err *e)
{
    return one_user(db, a, "SELECT " USER_COLUMNS " FROM user WHERE name = ?", v_text(name), out, e);
}

enum rc store_user_by_id(struct db *db, struct arena *a, int64_t id, struct user *out, struct err *e)
{
    return one_user(db, a, "SELECT " USER_COLUMNS " FROM user WHERE id = ?", v_int(id), out, e);
}

enum rc store_user_list(struct db *db, struct arena *a, struct user **out, size_t *n, struct err *e)
{
    struct list l = LIST(a, struct user);
    struct rows q;
    enum rc rc = db_query(db, &q,
        "SELECT " USER_COLUMNS ", (SELECT max(used_at) FROM login WHERE user_id = user.id) FROM user "
        "ORDER BY name",
        NO_ARGS, e);
    while (rc == RC_OK && rows_next(&q)) {
        struct user *u = list_add(&l);
        *u = read_user(&q, a);
        u->last_used_at = rows_int(&q, 6);
    }
    rc = rows_done(&q, rc, e);
    *out = l.items;
    *n = l.n;
    return rc;
}

enum rc store_user_count(struct db *db, int64_t *out, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM user", NO_ARGS, out, e);
}

enum rc store_user_active_admins(struct db *db, int64_t *out, struct err *e)
{
    return db_one_int(
        db, "SELECT count(*) FROM user WHERE role = 'admin' AND disabled_at IS NULL", NO_ARGS, out, e);
}

static enum rc change(struct db *db, const char *sql, struct db_value to, int64_t id, struct err *e)
{
    int64_t changed;
    enum rc rc = db_exec(db, sql, ARGS(to, v_int(id)), &changed, e);
    return must_exist(rc, changed, "user", e);
}

enum rc store_user_set_password(struct db *db, int64_t id, const char *hash, struct err *e)
{
    return change(db, "UPDATE user SET password = ? WHERE id = ?", v_text(hash), id, e);
}

enum rc store_user_set_role(struct db *db, int64_t id, enum user_role role, struct err *e)
{
    return change(db, "UPDATE user SET role = ? WHERE id = ?", v_text(user_role_name(role)), id, e);
}

enum rc store_user_set_disabled(struct db *db, int64_t id, int64_t disabled_at, struct err *e)
{
    return change(db, "UPDATE user SET disabled_at = ? WHERE id = ?", v_id(disabled_at), id, e);
}
