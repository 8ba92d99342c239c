#include "app/account/auth.h"
#include "app/account/password.h"
#include "app/account/signin_limit.h"

#include <sodium.h>

#include "app/store_rig.h"
#include "base/clock.h"

#define NOW ((int64_t)1700000000000)

static struct config config;
static const struct auth_client from = {.address = "192.0.2.1", .agent = "a browser", .now = NOW};
static const char good[] = "correct horse battery", other[] = "another long password";
static int64_t anna, bert;

static struct store *start(void)
{
    struct store *s = rig_store(NULL, NULL);
    assert_true(sodium_init() >= 0);
    config.login.idle_days = 7;
    config.login.absolute_days = 30;
    config.login.failures = 2;
    config.login.account_failures = 4;
    config.login.address_failures = 3;
    config.login.failure_minutes = 15;
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
    return auth_signin(s, &config, "anna", password, NULL, by, out, NULL);
}

TEST(a_sign_in_and_every_refusal_leave_an_audit_row)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct err e = ERR_INIT;
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    assert_int_equal(audited(s, "signin", "%"), 1);
    assert_int_equal(auth_signin(s, &config, "nobody", good, NULL, &from, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "signin_refused", "name:nobody"), 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sign_in(s, "wrong", &from, &in), RC_UNAUTHENTICATED);
    assert_int_equal(
        auth_signin(s, &config, "anna", good, NULL, &from, &in, &e), RC_RATE_LIMITED); /* right, too late */
    assert_true(e.retry_after_s > 0 && e.retry_after_s <= 15 * 60 + 1);
    assert_int_equal(audited(s, "signin_limited", "name:anna"), 1);
    assert_int_equal(audited(s, "signin", "%"), 1);

    struct identity who = {.user_id = anna};
    auth_note_refused(s, &who, &from, "POST /signout");
    assert_int_equal(audited(s, "refused", "POST /signout"), 1);
}

static struct auth_client at(const char *address)
{
    return (struct auth_client){.address = address, .agent = "a browser", .now = NOW};
}

static void guess(struct store *s, const char *name, const char *address, int n)
{
    struct auth_client by = at(address);
    struct auth_signin in;
    for (int i = 0; i < n; i++)
        assert_int_equal(auth_signin(s, &config, name, "wrong", NULL, &by, &in, NULL), RC_UNAUTHENTICATED);
}

static enum rc comes_in(struct store *s, const char *address)
{
    struct auth_client by = at(address);
    struct auth_signin in;
    return sign_in(s, good, &by, &in);
}

TEST(failures_of_an_address_do_not_keep_others_from_the_account_and_lapse)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct auth_client later = from;
    guess(s, "anna", from.address, 2);
    assert_int_equal(comes_in(s, from.address), RC_RATE_LIMITED);
    assert_int_equal(comes_in(s, "198.51.100.7"), RC_OK);
    assert_int_equal(comes_in(s, from.address), RC_RATE_LIMITED); /* that sign-in reset no other count */
    later.now += 15 * MS_PER_MIN + 1;
    assert_int_equal(sign_in(s, good, &later, &in), RC_OK);
}

TEST(failures_count_no_longer_after_the_clock_is_set_back)
{
    AUTO(store) s = start();
    struct auth_signin in;
    struct auth_client before = from, soon = from;
    before.now += MS_PER_DAY;
    soon.now -= MS_PER_MIN;
    for (int i = 0; i < 2; i++)
        assert_int_equal(sign_in(s, "wrong", &before, &in), RC_UNAUTHENTICATED);
    assert_int_equal(sign_in(s, good, &before, &in), RC_RATE_LIMITED);
    assert_int_equal(sign_in(s, good, &from, &in), RC_OK);
    guess(s, "anna", from.address, 2); /* attempts that run at the same time have times of their own */
    assert_int_equal(sign_in(s, good, &soon, &in), RC_RATE_LIMITED);
}

TEST(a_right_password_forgives_earlier_typing_errors)
{
    AUTO(store) s = start();
    for (int i = 0; i < 2; i++) {
        guess(s, "anna", from.address, 1);
        assert_int_equal(comes_in(s, from.address), RC_OK);
    }
    assert_int_equal(comes_in(s, from.address), RC_OK);
}

