#include "app/account/second_step.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>

#include "app/account/auth_private.h"
#include "app/account/totp.h"
#include "base/clock.h"
#include "base/rand.h"

#define GROUPS       5
#define GROUP_DIGITS 4
#define GROUP_VALUES 10000
#define TYPED_MAX    (GROUPS * GROUP_DIGITS)

_Static_assert(GROUPS *(GROUP_DIGITS + 1) == RECOVERY_CODE_SIZE, "a recovery code fits exactly");
_Static_assert(SECOND_STEP_SECRET == TOTP_SECRET_BYTES, "the store has secrets of the app's size");

/* ---- codes ---- */

/* The digits of what was typed, without blanks and dashes. "": it has other characters, or too many. */
static void only_digits(const char *typed, char out[TYPED_MAX + 1])
{
    size_t n = 0;
    for (; *typed; typed++) {
        if (*typed == ' ' || *typed == '-')
            continue;
        if (!isdigit((unsigned char)*typed) || n == TYPED_MAX) {
            n = 0;
            break;
        }
        out[n++] = *typed;
    }
    out[n] = '\0';
}

static void hash_recovery_code(const char *code, unsigned char hash[TOKEN_HASH_SIZE])
{
    char digits[TYPED_MAX + 1];
    only_digits(code, digits);
    token_hash(digits, hash);
    sodium_memzero(digits, sizeof digits);
}

static void make_recovery_code(char out[RECOVERY_CODE_SIZE])
{
    for (size_t i = 0, at = 0; i < GROUPS; i++)
        at += (size_t)snprintf(out + at, RECOVERY_CODE_SIZE - at, "%s%04u", i ? "-" : "",
            (unsigned)randombytes_uniform(GROUP_VALUES));
}

static enum rc set_recovery_codes(
    struct db *db, int64_t user_id, char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE], struct err *e)
{
    enum rc rc = store_recovery_code_clear(db, user_id, e);
    for (size_t i = 0; rc == RC_OK && i < RECOVERY_CODES; i++) {
        unsigned char hash[TOKEN_HASH_SIZE];
        hash_recovery_code(codes[i], hash);
        rc = store_recovery_code_add(db, user_id, hash, e);
    }
    return rc;
}

/* ---- checking a code ---- */

enum rc second_step_load(const char *code, struct err *e)
{
    char digits[TYPED_MAX + 1];
    only_digits(code, digits);
    enum rc rc = strlen(digits) == TOTP_DIGITS ? totp_load(e) : RC_OK;
    sodium_memzero(digits, sizeof digits);
    return rc;
}

/* RC_UNAUTHENTICATED: the code is wrong. A right one is used up. */
static enum rc use_code(
    struct db *db, const struct second_try *t, const struct second_step *have, struct err *e)
{
    char digits[TYPED_MAX + 1];
    unsigned char hash[TOKEN_HASH_SIZE];
    int64_t step;
    enum rc rc = RC_UNAUTHENTICATED;
    only_digits(t->code, digits);
    if (strlen(digits) == TOTP_DIGITS) {
        if (totp_match(have->secret, str_of(digits), t->from->now, have->last_step, &step))
            rc = store_second_step_used(db, t->user_id, step, e);
    } else if (strlen(digits) == TYPED_MAX) {
        token_hash(digits, hash);
        rc = store_recovery_code_use(db, t->user_id, hash, e);
        if (rc == RC_OK)
            rc = auth_audit(db, t->from, t->user_id, "recovery_code_used", "", e);
        else if (rc == RC_NOT_FOUND)
            rc = RC_UNAUTHENTICATED;
    }
    sodium_memzero(digits, sizeof digits);
    return rc;
}

enum rc second_step_try(struct db *db, const struct second_try *t, bool *right, struct err *e)
{
    struct second_step have;
    enum rc rc = store_second_step_get(db, t->user_id, &have, e);
    *right = false;
    if (rc == RC_OK && !have.active_at)
        rc = err_set(e, RC_NOT_FOUND, "the second step of user %lld is off", (long long)t->user_id);
    if (rc == RC_OK)
        rc = signin_attempt_begin(db, &t->attempt, e);
    if (rc == RC_OK) {
        rc = use_code(db, t, &have, e);
        *right = rc == RC_OK;
        if (rc == RC_OK)
            rc = signin_attempt_forgive(db, &t->attempt, e);
        else if (rc == RC_UNAUTHENTICATED)
            rc = auth_audit(db, t->from, t->user_id, "signin_refused", "code", e);
    }
    sodium_memzero(&have, sizeof have);
    return rc;
}

/* ---- setting up ---- */

struct setup_tx {
    const struct identity *who;
    const struct auth_client *from;
    const char *verified; /* the hash that the password was compared with */
    const char *code;
    char (*codes)[RECOVERY_CODE_SIZE];
    unsigned char secret[SECOND_STEP_SECRET];
};

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    const struct setup_tx *t = arg;
    enum rc rc = auth_password_is(db, t->who->user_id, t->verified, e);
    if (rc == RC_OK)
        rc = store_second_step_begin(db, t->who->user_id, t->who->login_id, t->secret, t->from->now, e);
    return rc == RC_NOT_FOUND ? err_say(e, RC_CONFLICT, "second.is_on") : rc;
}

