/* Steps of actions on many sessions, and their undoing after other changes. */
#include "../rig.h"

#include "store/session/batch.h"
#include "store/session/tag.h"
#include "store/session/temporary.h"
#include "store/session/workspace.h"
#include "store/trash/trash.h"

static int64_t begin(struct db *db, enum batch_action action, const char *pub, const int64_t *ids, size_t n)
{
    struct batch b = {.owner = 1, .pub = pub, .action = action, .total = (int64_t)n, .created_at = NOW};
    assert_ok(store_batch_add(db, &b, ids, n, NULL));
    return b.id;
}

/* True while sessions are left. */
static bool step(struct db *db, int64_t id, int most, int64_t ms)
{
    AUTO(arena) a = arena_new();
    struct batch_step did;
    assert_ok(store_batch_step(db, a, id, most, ms, NOW, &did, NULL));
    return did.more;
}

static void run(struct db *db, int64_t id, int most)
{
    bool more = true;
    for (int i = 0; more; i++) {
        assert_true(i < 100);
        more = step(db, id, most, 1000);
    }
}

static struct batch of(struct db *db, struct arena *a, int64_t id)
{
    struct batch b;
    assert_ok(store_batch_by_id(db, a, id, &b, NULL));
    return b;
}

static int64_t pinned(struct db *db)
{
    int64_t n;
    assert_ok(db_one_int(db, "SELECT count(*) FROM session WHERE pinned = 1", NO_ARGS, &n, NULL));
    return n;
}

TEST(batch_runs_in_steps_and_ends_once)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[5];
    bool more;
    for (int i = 0; i < 5; i++)
        ids[i] = rig_session(db, 1, (char[]){'s', (char)('a' + i), '\0'});
    int64_t id = begin(db, BATCH_PIN, "bat_1", ids, 5);
    more = step(db, id, 2, 1000);
    assert_true(more);
    assert_int_equal(of(db, a, id).done, 2);
    assert_int_equal(of(db, a, id).ended_at, 0);
    run(db, id, 2);
    assert_int_equal(pinned(db), 5);
    assert_int_equal(of(db, a, id).ended_at, NOW);
    more = step(db, id, 2, 1000);
    assert_false(more);
    assert_int_equal(of(db, a, id).done, 5);
}

TEST(batch_of_a_multiple_of_its_steps_ends)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 1, "sb")};
    int64_t id = begin(db, BATCH_PIN, "bat_1", ids, 2);
    run(db, id, 2);
    assert_int_equal(of(db, a, id).done, 2);
    assert_int_equal(of(db, a, id).ended_at, NOW);
    int64_t none = begin(db, BATCH_PIN, "bat_2", NULL, 0);
    run(db, none, 2);
    assert_int_equal(of(db, a, none).ended_at, NOW);
}

TEST(batch_undo_in_the_middle_changes_back_what_was_changed)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 1, "sb"), rig_session(db, 1, "sc")};
    rig_set_place(db, "sb", SESSION_PIN);
    int64_t id = begin(db, BATCH_PIN, "bat_1", ids, 3);
    step(db, id, 2, 1000);
    assert_ok(store_batch_undo(db, 1, "bat_1", NULL));
    run(db, id, 2);
    assert_int_equal(pinned(db), 1); /* sb, as before */
    assert_int_equal(of(db, a, id).changed, 1);
    assert_rc(store_batch_undo(db, 1, "bat_1", NULL), RC_CONFLICT);
    assert_rc(store_batch_undo(db, 2, "bat_1", NULL), RC_NOT_FOUND);
}

TEST(batch_neither_pins_nor_archives_a_temporary_chat)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 1, "sb")};
    assert_ok(store_temporary_begin(db, ids[0], MS_PER_H, NOW, NULL));
    int64_t pins = begin(db, BATCH_PIN, "bat_1", ids, 2),
            archives = begin(db, BATCH_ARCHIVE, "bat_2", ids, 2);
    run(db, pins, 10);
    assert_int_equal(of(db, a, pins).changed, 1);
    run(db, archives, 10);
    assert_int_equal(of(db, a, archives).changed, 1);
    assert_int_equal(rig_int(db, "SELECT pinned + archived_by_user FROM session WHERE pub = 'sa'"), 0);
}

