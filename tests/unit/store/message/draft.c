#include "../rig.h"

#include "store/message/draft.h"
#include "store/search/search.h"
#include "store/transfer.h"

static struct draft begin(struct db *db, int64_t owner, int64_t transfer, const char *outer_id)
{
    static int n;
    static char pub[16][16];
    snprintf(pub[n], sizeof pub[n], "ses_d%d", n);
    struct draft d = {.owner = owner,
        .transfer_id = transfer,
        .pub = pub[n++],
        .outer_id = outer_id,
        .digest = 7,
        .created_at = NOW};
    assert_ok(store_draft_begin(db, &d, NULL));
    return d;
}

static int64_t say(struct db *db, const struct draft *d, int64_t parent, const char *text)
{
    struct message m = {
        .parent_id = parent, .role = ROLE_USER, .channel = "import", .text = str_of(text), .created_at = NOW};
    assert_ok(store_draft_message(db, d, &m, NULL));
    return m.id;
}

static void count(void *arg, int64_t id)
{
    (void)id;
    ++*(int *)arg;
}

static int hidden(struct db *db, int64_t owner)
{
    int n = 0;
    assert_ok(store_draft_each_hidden(db, owner, count, &n, NULL));
    return n;
}

TEST(a_draft_is_its_owners_only_when_it_is_shown)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct draft d = begin(db, 1, 0, "x:1"), got;
    struct session s;
    struct message m;
    int64_t first = say(db, &d, 0, "one"), second = say(db, &d, first, "two"), *ids;
    size_t n;
    assert_true(second > first && message_owner(first) == 1);
    assert_rc(store_session_get(db, a, 1, d.pub, &s, NULL), RC_NOT_FOUND);
    assert_rc(store_message_get(db, a, 1, first, &m, NULL), RC_NOT_FOUND);
    assert_int_equal(hidden(db, 1), 2);
    assert_int_equal(hidden(db, 2), 0);
    d.done = 2;
    assert_ok(store_draft_done(db, &d, NULL));
    assert_ok(store_draft_find(db, a, 1, "x:1", &got, NULL));
    assert_true(got.session_id == d.session_id && got.done == 2 && got.digest == 7 && got.hidden);
    assert_string_equal(got.pub, d.pub);
    assert_rc(store_draft_find(db, a, 2, "x:1", &got, NULL), RC_NOT_FOUND);
    assert_ok(store_draft_messages(db, a, &d, 0, &ids, &n, NULL));
    assert_true(n == 2 && ids[0] == first && ids[1] == second);
    assert_ok(store_draft_messages(db, a, &d, first, &ids, &n, NULL));
    assert_true(n == 1 && ids[0] == second);

    assert_ok(store_draft_show(db, &d, NULL));
    assert_rc(store_draft_show(db, &d, NULL), RC_NOT_FOUND);
    assert_ok(store_session_get(db, a, 1, d.pub, &s, NULL));
    assert_ok(store_message_get(db, a, 1, first, &m, NULL));
    assert_int_equal(hidden(db, 1), 0);
    assert_ok(store_draft_find(db, a, 1, "x:1", &got, NULL));
    assert_false(got.hidden);
    assert_ok(store_draft_end(db, &d, NULL));
    assert_rc(store_draft_find(db, a, 1, "x:1", &got, NULL), RC_NOT_FOUND);
}

TEST(user_nobody_is_not_listed)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct user u, *all;
    size_t n;
    int64_t users;
    assert_rc(store_user_by_id(db, a, USER_NOBODY, &u, NULL), RC_NOT_FOUND);
    assert_rc(store_user_by_name(db, a, "", &u, NULL), RC_NOT_FOUND);
    assert_ok(store_user_list(db, a, &all, &n, NULL));
    assert_ok(store_user_count(db, &users, NULL));
    assert_true(n == 2 && users == 2);
}

static void purge(struct db *db)
{
    bool more = true;
    for (int steps = 0; more && steps < 100; steps++)
        assert_ok(store_draft_purge(db, &more, NULL));
    assert_false(more);
}

