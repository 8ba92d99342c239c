#include "../rig.h"

#include "store/session/session_filter.h"

#include "store/memory/summary.h"

#define LONG_TIME (NOW + 100 * INT64_C(86400000))

static struct summary about(int64_t session, int64_t first, int64_t last, const char *text)
{
    return (struct summary){.session_id = session,
        .whole = true,
        .first_id = first,
        .last_id = last,
        .known_id = last,
        .messages = 2,
        .text = str_of(text),
        .provider = "openai",
        .model = "small",
        .created_at = NOW};
}

static int64_t found(struct db *db, const char *word)
{
    int64_t n;
    assert_ok(db_one_int(
        db, "SELECT count(*) FROM summary_text WHERE summary_text MATCH ?", ARGS(v_text(word)), &n, NULL));
    return n;
}

static void check_index(struct db *db)
{
    assert_ok(db_exec(db, "INSERT INTO summary_text (summary_text, rank) VALUES ('integrity-check', 1)",
        NO_ARGS, NULL, NULL));
}

/* A session of user 1 with a question and an answer. */
struct talk {
    int64_t session, asked, reply;
};

static struct talk talk(struct db *db, const char *pub)
{
    struct talk t = {.session = rig_session(db, 1, pub)};
    t.asked = rig_message(db, 1, t.session, 0, ROLE_USER, "Where is the zebra?");
    t.reply = rig_message(db, 1, t.session, t.asked, ROLE_ASSISTANT, "In the garden.");
    return t;
}

