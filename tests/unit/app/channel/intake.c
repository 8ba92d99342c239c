/* The pool of the intake has threads (pthread), so this also runs under TSan. */
#include "updates_rig.h"

#include <stdlib.h>

#include "app/channel/intake.h"

static struct loop *loop;
static struct router *router;
static struct intake *intake;
static const char *awaited; /* SQL: not 0 when the test is over */
static int runs;            /* of updates, and looks */
static int64_t fetch_ms;

/* ---- files ---- */

#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0"

static struct channel_fetched files[8]; /* the answers, one after the other; the last one to all others */
static size_t files_n, fetches;
static char fetched[256]; /* what was asked for */

struct held {
    channel_fetched_fn *done;
    void *arg;
    struct loop_timer *timer;
};
static bool holds; /* a fetch takes its time */
static int held_now, held_most;

static void finish(void *arg)
{
    struct held h = *(struct held *)arg;
    loop_timer_free(h.timer);
    free(arg);
    held_now--;
    h.done(h.arg, &files[0]);
}

static void fetch(void *self, const char *file, size_t max, channel_fetched_fn *done, void *arg)
{
    size_t n = fetches++;
    (void)self;
    assert_int_equal(max, 5 * 1024 * 1024);
    snprintf(fetched + strlen(fetched), sizeof fetched - strlen(fetched), "%s ", file);
    if (holds) {
        struct held *h = xcalloc(1, sizeof *h);
        *h = (struct held){done, arg, loop_timer_new(loop, finish, h)};
        loop_timer_set(h->timer, 20);
        held_most = ++held_now > held_most ? held_now : held_most;
        return;
    }
    done(arg, &files[n < files_n ? n : files_n - 1]);
}

static void answers(struct channel_fetched f)
{
    files[files_n++] = f;
}

static void answers_png(void)
{
    answers((struct channel_fetched){.data = {PNG, sizeof PNG - 1}});
}

/* ---- the intake ---- */

/* The sentence for a stranger. */
static void act(void *self, const struct channel_action *a, channel_done_fn *done, void *arg)
{
    (void)self;
    (void)a;
    done(arg, &(struct channel_result){.outcome = OUTCOME_DONE});
}

static void look_whether_over(void *arg)
{
    (void)arg;
    runs++;
    if (awaited && door_int(awaited)) {
        awaited = NULL;
        loop_stop(loop);
    }
}

static void begin(void)
{
    static struct channel_driver driver;
    driver = door_driver;
    driver.act = act;
    driver.fetch = fetch;
    assert_ok(loop_new(&loop, NULL));
    router = router_new(&(struct router_setup){.store = store, .config = config});
    assert_ok(intake_new(&(struct intake_setup){.loop = loop,
                             .store = store,
                             .router = router,
                             .drivers = &driver,
                             .drivers_n = 1,
                             .posted = look_whether_over,
                             .fetch_ms = fetch_ms},
        &intake, NULL));
}

static void run_until(const char *sql)
{
    awaited = sql;
    look_whether_over(NULL);
    loop_run(loop);
    assert_null(awaited);
}

static void stopped(void *arg)
{
    (void)arg;
    loop_stop(loop);
}

static void end(void)
{
    awaited = NULL;
    intake_stop(intake, stopped, NULL);
    loop_run(loop);
    intake_free(intake);
    router_free(router);
    loop_free(loop);
    files_n = fetches = 0;
    fetched[0] = 0;
    fetch_ms = 0;
}

/* In the past, so that no window is open; far enough from each other that none joins. */
static int64_t past(int n)
{
    return clock_wall_ms() - MS_PER_H + n * INT64_C(5000);
}

#define ALL_DONE "SELECT NOT EXISTS (SELECT 1 FROM inbox WHERE state = 'new')"

TEST(a_hundred_chats_are_processed_each_in_its_order)
{
    door_open("");
    for (int n = 0; n < 3; n++)
        for (int chat = 0; chat < 100; chat++)
            door_receive(past(n), arena_printf(arena, "c%d", chat), "", "7", arena_printf(arena, "m%d", n),
                "", arena_printf(arena, "text %d", n));
    begin();
    run_until(ALL_DONE);
    assert_int_equal(door_int("SELECT count(*) FROM turn_order"), 300);
    assert_int_equal(door_int("SELECT count(*) FROM turn_order a JOIN turn_order b ON a.purpose_id = "
                              "b.purpose_id AND a.id < b.id AND a.text > b.text"),
        0);
    assert_int_equal(door_int("SELECT count(DISTINCT session_id) FROM turn_order"), 100);
    end();
    door_close();
}

