/* Records of text, and the ends of turns: on a full disk, without their rows, with too many tool calls. */
#include <pthread.h> /* the Makefile runs files that name it under TSan too */

#include "engine.h"

/* ---- a full disk ---- */

TEST(an_answer_that_cannot_be_saved_is_tried_again_until_there_is_room)
{
    struct place p;
    new_place(&p, "", SOON);
    model.text = LONG;
    struct turn_ticket t = begin(&p), next;
    fill(&p);
    say(&p);
    await(&p, &p.unsaved, 30);
    assert_int_equal(number(&p, RUNNING), 1);
    assert_int_equal(count(&p, &p.ended), 0);
    assert_int_equal(send(&p, t.ids.session, &next), RC_CONFLICT);
    make_room(&p);
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, RUNNING), 0);
    assert_int_equal(number(&p, "SELECT running_turns FROM session"), 0);
    assert_int_equal(
        number(&p, "SELECT length(text) FROM message WHERE status = 'done' AND role = 'assistant'"), LONG);
    assert_false(has_log(&p, t.ids.turn));
    model.waits = false;
    assert_ok(send(&p, t.ids.session, &next));
    await(&p, &p.ended, 2);
    leave(&p);
}

TEST(stop_tries_to_save_at_once)
{
    struct place p;
    new_place(&p, "", NEVER);
    model.text = LONG;
    struct turn_ticket t = begin(&p);
    fill(&p);
    say(&p);
    await(&p, &p.unsaved, 1);
    assert_true(stop(&p, t.ids.turn));
    await(&p, &p.unsaved, 2); /* the disk is still full */
    make_room(&p);
    assert_true(stop(&p, t.ids.turn));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, RUNNING), 0);
    assert_false(stop(&p, t.ids.turn));
    leave(&p);
}

TEST(a_message_is_not_stored_if_its_log_cannot_be_made)
{
    struct place p;
    struct turn_ticket t;
    char path[FS_PATH_MAX];
    new_place(&p, "", NEVER);
    snprintf(path, sizeof path, "%s/turns", p.config->server.data_dir);
    fclose(fopen(path, "w")); /* a file in place of the folder */
    assert_int_equal(send(&p, NULL, &t), RC_UNAVAILABLE);
    assert_int_equal(number(&p, "SELECT count(*) FROM message"), 0);
    assert_int_equal(unlink(path), 0);
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    assert_int_equal(count(&p, &p.started), 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message"), 2);
    leave(&p);
}

/* ---- the text index ---- */

/* Each segment costs pages of the transaction and a share of a merge. */
TEST(the_texts_of_a_turn_enter_the_index_as_one_segment)
{
    struct place p;
    struct turn_ticket t;
    new_place(&p, "", NEVER);
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message_text_docsize"), 2);
    assert_int_equal(number(&p, "SELECT count(DISTINCT segid) FROM message_text_idx"), 1);
    sql(&p, "INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)");
    leave(&p);
}

/* ---- what else an end may meet ---- */

TEST(a_turn_whose_rows_were_deleted_ends)
{
    struct place p;
    new_place(&p, "", NEVER);
    struct turn_ticket t = begin(&p);
    sql(&p, "DELETE FROM session");
    say(&p);
    await(&p, &p.ended, 1);
    assert_int_equal(count(&p, &p.unsaved), 0);
    assert_false(has_log(&p, t.ids.turn));
    leave(&p);
}

static void check_on_loop(void *arg)
{
    struct place *p = arg;
    turn_check_running(p->engine);
    turn_check_running(p->engine); /* one that runs is repeated */
}

TEST(the_running_turns_of_deleted_sessions_are_found)
{
    struct place p;
    new_place(&p, "", NEVER);
    begin(&p);
    struct turn_ticket kept = begin(&p);
    await(&p, &p.started, 2);
    sql(&p, "DELETE FROM session WHERE id = (SELECT min(id) FROM session)");
    loop_post(p.loop, check_on_loop, &p);
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, RUNNING), 1);
    assert_true(has_log(&p, kept.ids.turn));
    assert_true(stop(&p, kept.ids.turn));
    await(&p, &p.ended, 2);
    loop_post(p.loop, check_on_loop, &p);
    leave(&p);
}

TEST(the_running_turns_of_a_disabled_user_end_and_keep_their_text)
{
    struct place p;
    new_place(&p, "", NEVER);
    model.goes_on = true;
    begin(&p);
    say(&p);
    await(&p, &p.text, (int)model.text);
    loop_post(p.loop, check_on_loop, &p);
    sql(&p, "UPDATE user SET disabled_at = 5");
    loop_post(p.loop, check_on_loop, &p);
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn WHERE status = 'stopped'"), 1);
    assert_int_equal(number(&p, "SELECT length(text) FROM message WHERE role = 'assistant'"), model.text);
    leave(&p);
}

TEST(a_user_who_was_disabled_since_the_request_was_checked_begins_no_turn)
{
    struct place p;
    struct turn_ticket t;
    new_place(&p, "", NEVER);
    model.waits = true;
    sql(&p, "UPDATE user SET disabled_at = 5");
    assert_int_equal(send(&p, NULL, &t), RC_UNAUTHENTICATED);
    assert_int_equal(number(&p, "SELECT count(*) FROM message"), 0);
    leave(&p);
}