TEST(a_right_password_forgives_no_failures_with_other_accounts)
{
    AUTO(store) s = start();
    guess(s, "x1", from.address, 1);
    guess(s, "x2", from.address, 1);
    assert_int_equal(comes_in(s, from.address), RC_OK);
    guess(s, "x3", from.address, 1);
    assert_int_equal(comes_in(s, from.address), RC_RATE_LIMITED);
}

TEST(many_addresses_are_limited_by_the_account_and_many_accounts_by_the_address)
{
    AUTO(store) s = start();
    guess(s, "anna", "198.51.100.1", 2);
    guess(s, "anna", "198.51.100.2", 2);
    assert_int_equal(comes_in(s, "198.51.100.3"), RC_RATE_LIMITED);
    guess(s, "x1", "2001:db8::1", 1);
    guess(s, "x2", "2001:db8::2", 1);
    guess(s, "x3", "2001:db8::3", 1);
    struct auth_client by = at("2001:db8::4");
    struct auth_signin in;
    assert_int_equal(auth_signin(s, &config, "bert", good, NULL, &by, &in, NULL), RC_RATE_LIMITED);
}

TEST(a_known_device_is_kept_out_by_its_own_failures_only)
{
    AUTO(store) s = start();
    struct auth_signin first, in;
    assert_int_equal(sign_in(s, good, &from, &first), RC_OK);
    guess(s, "anna", from.address, 2);
    guess(s, "anna", "198.51.100.2", 2);
    struct auth_client known = from;
    known.device = first.device;
    assert_int_equal(sign_in(s, good, &known, &in), RC_OK);
    assert_string_equal(in.device, first.device);
    assert_int_equal(sign_in(s, "wrong", &known, &in), RC_UNAUTHENTICATED);
    assert_int_equal(sign_in(s, "wrong", &known, &in), RC_UNAUTHENTICATED);
    known.address = "198.51.100.9";
    assert_int_equal(sign_in(s, good, &known, &in), RC_RATE_LIMITED);
    /* it is known to the account that it signed in to, for a year */
    known.now += 15 * MS_PER_MIN + 1;
    assert_int_equal(auth_signin(s, &config, "bert", good, NULL, &known, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "signin_refused", "name:bert"), 1);
    known.now = NOW + AUTH_DEVICE_DAYS * MS_PER_DAY + 1;
    assert_int_equal(sign_in(s, good, &known, &in), RC_OK);
    assert_string_not_equal(in.device, first.device);
}