TEST(what_a_stopped_intake_left_is_processed_once_by_the_next)
{
    door_open("");
    for (int n = 0; n < 200; n++)
        door_receive(past(n), "7", "", "7", arena_printf(arena, "m%d", n), "", "text");
    begin();
    run_until("SELECT count(*) >= 20 FROM turn_order");
    end();
    int64_t first = door_int("SELECT count(*) FROM turn_order");
    assert_true(first >= 20 && first < 200);
    begin();
    run_until(ALL_DONE);
    end();
    assert_int_equal(door_int("SELECT count(*) FROM turn_order"), 200);
    door_close();
}

TEST(lines_in_quick_succession_are_one_message)
{
    door_open("");
    int64_t at = past(0);
    door_receive(at, "7", "", "7", "m1", "", "one");
    door_receive(at + 100, "7", "", "7", "m2", "", "two");
    door_receive(at + 200, "8", "", "8", "m1", "", "another chat");
    door_receive(at + 250, "7", "", "7", "m3", "", "three");
    door_receive(at + 260, "7", "", "7", "m4", "c", "/help");
    door_receive(at + 270, "7", "", "7", "m5", "", "after");
    begin();
    run_until(ALL_DONE);
    assert_string_equal(door_text("SELECT group_concat(text, '|') FROM (SELECT text FROM turn_order "
                                  "WHERE owner = 1 ORDER BY id)"),
        "one\ntwo\nthree|after");
    end();
    door_close();
}

TEST(a_new_message_wakes_a_running_intake)
{
    door_open("");
    begin();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "hello");
    intake_look(intake);
    run_until("SELECT count(*) FROM turn_order");
    assert_string_equal(door_text("SELECT text FROM turn_order"), "hello");
    end();
    door_close();
}

TEST(a_command_whose_end_cannot_be_stored_waits_and_does_not_run_again)
{
    door_open("");
    door_exec("CREATE TRIGGER end_fails BEFORE UPDATE ON inbox WHEN new.state = 'done' BEGIN "
              "SELECT raise(ABORT, 'no'); END");
    door_receive(past(0), "7", "", "7", "m1", "c", "/remind feed Tom in 20 minutes");
    begin();
    run_until("SELECT count(*) FROM reminder");
    door_exec("DROP TRIGGER end_fails");
    run_until(ALL_DONE);
    end();
    assert_int_equal(door_int("SELECT count(*) FROM reminder"), 1);
    assert_non_null(strstr(door_text("SELECT markdown FROM outbox"), "Tom"));
    door_close();
}

/* Its attempts have one line, and its end has one. */
TEST(an_update_that_waits_is_logged_once)
{
    door_open("");
    door_exec("CREATE TRIGGER end_fails BEFORE UPDATE ON inbox WHEN new.state = 'done' BEGIN "
              "SELECT raise(ABORT, 'no'); END");
    door_receive(past(0), "7", "", "7", "m1", "", "hello");
    begin();
    unit_log_begin();
    runs = 0;
    run_until(ALL_DONE);
    assert_int_equal(runs, INTAKE_FAILURES_MAX + 2);
    assert_int_equal(unit_log_lines(), 2);
    end();
    door_close();
}

TEST(what_cannot_be_understood_ends_with_a_reason)
{
    struct door_added bad = {"nonsense", 1};
    door_open("");
    assert_ok(store_write(store, door_add_tx, &bad, NULL));
    begin();
    run_until(ALL_DONE);
    assert_string_equal(door_text("SELECT error FROM inbox WHERE state = 'done'"), "not understood");
    end();
    door_close();
}

TEST(an_update_that_ended_the_program_too_often_is_given_up)
{
    door_open("");
    door_receive(past(0), "7", "", "7", "m1", "", "hello");
    begin();
    run_until(ALL_DONE);
    end();
    door_receive(past(1), "7", "", "7", "m2", "", "poison");
    door_receive(past(1), "7", "", "7", "m2b", "", "with another line");
    door_exec("UPDATE inbox SET attempts = 20 WHERE state = 'new'");
    door_receive(past(2), "7", "", "7", "m3", "", "after");
    begin();
    run_until(ALL_DONE);
    assert_int_equal(door_int("SELECT count(*) FROM inbox WHERE state = 'failed' AND body IS NULL"), 2);
    assert_int_equal(door_int("SELECT count(*) FROM turn_order WHERE text = 'poison'"), 0);
    assert_int_equal(door_int("SELECT count(*) FROM turn_order"), 2);
    assert_non_null(
        strstr(door_text("SELECT markdown FROM outbox ORDER BY id DESC LIMIT 1"), "Something went wrong"));
    end();
    door_close();
}

