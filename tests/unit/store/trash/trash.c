#include "trash_rig.h"

#include "store/memory/compaction.h"
#include "store/memory/summary.h"
#include "store/session/session_filter.h"

/* One session with two turns, the second with two answers. */
struct talk {
    int64_t session, ask, answer, again, other, last;
};

static struct talk talk_in(struct db *db, const char *pub)
{
    struct talk t = {.session = rig_session(db, 1, pub)};
    t.ask = rig_message(db, 1, t.session, 0, ROLE_USER, "apples please");
    t.answer = rig_message(db, 1, t.session, t.ask, ROLE_ASSISTANT, "many apples");
    t.again = rig_message(db, 1, t.session, t.answer, ROLE_USER, "and pears");
    t.other = rig_message(db, 1, t.session, t.again, ROLE_ASSISTANT, "no pears");
    t.last = rig_message(db, 1, t.session, t.again, ROLE_ASSISTANT, "some pears 梨子");
    return t;
}

static int64_t pairs(struct db *db)
{
    return rig_int(db, "SELECT count(*) FROM message_pair");
}

TEST(a_session_in_the_trash_is_nowhere_and_comes_back_as_it_was)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk_in(db, "ses_a");
    struct session s, *list, before = session_of(db, a, "ses_a");
    struct message m;
    struct trash_restored back;
    struct trash_entry *entries;
    size_t n;
    int64_t changes = rig_int(db, "SELECT sidebar_changes FROM user WHERE id = 1");
    assert_ok(store_job_add(db, JOB_TITLE, 1, t.session, NOW, NOW, NULL));
    assert_ok(store_trash_session(db, 1, "ses_a", NOW, NULL));
    assert_rc(store_session_get(db, a, 1, "ses_a", &s, NULL), RC_NOT_FOUND);
    assert_rc(store_message_get(db, a, 1, t.ask, &m, NULL), RC_NOT_FOUND);
    assert_ok(store_session_list(db, a, 1, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = 9}, &list, &n, NULL));
    assert_int_equal(n, 0);
    assert_int_equal(rig_hits(db, "apples") + rig_hits(db, "pears") + pairs(db), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'title'"), 0);
    assert_true(rig_int(db, "SELECT sidebar_changes FROM user WHERE id = 1") > changes);
    assert_int_equal(in_trash(db, 1), 1);
    assert_int_equal(in_trash(db, 2), 0);
    assert_ok(store_trash_list(db, a, 2, &(struct trash_query){.limit = 9}, &entries, &n, NULL));
    assert_int_equal(n, 0);

    assert_rc(store_trash_restore(db, 2, "ses_a", &back, NULL), RC_NOT_FOUND);
    assert_ok(store_trash_restore(db, 1, "ses_a", &back, NULL));
    assert_string_equal(back.pub, "ses_a");
    assert_int_equal(back.message_id, 0);
    s = session_of(db, a, "ses_a");
    assert_int_equal(s.head_id, before.head_id);
    assert_int_equal(s.message_count, before.message_count);
    assert_int_equal(s.active_at, before.active_at);
    assert_int_equal(rig_hits(db, "apples"), 2);
    assert_int_equal(pairs(db), 1);
    rig_check_index(db);
    assert_rc(store_trash_restore(db, 1, "ses_a", &back, NULL), RC_NOT_FOUND);
}

