/* Users, their logins (browser sign-ins), one-time codes, failed attempts and known devices. */
#ifndef ALFRED_STORE_ACCOUNT_USER_H
#define ALFRED_STORE_ACCOUNT_USER_H

#include "base/id.h"
#include "base/time_zone.h"
#include "store/account/api_token.h"
#include "store/account/setting.h"
#include "store/store.h"

#define USER_NOBODY      0  /* owner of hidden rows (store/message/draft.h); never listed, counted or found */
#define USER_NAME_MAX    64 /* bytes */
#define LOGIN_AGENT_MAX  200
#define TOKEN_HASH_SIZE  32
#define USER_DEVICES_MAX 100 /* devices of one user; the least recently used are removed */

enum user_role { USER_MEMBER, USER_ADMIN };
const char *user_role_name(enum user_role r); /* "member", "admin" */

struct user {
    int64_t id;
    const char *name;
    const char *shown; /* the display name, else the name */
    enum user_role role;
    const char *password; /* hash */
    int64_t disabled_at;  /* 0: active */
    int64_t created_at;
    int64_t last_used_at; /* newest use of any login; set by the lists only; 0: never */
    bool second_step;     /* it is on (second_step.h); set by the lists only */
};

struct user_filter {
    const char *after; /* name of the user before the first one; "": from the start */
    struct str part;   /* of the name or the display name; empty: all */
    int limit;
};

/* RC_CONFLICT: the name is taken. `name` must be lower case. */
enum rc store_user_add(struct db *db, const char *name, enum user_role role, const char *password_hash,
    int64_t now, int64_t *id, struct err *e);
enum rc store_user_by_name(struct db *db, struct arena *a, const char *name, struct user *out, struct err *e);
enum rc store_user_by_id(struct db *db, struct arena *a, int64_t id, struct user *out, struct err *e);
/* All users, by name. */
enum rc store_user_list(struct db *db, struct arena *a, struct user **out, size_t *n, struct err *e);
/* Those of the filter, by name. */
enum rc store_user_part(
    struct db *db, struct arena *a, const struct user_filter *f, struct user **out, size_t *n, struct err *e);
enum rc store_user_count(struct db *db, int64_t *out, struct err *e);
enum rc store_user_set_password(struct db *db, int64_t id, const char *hash, struct err *e);
enum rc store_user_set_role(struct db *db, int64_t id, enum user_role role, struct err *e);
/* `disabled_at` 0 enables the user. */
enum rc store_user_set_disabled(struct db *db, int64_t id, int64_t disabled_at, struct err *e);
/* The zone of the user's browser. */
enum rc store_user_set_time_zone(struct db *db, int64_t id, const char *name, struct err *e);
/* The zone that the user has set, else that of the browser. */
/* `*name` NULL: none is known. */
enum rc store_user_time_zone(struct db *db, struct arena *a, int64_t id, const char **name, struct err *e);
/* RC_UNAUTHENTICATED: there is no such user, or it is disabled. */
enum rc store_user_check_active(struct db *db, int64_t id, struct err *e);
enum rc store_user_active_admins(struct db *db, int64_t *out, struct err *e);

/* Counts of a user's records. */
struct user_holdings {
    int64_t user_id;
    int64_t sessions, messages; /* messages: the user's and the answers */
    int64_t memories, tasks, transfers;
};
enum rc store_user_holdings(struct db *db, int64_t user_id, struct user_holdings *out, struct err *e);
/* Deletes the user with everything but audit rows. RC_CONFLICT, with a
 * sentence: sessions are left. */
enum rc store_user_delete(struct db *db, int64_t user_id, struct err *e);

struct login {
    int64_t id;
    const char *pub;
    const char *agent, *address;
    int64_t created_at, used_at, expires_at;
};

/* The right by which a stream stays open: a login, or a program's token. The other id is 0. */
struct credential {
    int64_t login_id, token_id;
};

