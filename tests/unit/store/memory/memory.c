#include "../rig.h"

#include "base/clock.h"
#include "store/memory/memory.h"

static const char vector[8] = "vector";

static int64_t add(struct db *db, int64_t owner, const char *text, const char *tags, int64_t expires_at)
{
    struct memory m = {.text = str_of(text),
        .tags = tags,
        .embedder = "test",
        .vector = {vector, sizeof vector},
        .scale = .5F,
        .created_at = NOW,
        .expires_at = expires_at};
    assert_ok(store_memory_add(db, owner, &m, NULL));
    return m.id;
}

static size_t found(struct db *db, int64_t owner, const char *match, const char *tag)
{
    AUTO(arena) a = arena_new();
    struct memory *rows;
    size_t n;
    struct memory_filter f = {.match = match, .tag = tag, .limit = 10};
    assert_ok(store_memory_list(db, a, owner, NOW + 5, &f, &rows, &n, NULL));
    return n;
}

static void check_index(struct db *db)
{
    assert_ok(db_exec(db, "INSERT INTO memory_text (memory_text, rank) VALUES ('integrity-check', 0)",
        NO_ARGS, NULL, NULL));
}

TEST(memory_is_given_back_as_it_was_stored)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t session = rig_session(db, 1, "ses_a");
    int64_t said = rig_message(db, 1, session, 0, ROLE_USER, "I have a sister");
    struct memory m = {.text = STR("Has a sister"),
        .tags = "family people",
        .source_id = said,
        .embedder = "test",
        .vector = {vector, sizeof vector},
        .scale = .5F,
        .created_at = NOW};
    assert_ok(store_memory_add(db, 1, &m, NULL));
    assert_int_equal(m.id, (INT64_C(1) << 32) + 1);
    struct memory got;
    assert_ok(store_memory_get(db, a, 1, m.id, NOW, &got, NULL));
    assert_string_equal(got.text.s, "Has a sister");
    assert_string_equal(got.tags, "family people");
    assert_string_equal(got.source_session, "ses_a");
    assert_int_equal(got.source_id, said);
    assert_memory_equal(got.vector.s, vector, sizeof vector);
    assert_true(got.expires_at == 0 && got.used_at == 0 && got.scale == .5F);
}

