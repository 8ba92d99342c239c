#include "app/store_rig.h"

#include <stdio.h>
#include <string.h>

#include "app/account/channel_identity.h"
#include "store/channel/link_code.h"

static struct store *store;
static int64_t anna, bert;
static const struct auth_client from = {.address = "192.0.2.1", .agent = "test", .now = 1795182361000};

static enum rc people_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    enum rc rc = store_user_add(db, "anna", USER_ADMIN, "", 1, &anna, e);
    return rc == RC_OK ? store_user_add(db, "bert", USER_MEMBER, "", 1, &bert, e) : rc;
}

static struct store *start(void)
{
    return store = rig_store(people_tx, NULL);
}

static int64_t user_of(const char *person)
{
    int64_t user = -1;
    AUTO(arena) a = arena_new();
    struct db *db = store_read(store);
    assert_int_equal(channel_identity_find(db, a, "telegram", person, &user, NULL), RC_OK);
    store_read_done(store, db);
    return user;
}

struct sent {
    const char *person, *code;
    int64_t user;
    bool wrong;
};

static enum rc link_tx(struct db *db, void *arg, struct err *e)
{
    struct sent *s = arg;
    return channel_link(
        db, "telegram", s->person, "A person", str_of(s->code), clock_wall_ms(), &s->user, &s->wrong, e);
}

static enum rc link_person(const char *person, const char *code, int64_t *user, struct err *e)
{
    struct sent s = {.person = person, .code = code};
    enum rc rc = store_write(store, link_tx, &s, e);
    *user = s.user;
    return rc == RC_OK && s.wrong ? RC_BAD_INPUT : rc;
}

static int64_t now(void)
{
    return clock_wall_ms();
}

TEST(a_code_links_once)
{
    AUTO(store) s = start();
    char code[LINK_CODE_SIZE];
    int64_t user;
    assert_int_equal(link_code_new(s, anna, now(), code, NULL), RC_OK);
    assert_int_equal(strlen(code), 8);
    assert_int_equal(user_of("7"), 0);
    assert_int_equal(link_person("7", code, &user, NULL), RC_OK);
    assert_int_equal(user, anna);
    assert_int_equal(user_of("7"), anna);
    assert_int_equal(link_person("8", code, &user, NULL), RC_BAD_INPUT);
    assert_int_equal(user, 0);
    assert_int_equal(user_of("8"), 0);
}

TEST(a_code_is_read_as_people_type_it)
{
    AUTO(store) s = start();
    char code[LINK_CODE_SIZE], typed[32];
    int64_t user;
    assert_int_equal(link_code_new(s, anna, now(), code, NULL), RC_OK);
    snprintf(typed, sizeof typed, " %.4s-%s ", code, code + 4);
    for (char *p = typed; *p; p++) {
        if (*p == '0')
            *p = 'o';
        else if (*p == '1')
            *p = 'l';
        else if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
    }
    assert_int_equal(link_person("7", typed, &user, NULL), RC_OK);
    assert_int_equal(user, anna);
}

TEST(an_expired_code_and_a_fourth_one_end_the_older)
{
    AUTO(store) s = start();
    char old[LINK_CODE_SIZE], first[LINK_CODE_SIZE], code[LINK_CODE_SIZE];
    int64_t user;
    assert_int_equal(link_code_new(s, anna, now() - LINK_CODE_MS - 1, old, NULL), RC_OK);
    assert_int_equal(link_person("7", old, &user, NULL), RC_BAD_INPUT);
    assert_int_equal(link_code_new(s, anna, now(), first, NULL), RC_OK);
    for (int i = 0; i < LINK_CODES_MAX; i++)
        assert_int_equal(link_code_new(s, anna, now(), code, NULL), RC_OK);
    assert_int_equal(link_person("7", first, &user, NULL), RC_BAD_INPUT);
    assert_int_equal(link_person("7", code, &user, NULL), RC_OK);
}

TEST(wrong_codes_lock_their_sender_only)
{
    AUTO(store) s = start();
    char code[LINK_CODE_SIZE];
    int64_t user;
    struct err e = ERR_INIT;
    assert_int_equal(link_code_new(s, anna, now(), code, NULL), RC_OK);
    for (int i = 0; i < LINK_TRIES_MAX; i++)
        assert_int_equal(link_person("7", i % 2 ? "AAAAAAAA" : "what is this?", &user, NULL), RC_BAD_INPUT);
    assert_int_equal(link_person("7", code, &user, &e), RC_RATE_LIMITED);
    assert_true(e.for_user);
    assert_int_equal(user_of("7"), 0);
    assert_int_equal(link_person("8", code, &user, NULL), RC_OK);
}

