/* Users. Their logins are in login.c, codes and failures in signin.c. */
#include "store/account/user.h"

#include "store/row.h"

#define SOMEBODY "id > 0" /* without USER_NOBODY */
#define USER_COLUMNS                                      \
    "id, name, role, password, disabled_at, created_at, " \
    "coalesce((SELECT value FROM setting WHERE user_id = user.id AND name = 'display_name'), name)"

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
        .shown = row_text(q, 6, a),
    };
}

#define LISTED_COLUMNS                                                          \
    USER_COLUMNS ", (SELECT max(used_at) FROM login WHERE user_id = user.id), " \
                 "EXISTS (SELECT 1 FROM second_step WHERE user_id = user.id AND active_at IS NOT NULL)"

static struct user read_listed(const struct rows *q, struct arena *a)
{
    struct user u = read_user(q, a);
    u.last_used_at = rows_int(q, 7);
    u.second_step = rows_int(q, 8) != 0;
    return u;
}

DEFINE_ROWS(user, struct user, read_user, "user")
DEFINE_ROWS(listed, struct user, read_listed, "user")

enum rc store_user_add(struct db *db, const char *name, enum user_role role, const char *password_hash,
    int64_t now, int64_t *id, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO user (name, role, password, created_at) VALUES (?, ?, ?, ?) RETURNING id",
        ARGS(v_text(name), v_text(user_role_name(role)), v_text(password_hash), v_int(now)), id, e);
}

enum rc store_user_by_name(struct db *db, struct arena *a, const char *name, struct user *out, struct err *e)
{
    return get_user(
        db, a, "SELECT " USER_COLUMNS " FROM user WHERE name = ? AND " SOMEBODY, ARGS(v_text(name)), out, e);
}

enum rc store_user_by_id(struct db *db, struct arena *a, int64_t id, struct user *out, struct err *e)
{
    return get_user(
        db, a, "SELECT " USER_COLUMNS " FROM user WHERE id = ? AND " SOMEBODY, ARGS(v_int(id)), out, e);
}

enum rc store_user_list(struct db *db, struct arena *a, struct user **out, size_t *n, struct err *e)
{
    return list_listed(
        db, a, "SELECT " LISTED_COLUMNS " FROM user WHERE " SOMEBODY " ORDER BY name", NO_ARGS, out, n, e);
}

enum rc store_user_part(
    struct db *db, struct arena *a, const struct user_filter *f, struct user **out, size_t *n, struct err *e)
{
    struct str part = row_like_inside(a, f->part);
    return list_listed(db, a,
        "SELECT " LISTED_COLUMNS " FROM user WHERE " SOMEBODY " AND name > ? AND (name LIKE ? ESCAPE '\\' "
        "OR EXISTS (SELECT 1 FROM setting WHERE user_id = user.id AND name = 'display_name' "
        "AND value LIKE ? ESCAPE '\\')) ORDER BY name LIMIT ?",
        ARGS(v_text(f->after), v_str(part), v_str(part), v_int(f->limit)), out, n, e);
}

enum rc store_user_count(struct db *db, int64_t *out, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM user WHERE " SOMEBODY, NO_ARGS, out, e);
}

enum rc store_user_check_active(struct db *db, int64_t id, struct err *e)
{
    enum rc rc = db_one_int(
        db, "SELECT id FROM user WHERE id = ? AND disabled_at IS NULL", ARGS(v_int(id)), &(int64_t){0}, e);
    return rc == RC_NOT_FOUND ? err_set(e, RC_UNAUTHENTICATED, "user %lld is disabled", (long long)id) : rc;
}

enum rc store_user_active_admins(struct db *db, int64_t *out, struct err *e)
{
    return db_one_int(
        db, "SELECT count(*) FROM user WHERE role = 'admin' AND disabled_at IS NULL", NO_ARGS, out, e);
}

enum rc store_user_set_password(struct db *db, int64_t id, const char *hash, struct err *e)
{
    return row_change(
        db, "user", "UPDATE user SET password = ? WHERE id = ?", ARGS(v_text(hash), v_int(id)), e);
}

enum rc store_user_set_role(struct db *db, int64_t id, enum user_role role, struct err *e)
{
    return row_change(db, "user", "UPDATE user SET role = ? WHERE id = ?",
        ARGS(v_text(user_role_name(role)), v_int(id)), e);
}

enum rc store_user_set_time_zone(struct db *db, int64_t id, const char *name, struct err *e)
{
    return row_change(
        db, "user", "UPDATE user SET time_zone = ? WHERE id = ?", ARGS(v_text(name), v_int(id)), e);
}

enum rc store_user_time_zone(struct db *db, struct arena *a, int64_t id, const char **name, struct err *e)
{
    const char **found;
    size_t n;
    enum rc rc = row_list_texts(db, a,
        "SELECT zone FROM (SELECT coalesce((SELECT value FROM setting WHERE user_id = u.id "
        "AND name = 'time_zone'), u.time_zone) AS zone FROM user u WHERE u.id = ?) WHERE zone <> ''",
        ARGS(v_int(id)), &found, &n, e);
    *name = rc == RC_OK && n ? found[0] : NULL;
    return rc;
}

enum rc store_user_set_disabled(struct db *db, int64_t id, int64_t disabled_at, struct err *e)
{
    return row_change(
        db, "user", "UPDATE user SET disabled_at = ? WHERE id = ?", ARGS(v_id(disabled_at), v_int(id)), e);
}
