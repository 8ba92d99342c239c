#include "rig.h"

#include "store/memory/compaction.h"

#define LEASE (NOW + 60000)

TEST(the_same_work_waits_once_and_at_the_earlier_time)
{
    AUTO(db) db = rig_db();
    assert_ok(store_job_add(db, "title", 1, 7, NOW + 50, NOW, NULL));
    assert_ok(store_job_add(db, "title", 1, 7, NOW + 90, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT run_at FROM job"), NOW + 50);
    assert_ok(store_job_add(db, "title", 1, 7, NOW + 10, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT run_at FROM job"), NOW + 10);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 1);
    assert_ok(store_job_add(db, "title", 1, 8, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "other", 1, 7, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "title", 2, 7, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "title", 0, 7, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "title", 0, 7, NOW, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 5);
}

static int64_t rows_written(struct db *db)
{
    int64_t n;
    assert_ok(db_one_int(db, "SELECT total_changes()", NO_ARGS, &n, NULL));
    return n;
}

TEST(work_that_waits_already_and_is_due_no_later_is_not_written_again)
{
    AUTO(db) db = rig_db();
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 7, NOW, NOW, NULL));
    int64_t before = rows_written(db);
    assert_ok(store_job_add(db, JOB_TITLE, 1, 7, NOW, NOW, NULL));
    assert_ok(store_job_add(db, JOB_TITLE, 1, 7, NOW + 5, NOW + 5, NULL));
    assert_int_equal(rows_written(db), before);
    assert_ok(store_job_add(db, JOB_TITLE, 1, 7, NOW - 5, NOW, NULL));
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 7, NOW, NOW + 9, NULL));
    assert_int_equal(rows_written(db), before + 2);
}

TEST(claiming_takes_the_earliest_due_counts_and_leases)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL), RC_NOT_FOUND);
    assert_ok(store_job_add(db, "late", 1, 1, NOW + 5, NOW, NULL));
    assert_ok(store_job_add(db, "soon", 1, 2, NOW + 1, NOW, NULL));
    assert_ok(store_job_add(db, "future", 0, 3, NOW + 1000, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 10, LEASE, &j, NULL));
    assert_string_equal(j.kind, "soon");
    assert_string_equal(j.state, "leased");
    assert_int_equal(j.owner, 1);
    assert_int_equal(j.subject, 2);
    assert_int_equal(j.attempts, 1);
    assert_int_equal(j.run_at, NOW + 1);
    assert_int_equal(j.created_at, NOW);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 10, LEASE, &j, NULL));
    assert_string_equal(j.kind, "late");
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, NOW + 10, LEASE, &j, NULL), RC_NOT_FOUND);
}

TEST(each_lane_claims_its_own_jobs)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    int64_t at;
    assert_ok(store_job_add(db, JOB_EMBED, 1, 0, NOW + 1, NOW, NULL));
    assert_ok(store_job_add(db, JOB_IMPORT, 1, 3, NOW + 3, NOW, NULL));
    assert_rc(store_job_claim(db, a, LANE_SESSIONS, NOW + 10, LEASE, &j, NULL), RC_NOT_FOUND);
    assert_rc(store_job_next_due(db, LANE_SESSIONS, &at, NULL), RC_NOT_FOUND);
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 2, NOW + 2, NOW, NULL));
    assert_rc(store_job_claim_wanted(db, a, LANE_EMBED, NOW + 10, LEASE, &j, NULL), RC_NOT_FOUND);
    assert_ok(store_job_next_due(db, LANE_EMBED, &at, NULL));
    assert_int_equal(at, NOW + 1);
    assert_ok(store_job_next_due(db, LANE_SESSIONS, &at, NULL));
    assert_int_equal(at, NOW + 2);
    assert_ok(store_job_claim(db, a, LANE_EMBED, NOW + 10, LEASE, &j, NULL));
    assert_string_equal(j.kind, JOB_EMBED);
    assert_rc(store_job_claim(db, a, LANE_SESSIONS, LEASE + 1, LEASE + 2, &j, NULL), RC_OK);
    assert_string_equal(j.kind, JOB_TITLE); /* and not the embed job whose lease has ended */
    assert_ok(store_job_claim(db, a, LANE_EMBED, LEASE + 1, LEASE + 2, &j, NULL));
    assert_int_equal(j.attempts, 2);
    assert_ok(store_job_next_due(db, LANE_UPKEEP, &at, NULL));
    assert_int_equal(at, NOW + 3);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 10, LEASE, &j, NULL));
    assert_string_equal(j.kind, JOB_IMPORT);
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, NOW + 10, LEASE, &j, NULL), RC_NOT_FOUND);
}

