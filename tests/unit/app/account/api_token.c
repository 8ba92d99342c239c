#include "app/account/api_token.h"

#include <sodium.h>

#include "app/store_rig.h"
#include "base/clock.h"

#define NOW ((int64_t)1700000000000)

static struct config config;
static const struct auth_client from = {.address = "192.0.2.1", .agent = "a program", .now = NOW};
static int64_t anna;
static struct arena *arena;

static struct store *start(void)
{
    struct store *s = rig_store(NULL, NULL);
    assert_true(sodium_init() >= 0);
    config.login.address_failures = 2;
    config.login.failure_minutes = 15;
    assert_int_equal(auth_user_add(s, 0, "anna", USER_ADMIN, NULL, &from, &anna, NULL), RC_OK);
    arena = arena_new();
    return s;
}

static void finish(struct store *s)
{
    arena_free(arena);
    store_free(s);
}

static enum rc add(struct store *s, const struct api_rights *by, struct api_token_input w,
    struct api_token *t, char secret[API_TOKEN_SIZE])
{
    w.name = w.name ? w.name : "editor";
    return api_token_add(s, anna, by, &w, &from, arena, t, secret, NULL);
}

static enum rc identify_at(struct store *s, const char *token, int64_t now, struct identity *who)
{
    struct auth_client at = from;
    at.now = now;
    *who = (struct identity){0};
    return api_token_identify(s, &config, str_of(token), &at, who, NULL);
}

TEST(a_token_has_a_checksum_that_finds_every_wrong_character)
{
    char token[API_TOKEN_SIZE], other[API_TOKEN_SIZE];
    assert_true(sodium_init() >= 0);
    api_token_new(token);
    api_token_new(other);
    assert_int_equal(strlen(token), API_TOKEN_SIZE - 1);
    assert_int_equal(strspn(token + 4, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        API_TOKEN_SIZE - 1 - 4);
    assert_string_not_equal(token, other);
    assert_true(api_token_well_formed(str_of(token)));
    for (size_t i = 0; i < API_TOKEN_SIZE - 1; i++) {
        char was = token[i];
        token[i] = was == 'x' ? 'y' : 'x';
        assert_false(api_token_well_formed(str_of(token)));
        token[i] = was;
    }
    assert_false(api_token_well_formed((struct str){token, API_TOKEN_SIZE - 2}));
    assert_false(api_token_well_formed(STR("")));
}

TEST(scopes_are_words)
{
    unsigned scopes;
    struct arena *a = arena_new();
    assert_int_equal(api_scopes_parse(STR("read  chat "), &scopes, NULL), RC_OK);
    assert_int_equal(scopes, 1u << API_SCOPE_READ | 1u << API_SCOPE_CHAT);
    assert_string_equal(api_scopes_text(a, scopes), "read chat");
    assert_int_equal(api_scopes_parse(STR("admin"), &scopes, NULL), RC_BAD_INPUT);
    assert_int_equal(api_scopes_parse(STR("read admin"), &scopes, NULL), RC_BAD_INPUT);
    assert_int_equal(api_scopes_parse(STR(" "), &scopes, NULL), RC_BAD_INPUT);
    arena_free(a);
}

TEST(a_token_identifies_its_user_until_it_ends)
{
    struct store *s = start();
    struct api_token t;
    struct identity who;
    char secret[API_TOKEN_SIZE];
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1, .days = 1}, &t, secret), RC_OK);
    assert_int_equal(identify_at(s, secret, NOW + 1, &who), RC_OK);
    assert_int_equal(who.user_id, anna);
    assert_int_equal(who.login_id, 0);
    assert_int_equal(who.token.scopes, 1);
    assert_true(who.role == USER_ADMIN);
    assert_int_equal(identify_at(s, secret, NOW + MS_PER_DAY, &who), RC_UNAUTHENTICATED);
    assert_int_equal(who.user_id, 0);

    assert_int_equal(api_token_revoke(s, anna + 1, t.pub, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(identify_at(s, secret, NOW + 2, &who), RC_OK);
    assert_int_equal(api_token_revoke(s, anna, t.pub, &from, NULL), RC_OK);
    assert_int_equal(identify_at(s, secret, NOW + 3, &who), RC_UNAUTHENTICATED);
    finish(s);
}

TEST(the_last_use_is_written_at_most_once_a_minute)
{
    struct store *s = start();
    struct api_token t, *list;
    struct identity who;
    size_t n;
    char secret[API_TOKEN_SIZE];
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1}, &t, secret), RC_OK);
    const int64_t uses[] = {NOW + 5, NOW + 5 + MS_PER_MIN, NOW + 6 + MS_PER_MIN};
    const int64_t written[] = {NOW + 5, NOW + 5, NOW + 6 + MS_PER_MIN};
    for (size_t i = 0; i < ARRAY_LEN(uses); i++) {
        assert_int_equal(identify_at(s, secret, uses[i], &who), RC_OK);
        struct db *db = store_read(s);
        assert_int_equal(store_api_token_list(db, arena, anna, &list, &n, NULL), RC_OK);
        store_read_done(s, db);
        assert_int_equal(list[0].used_at, written[i]);
        assert_string_equal(list[0].address, "192.0.2.1");
    }
    finish(s);
}