TEST(deleting_twice_is_one_entry)
{
    AUTO(db) db = rig_db();
    talk_in(db, "ses_a");
    assert_ok(store_trash_session(db, 1, "ses_a", NOW, NULL));
    assert_ok(store_trash_session(db, 1, "ses_a", NOW + 5, NULL));
    assert_int_equal(in_trash(db, 1), 1);
    assert_rc(store_trash_session(db, 2, "ses_a", NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_trash_session(db, 1, "ses_none", NOW, NULL), RC_NOT_FOUND);
}

TEST(messages_leave_with_all_below_them_and_come_back_to_their_place)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk_in(db, "ses_a");
    struct trash_restored back;
    struct trash_entry *list;
    struct message *path;
    size_t n;
    assert_ok(store_trash_message(db, 1, t.session, t.again, "ses_hidden", NOW, NULL));
    struct session s = session_of(db, a, "ses_a");
    assert_int_equal(s.head_id, t.answer);
    assert_int_equal(s.message_count, 2);
    assert_int_equal(rig_hits(db, "pears"), 0);
    assert_int_equal(rig_hits(db, "apples"), 2);
    assert_ok(store_trash_list(db, a, 1, &(struct trash_query){.limit = 10}, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(list[0].pub, "ses_hidden");
    assert_string_equal(list[0].from_pub, "ses_a");
    assert_string_equal(list[0].words, "and pears");
    assert_int_equal(list[0].messages, 3);
    assert_true(list[0].asked && !list[0].from_trashed);

    assert_ok(store_trash_restore(db, 1, "ses_hidden", &back, NULL));
    assert_string_equal(back.pub, "ses_a");
    assert_int_equal(back.message_id, t.again);
    s = session_of(db, a, "ses_a");
    assert_int_equal(s.head_id, t.last); /* as before the deletion */
    assert_int_equal(s.message_count, 5);
    assert_ok(store_message_path(
        db, a, &(struct path_query){.owner = 1, .session_id = t.session, .head = t.last}, &path, &n, NULL));
    assert_int_equal(n, 4);
    assert_int_equal(path[3].siblings, 2);
    assert_int_equal(rig_hits(db, "pears"), 3);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 1);
    rig_check_index(db);
}

TEST(a_head_that_has_gone_on_stays)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk_in(db, "ses_a");
    struct trash_restored back;
    assert_ok(store_trash_message(db, 1, t.session, t.again, "ses_hidden", NOW, NULL));
    int64_t now = rig_message(db, 1, t.session, t.answer, ROLE_USER, "plums then");
    assert_ok(store_trash_restore(db, 1, "ses_hidden", &back, NULL));
    assert_int_equal(session_of(db, a, "ses_a").head_id, now);
}

TEST(restoring_a_message_restores_what_it_hangs_on)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk_in(db, "ses_a");
    struct trash_restored back;
    assert_ok(store_trash_message(db, 1, t.session, t.last, "ses_one", NOW, NULL));
    assert_int_equal(session_of(db, a, "ses_a").head_id, t.other);
    assert_ok(store_trash_message(db, 1, t.session, t.again, "ses_two", NOW + 1, NULL));
    assert_ok(store_trash_session(db, 1, "ses_a", NOW + 2, NULL));
    assert_int_equal(in_trash(db, 1), 3);
    assert_ok(store_trash_restore(db, 1, "ses_one", &back, NULL));
    assert_string_equal(back.pub, "ses_a");
    assert_int_equal(in_trash(db, 1), 0);
    assert_int_equal(session_of(db, a, "ses_a").head_id, t.last);
    assert_int_equal(session_of(db, a, "ses_a").message_count, 5);
    rig_check_index(db);
}

TEST(erasing_takes_what_could_not_be_restored_and_leaves_no_row)
{
    AUTO(db) db = rig_db();
    struct talk t = talk_in(db, "ses_a");
    struct trash_restored back;
    assert_ok(store_trash_message(db, 1, t.session, t.last, "ses_one", NOW, NULL));
    assert_ok(store_trash_message(db, 1, t.session, t.again, "ses_two", NOW + 1, NULL));
    assert_rc(store_trash_erase(db, 2, "ses_two", NULL), RC_NOT_FOUND);
    assert_ok(store_trash_erase(db, 1, "ses_two", NULL)); /* the other hangs on it */
    assert_int_equal(in_trash(db, 1), 0);
    assert_rc(store_trash_restore(db, 1, "ses_one", &back, NULL), RC_NOT_FOUND);
    assert_rc(store_trash_erase(db, 1, "ses_two", NULL), RC_NOT_FOUND);
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 2);
    assert_ok(store_trash_session(db, 1, "ses_a", NOW, NULL));
    assert_ok(store_trash_erase(db, 2, NULL, NULL));
    assert_int_equal(in_trash(db, 1), 1);
    assert_ok(store_trash_erase(db, 1, NULL, NULL));
    purge(db);
    assert_int_equal(rig_int(db, "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM session) + "
                                 "(SELECT count(*) FROM trash)"),
        0);
    rig_check_index(db);
}

#define NESTED 60

