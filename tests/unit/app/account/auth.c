#include "app/account/auth.h"

#include <sodium.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/fs.h"
#include "unit.h"

#define NOW ((int64_t)1700000000000)

static struct config config;
static const struct auth_client from = {"192.0.2.1", "a browser", NOW};
static const char good[] = "correct horse battery", other[] = "another long password";
static int64_t anna, bert;

static struct store *start(void)
{
    static int n;
    char dir[FS_PATH_MAX], path[FS_PATH_MAX];
    assert_true(sodium_init() >= 0);
    snprintf(dir, sizeof dir, "%s/%d", unit_tmp(), n++);
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    assert_int_equal(fs_join(path, dir, "alfred.db", NULL), RC_OK);
    config.login.idle_days = 7;
    config.login.absolute_days = 30;
    config.login.failures = 2;
    config.login.failure_minutes = 15;
    struct store *s;
    assert_int_equal(store_open(path, 1, &s, NULL), RC_OK);
    assert_int_equal(auth_user_add(s, 0, "Anna", USER_ADMIN, good, &from, &anna, NULL), RC_OK);
    assert_int_equal(auth_user_add(s, anna, "bert", USER_MEMBER, NULL, &from, &bert, NULL), RC_OK);
    return s;
}

struct counting {
    const char *action, *detail;
    int64_t n;
};

static enum rc count_tx(struct db *db, void *arg, struct err *e)
{
    struct counting *c = arg;
    return db_one_int(db, "SELECT count(*) FROM audit WHERE action = ? AND detail LIKE ?",
        ARGS(v_text(c->action), v_text(c->detail)), &c->n, e);
}

static int64_t audited(struct store *s, const char *action, const char *detail)
{
    struct counting c = {action, detail, 0};
    assert_int_equal(store_with_reader(s, count_tx, &c, NULL), RC_OK);
    return c.n;
}

static enum rc sign_in(
    struct store *s, const char *password, const struct auth_client *by, struct auth_signin *out)
{
    return auth_signin(s, &config, "anna", password, by, out, NULL);
}

TEST(a_sign_in_and_every_refusal_leave_an_audit_row)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct err e = ERR_INIT;
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(audited(s, "signin", "%"), 1);
    assert_int_equal(auth_signin(s, &config, "nobody", good, &from, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "signin_refused", "name:nobody"), 1);
    assert_int_equal(sign_in(s, "wrong", &from, &in), RC_UNAUTHENTICATED);
    assert_int_equal(
        auth_signin(s, &config, "anna", good, &from, &in, &e), RC_RATE_LIMITED); /* right, too late */
    assert_true(e.retry_after_s > 0 && e.retry_after_s <= 15 * 60 + 1);
    assert_int_equal(audited(s, "signin_limited", "name:anna"), 1);
    assert_int_equal(audited(s, "signin", "%"), 1);

    struct identity who = {.user_id = anna};
    auth_note_refused(s, &who, &from, "POST /signout");
    assert_int_equal(audited(s, "refused", "POST /signout"), 1);
}

TEST(the_limit_of_failures_ends_with_its_window_and_holds_elsewhere_only_for_the_account)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct auth_client elsewhere = {"198.51.100.7", "a browser", NOW}, later = from;
    assert_int_equal(sign_in(s, "wrong", &from, &in), RC_UNAUTHENTICATED);
    assert_int_equal(sign_in(s, "wrong", &from, &in), RC_UNAUTHENTICATED);
    assert_int_equal(sign_in(s, good, &elsewhere, &in), RC_RATE_LIMITED);
    assert_int_equal(auth_signin(s, &config, "bert", good, &elsewhere, &in, NULL), RC_UNAUTHENTICATED);
    later.now += 15 * MS_PER_MIN + 1;
    assert_int_equal(sign_in(s, good, &later, &in), RC_OK);
}