/* The login of a cookie or the token of a program, with its user. */
struct identity {
    int64_t login_id; /* 0: a program */
    struct api_rights token;
    int64_t user_id;
    char login_pub[ID_SIZE];
    char name[USER_NAME_MAX + 1];
    enum user_role role;
    int64_t used_at;
    char time_zone[TIME_ZONE_NAME_MAX + 1]; /* as store_user_time_zone(); empty: that of the server */
    int64_t sidebar_changes; /* grows with each change of the result of store_session_sidebar() */
    bool nothing_due;        /* of a login: no occurrence of a reminder is open */
    struct short_settings settings;
};

/* `agent`: the header User-Agent, NULL: none; its first LOGIN_AGENT_MAX bytes are stored. */
enum rc store_login_add(struct db *db, int64_t user_id, const unsigned char hash[TOKEN_HASH_SIZE],
    const char *agent, const char *address, int64_t now, int64_t expires_at, struct err *e);
/* RC_NOT_FOUND: absent, revoked, expired, idle since before `idle_since`, or the user is disabled. */
enum rc store_login_find(struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now,
    int64_t idle_since, struct identity *out, struct err *e);
/* The same check by row id, for streams that stay open. */
enum rc store_login_check(struct db *db, int64_t login_id, int64_t now, int64_t idle_since, struct err *e);
/* The user of an API token: an identity without login or rights. */
enum rc store_identity_of_user(struct db *db, int64_t user_id, struct identity *out, struct err *e);
enum rc store_login_touch(struct db *db, int64_t login_id, int64_t now, struct err *e);
enum rc store_login_list(struct db *db, struct arena *a, int64_t user_id, int64_t now, int64_t idle_since,
    struct login **out, size_t *n, struct err *e); /* valid ones, the most recently used first */
enum rc store_login_revoke(struct db *db, int64_t user_id, const char *pub, int64_t now, struct err *e);
enum rc store_login_revoke_all(
    struct db *db, int64_t user_id, int64_t except_login_id, int64_t now, struct err *e);
enum rc store_login_sweep(struct db *db, int64_t dead_before, int64_t *removed, struct err *e);

enum rc store_code_add(struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t user_id,
    int64_t expires_at, struct err *e); /* user_id 0: for the first admin */
/* The user of a code; 0: the first admin. RC_NOT_FOUND: absent, used or expired. */
enum rc store_code_user(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e);
/* Marks the code as used. RC_NOT_FOUND: absent, used or expired. */
enum rc store_code_use(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, int64_t *user_id, struct err *e);
/* Deletes the user's unused codes; user_id 0: those of the first admin. */
enum rc store_code_drop_unused(struct db *db, int64_t user_id, struct err *e);

/* Deletes the codes that expired before this time. */
enum rc store_code_sweep(struct db *db, int64_t expired_before, struct err *e);

/* A failed sign-in of a subject (app/account/signin_limit.h). */
enum rc store_failure_add(struct db *db, const char *subject, int64_t now, struct err *e);
/* The failures between two times: their number and the time of the oldest. */
enum rc store_failure_count(struct db *db, const char *subject, int64_t since, int64_t until, int64_t *count,
    int64_t *oldest, struct err *e);
/* Undoes one store_failure_add() with the same arguments. */
enum rc store_failure_remove(struct db *db, const char *subject, int64_t at, struct err *e);
enum rc store_failure_clear(struct db *db, const char *subject, struct err *e);
enum rc store_failure_sweep(struct db *db, int64_t before, struct err *e);

/* A device is a browser that has signed in to the account before, identified by the hash of its cookie. */
enum rc store_device_note(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t user_id, int64_t now, struct err *e);
/* RC_NOT_FOUND unless it signed in as `user_id` (0: any user) at `since` or later. */
enum rc store_device_find(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], int64_t user_id, int64_t since, struct err *e);
enum rc store_device_sweep(struct db *db, int64_t used_before, struct err *e);

#endif