/* Deleted from the end upwards: each entry hangs on the next one. */
TEST(erasing_an_entry_takes_all_that_hang_on_it_at_any_depth)
{
    AUTO(db) db = rig_db();
    char pub[ID_SIZE];
    int64_t ids[NESTED] = {0}, session = rig_session(db, 1, "ses_a");
    struct talk other = talk_in(db, "ses_b");
    for (int i = 0; i < NESTED; i++)
        ids[i] = rig_message(db, 1, session, i ? ids[i - 1] : 0, ROLE_USER, "hello");
    for (int i = NESTED - 1; i >= 0; i--) {
        snprintf(pub, sizeof pub, "ses_%d", i);
        assert_ok(store_trash_message(db, 1, session, ids[i], pub, NOW, NULL));
    }
    assert_ok(store_trash_message(db, 1, other.session, other.last, "ses_other", NOW, NULL));
    assert_ok(store_trash_erase(db, 1, "ses_20", NULL));
    assert_int_equal(in_trash(db, 1), 20 + 1); /* those above it, and the other session's */
    assert_ok(store_trash_session(db, 1, "ses_a", NOW, NULL));
    assert_ok(store_trash_erase(db, 1, "ses_a", NULL));
    assert_int_equal(in_trash(db, 1), 1);
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 5);
}

TEST(the_sweep_erases_what_is_old_enough)
{
    AUTO(db) db = rig_db();
    int64_t erased;
    talk_in(db, "ses_a");
    talk_in(db, "ses_b");
    assert_ok(store_trash_session(db, 1, "ses_a", NOW, NULL));
    assert_ok(store_trash_session(db, 1, "ses_b", NOW + 10, NULL));
    assert_ok(store_trash_sweep(db, NOW - 1, 10, &erased, NULL));
    assert_int_equal(erased, 0);
    assert_ok(store_trash_sweep(db, NOW, 10, &erased, NULL));
    assert_int_equal(erased, 1);
    assert_int_equal(in_trash(db, 1), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'purge_trash'"), 1);
    purge(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 1);
}

TEST(a_turn_that_runs_ends_in_the_trash_and_is_found_after_its_return)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk_in(db, "ses_a");
    struct trash_restored back;
    int64_t turn;
    struct message ask = {.session_id = t.session,
        .parent_id = t.last,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("bananas"),
        .created_at = NOW,
        .index_later = true};
    assert_ok(store_message_add(db, 1, &ask, NULL));
    struct message reply = {.session_id = t.session,
        .parent_id = ask.id,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR(""),
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &reply, NULL));
    struct turn_row row = {.pub = "trn_1",
        .owner = 1,
        .session_id = t.session,
        .asked_id = ask.id,
        .reply_id = reply.id,
        .runner = "stream",
        .started_at = NOW,
        .indexes_asked = true};
    assert_ok(store_turn_add(db, &row, &turn, NULL));

    assert_rc(store_trash_message(db, 1, t.session, t.again, "ses_h", NOW, NULL), RC_CONFLICT);
    assert_ok(store_trash_session(db, 1, "ses_a", NOW, NULL));
    reply.status = MESSAGE_STOPPED;
    reply.text = STR("bananas are");
    assert_ok(store_message_finish(db, 1, &reply, NULL));
    assert_ok(store_turn_end(db, 1, turn, MESSAGE_STOPPED, NOW, NULL));
    assert_int_equal(rig_hits(db, "bananas"), 0);
    assert_ok(store_trash_restore(db, 1, "ses_a", &back, NULL));
    assert_int_equal(rig_hits(db, "bananas"), 2);
    assert_int_equal(session_of(db, a, "ses_a").running_turns, 0);
    rig_check_index(db);
}

static void add_summary(struct db *db, struct talk *t, int64_t last, const char *text)
{
    struct summary s = {.session_id = t->session,
        .whole = true,
        .first_id = t->ask,
        .last_id = last,
        .messages = 2,
        .text = str_of(text),
        .provider = "offline",
        .model = "",
        .created_at = NOW};
    assert_ok(store_summary_add(db, 1, &s, NULL));
}

static int64_t summaries_with(struct db *db, const char *word)
{
    int64_t n;
    assert_ok(db_one_int(
        db, "SELECT count(*) FROM summary_text WHERE summary_text MATCH ?", ARGS(v_text(word)), &n, NULL));
    return n;
}

