/* Temporary chats: their time, their window, and what becomes of them. */
#include "../rig.h"

#include "store/session/temporary.h"

#define LIVES (30 * MS_PER_MIN)

static int64_t chat(struct db *db, int64_t owner, const char *pub, int64_t now)
{
    int64_t id = rig_session(db, owner, pub);
    assert_ok(store_temporary_begin(db, id, LIVES, now, NULL));
    return id;
}

static bool is_temporary(struct db *db, int64_t id)
{
    bool is;
    assert_ok(store_temporary_is(db, id, &is, NULL));
    return is;
}

TEST(a_message_prolongs_a_temporary_chat_and_no_other)
{
    AUTO(db) db = rig_db();
    bool is;
    int64_t id = chat(db, 1, "temporary", NOW), lasting = rig_session(db, 1, "lasting");
    assert_true(is_temporary(db, id));
    assert_false(is_temporary(db, lasting));
    assert_ok(store_temporary_touch(db, id, NOW + 5, &is, NULL));
    assert_true(is);
    assert_int_equal(rig_int(db, "SELECT ends_at FROM temporary"), NOW + 5 + LIVES);
    assert_ok(store_temporary_touch(db, lasting, NOW + 5, &is, NULL));
    assert_false(is);
}

TEST(what_is_said_in_it_is_in_no_index_until_it_is_kept)
{
    AUTO(db) db = rig_db();
    int64_t id = chat(db, 1, "temporary", NOW);
    rig_message(db, 1, id, 0, ROLE_USER, "a walrus");
    assert_int_equal(rig_hits(db, "walrus"), 0);
    assert_rc(store_temporary_keep(db, 2, id, NULL), RC_NOT_FOUND);
    assert_ok(store_temporary_keep(db, 1, id, NULL));
    assert_false(is_temporary(db, id));
    assert_int_equal(rig_hits(db, "walrus"), 1);
    assert_rc(store_temporary_keep(db, 1, id, NULL), RC_NOT_FOUND);
    rig_check_index(db);
}

TEST(the_window_keeps_the_newest_and_begins_with_the_user)
{
    AUTO(db) db = rig_db();
    int64_t id = chat(db, 1, "temporary", NOW), at = 0, asked = 0;
    for (int i = 0; i < 6; i++) {
        at = rig_message(db, 1, id, at, i % 2 ? ROLE_ASSISTANT : ROLE_USER, "said");
        asked = i == 4 ? at : asked;
    }
    assert_ok(store_temporary_window(db, 1, id, 10, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 6);
    assert_ok(store_temporary_window(db, 1, id, 3, NULL)); /* the oldest of three is an answer */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 2);
    assert_int_equal(rig_int(db, "SELECT min(id) FROM message"), asked);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message WHERE parent_id IS NULL"), 1);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), 2);
    assert_ok(store_temporary_window(db, 1, id, 1, NULL)); /* the question stays with its answer */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 2);
}

TEST(those_whose_time_is_over_are_erased_and_the_next_one_is_told)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t erased, next;
    struct session s;
    chat(db, 1, "first", NOW);
    chat(db, 2, "second", NOW + 1000);
    int64_t runs = chat(db, 1, "runs", NOW);
    int64_t asked = rig_message(db, 1, runs, 0, ROLE_USER, "a question");
    int64_t turn, reply = rig_message(db, 1, runs, asked, ROLE_ASSISTANT, "");
    assert_ok(rig_turn(db, 1, "trn_1", runs, asked, reply, "stream", &turn));
    assert_ok(store_temporary_sweep(db, NOW + LIVES - 1, 10, &erased, &next, NULL));
    assert_int_equal(erased, 0);
    assert_int_equal(next, NOW + LIVES);
    assert_ok(store_temporary_sweep(db, NOW + LIVES, 10, &erased, &next, NULL));
    assert_int_equal(erased, 1); /* a running turn keeps its chat */
    assert_rc(store_session_get(db, a, 1, "first", &s, NULL), RC_NOT_FOUND);
    assert_true(is_temporary(db, runs));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM trash WHERE erased = 1"), 1);
    assert_int_equal(next, NOW + LIVES + 1000); /* not now: nobody waits for the end of a turn in steps */
    assert_ok(store_temporary_sweep(db, NOW + LIVES + 1000, 10, &erased, &next, NULL));
    assert_int_equal(erased, 1);
    assert_int_equal(next, NOW + 2 * LIVES);
}

TEST(a_clock_that_was_set_back_prolongs_no_chat_beyond_its_life)
{
    AUTO(db) db = rig_db();
    int64_t erased, next;
    chat(db, 1, "temporary", NOW);
    assert_ok(store_temporary_sweep(db, NOW - MS_PER_DAY, 10, &erased, &next, NULL));
    assert_int_equal(erased, 0);
    assert_int_equal(next, NOW - MS_PER_DAY + LIVES);
}

TEST(what_leaves_traces_is_refused)
{
    struct err e = ERR_INIT;
    assert_ok(session_lasting(&(struct session){.ends_at = 0}, &e));
    assert_rc(session_lasting(&(struct session){.ends_at = 1}, &e), RC_CONFLICT);
}
