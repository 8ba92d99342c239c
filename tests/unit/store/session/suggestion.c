#include "../rig.h"

#include "app/memory/facts.h"
#include "store/job.h"
#include "store/session/suggestion.h"

static size_t open_of(struct db *db, int64_t owner)
{
    AUTO(arena) a = arena_new();
    struct suggestion *rows;
    size_t n;
    assert_ok(store_suggestion_list(db, a, owner, NULL, NOW, 99, &rows, &n, NULL));
    return n;
}

static int64_t newest(struct db *db)
{
    return rig_int(db, "SELECT max(id) FROM suggestion");
}

static enum rc dismiss(struct db *db, int64_t owner, int64_t id)
{
    struct suggestion s = {
        .id = id, .state = SUGGESTION_DISMISSED, .text = STR("Lives in Porto"), .settled_at = NOW};
    return store_suggestion_set_state(db, owner, &s, SUGGESTION_OPEN, NULL);
}

#define SAID "I live in Porto"

static void suggest(struct db *db, int64_t owner, const char *text, int64_t source)
{
    assert_ok(store_suggestion_found(db, owner, str_of(text), source, STR(SAID), NOW, NULL));
}

TEST(a_suggestion_names_its_source)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t said = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_USER, SAID);
    suggest(db, 1, "Lives in Porto", said);
    struct suggestion *rows, one;
    size_t n;
    assert_ok(store_suggestion_list(db, a, 1, SUGGESTION_REMEMBER, NOW, 99, &rows, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(rows[0].text.s, "Lives in Porto");
    assert_string_equal(rows[0].session, "ses_a");
    assert_true(rows[0].source_id == said && rows[0].created_at == NOW);
    assert_ok(store_suggestion_get(db, a, 1, rows[0].id, NOW, &one, NULL));
}

TEST(another_owner_neither_sees_nor_touches_it)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t session = rig_session(db, 1, "ses_a");
    int64_t said = rig_message(db, 1, session, 0, ROLE_USER, SAID);
    suggest(db, 2, "Lives in Porto", said); /* a foreign source */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM suggestion"), 0);
    suggest(db, 1, "Lives in Porto", said);
    struct suggestion one;
    struct unread u;
    struct str *known;
    size_t n;
    int64_t id = newest(db);
    assert_int_equal(open_of(db, 2), 0);
    assert_rc(store_suggestion_get(db, a, 2, id, NOW, &one, NULL), RC_NOT_FOUND);
    assert_rc(dismiss(db, 2, id), RC_NOT_FOUND);
    struct suggestion theirs = {.kind = SUGGESTION_REMEMBER, .session_id = session, .text = STR("x")};
    assert_rc(store_suggestion_add(db, 2, &theirs, NULL), RC_NOT_FOUND);
    theirs.session_id = rig_session(db, 2, "ses_b");
    theirs.source_id = said;
    assert_rc(store_suggestion_add(db, 2, &theirs, NULL), RC_NOT_FOUND);
    assert_rc(store_suggestion_unread(db, a, 2, session, 9, 999, &u, NULL), RC_NOT_FOUND);
    assert_rc(store_suggestion_advance(db, 2, session, 0, said, NULL), RC_CONFLICT);
    assert_ok(store_suggestion_known(db, a, 2, &known, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_suggestion_clear(db, 2, NULL));
    assert_ok(store_suggestion_forget(db, 2, session, said, NULL));
    assert_ok(store_suggestion_skip(db, 2, NULL));
    assert_int_equal(rig_int(db, "SELECT facts_id FROM session"), 0);
    assert_int_equal(rig_int(db, "SELECT facts_after FROM user WHERE id = 1"), 0);
    assert_int_equal(open_of(db, 1), 1);
}

TEST(a_dismissed_one_does_not_come_back)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t session = rig_session(db, 1, "ses_a");
    int64_t said = rig_message(db, 1, session, 0, ROLE_USER, SAID);
    suggest(db, 1, "Lives in Porto", said);
    assert_ok(dismiss(db, 1, newest(db)));
    assert_rc(dismiss(db, 1, newest(db)), RC_NOT_FOUND);
    suggest(db, 1, "Lives in Porto", said);
    assert_int_equal(open_of(db, 1), 0);
    /* nor in other words, nor after an edit */
    struct utterance u = {said, STR(SAID)};
    struct fact f[] = {{STR("lives in PORTO."), &u}, {STR("Has a cat"), &u}, {STR("has a cat!"), &u}};
    size_t n = 3;
    assert_ok(facts_fresh(db, a, 1, NOW, f, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(f[0].text.s, "Has a cat");
    assert_ok(store_message_set_text(db, 1, session, said, STR("I live in Porto!"), MESSAGE_TYPED, NULL));
    n = 1;
    f[0] = (struct fact){STR("Lives in Porto"), &u};
    assert_ok(facts_fresh(db, a, 1, NOW, f, &n, NULL));
    assert_int_equal(n, 0);
}

TEST(a_source_takes_its_suggestion_with_it)
{
    AUTO(db) db = rig_db();
    int64_t session = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, session, 0, ROLE_USER, SAID);
    int64_t two = rig_message(db, 1, session, one, ROLE_USER, SAID);
    suggest(db, 1, "One", one);
    suggest(db, 1, "Two", two);
    assert_ok(store_suggestion_advance(db, 1, session, 0, two, NULL));
    assert_ok(store_message_set_text(db, 1, session, one, STR("changed"), MESSAGE_TYPED, NULL));
    assert_int_equal(open_of(db, 1), 1);
    assert_int_equal(rig_int(db, "SELECT facts_id FROM session"), one - 1);
    assert_ok(rig_message_delete(db, 1, session, two, NULL));
    assert_int_equal(open_of(db, 1), 0);
    suggest(db, 1, "One", one); /* made of the text before */
    assert_int_equal(open_of(db, 1), 0);
}

TEST(only_a_persons_message_can_be_a_source)
{
    AUTO(db) db = rig_db();
    int64_t session = rig_session(db, 1, "ses_a");
    suggest(db, 1, "One", rig_message(db, 1, session, 0, ROLE_TOOL, SAID));
    suggest(db, 1, "Two", rig_message(db, 1, session, 0, ROLE_ASSISTANT, SAID));
    suggest(db, 1, "Three", 4711);
    assert_int_equal(open_of(db, 1), 0);
}

TEST(only_so_many_are_open_and_a_further_one_replaces_the_oldest)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t said = rig_message(db, 1, rig_session(db, 1, "ses_a"), 0, ROLE_USER, SAID);
    for (int i = 0; i < SUGGESTIONS_OPEN_MAX + 3; i++)
        suggest(db, 1, arena_printf(a, "Fact %d", i), said);
    assert_int_equal(open_of(db, 1), SUGGESTIONS_OPEN_MAX);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM suggestion WHERE text IN ('Fact 0', 'Fact 2')"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM suggestion WHERE text IN ('Fact 3', 'Fact 52')"), 2);
    assert_ok(dismiss(db, 1, newest(db)));
    suggest(db, 1, "One more", said);
    assert_int_equal(open_of(db, 1), SUGGESTIONS_OPEN_MAX);
    int64_t dropped;
    assert_ok(store_suggestion_drop_oldest(db, 1, &dropped, NULL));
    assert_int_equal(dropped, 1);
    assert_int_equal(open_of(db, 1), SUGGESTIONS_OPEN_MAX - 1);
}