TEST(a_login_ends_by_sign_out_by_idleness_and_by_age)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct identity who;
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW + 7 * MS_PER_DAY, &who, NULL), RC_OK);
    assert_string_equal(who.name, "anna");
    assert_int_equal(who.role, USER_ADMIN);
    /* that use was noted, so the idle limit counts from it, the absolute one does not */
    for (int day = 13; day < 30; day += 6)
        assert_int_equal(auth_identify(s, &config, in.token, NOW + day * MS_PER_DAY, &who, NULL), RC_OK);
    assert_int_equal(
        auth_identify(s, &config, in.token, NOW + 30 * MS_PER_DAY, &who, NULL), RC_UNAUTHENTICATED);

    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(
        auth_identify(s, &config, in.token, NOW + 7 * MS_PER_DAY + 1, &who, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_OK);
    assert_int_equal(auth_signout(s, &who, &from, NULL), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "signout", "user %"), 1);
}

TEST(a_changed_password_ends_every_login_and_gives_a_new_one)
{
    AUTO(store) s = start();
    struct auth_signin in, fresh;
    struct identity who;
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_OK);
    assert_int_equal(
        auth_change_password(s, &config, &who, "wrong", other, &from, &fresh, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_OK);
    assert_int_equal(auth_change_password(s, &config, &who, good, other, &from, &fresh, NULL), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(auth_identify(s, &config, fresh.token, NOW, &who, NULL), RC_OK);
    assert_int_equal(sign_in(s, good, &from, &in), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "password_changed", "user %"), 1);
}

TEST(a_disabled_user_is_out_and_the_last_admin_stays)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct identity who;
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(auth_user_set_disabled(s, anna, anna, true, &from, NULL), RC_CONFLICT);
    assert_int_equal(auth_user_set_role(s, anna, anna, USER_MEMBER, &from, NULL), RC_CONFLICT);
    assert_int_equal(auth_user_set_role(s, anna, bert, USER_ADMIN, &from, NULL), RC_OK);
    assert_int_equal(audited(s, "user_role", "user %: admin"), 1);
    assert_int_equal(auth_user_set_disabled(s, bert, anna, true, &from, NULL), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(sign_in(s, good, &from, &in), RC_UNAUTHENTICATED);
    assert_int_equal(auth_user_set_disabled(s, bert, anna, false, &from, NULL), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(audited(s, "user_disabled", "%"), 1);
    assert_int_equal(audited(s, "user_enabled", "%"), 1);
}

TEST(a_link_signs_in_once_and_sets_the_password)
{
    AUTO(store) s = start();
    struct auth_signin in;
    char code[TOKEN_SIZE];
    assert_int_equal(auth_user_link(s, anna, bert, &from, code, NULL), RC_OK);
    assert_int_equal(auth_welcome(s, &config, code, NULL, "short", &from, &in, NULL), RC_BAD_INPUT);
    assert_int_equal(auth_welcome(s, &config, code, NULL, other, &from, &in, NULL), RC_OK);
    assert_int_equal(in.user_id, bert);
    assert_int_equal(auth_welcome(s, &config, code, NULL, good, &from, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(auth_signin(s, &config, "bert", other, &from, &in, NULL), RC_OK);
    struct auth_client late = {from.address, from.agent, NOW + AUTH_LINK_HOURS * MS_PER_H + 1};
    assert_int_equal(auth_user_link(s, anna, bert, &from, code, NULL), RC_OK);
    assert_int_equal(auth_welcome(s, &config, code, NULL, good, &late, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "welcome", "%"), 1);
    assert_int_equal(audited(s, "signin_refused", "code:%"), 2);
}

TEST(a_csrf_token_belongs_to_one_login)
{
    char a[CSRF_SIZE], again[CSRF_SIZE], b[CSRF_SIZE];
    auth_csrf("one token", a);
    auth_csrf("one token", again);
    auth_csrf("two token", b);
    assert_true(auth_csrf_equal(a, again));
    assert_false(auth_csrf_equal(a, b));
    assert_false(auth_csrf_equal(a, ""));
    assert_false(auth_csrf_equal("", ""));
}