TEST(an_abandoned_draft_is_removed_in_steps_and_can_be_begun_anew)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct draft d = begin(db, 1, 0, "x:1"), got;
    bool more;
    for (int i = 0; i < 450; i++)
        say(db, &d, 0, "walrus");
    assert_ok(store_draft_abandon(db, d.session_id, NULL));
    assert_rc(store_draft_find(db, a, 1, "x:1", &got, NULL), RC_NOT_FOUND);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'purge_drafts'"), 1);
    assert_ok(store_draft_purge(db, &more, NULL));
    assert_true(more);
    int64_t left = rig_int(db, "SELECT count(*) FROM message");
    assert_true(left > 0 && left < 450);
    struct draft again = begin(db, 1, 0, "x:1");
    say(db, &again, 0, "walrus");
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message_text WHERE message_text MATCH 'walrus'"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 1);
    assert_ok(store_draft_find(db, a, 1, "x:1", &got, NULL));
}

TEST(pictures_belong_to_the_future_owner_and_go_with_an_abandoned_draft)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct draft d = begin(db, 1, 0, "x:1");
    struct picture p = {.media_type = "image/png", .width = 3, .height = 4, .bytes = 5}, got;
    assert_ok(store_picture_insert(db, a, 1, &p, STR("bytes"), NOW, NULL));
    struct message m = {.role = ROLE_USER,
        .channel = "import",
        .text = STR(""),
        .created_at = NOW,
        .pictures = &p,
        .pictures_n = 1};
    assert_ok(store_draft_message(db, &d, &m, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM picture WHERE message_id IS NULL"), 0);
    assert_ok(store_picture_get(db, a, 1, p.pub, &got, NULL, NULL));
    assert_rc(store_picture_get(db, a, 2, p.pub, &got, NULL, NULL), RC_NOT_FOUND);
    assert_ok(store_draft_abandon(db, d.session_id, NULL));
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM picture"), 0);
}

TEST(an_abandoned_draft_that_is_shown_already_stays_a_session)
{
    AUTO(db) db = rig_db();
    struct draft d = begin(db, 1, 0, "x:1");
    say(db, &d, 0, "one");
    assert_ok(store_draft_show(db, &d, NULL));
    assert_ok(store_draft_abandon(db, d.session_id, NULL));
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session WHERE owner = 1"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM import_draft"), 0);
}

static int64_t transfer(struct db *db, int64_t owner, const char *pub)
{
    struct transfer t = {.owner = owner, .pub = pub, .kind = TRANSFER_IMPORT, .created_at = NOW};
    assert_ok(store_transfer_add(db, &t, NULL));
    return t.id;
}

TEST(drafts_are_abandoned_with_their_transfer_and_by_the_sweep)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct draft got;
    int64_t one = transfer(db, 1, "xfr_1"), two = transfer(db, 1, "xfr_2"), three = transfer(db, 2, "xfr_3");
    begin(db, 1, one, "x:1");
    begin(db, 1, two, "x:2");
    begin(db, 2, three, "x:3");
    begin(db, 1, 0, "x:cli");
    assert_ok(store_transfer_delete(db, 1, "xfr_1", NULL));
    assert_rc(store_draft_find(db, a, 1, "x:1", &got, NULL), RC_NOT_FOUND);
    struct transfer failed = {.id = two, .owner = 1, .format = "", .state = TRANSFER_FAILED, .ended_at = NOW};
    assert_ok(store_transfer_end(db, &failed, NULL));
    assert_rc(store_draft_find(db, a, 1, "x:2", &got, NULL), RC_NOT_FOUND);

    assert_ok(store_draft_sweep(db, NOW, NULL));
    assert_ok(store_draft_find(db, a, 1, "x:cli", &got, NULL));
    assert_ok(store_draft_find(db, a, 2, "x:3", &got, NULL));
    assert_ok(store_draft_sweep(db, NOW + 1, NULL));
    assert_rc(store_draft_find(db, a, 1, "x:cli", &got, NULL), RC_NOT_FOUND);
    assert_ok(store_user_delete(db, 2, NULL));
    assert_rc(store_draft_find(db, a, 2, "x:3", &got, NULL), RC_NOT_FOUND);
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 0);
}
