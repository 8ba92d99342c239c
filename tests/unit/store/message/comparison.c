#include "../rig.h"

#include "store/message/comparison.h"

struct place {
    struct db *db;
    int64_t session, asked, one, two;
};

static int64_t answer(struct place *p, int64_t parent, int column)
{
    struct message m = {.session_id = p->session,
        .parent_id = parent,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("a"),
        .created_at = NOW,
        .compared = column,
        .beside = column != 1};
    assert_ok(store_message_add(p->db, 1, &m, NULL));
    return m.id;
}

static struct place rig_place(void)
{
    struct place p = {.db = rig_db()};
    p.session = rig_session(p.db, 1, "ses_1");
    p.asked = rig_message(p.db, 1, p.session, 0, ROLE_USER, "q");
    p.one = answer(&p, p.asked, 1);
    p.two = answer(&p, p.asked, 2);
    return p;
}

static int64_t head(struct place *p)
{
    return rig_int(p->db, "SELECT head_id FROM session");
}

TEST(the_head_stays_in_the_first_answer)
{
    struct place p = rig_place();
    assert_int_equal(head(&p), p.one);
    answer(&p, p.two, 0);
    assert_int_equal(head(&p), p.one);
    db_close(p.db);
}

TEST(the_head_follows_the_second_answer_when_the_first_is_gone)
{
    struct place p = rig_place();
    assert_ok(rig_message_delete(p.db, 1, p.session, p.one, NULL));
    assert_int_equal(head(&p), p.two);
    assert_int_equal(head(&p), p.two);
    int64_t step = answer(&p, p.two, 0);
    assert_int_equal(head(&p), step);
    db_close(p.db);
}

TEST(a_comparison_is_open_until_it_is_closed_or_loses_an_answer)
{
    struct place p = rig_place();
    struct comparison c;
    assert_ok(store_comparison_get(p.db, 1, p.session, &c, NULL));
    assert_int_equal(c.asked_id, p.asked);
    assert_int_equal(c.begins[0], p.one);
    assert_int_equal(c.begins[1], p.two);
    assert_rc(store_comparison_get(p.db, 2, p.session, &c, NULL), RC_NOT_FOUND);
    assert_ok(store_comparison_close(p.db, 2, p.session, NULL));
    assert_ok(store_comparison_get(p.db, 1, p.session, &c, NULL));
    assert_ok(store_comparison_close(p.db, 1, p.session, NULL));
    assert_rc(store_comparison_get(p.db, 1, p.session, &c, NULL), RC_NOT_FOUND);
    assert_ok(store_comparison_mark(p.db, 1, p.session, p.two, 1, NULL));
    assert_rc(store_comparison_mark(p.db, 2, p.session, p.one, 2, NULL), RC_NOT_FOUND);
    assert_rc(store_comparison_get(p.db, 1, p.session, &c, NULL), RC_NOT_FOUND);
    assert_ok(store_comparison_mark(p.db, 1, p.session, p.one, 2, NULL));
    assert_ok(store_comparison_get(p.db, 1, p.session, &c, NULL));
    assert_ok(rig_message_delete(p.db, 1, p.session, p.one, NULL));
    assert_rc(store_comparison_get(p.db, 1, p.session, &c, NULL), RC_NOT_FOUND);
    db_close(p.db);
}

static enum rc begin(struct place *p, const char *pub, int slot, bool joins)
{
    int64_t id;
    return store_turn_add(p->db,
        &(struct turn_row){.pub = pub,
            .owner = 1,
            .session_id = p->session,
            .asked_id = p->asked,
            .reply_id = slot ? p->two : p->one,
            .runner = "stream",
            .slot = slot,
            .joins = joins,
            .started_at = NOW},
        &id, NULL);
}

TEST(two_turns_run_for_one_question_and_no_third)
{
    struct place p = rig_place();
    AUTO(arena) a = arena_new();
    struct turn_row *t;
    size_t n;
    assert_rc(begin(&p, "trn_1", 1, true), RC_CONFLICT); /* it has nothing to join */
    assert_ok(begin(&p, "trn_1", 0, false));
    assert_ok(begin(&p, "trn_2", 1, true));
    assert_rc(begin(&p, "trn_3", 0, false), RC_CONFLICT);
    assert_rc(begin(&p, "trn_3", 1, true), RC_CONFLICT);
    assert_ok(store_turns_running(p.db, a, 1, p.session, &t, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(t[0].slot, 0);
    assert_int_equal(t[1].slot, 1);
    assert_ok(store_turn_end(p.db, 1, t[0].id, MESSAGE_DONE, NOW, NULL));
    assert_rc(begin(&p, "trn_3", 0, false), RC_CONFLICT); /* the second still runs */
    assert_ok(
        store_turn_by_asked(p.db, a, &(struct turn_asked_key){1, p.session, p.asked, NOW, 1}, &t[0], NULL));
    assert_string_equal(t[0].pub, "trn_2");
    assert_ok(store_turn_end(p.db, 1, t[0].id, MESSAGE_DONE, NOW, NULL));
    assert_ok(begin(&p, "trn_3", 0, false));
    db_close(p.db);
}