TEST(a_summary_and_a_compaction_follow_the_messages_that_they_quote)
{
    AUTO(db) db = rig_db();
    struct talk t = talk_in(db, "ses_a");
    struct trash_restored back;
    struct compaction c = {.session_id = t.session,
        .first_id = t.ask,
        .last_id = t.last,
        .messages = 4,
        .keep = STR(""),
        .text = STR("pears"),
        .facts = STR("[]"),
        .transcript = "x.jsonl",
        .provider = "offline",
        .model = "",
        .created_at = NOW};
    AUTO(arena) a = arena_new();
    const char **names;
    size_t n;
    add_summary(db, &t, t.last, "quinces");
    assert_ok(store_compaction_add(db, 1, &c, NULL));
    assert_ok(store_trash_message(db, 1, t.session, t.again, "ses_h", NOW, NULL));
    assert_int_equal(summaries_with(db, "quinces"), 0);
    assert_ok(store_compaction_list(db, a, 1, t.session, 0, 9, &(struct compaction *){NULL}, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_compaction_transcripts(db, a, "ses_a", &names, &n, NULL));
    assert_int_equal(n, 1);                   /* its file stays */
    add_summary(db, &t, t.answer, "medlars"); /* made meanwhile, with the same number */
    assert_ok(store_trash_restore(db, 1, "ses_h", &back, NULL));
    assert_int_equal(summaries_with(db, "medlars"), 1);
    assert_int_equal(summaries_with(db, "quinces"), 0); /* an older version */
    assert_int_equal(rig_int(db, "SELECT count(DISTINCT version) FROM summary"), 2);
    assert_ok(store_compaction_list(db, a, 1, t.session, 0, 9, &(struct compaction *){NULL}, &n, NULL));
    assert_int_equal(n, 1);
}

TEST(the_purge_reads_the_erased_entries_in_its_order)
{
    AUTO(db) db = rig_db();
    struct rows q;
    assert_ok(db_query(db, &q,
        "EXPLAIN QUERY PLAN SELECT session_id FROM trash WHERE erased = 1 AND owner BETWEEN 2 AND 2 "
        "ORDER BY owner, from_id IS NULL, session_id LIMIT 1",
        NO_ARGS, NULL));
    assert_true(rows_next(&q));
    assert_string_equal(rows_text(&q, 3), "SEARCH trash USING INDEX trash_erased (owner>? AND owner<?)");
    assert_false(rows_next(&q)); /* nothing is sorted */
    assert_ok(rows_done(&q, RC_OK, NULL));
}

static int64_t fill_trash(struct db *db, int n)
{
    char pub[16];
    for (int i = 0; i < n; i++) {
        snprintf(pub, sizeof pub, "ses_%d", i);
        rig_session(db, 1, pub);
        assert_ok(store_trash_session(db, 1, pub, NOW + i, NULL));
    }
    return in_trash(db, 1);
}

TEST(many_entries_are_erased_in_steps)
{
    AUTO(db) db = rig_db();
    bool more;
    assert_int_equal(fill_trash(db, 1100), 1100);
    assert_ok(store_trash_erase_some(db, 2, &more, NULL));
    assert_false(more);
    assert_int_equal(in_trash(db, 1), 1100);
    assert_ok(store_trash_erase_some(db, 1, &more, NULL));
    assert_true(more);
    assert_int_equal(in_trash(db, 1), 100);
    assert_ok(store_trash_erase_some(db, 1, &more, NULL));
    assert_false(more);
    assert_int_equal(in_trash(db, 1), 0);
}

TEST(erasing_reads_no_entries_of_sessions_to_find_those_of_messages)
{
    AUTO(db) db = rig_db();
    struct rows q;
    assert_ok(db_query(db, &q,
        "EXPLAIN QUERY PLAN SELECT session_id, from_id FROM trash WHERE owner = 1 AND erased = 0 "
        "AND from_id IS NOT NULL",
        NO_ARGS, NULL));
    assert_true(rows_next(&q));
    assert_string_equal(rows_text(&q, 3), "SEARCH trash USING INDEX trash_messages (owner=?)");
    assert_ok(rows_done(&q, RC_OK, NULL));
}