/* SQLite uses the index for the statements of the upkeep lane only if both have the same list. */
TEST(the_index_of_the_upkeep_lane_leaves_out_the_kinds_of_the_other_lanes)
{
    AUTO(db) db = rig_db();
    int64_t at;
    const char *list = "NOT IN (" JOB_KINDS_OF_SESSIONS ", '" JOB_SWEEP_TRANSCRIPTS "', '" JOB_EMBED "')";
    assert_ok(db_one_int(db, "SELECT instr(sql, ?) FROM sqlite_schema WHERE name = 'job_upkeep'",
        ARGS(v_text(list)), &at, NULL));
    assert_true(at > 0);
}

TEST(an_expired_lease_is_due_again_and_counts)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, "x", 0, 1, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, LEASE - 1, LEASE + 60000, &j, NULL), RC_NOT_FOUND);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, LEASE, LEASE + 60000, &j, NULL));
    assert_int_equal(j.attempts, 2);
    assert_int_equal(j.owner, 0);
}

TEST(a_job_ends_done_dead_or_back_in_the_queue)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j, *list;
    size_t n;
    assert_ok(store_job_add(db, "x", 0, 1, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_ok(store_job_retry(db, j.id, NOW + 500, "provider busy", NULL));
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, NOW + 499, LEASE, &j, NULL), RC_NOT_FOUND);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 500, LEASE, &j, NULL));
    assert_int_equal(j.attempts, 2);
    assert_string_equal(j.error, "provider busy");
    assert_ok(store_job_dead(db, j.id, NOW + 501, "gave up", NULL));
    assert_rc(store_job_claim(db, a, LANE_UPKEEP, LEASE * 2, LEASE * 3, &j, NULL), RC_NOT_FOUND);
    assert_ok(store_job_list(db, a, "dead", 10, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(list[0].error, "gave up");
    assert_int_equal(list[0].ended_at, NOW + 501);

    assert_ok(store_job_revive(db, j.id, NOW + 600, NULL));
    assert_rc(store_job_revive(db, j.id, NOW + 600, NULL), RC_NOT_FOUND);
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW + 600, LEASE, &j, NULL));
    assert_int_equal(j.attempts, 1);
    assert_null(j.error);
    assert_ok(store_job_done(db, j.id, NOW + 700, NULL));
    assert_rc(store_job_done(db, j.id, NOW + 700, NULL), RC_NOT_FOUND);
    assert_rc(store_job_retry(db, j.id, NOW, "x", NULL), RC_NOT_FOUND);
    assert_rc(store_job_dead(db, j.id, NOW, "x", NULL), RC_NOT_FOUND);
    int64_t removed;
    assert_ok(store_job_sweep(db, NOW + 700, 10, &removed, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 1);
    assert_ok(store_job_sweep(db, NOW + 701, 10, &removed, NULL));
    assert_int_equal(removed, 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 0);
}

TEST(a_dead_job_is_forgotten_when_the_same_work_is_done_later)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    for (int64_t subject = 7; subject <= 8; subject++) {
        assert_ok(store_job_add(db, "x", 0, subject, NOW, NOW, NULL));
        assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
        assert_ok(store_job_dead(db, j.id, NOW, "gave up", NULL));
    }
    assert_ok(store_job_add(db, "x", 0, 7, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_ok(store_job_done(db, j.id, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT sum(subject) FROM job WHERE state = 'dead'"), 8);
}

TEST(a_job_that_dies_replaces_an_earlier_dead_job_for_the_same_work)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    for (int64_t i = 0; i < 3; i++) {
        assert_ok(store_job_add(db, "x", 0, i / 2, NOW, NOW, NULL)); /* subjects 0, 0 and 1 */
        assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
        assert_ok(store_job_dead(db, j.id, NOW + i, "gave up", NULL));
    }
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 2);
    assert_int_equal(rig_int(db, "SELECT ended_at FROM job WHERE subject = 0"), NOW + 1);
}

TEST(a_job_that_is_only_found_dead_keeps_its_attempts)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, "x", 0, 1, NOW, NOW, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
        assert_ok(store_job_release_all(db, NOW, NULL));
    }
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_int_equal(j.attempts, 3);
    assert_ok(store_job_found_dead(db, j.id, NOW, "it ended the helper", NULL));
    assert_int_equal(rig_int(db, "SELECT attempts FROM job"), 2);
}