static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    enum rc rc = RC_OK;
    unsigned char sender[LINK_HASH_SIZE] = {0};
    (void)arg;
    for (int i = 0; rc == RC_OK && i < LINK_TRIES_ALL_MAX; i++) {
        memcpy(sender, &i, sizeof i);
        rc = store_link_try_add(db, sender, now(), now() - LINK_LOCK_MS, e);
    }
    return rc;
}

TEST(many_senders_cannot_guess_together)
{
    AUTO(store) s = start();
    int64_t user;
    assert_int_equal(store_write(s, fill_tx, NULL, NULL), RC_OK);
    assert_int_equal(link_person("7", "AAAAAAAA", &user, NULL), RC_RATE_LIMITED);
}

struct asking {
    const char *person;
    bool is_new;
};

static enum rc ask_tx(struct db *db, void *arg, struct err *e)
{
    struct asking *x = arg;
    return channel_ask_admission(db, "telegram", x->person, "Carla", x->person, now(), &x->is_new, e);
}

static int64_t first_asking(void)
{
    AUTO(arena) a = arena_new();
    struct channel_identity *list;
    size_t n;
    struct db *db = store_read(store);
    assert_int_equal(store_channel_identity_list(db, a, 0, &list, &n, NULL), RC_OK);
    store_read_done(store, db);
    return n ? list[0].id : 0;
}

TEST(a_stranger_asks_once_and_is_admitted_or_refused)
{
    AUTO(store) s = start();
    struct asking x = {.person = "7"};
    assert_int_equal(store_write(s, ask_tx, &x, NULL), RC_OK);
    assert_true(x.is_new);
    assert_int_equal(store_write(s, ask_tx, &x, NULL), RC_OK);
    assert_false(x.is_new);
    assert_int_equal(user_of("7"), 0);
    int64_t id = first_asking();
    assert_int_equal(channel_unlink(s, anna, id, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(channel_admit(s, anna, id, bert, &from, NULL), RC_OK);
    assert_int_equal(user_of("7"), bert);
    assert_int_equal(channel_admit(s, anna, id, anna, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(channel_refuse(s, anna, id, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(channel_unlink(s, anna, id, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(channel_unlink(s, bert, id, &from, NULL), RC_OK);
    assert_int_equal(user_of("7"), 0);
    assert_int_equal(store_write(s, ask_tx, &x, NULL), RC_OK);
    assert_int_equal(channel_refuse(s, anna, first_asking(), &from, NULL), RC_OK);
    assert_int_equal(first_asking(), 0);
}

static enum rc disable_tx(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, "UPDATE user SET disabled_at = 5 WHERE id = ?", ARGS(v_int(*(int64_t *)arg)), NULL, e);
}

TEST(a_disabled_user_is_nobody)
{
    AUTO(store) s = start();
    char code[LINK_CODE_SIZE], second[LINK_CODE_SIZE];
    int64_t user;
    assert_int_equal(link_code_new(s, bert, now(), code, NULL), RC_OK);
    assert_int_equal(link_code_new(s, bert, now(), second, NULL), RC_OK);
    assert_int_equal(link_person("7", code, &user, NULL), RC_OK);
    assert_int_equal(store_write(s, disable_tx, &bert, NULL), RC_OK);
    assert_int_equal(user_of("7"), 0);
    assert_int_equal(link_person("8", second, &user, NULL), RC_BAD_INPUT);
}

TEST(a_code_for_a_full_account_stays_usable)
{
    AUTO(store) s = start();
    char code[LINK_CODE_SIZE], person[16];
    int64_t user;
    for (int i = 0; i < LINKED_MAX; i++) {
        snprintf(person, sizeof person, "%d", i);
        assert_int_equal(link_code_new(s, anna, now(), code, NULL), RC_OK);
        assert_int_equal(link_person(person, code, &user, NULL), RC_OK);
    }
    assert_int_equal(link_code_new(s, anna, now(), code, NULL), RC_OK);
    assert_int_equal(link_person("more", code, &user, NULL), RC_CONFLICT);
    assert_int_equal(user_of("more"), 0);
    assert_int_equal(channel_unlink(s, anna, 1, &from, NULL), RC_OK);
    assert_int_equal(link_person("more", code, &user, NULL), RC_OK);
}