static enum rc turn_tx(struct db *db, void *arg, struct err *e)
{
    struct message m = {.role = ROLE_USER,
        .channel = "test",
        .text = STR("teh question"),
        .client_id = "test:1:1",
        .pasted_from = MESSAGE_TYPED,
        .created_at = 1};
    (void)arg;
    assert_ok(db_one_int(db, "SELECT id FROM session", NO_ARGS, &m.session_id, e));
    assert_ok(store_message_add(db, anna, &m, e));
    assert_ok(db_exec(db, "DELETE FROM turn_order", NO_ARGS, NULL, e));
    return db_exec(db, "UPDATE session SET running_turns = 1", NO_ARGS, NULL, e);
}

TEST(an_edit_during_a_turn_holds_up_nothing)
{
    door_open("");
    door_receive(past(0), "7", "", "7", "m1", "", "teh question");
    begin();
    run_until(ALL_DONE);
    assert_ok(store_write(store, turn_tx, NULL, NULL));
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "e", "the questoin");
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "c", "/help");
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "e", "the question");
    intake_look(intake);
    run_until("SELECT count(*) = 1 FROM inbox WHERE state = 'done' AND id = 3");
    assert_int_equal(door_int("SELECT count(*) FROM inbox WHERE state = 'new'"), 2);
    door_exec("UPDATE session SET running_turns = 0");
    intake_look(intake);
    run_until(ALL_DONE);
    assert_string_equal(door_text("SELECT text FROM message"), "the question");
    end();
    door_close();
}

TEST(a_move_is_between_what_came_before_and_after)
{
    door_open("");
    for (int n = 0; n < 20; n++)
        door_receive(past(n), "-5", arena_printf(arena, "%d", n % 4), "7", arena_printf(arena, "m%d", n),
            "ga", "before");
    door_receive(past(20), "-5", "", "", "", "gm", "-1005");
    for (int n = 21; n < 41; n++)
        door_receive(past(n), "-1005", arena_printf(arena, "%d", n % 4), "7", arena_printf(arena, "m%d", n),
            "ga", "after");
    begin();
    run_until(ALL_DONE);
    assert_int_equal(door_int("SELECT count(*) FROM turn_order"), 40);
    assert_int_equal(door_int("SELECT count(*) FROM session"), 4);
    assert_int_equal(door_int("SELECT count(*) FROM channel_chat WHERE chat = '-5'"), 0);
    end();
    door_close();
}

TEST(updates_of_a_channel_that_is_off_stay)
{
    door_open("");
    door_receive(past(0), "7", "", "7", "m1", "", "hello");
    door_exec("UPDATE inbox SET channel = 'other'");
    door_receive(past(1), "7", "", "7", "m2", "", "hello");
    begin();
    run_until("SELECT count(*) FROM turn_order");
    assert_int_equal(door_int("SELECT count(*) FROM inbox WHERE state = 'new' AND body IS NOT NULL"), 1);
    end();
    door_close();
}

#define LAST_POST "SELECT markdown FROM outbox ORDER BY id DESC LIMIT 1"

TEST(an_album_is_one_question_with_all_its_pictures)
{
    door_open("");
    int64_t at = past(0);
    door_receive(at, "7", "", "7", "m1", "pl", "What are these?");
    door_receive(at + 1000, "7", "", "7", "m2", "pl", "");
    door_receive(at + 2000, "7", "", "7", "m3", "pl", "");
    door_receive(at + 5000, "7", "", "7", "m4", "p", "");
    answers_png();
    begin();
    run_until(ALL_DONE);
    end();
    assert_int_equal(door_int("SELECT count(*) FROM turn_order"), 2);
    assert_string_equal(door_text("SELECT text FROM turn_order"), "What are these?");
    assert_int_equal(door_int("SELECT count(*) FROM picture p JOIN turn_order o ON instr(o.pictures, p.pub) "
                              "WHERE o.id = 1 AND p.owner = o.owner AND p.width = 2 AND p.height = 3"),
        3);
    assert_int_equal(
        door_int("SELECT count(*) FROM turn_order WHERE id = 2 AND text = '' AND pictures <> ''"), 1);
    assert_int_equal(door_int("SELECT count(*) FROM picture"), 4);
    door_close();
}