TEST(the_newest_summary_replaces_the_one_before_in_the_index)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk(db, "ses_a");
    struct summary one = about(t.session, t.asked, t.reply, "a zebra"),
                   two = about(t.session, t.asked, t.reply, "a giraffe");
    struct summary got;
    assert_rc(store_summary_current(db, a, 1, t.session, &got, NULL), RC_NOT_FOUND);
    assert_ok(store_summary_add(db, 1, &one, NULL));
    assert_int_equal(one.id >> 32, 1);
    assert_int_equal(one.version, 1);
    assert_int_equal(found(db, "zebra"), 1);
    assert_ok(store_summary_add(db, 1, &two, NULL));
    assert_int_equal(two.version, 2);
    assert_int_equal(found(db, "zebra"), 0);
    assert_int_equal(found(db, "giraffe"), 1);
    check_index(db);
    assert_ok(store_summary_current(db, a, 1, t.session, &got, NULL));
    assert_int_equal(got.id, two.id);
    assert_string_equal(got.text.s, "a giraffe");
    struct summary *list;
    size_t n;
    assert_ok(store_summary_list(db, a, 1, t.session, 0, 10, &list, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(list[0].version, 2);
    assert_true(list[0].current && !list[1].current);
    assert_ok(store_summary_list(db, a, 1, t.session, 2, 10, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(list[0].version, 1);
}

TEST(a_part_is_kept_beside_and_does_not_count_as_the_session)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk(db, "ses_a");
    struct summary whole = about(t.session, t.asked, t.reply, "a zebra"),
                   part = about(t.session, t.reply, t.reply, "a garden");
    struct summary_work w;
    part.whole = false;
    assert_ok(store_summary_add(db, 1, &part, NULL));
    assert_int_equal(found(db, "garden"), 0);
    assert_ok(store_summary_work(db, 1, t.session, 20, &w, NULL));
    assert_int_equal(w.summary, 2);
    assert_ok(store_summary_add(db, 1, &whole, NULL));
    assert_ok(store_summary_work(db, 1, t.session, 20, &w, NULL));
    assert_int_equal(w.summary, 0);
    assert_int_equal(w.topic, 2);
    assert_int_equal(w.newest_id, t.reply);
    struct summary got;
    assert_ok(store_summary_current(db, a, 1, t.session, &got, NULL));
    assert_int_equal(got.id, whole.id);
}

TEST(work_counts_finished_user_and_assistant_messages_up_to_a_limit)
{
    AUTO(db) db = rig_db();
    struct talk t = talk(db, "ses_a");
    struct summary_work w;
    int64_t tool = rig_message(db, 1, t.session, t.reply, ROLE_TOOL, "{}");
    struct message running = {.session_id = t.session,
        .parent_id = tool,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR(""),
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &running, NULL));
    assert_ok(store_summary_work(db, 1, t.session, 20, &w, NULL));
    assert_int_equal(w.summary, 2);
    assert_int_equal(w.newest_id, t.reply);
    assert_ok(store_summary_work(db, 1, t.session, 1, &w, NULL));
    assert_int_equal(w.summary, 1);
    assert_ok(store_session_set_topic(db, 1, t.session, "zebras", "a, b, c", t.asked, NULL));
    assert_ok(store_summary_work(db, 1, t.session, 20, &w, NULL));
    assert_int_equal(w.topic, 1);
}

TEST(another_users_session_is_not_there)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk(db, "ses_a");
    struct summary s = about(t.session, t.asked, t.reply, "a zebra"), got, *list;
    struct summary_request *asked;
    struct summary_work w;
    size_t n;
    assert_rc(store_summary_add(db, 2, &s, NULL), RC_NOT_FOUND);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM summary"), 0);
    assert_ok(store_summary_add(db, 1, &s, NULL));
    assert_rc(store_summary_current(db, a, 2, t.session, &got, NULL), RC_NOT_FOUND);
    assert_ok(store_summary_list(db, a, 2, t.session, 0, 10, &list, &n, NULL));
    assert_int_equal(n, 0);
    assert_rc(store_summary_work(db, 2, t.session, 20, &w, NULL), RC_NOT_FOUND);
    assert_rc(store_summary_forget(db, 2, t.session, t.asked, NULL), RC_NOT_FOUND);
    assert_rc(store_summary_request(db, 2, (struct message_range){t.session, 0, 0}, NOW, NULL), RC_NOT_FOUND);
    assert_ok(store_summary_request(db, 1, (struct message_range){t.session, 0, 0}, NOW, NULL));
    assert_ok(store_summary_requests(db, a, 2, t.session, &asked, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_summary_requests(db, a, 1, t.session, &asked, &n, NULL));
    assert_ok(store_summary_request_done(db, 2, t.session, asked[0].id, NULL));
    assert_ok(store_summary_requests(db, a, 1, t.session, &asked, &n, NULL));
    assert_int_equal(n, 1);
    assert_rc(store_session_set_topic(db, 2, t.session, "x", "y", 1, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_place(db, 2, t.session, SESSION_PIN, NOW, NULL, NULL), RC_NOT_FOUND);
    assert_int_equal(found(db, "zebra"), 1);
}

TEST(asking_twice_is_once_and_not_without_end)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk(db, "ses_a");
    struct summary_request *asked;
    size_t n;
    struct err e = ERR_INIT;
    for (int64_t i = 0; i < SUMMARY_REQUESTS_MAX; i++) {
        assert_ok(store_summary_request(db, 1, (struct message_range){t.session, i, i}, NOW, NULL));
        if (i == 0)
            assert_ok(store_summary_request(db, 1, (struct message_range){t.session, i, i}, NOW + 1, NULL));
    }
    assert_rc(store_summary_request(db, 1, (struct message_range){t.session, 99, 99}, NOW, &e), RC_CONFLICT);
    assert_true(e.for_user);
    assert_ok(store_summary_requests(db, a, 1, t.session, &asked, &n, NULL));
    assert_int_equal(n, SUMMARY_REQUESTS_MAX);
    assert_int_equal(asked[0].last_id, 0);
    assert_ok(store_summary_request_done(db, 1, t.session, asked[0].id, NULL));
    assert_ok(store_summary_request_done(db, 1, t.session, asked[0].id, NULL));
    assert_ok(store_summary_requests(db, a, 1, t.session, &asked, &n, NULL));
    assert_int_equal(n, SUMMARY_REQUESTS_MAX - 1);
}

TEST(summaries_of_changed_or_deleted_messages_are_removed)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk(db, "ses_a");
    struct summary_work w;
    struct summary whole = about(t.session, t.asked, t.reply, "a zebra"),
                   part = about(t.session, t.reply, t.reply, "a garden");
    part.whole = false;
    assert_ok(store_summary_add(db, 1, &whole, NULL));
    assert_ok(store_summary_add(db, 1, &part, NULL));
    assert_ok(store_session_set_topic(db, 1, t.session, "zebras", "zebra", t.reply, NULL));

    assert_ok(store_summary_forget(db, 1, t.session, t.asked, NULL)); /* rewritten: the part never saw it */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM summary"), 1);
    assert_int_equal(found(db, "zebra"), 0);
    check_index(db);
    assert_ok(store_summary_work(db, 1, t.session, 20, &w, NULL));
    assert_int_equal(w.summary, 2);
    assert_int_equal(w.topic, 2);
    struct session s;
    assert_ok(store_session_get(db, a, 1, "ses_a", &s, NULL));
    assert_null(s.topic);

    assert_ok(rig_message_delete(db, 1, t.session, t.asked, NULL)); /* with the messages below it */
    assert_ok(store_summary_forget(db, 1, t.session, t.asked, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM summary"), 0);
}

TEST(a_deleted_session_leaves_nothing_in_the_index)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct talk t = talk(db, "ses_a"), other = talk(db, "ses_b");
    struct summary s = about(t.session, t.asked, t.reply, "a zebra"),
                   o = about(other.session, other.asked, other.reply, "a zebra");
    assert_ok(store_summary_add(db, 1, &s, NULL));
    assert_ok(store_summary_add(db, 1, &o, NULL));
    assert_ok(store_summary_request(db, 1, (struct message_range){t.session, 0, 0}, NOW, NULL));
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_int_equal(found(db, "zebra"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM summary"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM summary_request"), 0);
    check_index(db);
    (void)a;
}

/* ---- the archive ---- */

static size_t listed(struct db *db, enum session_show show, const char *match)
{
    AUTO(arena) a = arena_new();
    struct session *list;
    size_t n;
    struct session_filter f = {.show = show, .words = &match, .words_n = match != NULL};
    assert_ok(store_session_list(db, a, 1, &f, &(struct session_page){.limit = 10}, &list, &n, NULL));
    return n;
}

TEST(idle_sessions_go_to_the_archive_unless_pinned_and_come_back_when_used)
{
    AUTO(db) db = rig_db();
    int64_t archived;
    struct talk t = talk(db, "ses_a");
    talk(db, "ses_b");
    rig_set_place(db, "ses_b", SESSION_PIN);
    assert_ok(store_session_archive_idle(db, NOW, LONG_TIME, 10, &archived, NULL));
    assert_int_equal(archived, 0); /* a message came at NOW + 1 */
    assert_ok(store_session_archive_idle(db, LONG_TIME, LONG_TIME, 10, &archived, NULL));
    assert_int_equal(archived, 1);
    assert_int_equal(listed(db, SESSIONS_ACTIVE, NULL), 1);
    assert_int_equal(listed(db, SESSIONS_ARCHIVED, NULL), 1);
    assert_int_equal(listed(db, SESSIONS_ALL, NULL), 2);
    rig_message(db, 1, t.session, t.reply, ROLE_USER, "again");
    assert_int_equal(listed(db, SESSIONS_ACTIVE, NULL), 2);

    rig_set_place(db, "ses_b", SESSION_UNPIN);
    assert_ok(store_session_archive_idle(db, LONG_TIME, LONG_TIME, 1, &archived, NULL));
    assert_int_equal(archived, 1);
    assert_ok(store_session_archive_idle(db, LONG_TIME, LONG_TIME, 10, &archived, NULL));
    assert_int_equal(listed(db, SESSIONS_ACTIVE, NULL), 0);
    rig_set_place(db, "ses_a", SESSION_PIN); /* pinned is active */
    assert_int_equal(listed(db, SESSIONS_ACTIVE, NULL), 1);
}

TEST(a_session_that_answers_is_not_archived)
{
    AUTO(db) db = rig_db();
    int64_t archived, turn;
    struct talk t = talk(db, "ses_a");
    assert_ok(rig_turn(db, 1, "trn_a", t.session, t.asked, t.reply, "stream", &turn));
    assert_ok(store_session_archive_idle(db, LONG_TIME, LONG_TIME, 10, &archived, NULL));
    assert_int_equal(archived, 0);
}

TEST(lists_find_titles_topics_and_keywords)
{
    AUTO(db) db = rig_db();
    struct talk t = talk(db, "ses_a");
    talk(db, "ses_b");
    assert_ok(store_session_set_topic(db, 1, t.session, "Bees on the roof", "honey, hive", t.reply, NULL));
    assert_ok(store_session_rename(db, 1, "ses_a", "A title", NULL));
    assert_int_equal(listed(db, SESSIONS_ALL, "BEES"), 1);
    assert_int_equal(listed(db, SESSIONS_ALL, "hive"), 1);
    assert_int_equal(listed(db, SESSIONS_ACTIVE, "title"), 1);
    assert_int_equal(listed(db, SESSIONS_ARCHIVED, "title"), 0);
    assert_int_equal(listed(db, SESSIONS_ALL, "zzz"), 0);
}

static bool plan_uses(struct db *db, const char *sql, const char *index)
{
    struct rows q;
    bool uses = false;
    assert_ok(db_query(db, &q, sql, NO_ARGS, NULL));
    while (rows_next(&q))
        uses = uses || strstr(rows_text(&q, 3), index);
    assert_ok(rows_done(&q, RC_OK, NULL));
    return uses;
}

TEST(the_lists_of_sessions_walk_indexes_in_their_order)
{
#define PLAN_OF(condition)                                                                               \
    "EXPLAIN QUERY PLAN SELECT id FROM session WHERE owner = 1 AND (pinned, active_at, id) < (1, 9, 9) " \
    "" condition " ORDER BY pinned DESC, active_at DESC, id DESC LIMIT 40"
    AUTO(db) db = rig_db();
    assert_true(plan_uses(db, PLAN_OF("AND archived_by_user = 0"), "session_order"));
    assert_true(plan_uses(db, PLAN_OF("AND archived_by_user = 1"), "session_hidden"));
    assert_true(plan_uses(db, PLAN_OF("AND archived_at IS NULL"), "session_order"));
    assert_false(plan_uses(db, PLAN_OF("AND archived_by_user = 0"), "TEMP B-TREE"));
    assert_true(plan_uses(db,
        "EXPLAIN QUERY PLAN SELECT s.id FROM user u CROSS JOIN session s ON s.owner = u.id AND s.pinned = 0 "
        "AND s.active_at < 9 WHERE s.archived_at IS NULL AND s.running_turns = 0 LIMIT 10",
        "session_order"));
}

/* ---- jobs ---- */

TEST(a_new_helper_continues_the_jobs_of_the_previous_one_with_their_attempts)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, "x", 1, 7, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LONG_TIME, &j, NULL));
    assert_ok(store_job_add(db, "x", 1, 7, LONG_TIME, NOW, NULL)); /* planned anew while it ran */
    assert_ok(store_job_release_all(db, NOW + 5, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 1);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 5, LONG_TIME, &j, NULL));
    assert_int_equal(j.attempts, 2);
    assert_non_null(j.error);
}