TEST(batch_counts_sessions_that_are_gone_or_foreign)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 2, "sb"), rig_session(db, 1, "sc")};
    int64_t id = begin(db, BATCH_TRASH, "bat_1", ids, 3);
    assert_ok(rig_session_delete(db, 1, "sc", NULL));
    run(db, id, 10);
    assert_int_equal(of(db, a, id).changed, 1);
    assert_int_equal(of(db, a, id).absent, 2);
    assert_ok(store_batch_undo(db, 1, "bat_1", NULL));
    run(db, id, 10);
    struct session s;
    assert_ok(store_session_get(db, a, 1, "sa", &s, NULL));
}

#define TRASHED 12

TEST(batch_takes_the_messages_of_a_step_out_of_the_index_together)
{
    /* a row of a segment has the segment's number above these bits (fts5_index.c, FTS5_SEGMENT_ROWID) */
    static const char segments[] = "SELECT count(DISTINCT id >> 37) FROM message_text_data WHERE id > 1000";
    static const char found[] = "SELECT count(*) FROM message_text WHERE message_text MATCH 'plum'";
    AUTO(db) db = rig_db();
    int64_t ids[TRASHED];
    assert_ok(db_begin(db, NULL));
    for (int i = 0; i < TRASHED; i++) {
        char pub[16];
        snprintf(pub, sizeof pub, "s%d", i);
        ids[i] = rig_session(db, 1, pub);
        rig_message(db, 1, ids[i], 0, ROLE_USER, "A plum");
        rig_message(db, 1, ids[i], 0, ROLE_USER, "Another plum");
    }
    assert_ok(
        db_exec(db, "INSERT INTO message_text (message_text) VALUES ('optimize')", NO_ARGS, NULL, NULL));
    assert_ok(db_commit(db, NULL));
    assert_int_equal(rig_int(db, segments), 1);
    int64_t id = begin(db, BATCH_TRASH, "bat_1", ids, TRASHED);
    assert_ok(db_begin(db, NULL));
    step(db, id, TRASHED, 10000);
    assert_ok(db_commit(db, NULL));
    assert_int_equal(rig_int(db, segments), 2);
    assert_int_equal(rig_int(db, found), 0);
    assert_ok(store_batch_undo(db, 1, "bat_1", NULL));
    run(db, id, TRASHED);
    assert_int_equal(rig_int(db, found), 2 * TRASHED);
}

TEST(batch_tags_and_untags_only_where_that_changes_something)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 1, "sb")}, tag, beside, n;
    assert_ok(store_tag_add(db, 1, "Tea", 0, NOW, &tag, NULL));
    assert_ok(store_tag_add(db, 1, "Milk", 0, NOW, &beside, NULL));
    assert_ok(store_session_tag(db, 1, ids[0], tag, NULL));
    assert_ok(store_session_tag(db, 1, ids[1], beside, NULL));
    struct batch b = {
        .owner = 1, .pub = "bat_t", .action = BATCH_TAG, .tag_id = tag, .total = 2, .created_at = NOW};
    assert_ok(store_batch_add(db, &b, ids, 2, NULL));
    run(db, b.id, 10);
    assert_int_equal(of(db, a, b.id).changed, 1);
    assert_ok(store_batch_undo(db, 1, "bat_t", NULL));
    run(db, b.id, 10);
    assert_ok(db_one_int(db, "SELECT count(*) FROM session_tag", NO_ARGS, &n, NULL));
    assert_int_equal(n, 2); /* as before */
}