TEST(a_question_has_the_first_pictures_of_too_many)
{
    door_open("");
    int64_t at = past(0);
    for (int n = 0; n < 10; n++)
        door_receive(at + n, "7", "", "7", arena_printf(arena, "m%d", n), "pl", "");
    answers_png();
    begin();
    run_until(ALL_DONE);
    assert_string_equal(fetched, "m0 m1 m2 m3 m4 m5 m6 m7 ");
    assert_int_equal(door_int("SELECT count(*) FROM turn_order"), 1);
    assert_non_null(strstr(door_text(LAST_POST), "first 8 pictures"));
    end();
    door_close();
}

TEST(nothing_is_fetched_that_no_model_will_see)
{
    door_open("");
    door_receive(past(0), "9", "", "9", "m1", "p", "I am a stranger");
    door_receive(past(1), "-5", "", "7", "m2", "gp", "Not for Alfred");
    door_receive(past(2), "7", "", "7", "m3", "cp", "/help");
    door_receive(past(3), "7", "", "7", "m3", "ep", "An edit");
    answers_png();
    begin();
    run_until(ALL_DONE);
    assert_int_equal(fetches, 0);
    end();
    door_close();
}

TEST(a_picture_that_cannot_be_fetched_now_is_fetched_later)
{
    door_open("");
    door_receive(past(0), "7", "", "7", "m1", "pl", "Look");
    door_receive(past(0), "7", "", "7", "m2", "pl", "");
    door_receive(past(1), "7", "", "7", "m3", "", "after");
    answers_png();
    answers((struct channel_fetched){.outcome = FETCH_LATER, .detail = "no connection"});
    answers((struct channel_fetched){.outcome = FETCH_LATER, .detail = "no connection", .wait_ms = 1000});
    answers_png();
    begin();
    unit_log_begin();
    int64_t began = clock_mono_ms();
    run_until(ALL_DONE);
    assert_true(clock_mono_ms() - began >= 1250);
    assert_string_equal(fetched, "m1 m2 m2 m2 ");
    assert_int_equal(unit_log_lines(), 1);
    assert_string_equal(
        door_text("SELECT group_concat(text, '|') FROM turn_order ORDER BY id"), "Look|after");
    end();
    door_close();
}

/* The message is not asked without its picture. */
static void assert_refused(struct channel_fetched answer, const char *text, const char *words)
{
    door_open("");
    fetch_ms = 600;
    door_receive(past(0), "7", "", "7", "m1", "p", text);
    door_receive(past(1), "7", "", "7", "m2", "", "after");
    answers(answer);
    begin();
    run_until(ALL_DONE);
    assert_string_equal(door_text("SELECT group_concat(text, '|') FROM turn_order"), "after");
    assert_non_null(strstr(door_text("SELECT markdown FROM outbox ORDER BY id LIMIT 1"), words));
    end();
    door_close();
}

TEST(a_picture_that_cannot_be_had_ends_its_message_with_a_sentence)
{
    assert_refused((struct channel_fetched){.outcome = FETCH_LATER, .detail = "x"}, "Look", "from Test");
    assert_refused((struct channel_fetched){.outcome = FETCH_GONE, .detail = "x"}, "", "Send it again");
    assert_refused(
        (struct channel_fetched){.outcome = FETCH_TOO_BIG, .detail = "x"}, "", "limit of 5\xC2\xA0MB");
    assert_refused((struct channel_fetched){.data = STR("GIF or not?")}, "Look", "PNG, JPEG, GIF and WebP");
    assert_refused(
        (struct channel_fetched){.outcome = FETCH_GONE, .detail = "x"}, "large", "limit of 5\xC2\xA0MB");
}

TEST(pictures_of_many_chats_are_all_fetched_a_few_at_once)
{
    door_open("");
    holds = true;
    for (int n = 0; n < 20; n++)
        door_receive(past(0), arena_printf(arena, "c%d", n), "", "7", "m1", "p", "Look");
    answers_png();
    begin();
    run_until(ALL_DONE);
    holds = false;
    assert_int_equal(door_int("SELECT count(*) FROM turn_order WHERE pictures <> ''"), 20);
    assert_int_equal(held_most, INTAKE_FETCHES_MAX);
    end();
    door_close();
}
