/* Recovery at the next start after a drain or a crash. */
#include <pthread.h> /* the Makefile runs files that name it under TSan too */

#include "engine.h"

TEST(a_drain_leaves_an_unsaved_answer_to_the_next_start)
{
    struct place p;
    new_place(&p, "", NEVER);
    model.text = LONG;
    struct turn_ticket t = begin(&p);
    const char *dir = strdup(p.config->server.data_dir);
    fill(&p);
    say(&p);
    await(&p, &p.unsaved, 1);
    leave(&p);

    struct turn_recovered r;
    open_place(&p, dir, "", NEVER);
    assert_true(has_log(&p, t.ids.turn));
    assert_ok(turn_recover(p.engine, &r, NULL));
    assert_int_equal(r.saved, 1);
    assert_int_equal(number(&p, "SELECT length(text) FROM message WHERE status = 'interrupted'"), LONG);
    assert_false(has_log(&p, t.ids.turn));
    run_place(&p);
    leave(&p);
    free_charp(&dir);
}

/* ---- after a crash ---- */

/* As a kill leaves it: rows that run, and a log. */
static const char *leave_running(int turns)
{
    struct place p;
    new_place(&p, "", NEVER);
    model.waits = true;
    for (int i = 0; i < turns; i++) {
        struct turn_ticket t;
        assert_ok(send(&p, NULL, &t));
        await(&p, &p.started, i + 1);
        loop_post(p.loop, speak_now, NULL);
        await(&p, &p.ended, i + 1);
    }
    sql(&p, "UPDATE turn SET status = 'running', ended_at = NULL, pub = 'trn_' || id");
    sql(&p, "UPDATE message SET status = 'running', text = '' WHERE role = 'assistant'");
    sql(&p, "UPDATE session SET running_turns = 1");
    const char *dir = strdup(p.config->server.data_dir);
    leave(&p);
    return dir;
}

static void write_log(const char *dir, const char *turn, int64_t reply, const char *text)
{
    char id[24];
    AUTO(turnlogs) logs = turnlogs_new(dir);
    struct turnlog *log;
    snprintf(id, sizeof id, "%lld", (long long)reply);
    assert_ok(turnlog_create(logs, turn, &log, NULL));
    assert_ok(turnlog_append(log, TURNLOG_MESSAGE, str_of(id), NULL));
    assert_ok(turnlog_append(log, TURNLOG_TEXT, str_of(text), NULL));
    turnlog_free(log);
}

TEST(one_turn_that_cannot_be_salvaged_keeps_no_other_from_it)
{
    const char *dir = leave_running(4);
    char path[FS_PATH_MAX];
    struct place p;
    struct turn_recovered r;
    open_place(&p, dir, "", NEVER);
    write_log(dir, "trn_3", number(&p, "SELECT reply_id FROM turn WHERE id = 3"), "Three");
    write_log(dir, "trn_never", 1, "It never began");
    snprintf(path, sizeof path, "%s/turns/trn_1.log", dir);
    assert_int_equal(mkdir(path, 0700), 0); /* a log that cannot be read */
    sql(&p, "UPDATE message SET status = 'done' WHERE id = (SELECT reply_id FROM turn WHERE id = 2)");
    sql(&p,
        "CREATE TRIGGER refuse BEFORE UPDATE ON turn WHEN old.id = 4 BEGIN SELECT raise(ABORT, 'no'); END");
    assert_ok(turn_recover(p.engine, &r, NULL));
    assert_int_equal(r.saved, 3);
    assert_int_equal(r.waiting, 1);
    assert_int_equal(number(&p, "SELECT id FROM turn WHERE status = 'running'"), 4);
    assert_int_equal(
        number(&p, "SELECT count(*) FROM message WHERE status = 'interrupted' AND text = 'Three'"), 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE error = 'answer.lost'"), 1);
    assert_false(has_log(&p, "trn_never"));
    run_place(&p);
    await(&p, &p.unsaved, 1);
    sql(&p, "DROP TRIGGER refuse");
    assert_true(stop(&p, "trn_4"));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, RUNNING), 0);
    leave(&p);
    free_charp(&dir);
}

/* The text of trn_1 was saved with a step, and its record of the next message is missing. The answer of trn_2
 * had a text before it went on. The session of trn_3 is in the trash. */
TEST(a_salvaged_answer_has_its_own_text_and_no_less_than_before)
{
    const char *dir = leave_running(3);
    struct place p;
    struct turn_recovered r;
    open_place(&p, dir, "", NEVER);
    write_log(dir, "trn_1", number(&p, "SELECT asked_id FROM turn WHERE id = 1"), "Of another message");
    write_log(dir, "trn_2", number(&p, "SELECT reply_id FROM turn WHERE id = 2"), "The be");
    sql(&p, "UPDATE message SET text = 'The beginning' WHERE id = (SELECT reply_id FROM turn WHERE id = 2)");
    sql(&p, "UPDATE session SET owner = 0 WHERE id = (SELECT session_id FROM turn WHERE id = 3)");
    assert_ok(turn_recover(p.engine, &r, NULL));
    assert_int_equal(r.saved, 3);
    assert_int_equal(number(&p, RUNNING), 0);
    assert_int_equal(number(&p, "SELECT length(text) FROM message m JOIN turn t ON t.reply_id = m.id "
                                "WHERE t.id = 1 AND m.status = 'interrupted'"),
        0);
    assert_int_equal(number(&p, "SELECT count(*) FROM message m JOIN turn t ON t.reply_id = m.id "
                                "WHERE t.id = 2 AND m.status = 'interrupted' AND m.text = 'The beginning'"),
        1);
    run_place(&p);
    leave(&p);
    free_charp(&dir);
}

TEST(turns_that_a_full_disk_keeps_from_being_salvaged_wait_for_room)
{
    enum { TURNS = 3 };
    const char *dir = leave_running(TURNS);
    char *text = xmalloc(LONG + 1);
    memset(text, 'x', LONG);
    text[LONG] = 0;
    struct place p;
    struct turn_recovered r;
    open_place(&p, dir, "", SOON);
    write_log(dir, "trn_1", number(&p, "SELECT reply_id FROM turn WHERE id = 1"), text);
    fill(&p);
    assert_ok(turn_recover(p.engine, &r, NULL));
    assert_int_equal(r.saved, 0);
    assert_int_equal(r.waiting, TURNS);
    assert_true(has_log(&p, "trn_1"));
    run_place(&p);
    await(&p, &p.unsaved, 30);
    assert_int_equal(count(&p, &p.started), TURNS);
    make_room(&p);
    await(&p, &p.ended, TURNS);
    assert_int_equal(number(&p, RUNNING), 0);
    assert_int_equal(number(&p, "SELECT sum(length(text)) FROM message WHERE status = 'interrupted'"), LONG);
    assert_int_equal(p.text, LONG);
    assert_false(has_log(&p, "trn_1"));
    leave(&p);
    free_charp(&dir);
    free_charp(&text);
}