TEST(a_retry_keeps_its_attempts_over_new_work_of_the_same_kind)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, "x", 1, 1, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_ok(store_job_add(db, "x", 1, 1, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "x", 2, 1, NOW, NOW, NULL));
    assert_ok(store_job_retry(db, j.id, NOW + 9, "e", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE state = 'ready' AND owner = 1"), 1);
    assert_int_equal(rig_int(db, "SELECT attempts FROM job WHERE owner = 1"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE owner = 2"), 1);
}

TEST(reviving_beside_waiting_work_is_a_conflict)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, "x", 1, 1, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_ok(store_job_dead(db, j.id, NOW, "e", NULL));
    assert_ok(store_job_add(db, "x", 1, 1, NOW, NOW, NULL));
    assert_rc(store_job_revive(db, j.id, NOW, NULL), RC_CONFLICT);
}

TEST(next_due_is_the_earliest_start_or_end_of_a_lease)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    int64_t at;
    assert_rc(store_job_next_due(db, LANE_UPKEEP, &at, NULL), RC_NOT_FOUND);
    assert_ok(store_job_add(db, "x", 0, 1, NOW, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_ok(store_job_next_due(db, LANE_UPKEEP, &at, NULL));
    assert_int_equal(at, LEASE);
    assert_ok(store_job_add(db, "y", 0, 1, NOW + 3, NOW, NULL));
    assert_ok(store_job_next_due(db, LANE_UPKEEP, &at, NULL));
    assert_int_equal(at, NOW + 3);
}

TEST(the_list_is_newest_first_and_of_one_state_or_all)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j, *list;
    size_t n;
    for (int i = 0; i < 5; i++)
        assert_ok(store_job_add(db, "x", 0, i, NOW + i, NOW, NULL));
    assert_ok(store_job_claim(db, a, LANE_UPKEEP, NOW, LEASE, &j, NULL));
    assert_ok(store_job_list(db, a, "ready", 3, &list, &n, NULL));
    assert_int_equal(n, 3);
    assert_int_equal(list[0].subject, 4);
    assert_ok(store_job_list(db, a, NULL, 10, &list, &n, NULL));
    assert_int_equal(n, 5);
}

static int64_t claim_wanted(struct db *db, int64_t now)
{
    AUTO(arena) a = arena_new();
    struct job j;
    enum rc rc = store_job_claim_wanted(db, a, LANE_SESSIONS, now, now + 60000, &j, NULL);
    assert_true(rc == RC_OK || rc == RC_NOT_FOUND);
    return rc == RC_OK ? j.subject : 0;
}

TEST(wanted_jobs_come_first_and_the_last_wish_before_all)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct job j;
    assert_ok(store_job_add(db, JOB_TITLE, 1, 1, NOW - 50, NOW - 50, NULL));
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 2, NOW, NOW, NULL));
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 3, NOW + 1, NOW + 1, NULL));
    assert_ok(store_job_add_wanted(db, JOB_SUMMARISE, 1, 4, NOW + 1000, NOW + 2, NULL));
    assert_int_equal(claim_wanted(db, NOW + 10), 3);
    assert_int_equal(claim_wanted(db, NOW + 10), 2);
    assert_int_equal(claim_wanted(db, NOW + 10), 0);
    assert_ok(store_job_claim(db, a, LANE_SESSIONS, NOW + 10, LEASE, &j, NULL));
    assert_int_equal(j.subject, 1);
    assert_int_equal(claim_wanted(db, NOW + 1000), 4);
}

TEST(a_wish_for_a_job_that_waits_already_is_kept)
{
    AUTO(db) db = rig_db();
    assert_ok(store_job_add(db, JOB_TITLE, 1, 1, NOW, NOW, NULL));
    assert_int_equal(claim_wanted(db, NOW), 0);
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 1, NOW, NOW, NULL));
    assert_ok(store_job_add(db, JOB_TITLE, 1, 1, NOW, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job"), 1);
    assert_int_equal(claim_wanted(db, NOW), 1);
}

TEST(opening_a_session_makes_only_its_jobs_wanted)
{
    AUTO(db) db = rig_db();
    assert_ok(store_job_add(db, JOB_TITLE, 1, 1, NOW, NOW, NULL));
    assert_ok(store_job_add(db, JOB_EXPORT, 1, 1, NOW, NOW, NULL));
    assert_ok(store_job_add(db, JOB_TITLE, 1, 2, NOW, NOW, NULL));
    assert_ok(store_job_want_session(db, 2, 1, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE wanted_at > 0"), 0);
    assert_ok(store_job_want_session(db, 1, 1, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE wanted_at > 0"), 1);
    assert_int_equal(claim_wanted(db, NOW), 1);
}

static bool is_behind(struct db *db, int64_t session, int64_t now)
{
    bool behind;
    assert_ok(store_job_is_behind(db, 1, session, now, &behind, NULL));
    return behind;
}

TEST(a_session_is_behind_while_others_were_wanted_later)
{
    AUTO(db) db = rig_db();
    assert_false(is_behind(db, 1, NOW));
    assert_ok(store_job_add(db, JOB_TITLE, 1, 1, NOW, NOW, NULL));
    assert_true(is_behind(db, 1, NOW)); /* any other job may be before it */
    assert_false(is_behind(db, 1, NOW - 1));
    assert_ok(store_job_want_session(db, 1, 1, NOW, NULL));
    assert_false(is_behind(db, 1, NOW));
    assert_ok(store_job_add_wanted(db, JOB_TITLE, 1, 2, NOW, NOW + 1, NULL));
    assert_true(is_behind(db, 1, NOW));
    assert_false(is_behind(db, 2, NOW));
}
