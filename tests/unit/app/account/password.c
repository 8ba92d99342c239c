#include "app/account/password.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "unit.h"

TEST(passwords_have_rules)
{
    char longest[PASSWORD_BYTES_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[PASSWORD_BYTES_MAX + 1] = '\0';
    assert_int_equal(password_check("123456789", NULL), RC_BAD_INPUT);
    assert_int_equal(password_check("1234567890", NULL), RC_OK);
    assert_int_equal(password_check("äöüäöüäöüä", NULL), RC_OK);
    assert_int_equal(password_check("äöüäöüäöü", NULL), RC_BAD_INPUT); /* characters count, not bytes */
    assert_int_equal(password_check("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", NULL), RC_BAD_INPUT);
    assert_int_equal(password_check(longest, NULL), RC_BAD_INPUT);
    longest[PASSWORD_BYTES_MAX] = '\0';
    assert_int_equal(password_check(longest, NULL), RC_OK);
}

TEST(passwords_match_their_hash_only)
{
    char hash[PASSWORD_HASH_SIZE];
    assert_true(sodium_init() >= 0);
    assert_int_equal(password_hash("correct horse", hash, NULL), RC_OK);
    assert_non_null(strstr(hash, "$argon2id$v=19$m=65536,t=2,p=1$"));
    assert_int_equal(password_verify(hash, "correct horse ", NULL), RC_UNAUTHENTICATED);
    assert_int_equal(password_verify(NULL, "correct horse", NULL), RC_UNAUTHENTICATED);
    assert_int_equal(password_verify("", "correct horse", NULL), RC_UNAUTHENTICATED);
}

static void *enter_known(void *arg)
{
    (void)arg;
    assert_int_equal(password_enter(PASSWORD_KNOWN_DEVICE, NULL), RC_OK);
    password_leave();
    return NULL;
}

TEST(strangers_get_all_places_but_one_and_a_known_device_waits_for_its_own)
{
    struct err e = ERR_INIT;
    pthread_t thread;
    password_threads(PASSWORD_PLACES + PASSWORD_SPARE);
    for (int i = 0; i < PASSWORD_AT_ONCE; i++)
        assert_int_equal(password_enter(PASSWORD_STRANGER, NULL), RC_OK);
    assert_int_equal(password_enter(PASSWORD_STRANGER, &e), RC_UNAVAILABLE);
    assert_int_equal(e.retry_after_s, PASSWORD_RETRY_S);
    assert_int_equal(pthread_create(&thread, NULL, enter_known, NULL), 0);
    for (int i = 0; i < PASSWORD_AT_ONCE; i++)
        password_leave();
    pthread_join(thread, NULL);
    assert_int_equal(password_enter(PASSWORD_STRANGER, NULL), RC_OK);
    password_leave();
}

TEST(a_program_with_few_threads_hashes_in_fewer)
{
    password_threads(PASSWORD_SPARE + 2);
    assert_int_equal(password_enter(PASSWORD_STRANGER, NULL), RC_OK);
    assert_int_equal(password_enter(PASSWORD_STRANGER, NULL), RC_UNAVAILABLE);
    assert_int_equal(password_enter(PASSWORD_KNOWN_DEVICE, NULL), RC_OK);
    assert_int_equal(password_enter(PASSWORD_KNOWN_DEVICE, NULL), RC_UNAVAILABLE);
    password_leave();
    password_leave();
    password_threads(1);
    assert_int_equal(password_enter(PASSWORD_STRANGER, NULL), RC_OK);
    assert_int_equal(password_enter(PASSWORD_KNOWN_DEVICE, NULL), RC_UNAVAILABLE);
    password_leave();
    password_threads(PASSWORD_PLACES + PASSWORD_SPARE);
}