TEST(memory_of_another_owner_is_absent_everywhere)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = add(db, 1, "Plays the cello", "music", 0), now = NOW + 1, removed;
    int64_t theirs = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_USER, "x");
    struct memory got = {.id = id, .text = STR("x"), .tags = "", .embedder = "t", .vector = {vector, 8}};
    assert_rc(store_memory_get(db, a, 2, id, now, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_memory_change(db, 2, &got, now, NULL), RC_NOT_FOUND);
    assert_rc(store_memory_delete(db, 2, id, now, NULL), RC_NOT_FOUND);
    assert_rc(store_memory_delete(db, 1, id + 1, now, NULL), RC_NOT_FOUND);
    assert_ok(store_memory_delete(db, 1, id, now, NULL));
    assert_rc(store_memory_restore(db, 2, id, now, now + 9, NULL), RC_NOT_FOUND);
    assert_ok(store_memory_restore(db, 1, id, now, now + 9, NULL));
    assert_int_equal(
        found(db, 2, NULL, NULL) + found(db, 2, "\"cello\"*", NULL) + found(db, 2, NULL, "music"), 0);
    assert_ok(store_memory_clear(db, 2, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_ok(store_memory_used(db, 2, theirs, &id, 1, now, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM memory_use"), 0);
    struct memory stolen = got;
    stolen.source_id = theirs;
    assert_rc(store_memory_add(db, 2, &stolen, NULL), RC_NOT_FOUND);
    assert_int_equal(found(db, 1, "\"cello\"*", "music"), 1);
    check_index(db);
}

TEST(memory_list_pages_by_id_and_filters_by_words_and_tag)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    add(db, 1, "Lives in Porto", "home", 0);
    int64_t second = add(db, 1, "Sister lives in Berlin", "family home2", 0);
    int64_t third = add(db, 1, "Likes porridge", "home", 0);
    struct memory *rows;
    size_t n;
    struct memory_filter f = {.limit = 2};
    assert_ok(store_memory_list(db, a, 1, NOW, &f, &rows, &n, NULL));
    assert_true(n == 2 && rows[0].id == third && rows[1].id == second);
    f.before = second;
    assert_ok(store_memory_list(db, a, 1, NOW, &f, &rows, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(found(db, 1, "\"live\"*", NULL), 2);
    assert_int_equal(found(db, 1, "\"por\"* \"lives\"*", NULL), 1);
    assert_int_equal(found(db, 1, NULL, "home"), 2);
    assert_int_equal(found(db, 1, "\"lives\"*", "home"), 1);
}

TEST(memory_that_was_changed_or_deleted_leaves_the_index)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = add(db, 1, "Lives in Porto", "", 0);
    struct memory m;
    assert_ok(store_memory_get(db, a, 1, id, NOW, &m, NULL));
    m.text = STR("Lives in Lisbon");
    m.tags = "home";
    assert_ok(store_memory_change(db, 1, &m, NOW, NULL));
    assert_int_equal(found(db, 1, "\"porto\"*", NULL), 0);
    assert_int_equal(found(db, 1, "\"lisbon\"*", "home"), 1);
    assert_ok(store_memory_delete(db, 1, id, NOW, NULL));
    assert_rc(store_memory_delete(db, 1, id, NOW, NULL), RC_NOT_FOUND);
    assert_int_equal(found(db, 1, "\"lisbon\"*", NULL), 0);
    assert_ok(store_memory_restore(db, 1, id, NOW, 0, NULL));
    assert_rc(store_memory_restore(db, 1, id, NOW, 0, NULL), RC_NOT_FOUND);
    assert_int_equal(found(db, 1, "\"lisbon\"*", NULL), 1);
    check_index(db);
}

TEST(expired_and_long_deleted_memories_are_swept)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct memory m;
    int64_t removed, old = add(db, 1, "Old news", "", NOW + 10), deleted = add(db, 2, "Gone", "", 0);
    int64_t stays = add(db, 1, "For good", "", 0);
    assert_ok(store_memory_get(db, a, 1, old, NOW + 9, &m, NULL));
    assert_rc(store_memory_get(db, a, 1, old, NOW + 10, &m, NULL), RC_NOT_FOUND);
    assert_ok(store_memory_delete(db, 2, deleted, NOW + 1, NULL));
    assert_ok(store_memory_sweep(db, NOW + 9, NOW, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_ok(store_memory_sweep(db, NOW + 10, NOW + 1, &removed, NULL));
    assert_int_equal(removed, 2);
    assert_rc(store_memory_restore(db, 2, deleted, NOW + 2, 0, NULL), RC_NOT_FOUND);
    assert_ok(store_memory_get(db, a, 1, stays, NOW + 99, &m, NULL));
    check_index(db);
}

TEST(memory_clear_takes_all_of_one_owner)
{
    AUTO(db) db = rig_db();
    int64_t removed, gone = add(db, 1, "Deleted before", "", 0);
    add(db, 1, "Cello", "", 0);
    add(db, 2, "Cello too", "", 0);
    assert_ok(store_memory_delete(db, 1, gone, NOW, NULL));
    assert_ok(store_memory_clear(db, 1, &removed, NULL));
    assert_int_equal(removed, 2);
    assert_int_equal(found(db, 1, NULL, NULL), 0);
    assert_int_equal(found(db, 2, "\"cello\"*", NULL), 1);
    check_index(db);
}

TEST(memory_use_is_recorded_with_the_answer_and_deleted_with_the_fact)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t answer = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_ASSISTANT, "yes");
    int64_t ids[] = {add(db, 1, "One", "", 0), add(db, 1, "Two", "", 0), INT64_C(2) << 32 | 7};
    struct memory *rows;
    size_t n;
    assert_ok(store_memory_used(db, 1, answer, ids, 3, NOW + 3, NULL));
    assert_ok(store_memory_of_message(db, a, 1, answer, NOW, &rows, &n, NULL));
    assert_true(n == 2 && rows[0].used_at == NOW + 3);
    assert_ok(store_memory_delete(db, 1, ids[0], NOW, NULL));
    assert_ok(store_memory_of_message(db, a, 1, answer, NOW, &rows, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(store_memory_of_message(db, a, 2, answer, NOW, &rows, &n, NULL));
    assert_int_equal(n, 0);
}

TEST(memory_pause_is_each_users_own)
{
    AUTO(db) db = rig_db();
    bool paused;
    assert_ok(store_memory_set_paused(db, 1, NOW, NULL));
    assert_ok(store_memory_paused(db, 1, &paused, NULL));
    assert_true(paused);
    assert_ok(store_memory_paused(db, 2, &paused, NULL));
    assert_false(paused);
    assert_ok(store_memory_set_paused(db, 1, 0, NULL));
    assert_ok(store_memory_paused(db, 1, &paused, NULL));
    assert_false(paused);
}