TEST(read_messages_are_not_read_again)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t session = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, session, 0, ROLE_USER, "first");
    rig_message(db, 1, session, one, ROLE_ASSISTANT, "answer");
    rig_message(db, 1, session, one, ROLE_TOOL, "result");
    int64_t two = rig_message(db, 1, session, one, ROLE_USER, "second");
    struct unread u;
    assert_ok(store_suggestion_unread(db, a, 1, session, 9, 999, &u, NULL));
    assert_true(u.n == 2 && !u.more && u.said[0].id == one && u.said[1].id == two);
    assert_ok(store_suggestion_unread(db, a, 1, session, 1, 999, &u, NULL));
    assert_true(u.n == 1 && u.more);
    assert_ok(store_suggestion_unread(db, a, 1, session, 9, 3, &u, NULL));
    assert_true(u.n == 1 && u.more);
    assert_ok(store_suggestion_advance(db, 1, session, u.from, one, NULL));
    assert_ok(store_suggestion_unread(db, a, 1, session, 9, 999, &u, NULL));
    assert_true(u.n == 1 && !u.more && u.said[0].id == two && u.from == one);
    assert_rc(store_suggestion_advance(db, 1, session, 0, two, NULL), RC_CONFLICT);
    assert_ok(store_suggestion_skip(db, 1, NULL));
    assert_ok(store_suggestion_unread(db, a, 1, session, 9, 999, &u, NULL));
    assert_int_equal(u.n, 0);
}

static size_t unread_of(struct db *db, int64_t session)
{
    AUTO(arena) a = arena_new();
    struct unread u;
    assert_ok(store_suggestion_unread(db, a, 1, session, 9, 999, &u, NULL));
    return u.n;
}

TEST(a_skip_marks_all_sessions_in_one_row_and_for_good)
{
    AUTO(db) db = rig_db();
    struct trash_restored out;
    int64_t shown = rig_session(db, 1, "ses_a"), trashed = rig_session(db, 1, "ses_b");
    int64_t said = rig_message(db, 1, shown, 0, ROLE_USER, SAID);
    int64_t first = rig_message(db, 1, trashed, 0, ROLE_USER, SAID);
    assert_ok(store_trash_session(db, 1, "ses_b", NOW, NULL));
    int64_t changes = rig_int(db, "SELECT total_changes()");
    assert_ok(store_suggestion_skip(db, 1, NULL));
    assert_int_equal(rig_int(db, "SELECT total_changes()"), changes + 1);
    assert_ok(store_message_set_text(db, 1, shown, said, STR("changed"), MESSAGE_TYPED, NULL));
    assert_ok(store_trash_restore(db, 1, "ses_b", &out, NULL));
    assert_int_equal(unread_of(db, shown), 0);
    assert_int_equal(unread_of(db, trashed), 0);
    rig_message(db, 1, trashed, first, ROLE_USER, SAID);
    assert_int_equal(unread_of(db, trashed), 1);
}

TEST(no_look_is_planned_while_the_memory_is_paused)
{
    AUTO(db) db = rig_db();
    int64_t session = rig_session(db, 1, "ses_a");
    assert_ok(store_memory_set_paused(db, 1, NOW, NULL));
    assert_ok(facts_plan(db, 1, session, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_FACTS "'"), 0);
    assert_ok(store_memory_set_paused(db, 1, 0, NULL));
    assert_ok(facts_plan(db, 1, session, NOW, NULL));
    assert_ok(facts_plan(db, 1, session, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_FACTS "'"), 1);
}
