/* Two turns for one question: begun together, each with its own end, recovered after a crash. */
#include <pthread.h> /* the Makefile runs files that name it under TSan too */

#include "engine.h"

#define TWO "[provider.two]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n"

static enum rc compare(struct place *p, const char *with, struct turn_ticket *out)
{
    struct turn_request r = {
        .kind = TURN_SEND, .owner = 1, .text = STR("Which?"), .choice = "two/m", .compare_with = with};
    return turn_send(p->engine, &r, out, NULL);
}

TEST(both_turns_end_and_the_head_stays_in_the_first_answer)
{
    struct place p;
    struct turn_ticket t;
    new_place(&p, TWO, NEVER);
    model.calls = 1; /* of one of the two: its answer has a step */
    assert_ok(compare(&p, "offline/offline", &t));
    assert_true(t.second.turn[0] && strcmp(t.ids.session, t.second.session) == 0);
    assert_int_equal(t.second.slot, 1);
    await(&p, &p.ended, 2);
    assert_int_equal(number(&p, RUNNING), 0);
    assert_int_equal(number(&p, "SELECT running_turns FROM session"), 0);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE compared IN (1, 2)"), 2);
    assert_int_equal(number(&p, "SELECT count(*) FROM session s JOIN turn t ON t.reply_id = s.head_id "
                                "WHERE t.slot = 0 AND s.provider = 'two'"),
        1);
    assert_int_equal(number(&p, "SELECT count(*) FROM job WHERE kind = 'title'"), 1);
    assert_false(has_log(&p, t.ids.turn) || has_log(&p, t.second.turn));
    leave(&p);
}

TEST(one_is_stopped_and_the_other_goes_on)
{
    struct place p;
    struct turn_ticket t, next;
    new_place(&p, TWO, NEVER);
    model.waits = true;
    assert_ok(compare(&p, "offline/offline", &t));
    await(&p, &p.started, 2);
    assert_true(stop(&p, t.ids.turn));
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, RUNNING), 1);
    assert_int_equal(send(&p, t.ids.session, &next), RC_CONFLICT);
    assert_true(stop(&p, t.second.turn));
    await(&p, &p.ended, 2);
    model.waits = false;
    assert_ok(send(&p, t.ids.session, &next));
    await(&p, &p.ended, 3);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE compared IS NOT NULL"), 0);
    leave(&p);
}

static int with_reasoning; /* requests to the model that wants its earlier reasoning; on the loop's thread */

static void see_reasoning(const struct llm_request *r)
{
    with_reasoning += strcmp(r->model, "thinker") == 0 && r->sends_reasoning;
}

TEST(the_second_model_gets_its_earlier_reasoning_if_it_wants_it)
{
    struct place p;
    struct turn_ticket t;
    new_place(&p,
        TWO "[provider.seek]\nkind = \"openai\"\nbase_url = \"https://api.deepseek.com/v1\"\n"
            "model = \"thinker\"\n",
        NEVER);
    with_reasoning = 0;
    model.seen = see_reasoning;
    assert_ok(compare(&p, "seek/thinker", &t));
    await(&p, &p.ended, 2);
    leave(&p);
    assert_int_equal(with_reasoning, 1);
}

TEST(what_cannot_be_compared_leaves_nothing)
{
    struct place p;
    struct turn_ticket t;
    new_place(&p, TWO, NEVER);
    assert_int_equal(compare(&p, "two/m", &t), RC_BAD_INPUT);
    assert_int_equal(compare(&p, "no/such", &t), RC_BAD_INPUT);
    assert_int_equal(number(&p, "SELECT count(*) FROM message"), 0);
    leave(&p);
}

TEST(a_crash_interrupts_both)
{
    struct place p;
    struct turn_ticket t;
    struct turn_recovered r;
    new_place(&p, TWO, NEVER);
    assert_ok(compare(&p, "offline/offline", &t));
    await(&p, &p.ended, 2);
    sql(&p, "UPDATE turn SET status = 'running', ended_at = NULL");
    sql(&p, "UPDATE message SET status = 'running', text = '' WHERE role = 'assistant'");
    sql(&p, "UPDATE session SET running_turns = 2");
    const char *dir = strdup(p.config->server.data_dir);
    leave(&p);
    open_place(&p, dir, TWO, NEVER);
    assert_ok(turn_recover(p.engine, &r, NULL));
    assert_int_equal(r.saved, 2);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE status = 'interrupted'"), 2);
    assert_int_equal(number(&p, "SELECT running_turns FROM session"), 0);
    run_place(&p);
    leave(&p);
    free_charp(&dir);
}