TEST(putting_a_job_off_does_not_count)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, "x", 1, 7, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LONG_TIME, &j, NULL));
    assert_ok(store_job_postpone(db, j.id, NOW + 50, "later", NULL));
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, NOW, LONG_TIME, &j, NULL), RC_NOT_FOUND);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 50, LONG_TIME, &j, NULL));
    assert_int_equal(j.attempts, 1);
}

TEST(jobs_are_counted_by_kind_and_found_by_subject)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    struct job_count *counts;
    size_t n;
    assert_ok(store_job_add(db, "x", 1, 7, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LONG_TIME, &j, NULL));
    assert_ok(store_job_dead(db, j.id, NOW, "broken", NULL));
    assert_ok(store_job_add(db, "x", 1, 7, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "y", 0, 0, NOW, NOW, NULL));
    assert_ok(store_job_counts(db, a, &counts, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(counts[0].kind, "x");
    assert_int_equal(counts[0].ready, 1);
    assert_int_equal(counts[0].leased, 0);
    assert_int_equal(counts[0].dead, 1);
    struct job latest;
    assert_ok(store_job_latest(db, a, "x", 1, 7, &latest, NULL));
    assert_string_equal(latest.state, "ready");
    assert_rc(store_job_latest(db, a, "x", 2, 7, &latest, NULL), RC_NOT_FOUND);
    struct err e = ERR_INIT;
    assert_rc(store_job_revive(db, j.id, NOW, &e), RC_CONFLICT);
    assert_true(e.for_user);
    assert_rc(store_job_revive(db, latest.id, NOW, NULL), RC_NOT_FOUND);
}
