#include "rig.h"

#include <string.h>

#include "store/transfer.h"

static struct transfer add(struct db *db, int64_t owner, const char *pub, enum transfer_kind kind)
{
    struct transfer t = {.owner = owner, .pub = pub, .kind = kind, .format = "", .created_at = NOW};
    assert_ok(store_transfer_add(db, &t, NULL));
    assert_ok(
        store_job_add(db, kind == TRANSFER_EXPORT ? JOB_EXPORT : JOB_IMPORT, owner, t.id, NOW, NOW, NULL));
    return t;
}

static void end(struct db *db, struct transfer *t, enum transfer_state state, int64_t at)
{
    t->state = state;
    t->ended_at = at;
    assert_ok(store_transfer_end(db, t, NULL));
    assert_ok(db_exec(db, "UPDATE job SET state = 'done', ended_at = ? WHERE subject = ?",
        ARGS(v_int(at), v_int(t->id)), NULL, NULL));
}

TEST(transfer_is_given_back_as_it_was_saved)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct transfer t = add(db, 1, "xfr_a", TRANSFER_IMPORT), got;
    t.format = "chatgpt";
    t.bytes = 5;
    t.total = 9;
    t.done = 4;
    t.skipped = 3;
    t.known = 2;
    t.facts = 1;
    assert_ok(store_transfer_progress(db, &t, NULL));
    assert_ok(store_transfer_by_id(db, a, 1, t.id, &got, NULL));
    assert_true(got.kind == TRANSFER_IMPORT && got.state == TRANSFER_WAITING && got.ended_at == 0);
    assert_string_equal(got.format, "chatgpt");
    assert_true(got.bytes == 5 && got.total == 9 && got.done == 4 && got.skipped == 3 && got.known == 2 &&
                got.facts == 1);
    t.error = "No.";
    end(db, &t, TRANSFER_FAILED, NOW + 7);
    assert_ok(store_transfer_get(db, a, 1, "xfr_a", &got, NULL));
    assert_string_equal(got.error, "No.");
    assert_true(got.state == TRANSFER_FAILED && got.ended_at == NOW + 7);
    assert_rc(store_transfer_progress(db, &t, NULL), RC_NOT_FOUND); /* it has ended */
    assert_rc(store_transfer_end(db, &t, NULL), RC_NOT_FOUND);
}

