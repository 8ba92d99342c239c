#include "../rig.h"

#include "store/reminder.h"

static const unsigned char hash1[TOKEN_HASH_SIZE] = {1}, hash2[TOKEN_HASH_SIZE] = {2, 0, 3};

TEST(users_have_names_of_their_own)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id, n;
    struct user u;
    assert_rc(store_user_add(db, "ann", USER_MEMBER, "x", NOW, &id, NULL), RC_CONFLICT);
    assert_ok(store_user_by_name(db, a, "ann", &u, NULL));
    assert_int_equal(u.id, 1);
    assert_int_equal(u.role, USER_ADMIN);
    assert_string_equal(u.name, "ann");
    assert_string_equal(u.password, "hash-a");
    assert_int_equal(u.disabled_at, 0);
    assert_int_equal(u.created_at, NOW);
    assert_ok(store_user_by_id(db, a, 2, &u, NULL));
    assert_int_equal(u.role, USER_MEMBER);
    assert_rc(store_user_by_name(db, a, "nobody", &u, NULL), RC_NOT_FOUND);
    assert_rc(store_user_by_id(db, a, 3, &u, NULL), RC_NOT_FOUND);
    assert_ok(store_user_count(db, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(user_role_name(USER_ADMIN), "admin");
    assert_string_equal(user_role_name(USER_MEMBER), "member");
}

TEST(users_change_and_active_admins_are_counted)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct user u;
    int64_t n;
    assert_ok(store_user_active_admins(db, &n, NULL));
    assert_int_equal(n, 1); /* bob is a member */
    assert_ok(store_user_set_password(db, 2, "new", NULL));
    assert_ok(store_user_set_role(db, 2, USER_ADMIN, NULL));
    assert_ok(store_user_active_admins(db, &n, NULL));
    assert_int_equal(n, 2);
    assert_ok(store_user_set_disabled(db, 2, NOW + 1, NULL));
    assert_ok(store_user_active_admins(db, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(store_user_by_id(db, a, 2, &u, NULL));
    assert_string_equal(u.password, "new");
    assert_int_equal(u.role, USER_ADMIN);
    assert_int_equal(u.disabled_at, NOW + 1);
    assert_ok(store_user_set_disabled(db, 2, 0, NULL));
    assert_ok(store_user_by_id(db, a, 2, &u, NULL));
    assert_int_equal(u.disabled_at, 0);
    assert_rc(store_user_set_password(db, 9, "x", NULL), RC_NOT_FOUND);
    assert_rc(store_user_set_role(db, 9, USER_ADMIN, NULL), RC_NOT_FOUND);
    assert_rc(store_user_set_disabled(db, 9, 1, NULL), RC_NOT_FOUND);
}

static void sign_in(struct db *db, int64_t user, const unsigned char *hash)
{
    assert_ok(store_login_add(db, user, hash, "Browser", "10.0.0.1", NOW, NOW + 1000, NULL));
}

TEST(the_list_of_users_is_by_name_with_their_last_use)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id;
    struct user *list;
    size_t n;
    assert_ok(store_user_add(db, "abe", USER_MEMBER, "x", NOW, &id, NULL));
    sign_in(db, 2, hash1);
    assert_ok(store_login_touch(db, 1, NOW + 7, NULL));
    assert_ok(store_user_list(db, a, &list, &n, NULL));
    assert_int_equal(n, 3);
    assert_string_equal(list[0].name, "abe");
    assert_int_equal(list[0].last_used_at, 0);
    assert_string_equal(list[2].name, "bob");
    assert_int_equal(list[2].last_used_at, NOW + 7);
}

TEST(a_login_is_good_until_any_of_its_ends)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct identity who;
    struct login *list;
    size_t n;
    sign_in(db, 1, hash1);
    assert_rc(store_login_add(db, 1, hash1, "x", "x", NOW, NOW + 1, NULL), RC_CONFLICT);
    assert_ok(store_login_find(db, hash1, NOW + 1, NOW, &who, NULL));
    assert_int_equal(who.user_id, 1);
    assert_string_equal(who.name, "ann");
    assert_int_equal(who.role, USER_ADMIN);
    assert_int_equal(who.used_at, NOW);
    assert_true(id_valid(ID_LOGIN, who.login_pub));
    assert_ok(store_login_check(db, who.login_id, NOW + 1, NOW, NULL));

    assert_rc(store_login_find(db, hash2, NOW, NOW, &who, NULL), RC_NOT_FOUND);         /* absent */
    assert_rc(store_login_find(db, hash1, NOW + 1000, NOW, &who, NULL), RC_NOT_FOUND);  /* expired */
    assert_rc(store_login_find(db, hash1, NOW + 1, NOW + 1, &who, NULL), RC_NOT_FOUND); /* idle */
    assert_rc(store_login_check(db, 1, NOW + 1, NOW + 1, NULL), RC_NOT_FOUND);
    assert_ok(store_login_touch(db, 1, NOW + 5, NULL));
    assert_ok(store_login_touch(db, 1, NOW + 2, NULL)); /* a late one does not turn it back */
    assert_ok(store_login_find(db, hash1, NOW + 6, NOW + 5, &who, NULL));

    assert_ok(store_user_set_disabled(db, 1, NOW, NULL));
    assert_rc(store_login_find(db, hash1, NOW + 6, NOW, &who, NULL), RC_NOT_FOUND);
    assert_rc(store_login_check(db, 1, NOW + 6, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_login_list(db, a, 1, NOW + 6, NOW, &list, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_user_set_disabled(db, 1, 0, NULL));

    assert_rc(store_login_revoke(db, 2, who.login_pub, NOW, NULL), RC_NOT_FOUND); /* not his */
    sign_in(db, 1, hash2);
    assert_ok(store_login_revoke(db, 1, who.login_pub, NOW, NULL));
    assert_rc(store_login_revoke(db, 1, who.login_pub, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_login_find(db, hash2, NOW + 1, NOW, &who, NULL)); /* the others stay */
    assert_rc(store_login_find(db, hash1, NOW + 6, NOW, &who, NULL), RC_NOT_FOUND);
    assert_rc(store_login_check(db, 1, NOW + 6, NOW, NULL), RC_NOT_FOUND);
}

TEST(a_login_says_whether_a_reminder_is_due)
{
    AUTO(db) db = rig_db();
    struct identity who;
    int64_t answered;
    sign_in(db, 1, hash1);
    sign_in(db, 2, hash2);
    struct reminder r = {
        .owner = 1, .kind = REMINDER_REMIND, .text = STR("Tea"), .zone = "", .start = "2026-12-01T17:00"};
    assert_ok(store_reminder_add(db, &r, NULL));
    assert_ok(store_login_find(db, hash1, NOW, NOW, &who, NULL));
    assert_true(who.nothing_due);
    struct reminder_due d = {.owner = 1, .reminder_id = r.id, .due_at = NOW, .told_at = NOW};
    assert_ok(store_reminder_due_add(db, &d, NULL));
    assert_ok(store_login_find(db, hash1, NOW, NOW, &who, NULL));
    assert_false(who.nothing_due);
    assert_ok(store_login_find(db, hash2, NOW, NOW, &who, NULL));
    assert_true(who.nothing_due); /* it is another user's */
    assert_ok(store_reminder_due_answer(db, 1, r.id, REMINDER_DUE_DONE, NOW, &answered, NULL));
    assert_ok(store_login_find(db, hash1, NOW, NOW, &who, NULL));
    assert_true(who.nothing_due);
    assert_ok(store_identity_of_user(db, 1, &who, NULL));
    assert_false(who.nothing_due); /* not asked */
}

TEST(logins_are_listed_newest_use_first_and_revoked_together)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct login *list;
    size_t n;
    char long_agent[LOGIN_AGENT_MAX + 50];
    memset(long_agent, 'x', sizeof long_agent);
    long_agent[sizeof long_agent - 1] = '\0';
    sign_in(db, 1, hash1);
    assert_ok(store_login_add(db, 1, hash2, long_agent, "::1", NOW, NOW + 1000, NULL));
    sign_in(db, 2, (const unsigned char[TOKEN_HASH_SIZE]){9});
    assert_ok(store_login_touch(db, 1, NOW + 1, NULL));
    assert_ok(store_login_list(db, a, 1, NOW, NOW, &list, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(list[0].id, 1);
    assert_string_equal(list[0].agent, "Browser");
    assert_string_equal(list[0].address, "10.0.0.1");
    assert_int_equal(list[0].expires_at, NOW + 1000);
    assert_int_equal(strlen(list[1].agent), LOGIN_AGENT_MAX);
    assert_ok(store_login_revoke_all(db, 1, 2, NOW + 2, NULL));
    assert_ok(store_login_list(db, a, 1, NOW, NOW, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(list[0].id, 2);
    assert_ok(store_login_list(db, a, 2, NOW, NOW, &list, &n, NULL));
    assert_int_equal(n, 1);
}

TEST(dead_logins_are_swept)
{
    AUTO(db) db = rig_db();
    int64_t removed;
    sign_in(db, 1, hash1);
    assert_ok(store_login_add(db, 1, hash2, "", "", NOW, NOW + 9999, NULL));
    assert_ok(store_login_sweep(db, NOW + 1000, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_ok(store_login_sweep(db, NOW + 1001, &removed, NULL));
    assert_int_equal(removed, 1);
    assert_ok(store_login_revoke_all(db, 1, 0, NOW + 5, NULL));
    assert_ok(store_login_sweep(db, NOW + 6, &removed, NULL));
    assert_int_equal(removed, 1);
}

TEST(a_code_works_once_and_in_time)
{
    AUTO(db) db = rig_db();
    int64_t user;
    assert_ok(store_code_add(db, hash1, 2, NOW + 10, NULL));
    assert_rc(store_code_use(db, hash2, NOW, &user, NULL), RC_NOT_FOUND);
    assert_rc(store_code_use(db, hash1, NOW + 10, &user, NULL), RC_NOT_FOUND);
    assert_ok(store_code_use(db, hash1, NOW + 9, &user, NULL));
    assert_int_equal(user, 2);
    assert_rc(store_code_use(db, hash1, NOW + 9, &user, NULL), RC_NOT_FOUND);
}

TEST(expired_codes_are_swept)
{
    AUTO(db) db = rig_db();
    int64_t user;
    assert_ok(store_code_add(db, hash1, 2, NOW + 10, NULL));
    assert_ok(store_code_add(db, hash2, 2, NOW + 20, NULL));
    assert_ok(store_code_sweep(db, NOW + 15, NULL));
    assert_rc(store_code_use(db, hash1, NOW, &user, NULL), RC_NOT_FOUND);
    assert_ok(store_code_use(db, hash2, NOW, &user, NULL));
}

TEST(codes_for_the_first_admin_can_be_dropped)
{
    AUTO(db) db = rig_db();
    int64_t user;
    assert_ok(store_code_add(db, hash1, 0, NOW + 10, NULL));
    assert_ok(store_code_add(db, hash2, 2, NOW + 10, NULL));
    assert_ok(store_code_drop_unused(db, 0, NULL));
    assert_rc(store_code_use(db, hash1, NOW, &user, NULL), RC_NOT_FOUND);
    assert_ok(store_code_use(db, hash2, NOW, &user, NULL));
    assert_ok(store_code_add(db, hash1, 0, NOW + 10, NULL));
    assert_ok(store_code_use(db, hash1, NOW, &user, NULL));
    assert_int_equal(user, 0);
}

TEST(failures_are_counted_per_subject_and_window)
{
    AUTO(db) db = rig_db();
    int64_t count, oldest;
    for (int i = 0; i < 3; i++)
        assert_ok(store_failure_add(db, "name:ann", NOW + i, NULL));
    assert_ok(store_failure_add(db, "addr:10.0.0.1", NOW, NULL));
    assert_ok(store_failure_count(db, "name:ann", NOW + 1, INT64_MAX, &count, &oldest, NULL));
    assert_int_equal(count, 2);
    assert_int_equal(oldest, NOW + 1);
    assert_ok(store_failure_count(db, "name:ann", 0, NOW + 1, &count, &oldest, NULL));
    assert_int_equal(count, 2);
    assert_int_equal(oldest, NOW);
    assert_ok(store_failure_clear(db, "name:ann", NULL));
    assert_ok(store_failure_count(db, "name:ann", 0, INT64_MAX, &count, &oldest, NULL));
    assert_int_equal(count, 0);
    assert_int_equal(oldest, 0);
    assert_ok(store_failure_sweep(db, NOW, NULL));
    assert_ok(store_failure_count(db, "addr:10.0.0.1", 0, INT64_MAX, &count, &oldest, NULL));
    assert_int_equal(count, 1);
    assert_ok(store_failure_sweep(db, NOW + 1, NULL));
    assert_ok(store_failure_count(db, "addr:10.0.0.1", 0, INT64_MAX, &count, &oldest, NULL));
    assert_int_equal(count, 0);
}

TEST(one_failure_is_taken_back)
{
    AUTO(db) db = rig_db();
    int64_t count, oldest;
    for (int i = 0; i < 2; i++)
        assert_ok(store_failure_add(db, "name:ann", NOW, NULL));
    assert_ok(store_failure_remove(db, "name:ann", NOW, NULL));
    assert_ok(store_failure_remove(db, "name:ann", NOW + 1, NULL));
    assert_ok(store_failure_count(db, "name:ann", 0, INT64_MAX, &count, &oldest, NULL));
    assert_int_equal(count, 1);
}

TEST(a_device_is_known_to_the_accounts_that_it_signed_in_to)
{
    AUTO(db) db = rig_db();
    assert_ok(store_device_note(db, hash1, 1, NOW, NULL));
    assert_ok(store_device_find(db, hash1, 1, NOW, NULL));
    assert_ok(store_device_find(db, hash1, 0, NOW, NULL));
    assert_rc(store_device_find(db, hash1, 1, NOW + 1, NULL), RC_NOT_FOUND);
    assert_rc(store_device_find(db, hash1, 2, NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_device_find(db, hash2, 0, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_device_note(db, hash1, 2, NOW + 5, NULL));
    assert_ok(store_device_note(db, hash1, 1, NOW + 9, NULL));
    assert_ok(store_device_find(db, hash1, 1, NOW + 9, NULL));
    assert_ok(store_device_sweep(db, NOW + 9, NULL));
    assert_rc(store_device_find(db, hash1, 2, 0, NULL), RC_NOT_FOUND);
    assert_ok(store_device_find(db, hash1, 1, 0, NULL));
}

TEST(of_many_devices_the_ones_used_last_are_kept)
{
    AUTO(db) db = rig_db();
    unsigned char hash[TOKEN_HASH_SIZE] = {0};
    assert_ok(store_device_note(db, hash, 2, NOW - 1, NULL));
    for (int i = 0; i <= USER_DEVICES_MAX; i++) {
        assert_int_equal(rig_int(db, "SELECT count(*) FROM device WHERE user_id = 1"), i);
        hash[0] = (unsigned char)i;
        assert_ok(store_device_note(db, hash, 1, NOW + i, NULL));
    }
    assert_int_equal(rig_int(db, "SELECT count(*) FROM device WHERE user_id = 1"), USER_DEVICES_MAX);
    hash[0] = 0;
    assert_rc(store_device_find(db, hash, 1, 0, NULL), RC_NOT_FOUND);
    assert_ok(store_device_find(db, hash, 2, 0, NULL)); /* the same browser, of another user */
}

TEST(a_user_is_deleted_without_sessions_only_and_failures_by_name_go_along)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct user u;
    struct user_holdings h;
    static const char *const subjects[] = {"name:bob", "pair:bob 10.0.0.1", "second:2", "name:bobby",
        "pair:bobby 10.0.0.1", "second:22", "addr:10.0.0.1"};
    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        assert_ok(store_failure_add(db, subjects[i], NOW, NULL));
    int64_t session = rig_session(db, 2, "ses_1");
    rig_message(db, 2, session, 0, ROLE_USER, "hello");
    assert_ok(store_user_holdings(db, 2, &h, NULL));
    assert_int_equal(h.sessions, 1);
    assert_int_equal(h.messages, 1);
    assert_int_equal(h.memories + h.tasks + h.transfers, 0);
    assert_rc(store_user_delete(db, 2, NULL), RC_CONFLICT);
    assert_ok(rig_session_delete(db, 2, "ses_1", NULL));
    assert_ok(store_user_delete(db, 2, NULL));
    assert_rc(store_user_by_id(db, a, 2, &u, NULL), RC_NOT_FOUND);
    assert_rc(store_user_delete(db, 2, NULL), RC_NOT_FOUND);
    assert_rc(store_user_holdings(db, 2, &h, NULL), RC_NOT_FOUND);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM signin_failure"), 4);
    assert_ok(store_user_by_id(db, a, 1, &u, NULL));
}