TEST(a_token_makes_none_with_more_rights_or_a_later_end)
{
    struct store *s = start();
    struct api_token t;
    char secret[API_TOKEN_SIZE];
    struct api_rights by = {.id = 1, .scopes = 3, .use_tools = true, .expires_at = NOW + 10 * MS_PER_DAY};
    assert_int_equal(
        add(s, &by, (struct api_token_input){.scopes = 1, .use_tools = true, .days = 10}, &t, secret), RC_OK);
    assert_int_equal(add(s, &by, (struct api_token_input){.scopes = 4, .days = 1}, &t, secret), RC_FORBIDDEN);
    assert_int_equal(
        add(s, &by, (struct api_token_input){.scopes = 1, .days = 11}, &t, secret), RC_FORBIDDEN);
    assert_int_equal(add(s, &by, (struct api_token_input){.scopes = 1}, &t, secret), RC_FORBIDDEN);
    assert_int_equal(
        add(s, &by, (struct api_token_input){.scopes = 1, .days = 1, .use_memory = true}, &t, secret),
        RC_FORBIDDEN);
    finish(s);
}

TEST(a_user_has_a_limited_number_of_tokens)
{
    struct store *s = start();
    struct api_token t;
    char secret[API_TOKEN_SIZE];
    for (int i = 0; i < API_TOKENS_MAX; i++)
        assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1}, &t, secret), RC_OK);
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1}, &t, secret), RC_CONFLICT);
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 0}, &t, secret), RC_BAD_INPUT);
    assert_int_equal(
        add(s, NULL, (struct api_token_input){.name = "", .scopes = 1}, &t, secret), RC_BAD_INPUT);
    finish(s);
}

TEST(bad_tokens_are_limited_by_network_and_good_ones_pass)
{
    struct store *s = start();
    struct api_token t;
    struct identity who;
    char secret[API_TOKEN_SIZE], unknown[API_TOKEN_SIZE];
    api_token_new(unknown);
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1}, &t, secret), RC_OK);
    assert_int_equal(identify_at(s, "alf_wrong", NOW, &who), RC_UNAUTHENTICATED);
    assert_int_equal(identify_at(s, unknown, NOW, &who), RC_UNAUTHENTICATED);
    assert_int_equal(identify_at(s, unknown, NOW, &who), RC_RATE_LIMITED);
    assert_int_equal(identify_at(s, secret, NOW, &who), RC_OK);
    assert_int_equal(identify_at(s, unknown, NOW + 16 * MS_PER_MIN, &who), RC_UNAUTHENTICATED);
    finish(s);
}

TEST(a_new_password_and_disabling_end_all_tokens)
{
    struct store *s = start();
    struct api_token t;
    struct identity who;
    int64_t bert;
    char secret[API_TOKEN_SIZE];
    assert_int_equal(auth_user_add(s, anna, "bert", USER_ADMIN, NULL, &from, &bert, NULL), RC_OK);
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1}, &t, secret), RC_OK);
    assert_int_equal(auth_user_set_password(s, 0, anna, "correct horse battery", &from, NULL), RC_OK);
    assert_int_equal(identify_at(s, secret, NOW, &who), RC_UNAUTHENTICATED);
    assert_int_equal(add(s, NULL, (struct api_token_input){.scopes = 1}, &t, secret), RC_OK);
    assert_int_equal(auth_user_set_disabled(s, bert, anna, true, &from, NULL), RC_OK);
    assert_int_equal(auth_user_set_disabled(s, bert, anna, false, &from, NULL), RC_OK);
    assert_int_equal(identify_at(s, secret, NOW + 16 * MS_PER_MIN, &who), RC_UNAUTHENTICATED);
    finish(s);
}