TEST(an_attempt_without_a_verdict_does_not_count)
{
    AUTO(store) s = start();
    struct auth_signin in;
    for (int i = 0; i < PASSWORD_AT_ONCE; i++)
        assert_int_equal(password_enter(PASSWORD_STRANGER, NULL), RC_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(sign_in(s, "wrong", &from, &in), RC_UNAVAILABLE);
    for (int i = 0; i < PASSWORD_AT_ONCE; i++)
        password_leave();
    guess(s, "anna", from.address, 1);
    assert_int_equal(comes_in(s, from.address), RC_OK);
}

TEST(a_network_is_an_ipv4_address_or_64_bits)
{
    static const char *const cases[][2] = {
        {"203.0.113.9", "203.0.113.9"},
        {"::ffff:203.0.113.9", "203.0.113.9"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"2001:DB8:1:2::", "2001:db8:1:2::/64"},
        {"::1", "::/64"},
        {"unknown", "unknown"},
    };
    char out[SIGNIN_NETWORK_MAX];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        signin_network(cases[i][0], out);
        assert_string_equal(out, cases[i][1]);
    }
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
    assert_int_equal(auth_signin(s, &config, "bert", other, NULL, &from, &in, NULL), RC_OK);
    struct auth_client late = from;
    late.now += AUTH_LINK_HOURS * MS_PER_H + 1;
    assert_int_equal(auth_user_link(s, anna, bert, &from, code, NULL), RC_OK);
    assert_int_equal(auth_welcome(s, &config, code, NULL, good, &late, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(audited(s, "welcome", "%"), 1);
    assert_int_equal(audited(s, "signin_refused", "code:%"), 2);
}

static enum rc add_setup_code_tx(struct db *db, void *code, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_hash(code, hash);
    return store_code_add(db, hash, 0, NOW + MS_PER_H, e);
}

TEST(a_link_lets_in_no_further_first_admin_and_no_disabled_user)
{
    AUTO(store) s = start();
    struct auth_signin in;
    char setup[TOKEN_SIZE], code[TOKEN_SIZE];
    token_new(setup);
    assert_int_equal(store_write(s, add_setup_code_tx, setup, NULL), RC_OK);
    assert_int_equal(auth_welcome(s, &config, setup, "eve", other, &from, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(auth_signin(s, &config, "eve", other, NULL, &from, &in, NULL), RC_UNAUTHENTICATED);
    assert_int_equal(auth_user_set_disabled(s, anna, bert, true, &from, NULL), RC_OK);
    assert_int_equal(auth_user_link(s, anna, bert, &from, code, NULL), RC_OK);
    assert_int_equal(auth_welcome(s, &config, code, NULL, other, &from, &in, NULL), RC_UNAUTHENTICATED);
}

/* Creates a second link for bert, runs `end`, and returns the state of the link afterwards. */
static enum rc link_after(struct store *s, void (*end)(struct store *s, const char *first_link))
{
    struct auth_signin in;
    char first[TOKEN_SIZE], second[TOKEN_SIZE];
    assert_int_equal(auth_user_link(s, anna, bert, &from, first, NULL), RC_OK);
    assert_int_equal(auth_user_link(s, anna, bert, &from, second, NULL), RC_OK);
    end(s, first);
    return auth_welcome(s, &config, second, NULL, good, &from, &in, NULL);
}

static void by_another_link(struct store *s, const char *first_link)
{
    struct auth_signin in;
    assert_int_equal(auth_welcome(s, &config, first_link, NULL, other, &from, &in, NULL), RC_OK);
}

static void by_the_owner(struct store *s, const char *first_link)
{
    struct auth_signin in;
    struct identity who;
    (void)first_link;
    assert_int_equal(auth_signin(s, &config, "bert", other, NULL, &from, &in, NULL), RC_OK);
    assert_int_equal(auth_identify(s, &config, in.token, NOW, &who, NULL), RC_OK);
    assert_int_equal(auth_change_password(s, &config, &who, other, good, &from, &in, NULL), RC_OK);
}

static void by_an_admin(struct store *s, const char *first_link)
{
    (void)first_link;
    assert_int_equal(auth_user_set_password(s, anna, bert, good, &from, NULL), RC_OK);
}

static void by_disabling(struct store *s, const char *first_link)
{
    (void)first_link;
    assert_int_equal(auth_user_set_disabled(s, anna, bert, true, &from, NULL), RC_OK);
    assert_int_equal(auth_user_set_disabled(s, anna, bert, false, &from, NULL), RC_OK);
}

TEST(unused_links_end_with_another_link_a_new_password_and_disabling)
{
    AUTO(store) s = start();
    char annas[TOKEN_SIZE];
    struct auth_signin in;
    config.login.failures = 100;
    assert_int_equal(auth_user_link(s, bert, anna, &from, annas, NULL), RC_OK);
    assert_int_equal(link_after(s, by_another_link), RC_UNAUTHENTICATED);
    assert_int_equal(link_after(s, by_the_owner), RC_UNAUTHENTICATED);
    assert_int_equal(link_after(s, by_an_admin), RC_UNAUTHENTICATED);
    assert_int_equal(link_after(s, by_disabling), RC_UNAUTHENTICATED);
    /* those of others stay */
    assert_int_equal(auth_welcome(s, &config, annas, NULL, other, &from, &in, NULL), RC_OK);
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

TEST(every_csrf_token_of_a_login_is_other_text)
{
    char a[CSRF_SIZE], b[CSRF_SIZE], forged[CSRF_SIZE];
    auth_csrf("one token", a);
    auth_csrf("one token", b);
    assert_string_not_equal(a, b);
    /* nor is the hash without a mask accepted, which would be the same in each answer */
    memset(forged, 'A', CSRF_SIZE - 1);
    forged[CSRF_SIZE - 1] = '\0';
    assert_false(auth_csrf_equal(a, forged));
    memcpy(forged, a, CSRF_SIZE);
    memcpy(forged + CSRF_SIZE / 2, b + CSRF_SIZE / 2, CSRF_SIZE / 2);
    assert_false(auth_csrf_equal(a, forged));
}