static void check_and_drain(void *arg)
{
    struct place *p = arg;
    turn_check_running(p->engine);
    drain(p);
}

TEST(the_drain_waits_for_a_check_of_the_running_turns)
{
    struct place p;
    new_place(&p, "", NEVER);
    begin(&p);
    loop_post(p.loop, check_and_drain, &p);
    pthread_join(p.thread, NULL);
    assert_int_equal(count(&p, &p.ended), 1);
    close_place(&p);
}

TEST(a_turn_whose_message_was_deleted_or_finished_ends)
{
    static const char *const changes[] = {"DELETE FROM message WHERE status = 'running'",
        "UPDATE message SET status = 'done' WHERE status = 'running'"};
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct place p;
        new_place(&p, "", NEVER);
        begin(&p);
        sql(&p, changes[i]);
        say(&p);
        await(&p, &p.ended, 1);
        assert_int_equal(number(&p, RUNNING), 0);
        leave(&p);
    }
}

TEST(jobs_that_cannot_be_added_do_not_keep_an_answer_from_being_saved)
{
    struct place p;
    new_place(&p, "", NEVER);
    begin(&p);
    sql(&p, "CREATE TRIGGER refuse BEFORE INSERT ON job BEGIN SELECT raise(ABORT, 'refused'); END");
    sql(&p, "DELETE FROM job");
    say(&p);
    await(&p, &p.ended, 1);
    assert_int_equal(count(&p, &p.unsaved), 0);
    assert_int_equal(
        number(&p, "SELECT length(text) FROM message WHERE status = 'done' AND role = 'assistant'"), 10);
    leave(&p);
}

TEST(a_failure_lasts_if_the_provider_refuses_the_key_or_the_request)
{
    static const struct {
        enum rc rc;
        int lasting;
    } cases[] = {{RC_FORBIDDEN, 1}, {RC_BAD_INPUT, 1}, {RC_UPSTREAM, 0}, {RC_UNAVAILABLE, 0}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct place p;
        struct turn_ticket t;
        new_place(&p, "", NEVER);
        model.fails = cases[i].rc;
        assert_ok(send(&p, NULL, &t));
        await(&p, &p.ended, 1);
        assert_int_equal(number(&p, "SELECT lasting FROM message WHERE status = 'failed'"), cases[i].lasting);
        leave(&p);
    }
}

TEST(an_answer_cannot_be_sent_as_a_question)
{
    struct place p;
    struct turn_ticket t, next;
    new_place(&p, "", NEVER);
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    struct turn_request r = {.kind = TURN_EDIT, .owner = 1, .session = t.ids.session, .text = STR("Mine")};
    r.message_id = number(&p, "SELECT id FROM message WHERE role = 'assistant'");
    assert_int_equal(turn_send(p.engine, &r, &next, NULL), RC_BAD_INPUT);
    r.message_id = number(&p, "SELECT id FROM message WHERE role = 'user'");
    assert_ok(turn_send(p.engine, &r, &next, NULL));
    await(&p, &p.ended, 2);
    leave(&p);
}

/* ---- tools ---- */

/* The calls over a limit are left out, and the turn ends with an answer. */
static void check_calls(size_t calls, const char *settings, int kept)
{
    struct place p;
    new_place(&p, settings, NEVER);
    struct turn_ticket t;
    model.calls = calls;
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE role = 'tool'"), kept);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE status = 'failed'"), 0);
    assert_int_equal(number(&p, "SELECT length(text) FROM message ORDER BY id DESC LIMIT 1"), 10);
    leave(&p);
}

TEST(too_many_calls_in_one_step_or_in_one_turn_do_not_cost_the_answer)
{
    check_calls(20, "[turn]\ntool_calls_max = 100\n", 16);
    check_calls(6, "[turn]\ntool_calls_max = 5\n", 5);
}

TEST(a_turn_continues_after_a_step)
{
    struct place p;
    new_place(&p, "", NEVER);
    struct turn_ticket t;
    model.calls = 2;
    assert_ok(send(&p, NULL, &t));
    await(&p, &p.ended, 1);
    assert_int_equal(p.steps, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE status = 'done'"), 5);
    leave(&p);
}

/* ---- records ---- */

TEST(text_within_milliseconds_shares_a_record)
{
    struct place p;
    new_place(&p, "", NEVER);
    model.text = 10000;
    model.pieces = 5000;
    model.goes_on = true;
    struct turn_ticket t = begin(&p);
    say(&p);
    await(&p, &p.text, 10000); /* pending text is released without an end */
    assert_true(count(&p, &p.records) > 1);
    assert_true(count(&p, &p.records) < 2500); /* about 2; more when the thread is held up between pieces */
    assert_true(stop(&p, t.ids.turn));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT length(text) FROM message WHERE status = 'stopped'"), 10000);
    leave(&p);
}

TEST(pending_text_is_recorded_before_the_end)
{
    struct place p;
    new_place(&p, "", NEVER);
    model.text = 300;
    model.pieces = 3;
    begin(&p);
    say(&p);
    await(&p, &p.ended, 1);
    assert_int_equal(count(&p, &p.text), 300);
    assert_int_equal(number(&p, "SELECT length(text) FROM message WHERE role = 'assistant'"), 300);
    leave(&p);
}