TEST(transfer_of_another_owner_is_absent_everywhere)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct transfer t = add(db, 1, "xfr_a", TRANSFER_EXPORT), got, *list;
    int64_t n;
    size_t rows;
    assert_rc(store_transfer_get(db, a, 2, "xfr_a", &got, NULL), RC_NOT_FOUND);
    assert_rc(store_transfer_by_id(db, a, 2, t.id, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_transfer_delete(db, 2, "xfr_a", NULL), RC_NOT_FOUND);
    assert_ok(store_transfer_list(db, a, 2, 9, &list, &rows, NULL));
    assert_int_equal(rows, 0);
    assert_ok(store_transfer_waiting(db, 2, TRANSFER_EXPORT, &n, NULL));
    assert_int_equal(n, 0);
    got = t;
    got.owner = 2;
    assert_rc(store_transfer_progress(db, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_transfer_end(db, &got, NULL), RC_NOT_FOUND);
    assert_ok(store_transfer_waiting(db, 1, TRANSFER_EXPORT, &n, NULL));
    assert_int_equal(n, 1);
}

TEST(transfers_that_wait_and_files_that_lie_there_are_counted)
{
    AUTO(db) db = rig_db();
    struct transfer x = add(db, 1, "xfr_x", TRANSFER_EXPORT), y = add(db, 1, "xfr_y", TRANSFER_EXPORT);
    struct transfer m = add(db, 1, "xfr_m", TRANSFER_IMPORT);
    int64_t n;
    end(db, &x, TRANSFER_DONE, NOW);
    end(db, &y, TRANSFER_FAILED, NOW);
    end(db, &m, TRANSFER_DONE, NOW);
    add(db, 1, "xfr_z", TRANSFER_EXPORT);
    assert_ok(store_transfer_waiting(db, 1, TRANSFER_EXPORT, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(store_transfer_waiting(db, 1, TRANSFER_IMPORT, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_transfer_files(db, 1, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(store_transfer_files(db, 2, &n, NULL));
    assert_int_equal(n, 0);
}

/* Ids of sessions and of transfers are both small: a session's end must not take a transfer's job along. */
TEST(transfer_keeps_its_job_when_a_session_of_the_same_id_is_deleted)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a");
    struct transfer t = add(db, 1, "xfr_a", TRANSFER_IMPORT);
    assert_true(s == t.id);
    assert_ok(store_job_add(db, JOB_SUMMARISE, 1, s, NOW, NOW, NULL));
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'summarise'"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'import'"), 1);
}

TEST(transfer_takes_only_its_own_waiting_job_along)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a");
    struct transfer t = add(db, 1, "xfr_a", TRANSFER_IMPORT);
    assert_true(s == t.id);
    assert_ok(store_job_add(db, JOB_SUMMARISE, 1, s, NOW, NOW, NULL));
    assert_ok(store_transfer_delete(db, 1, "xfr_a", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'import'"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'summarise'"), 1);
    assert_rc(store_transfer_delete(db, 1, "xfr_a", NULL), RC_NOT_FOUND);
}

static bool needs_file(struct db *db, const char *pub)
{
    bool needed;
    assert_ok(store_transfer_needs_file(db, pub, &needed, NULL));
    return needed;
}

TEST(transfer_needs_its_file_while_an_import_waits_and_as_long_as_an_export_is_there)
{
    AUTO(db) db = rig_db();
    struct transfer in = add(db, 1, "xfr_i", TRANSFER_IMPORT), out = add(db, 1, "xfr_o", TRANSFER_EXPORT);
    assert_true(needs_file(db, "xfr_i") && needs_file(db, "xfr_o") && !needs_file(db, "xfr_n"));
    end(db, &in, TRANSFER_FAILED, NOW);
    end(db, &out, TRANSFER_DONE, NOW);
    assert_true(!needs_file(db, "xfr_i") && needs_file(db, "xfr_o"));
}

TEST(sweep_takes_old_transfers_but_none_that_still_has_a_job)
{
    AUTO(db) db = rig_db();
    struct transfer old = add(db, 1, "xfr_old", TRANSFER_EXPORT),
                    young = add(db, 2, "xfr_new", TRANSFER_EXPORT);
    struct transfer lost = add(db, 2, "xfr_lost", TRANSFER_IMPORT);
    int64_t n;
    end(db, &old, TRANSFER_DONE, NOW);
    end(db, &young, TRANSFER_DONE, NOW + 10);
    add(db, 1, "xfr_waits", TRANSFER_IMPORT);
    assert_ok(
        db_exec(db, "UPDATE job SET state = 'dead' WHERE subject = ?", ARGS(v_int(lost.id)), NULL, NULL));
    /* a job of another kind with its number keeps nothing */
    assert_ok(store_job_add(db, JOB_SUMMARISE, 2, lost.id, NOW, NOW, NULL));
    assert_ok(store_transfer_sweep(db, NOW + 5, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM transfer WHERE pub IN ('xfr_waits', 'xfr_new')"), 2);
}

TEST(exports_read_by_key_and_only_the_owners_rows)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t first = rig_session(db, 1, "ses_a"), theirs = rig_session(db, 2, "ses_b");
    int64_t second = rig_session(db, 1, "ses_c"), n, *ids;
    int64_t m1 = rig_message(db, 1, first, 0, ROLE_USER, "one");
    int64_t m2 = rig_message(db, 1, first, m1, ROLE_ASSISTANT, "two");
    rig_message(db, 2, theirs, 0, ROLE_USER, "secret");
    struct message *m;
    size_t rows;
    assert_ok(store_export_count(db, 1, 0, &n, NULL));
    assert_int_equal(n, 2);
    assert_ok(store_export_sessions(db, a, 1, 0, 0, 1, &ids, &rows, NULL));
    assert_true(rows == 1 && ids[0] == first);
    assert_ok(store_export_sessions(db, a, 1, 0, first, 9, &ids, &rows, NULL));
    assert_true(rows == 1 && ids[0] == second);
    assert_ok(store_export_messages(db, a, 1, first, 0, 9, &m, &rows, NULL));
    assert_true(rows == 2 && m[0].id == m1 && m[1].id == m2);
    assert_ok(store_export_messages(db, a, 1, first, m1, 9, &m, &rows, NULL));
    assert_int_equal(rows, 1);
    assert_ok(store_export_messages(db, a, 1, theirs, 0, 9, &m, &rows, NULL));
    assert_int_equal(rows, 0);
    struct export_session_more more;
    assert_ok(store_export_session_more(db, a, 1, first, &more, NULL));
    assert_rc(store_export_session_more(db, a, 1, theirs, &more, NULL), RC_NOT_FOUND);
}

TEST(imported_is_known_to_its_owner_until_the_session_is_deleted)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a");
    bool known;
    assert_ok(store_imported_add(db, 1, "chatgpt:x", s, 2, NULL));
    assert_ok(store_imported_known(db, 1, "chatgpt:x", &known, NULL));
    assert_true(known);
    assert_ok(store_imported_known(db, 2, "chatgpt:x", &known, NULL));
    assert_false(known);
    assert_ok(store_imported_add(db, 2, "chatgpt:y", s, 2, NULL)); /* not theirs: no row */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM imported"), 1);
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_ok(store_imported_known(db, 1, "chatgpt:x", &known, NULL));
    assert_false(known);
}

TEST(imported_sessions_are_set_as_they_were_by_their_owner_only)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = rig_session(db, 1, "ses_a"), m = rig_message(db, 1, id, 0, ROLE_USER, "one");
    struct session s = {.id = id,
        .owner = 1,
        .title = "Mine",
        .head_id = m,
        .created_at = 10,
        .active_at = 20,
        .seen_at = 30,
        .archived_at = 40,
        .archived_by_user = true,
        .topic = "Things"};
    struct session got;
    assert_ok(store_import_session(db, &s, "user", m, NULL));
    assert_ok(store_session_get(db, a, 1, "ses_a", &got, NULL));
    assert_string_equal(got.title, "Mine");
    assert_string_equal(got.topic, "Things");
    assert_true(got.head_id == m && got.created_at == 10 && got.active_at == 20 && got.archived_at == 40);
    assert_true(got.archived_by_user);
    struct export_session_more more;
    assert_ok(store_export_session_more(db, a, 1, id, &more, NULL));
    assert_string_equal(more.titled_by, "user");
    assert_true(more.topic_id == m);
    s.owner = 2;
    assert_rc(store_import_session(db, &s, "user", m, NULL), RC_NOT_FOUND);
}