enum rc second_step_begin(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const struct auth_client *from, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    struct setup_tx t = {.who = who, .from = from};
    enum rc rc = totp_load(e);
    if (rc == RC_OK)
        rc = auth_own_password(s, c, who, password, from, a, &u, e);
    if (rc != RC_OK)
        return rc;
    t.verified = u.password;
    rand_bytes(t.secret, sizeof t.secret);
    rc = store_write(s, begin_tx, &t, e);
    sodium_memzero(t.secret, sizeof t.secret);
    return rc;
}

static enum rc find_begun(
    struct db *db, const struct identity *who, int64_t now, struct second_step *out, struct err *e)
{
    enum rc rc = store_second_step_get(db, who->user_id, out, e);
    if (rc != RC_OK)
        return rc;
    if (out->active_at || out->login_id != who->login_id ||
        now - out->begun_at > SECOND_STEP_SETUP_MINUTES * MS_PER_MIN)
        return err_set(e, RC_NOT_FOUND, "this login does not set up a second step");
    return RC_OK;
}

enum rc second_step_begun(struct store *s, const struct identity *who, int64_t now,
    unsigned char secret[SECOND_STEP_SECRET], struct err *e)
{
    struct second_step have;
    struct db *db = store_read(s);
    enum rc rc = find_begun(db, who, now, &have, e);
    store_read_done(s, db);
    if (rc == RC_OK)
        memcpy(secret, have.secret, sizeof have.secret);
    sodium_memzero(&have, sizeof have);
    return rc;
}

static enum rc confirm_tx(struct db *db, void *arg, struct err *e)
{
    const struct setup_tx *t = arg;
    struct second_step have;
    char digits[TYPED_MAX + 1];
    int64_t step, user_id = t->who->user_id;
    enum rc rc = find_begun(db, t->who, t->from->now, &have, e);
    only_digits(t->code, digits);
    if (rc == RC_OK && !totp_match(have.secret, str_of(digits), t->from->now, 0, &step))
        rc = err_say(e, RC_UNAUTHENTICATED, "second.wrong_first");
    if (rc == RC_OK)
        rc = store_second_step_activate(db, user_id, step, t->from->now, e);
    if (rc == RC_OK)
        rc = set_recovery_codes(db, user_id, t->codes, e);
    if (rc == RC_OK)
        rc = auth_audit(db, t->from, user_id, "second_step_on", "", e);
    sodium_memzero(&have, sizeof have);
    return rc;
}

enum rc second_step_confirm(struct store *s, const struct identity *who, const char *code,
    const struct auth_client *from, char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE], struct err *e)
{
    struct setup_tx t = {.who = who, .from = from, .code = code, .codes = codes};
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        make_recovery_code(codes[i]);
    enum rc rc = totp_load(e);
    return rc == RC_OK ? store_write(s, confirm_tx, &t, e) : rc;
}

/* ---- changes of an active one ---- */

struct change_tx {
    struct second_try try;
    const char *verified;
    char (*codes)[RECOVERY_CODE_SIZE]; /* NULL: turn it off */
    bool right;
};

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    struct change_tx *t = arg;
    int64_t user_id = t->try.user_id;
    enum rc rc = auth_password_is(db, user_id, t->verified, e);
    if (rc == RC_OK)
        rc = second_step_try(db, &t->try, &t->right, e);
    if (rc != RC_OK || !t->right)
        return rc;
    rc = t->codes ? set_recovery_codes(db, user_id, t->codes, e) : second_step_remove(db, user_id, e);
    return rc == RC_OK ? auth_audit(db, t->try.from, user_id,
                             t->codes ? "recovery_codes_made" : "second_step_off", "", e)
                       : rc;
}

static enum rc change(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const char *code, const struct auth_client *from, char (*codes)[RECOVERY_CODE_SIZE],
    struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    struct change_tx t = {.try = {.from = from, .user_id = who->user_id, .code = code}, .codes = codes};
    signin_attempt_device(&t.try.attempt, c, who->login_pub, from->now); /* the login is the device */
    enum rc rc = second_step_load(code, e);
    if (rc == RC_OK)
        rc = auth_own_password(s, c, who, password, from, a, &u, e);
    if (rc != RC_OK)
        return rc;
    t.verified = u.password;
    rc = store_write(s, change_tx, &t, e);
    if (rc == RC_RATE_LIMITED)
        auth_note(s, from, who->user_id, "signin_limited", "code");
    return rc == RC_OK && !t.right ? err_say(e, RC_UNAUTHENTICATED, "auth.wrong_code") : rc;
}

enum rc second_step_new_codes(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const char *code, const struct auth_client *from,
    char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE], struct err *e)
{
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        make_recovery_code(codes[i]);
    return change(s, c, who, password, code, from, codes, e);
}

enum rc second_step_off(struct store *s, const struct config *c, const struct identity *who,
    const char *password, const char *code, const struct auth_client *from, struct err *e)
{
    return change(s, c, who, password, code, from, NULL, e);
}

/* Sign-ins that wait for its code end: nothing can answer them. */
enum rc second_step_remove(struct db *db, int64_t user_id, struct err *e)
{
    enum rc rc = store_second_step_delete(db, user_id, e);
    return rc == RC_OK ? store_signin_begun_drop(db, user_id, e) : rc;
}
