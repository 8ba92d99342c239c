/* A later export of the same account: new messages of conversations that were imported before. */
#include "import_home.h"

#include "store/message/message.h"

#define MESSAGE(id, parent, role, at, text)                                                              \
    "\"" id "\":{\"parent\":" parent ",\"message\":{\"author\":{\"role\":\"" role "\"},\"create_time\":" \
    "1600000" at ",\"content\":{\"parts\":[\"" text "\"]}}}"
#define Q1       MESSAGE("q1", "null", "user", "001", "first")
#define A1       MESSAGE("a1", "\"q1\"", "assistant", "002", "one")
#define Q2       MESSAGE("q2", "\"a1\"", "user", "003", "second")
#define A2       MESSAGE("a2", "\"q2\"", "assistant", "004", "two")
#define OTHER_A1 MESSAGE("b1", "\"q1\"", "assistant", "005", "again")
#define TALK(head, nodes) \
    "[{\"id\":\"g\",\"title\":\"Grows\",\"current_node\":\"" head "\",\"mapping\":{" nodes "}}]"

static enum rc run_sql(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, arg, NO_ARGS, NULL, e);
}

static void change(const struct home *h, const char *sql)
{
    assert_ok(store_write(h->store, run_sql, (void *)(uintptr_t)sql, NULL));
}

static void counts(const struct transfer *t, int64_t done, int64_t grown, int64_t known, int64_t changed)
{
    assert_int_equal(t->done, done);
    assert_int_equal(t->grown, grown);
    assert_int_equal(t->known, known);
    assert_int_equal(t->changed, changed);
    assert_int_equal(t->skipped, known + changed);
}

TEST(import_adds_the_new_messages_of_a_known_conversation)
{
    struct home h = home();
    struct transfer t = imports(&h, TALK("a1", Q1 "," A1));
    counts(&t, 1, 0, 0, 0);
    change(&h, "UPDATE session SET title = 'Mine'");
    t = imports(&h, TALK("a2", Q1 "," A1 "," Q2 "," A2));
    counts(&t, 1, 1, 0, 0);
    assert_string_equal(
        import_result_words(h.a, lang_english(), &t), "0 conversations, 1 got further messages");
    assert_int_equal(number(&h, "SELECT count(*) FROM session"), 1);
    assert_int_equal(number(&h, "SELECT count(*) FROM session s JOIN message m ON m.id = s.head_id "
                                "WHERE m.text = 'two' AND s.message_count = 4 AND s.title = 'Mine' "
                                "AND s.active_at = 1600000004000 AND s.seen_at >= s.active_at"),
        1);
    assert_int_equal(number(&h, "SELECT count(*) FROM message m JOIN message p ON p.id = m.parent_id"), 3);
    assert_int_equal(number(&h, "SELECT count(*) FROM message_text WHERE message_text MATCH 'second'"), 1);
    t = imports(&h, TALK("a2", Q1 "," A1 "," Q2 "," A2));
    counts(&t, 0, 0, 1, 0);
    t = imports(&h, TALK("a1", Q1 "," A1)); /* an older export */
    counts(&t, 0, 0, 1, 0);
    leave(&h);
}

TEST(import_adds_new_branches_of_a_known_conversation)
{
    struct home h = home();
    imports(&h, TALK("a1", Q1 "," A1));
    struct transfer t = imports(&h, TALK("b1", Q1 "," A1 "," OTHER_A1));
    counts(&t, 1, 1, 0, 0);
    assert_int_equal(number(&h, "SELECT count(*) FROM session s JOIN message m ON m.id = s.head_id "
                                "JOIN message p ON p.id = m.parent_id "
                                "WHERE m.text = 'again' AND p.text = 'first'"),
        1);
    leave(&h);
}

TEST(import_leaves_a_conversation_that_was_changed_and_says_so)
{
    static const char *const changes[] = {"UPDATE message SET text = 'edited' WHERE text = 'one'",
        "DELETE FROM message WHERE text = 'one'",
        "INSERT INTO message (id, session_id, parent_id, role, status, channel, text, created_at) "
        "SELECT id + 1, session_id, id, 'user', 'done', 'web', 'Go on', 5 FROM message WHERE text = 'one'"};
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct home h = home();
        imports(&h, TALK("a1", Q1 "," A1));
        change(&h, "UPDATE session SET head_id = NULL");
        change(&h, changes[i]);
        int64_t before = number(&h, "SELECT count(*) FROM message");
        struct transfer t = imports(&h, TALK("a2", Q1 "," A1 "," Q2 "," A2));
        counts(&t, 0, 0, 0, 1);
        assert_string_equal(import_result_words(h.a, lang_english(), &t),
            "0 conversations, 1 skipped: 1 has further messages but differs here, so it stays as it is "
            "(delete it here to import it again)");
        assert_int_equal(number(&h, "SELECT count(*) FROM message"), before);
        t = imports(&h, TALK("a1", Q1 "," A1)); /* nothing new in this one */
        counts(&t, 0, 0, 1, 0);
        leave(&h);
    }
}

static bool pause_always(void *arg)
{
    (void)arg;
    return true;
}

TEST(import_continues_growing_after_each_message)
{
    struct home h = home();
    imports(&h, TALK("a1", Q1 "," A1));
    bool whole = false;
    int runs = 0;
    struct transfer t = {.owner = 1, .format = ""};
    struct import_args x = {.store = h.store,
        .config = h.config,
        .path = write_file("later.json", str_of(TALK("a2", Q1 "," A1 "," Q2 "," A2 "," OTHER_A1))),
        .write_ms = -1, /* a message each */
        .pause = pause_always};
    for (; runs < 20 && !whole; runs++) {
        assert_ok(import_run(&x, &t, &whole, NULL));
        if (number(&h, "SELECT count(*) FROM message") < 5)
            assert_int_equal(number(&h, "SELECT count(*) FROM session s JOIN message m ON m.id = s.head_id "
                                        "WHERE m.text = 'one'"),
                1); /* the shown branch changes at the end */
    }
    assert_true(whole && runs > 3);
    counts(&t, 1, 1, 0, 0);
    assert_int_equal(number(&h, "SELECT message_count FROM session"), 5);
    assert_int_equal(number(&h, "SELECT count(*) FROM message"), 5);
    leave(&h);
}