/* As in the action on one session (store_session_set_workspace()). */
TEST(batch_uses_the_spelling_of_a_workspace_that_other_sessions_have)
{
    AUTO(db) db = rig_db();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 1, "sb"), rig_session(db, 1, "sc")};
    struct batch b = {
        .owner = 1, .pub = "bat_1", .action = BATCH_WORKSPACE, .workspace = "garden", .created_at = NOW};
    assert_ok(store_session_set_workspace(db, 1, "sa", "Garden", NULL));
    assert_ok(store_batch_add(db, &b, ids + 1, 2, NULL));
    run(db, b.id, 10);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session WHERE workspace = 'Garden'"), 3);
    /* all sessions of a workspace may change its spelling */
    b.pub = "bat_2";
    assert_ok(store_batch_add(db, &b, ids, 3, NULL));
    run(db, b.id, 10);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session WHERE workspace = 'garden'"), 3);
}

TEST(batch_step_takes_few_messages_from_the_text_index)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[4];
    bool more;
    for (int i = 0; i < 4; i++) {
        ids[i] = rig_session(db, 1, (char[]){'s', (char)('a' + i), '\0'});
        for (int m = 0; m < 200; m++)
            rig_message(db, 1, ids[i], 0, ROLE_USER, "narwhal");
    }
    int64_t id = begin(db, BATCH_TRASH, "bat_1", ids, 4);
    more = step(db, id, 4, 60000);
    assert_true(more);
    assert_int_equal(of(db, a, id).done, 2);
    assert_int_equal(rig_hits(db, "narwhal"), 400);
    run(db, id, 4);
    assert_int_equal(rig_hits(db, "narwhal"), 0);
    assert_ok(store_batch_undo(db, 1, "bat_1", NULL));
    more = step(db, id, 4, 60000);
    assert_int_equal(of(db, a, id).done, 2);
    assert_int_equal(rig_hits(db, "narwhal"), 400);
    run(db, id, 4);
    assert_int_equal(rig_hits(db, "narwhal"), 800);
    rig_check_index(db);
}

/* A session whose messages have all left the index comes back into it in short steps, and then by itself. */
TEST(batch_undo_of_a_long_session_is_no_long_step)
{
    static const char indexed[] = "SELECT count(*) FROM message_text_docsize";
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[] = {rig_session(db, 1, "sa"), rig_session(db, 1, "sb"), rig_session(db, 1, "sc")}, had = 0;
    bool more = true;
    for (int m = 0; m < 1000; m++)
        rig_message(db, 1, ids[1], 0, ROLE_USER, "narwhal");
    rig_message(db, 1, ids[0], 0, ROLE_USER, "narwhal");
    int64_t id = begin(db, BATCH_TRASH, "bat_1", ids, 3);
    run(db, id, 10);
    while (more)
        assert_ok(store_trash_unindex_step(db, &more, NULL));
    assert_int_equal(rig_int(db, indexed), 0);
    assert_ok(store_batch_undo(db, 1, "bat_1", NULL));
    more = true;
    while (more) {
        more = step(db, id, 10, 60000);
        int64_t has = rig_int(db, indexed);
        assert_in_range(has - had, 0, 300);
        had = has;
    }
    assert_int_equal(had, 1001);
    assert_int_equal(of(db, a, id).changed, 3);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM trash"), 0);
    rig_check_index(db);
}

TEST(batch_sweep_removes_few_sessions_of_old_batches_at_once)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t ids[5];
    struct batch b;
    int64_t removed;
    for (int i = 0; i < 5; i++)
        ids[i] = rig_session(db, 1, (char[]){'s', (char)('a' + i), '\0'});
    begin(db, BATCH_PIN, "bat_1", ids, 5);
    begin(db, BATCH_PIN, "bat_2", ids, 3);
    assert_ok(store_batch_sweep(db, NOW, 4, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM batch_item"), 8);
    for (int left = 4; left >= 0; left -= 4) {
        assert_ok(store_batch_sweep(db, NOW + 1, 4, &removed, NULL));
        assert_int_equal(rig_int(db, "SELECT count(*) FROM batch_item"), left);
        assert_int_equal(removed, 4);
        assert_rc(store_batch_get(db, a, 1, "bat_1", &b, NULL), RC_NOT_FOUND);
        assert_rc(store_batch_undo(db, 1, "bat_2", NULL), RC_NOT_FOUND);
    }
    assert_ok(store_batch_sweep(db, NOW + 1, 4, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM batch"), 0);
}
