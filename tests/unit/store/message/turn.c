#include "../rig.h"

struct place {
    struct db *db;
    struct arena *a;
    int64_t session, asked, reply;
};

static struct place rig_place(void)
{
    struct place p = {.db = rig_db(), .a = arena_new()};
    p.session = rig_session(p.db, 1, "ses_1");
    p.asked = rig_message(p.db, 1, p.session, 0, ROLE_USER, "q");
    p.reply = rig_message(p.db, 1, p.session, p.asked, ROLE_ASSISTANT, "a");
    return p;
}

static void leave(struct place *p)
{
    db_close(p->db);
    arena_free(p->a);
}

static enum rc begin(struct place *p, const char *pub, int64_t *id)
{
    return rig_turn(p->db, 1, pub, p->session, p->asked, p->reply, "stream", id);
}

TEST(one_turn_runs_per_session_and_is_counted)
{
    struct place p = rig_place();
    int64_t first, second;
    assert_ok(begin(&p, "trn_1", &first));
    assert_int_equal(rig_int(p.db, "SELECT running_turns FROM session"), 1);
    assert_rc(begin(&p, "trn_2", &second), RC_CONFLICT);
    assert_int_equal(rig_int(p.db, "SELECT running_turns FROM session"), 1);
    assert_ok(store_turn_end(p.db, 1, first, MESSAGE_STOPPED, NOW + 1, NULL));
    assert_int_equal(rig_int(p.db, "SELECT running_turns FROM session"), 0);
    assert_ok(begin(&p, "trn_2", &second));
    assert_true(second > first);
    leave(&p);
}

TEST(ending_is_idempotent)
{
    struct place p = rig_place();
    int64_t id;
    struct turn_row t;
    assert_ok(begin(&p, "trn_1", &id));
    assert_ok(store_turn_end(p.db, 1, id, MESSAGE_FAILED, NOW + 1, NULL));
    assert_ok(store_turn_end(p.db, 1, id, MESSAGE_DONE, NOW + 2, NULL));
    assert_ok(store_turn_get(p.db, p.a, 1, "trn_1", &t, NULL));
    assert_int_equal(t.status, MESSAGE_FAILED);
    assert_int_equal(t.ended_at, NOW + 1);
    assert_int_equal(rig_int(p.db, "SELECT running_turns FROM session"), 0);
    assert_rc(store_turn_end(p.db, 1, id + 1, MESSAGE_DONE, NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_turn_end(p.db, 1, id, MESSAGE_RUNNING, NOW, NULL), RC_INTERNAL);
    leave(&p);
}

TEST(a_turn_is_found_by_name_question_and_session)
{
    struct place p = rig_place();
    int64_t id;
    struct turn_row t, *all;
    size_t n;
    assert_ok(store_turns_running(p.db, p.a, 1, p.session, &all, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(begin(&p, "trn_1", &id));
    assert_ok(store_turn_get(p.db, p.a, 1, "trn_1", &t, NULL));
    assert_int_equal(t.id, id);
    assert_int_equal(t.owner, 1);
    assert_int_equal(t.session_id, p.session);
    assert_int_equal(t.asked_id, p.asked);
    assert_int_equal(t.reply_id, p.reply);
    assert_string_equal(t.pub, "trn_1");
    assert_string_equal(t.runner, "stream");
    assert_int_equal(t.status, MESSAGE_RUNNING);
    assert_int_equal(t.started_at, NOW);
    assert_int_equal(t.ended_at, 0);
    assert_ok(store_turns_running(p.db, p.a, 1, p.session, &all, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(all[0].id, id);
    int64_t next = rig_message(p.db, 1, p.session, p.reply, ROLE_ASSISTANT, "b"), second;
    assert_ok(store_turn_set_reply(p.db, 1, id, next, NULL));
    assert_ok(store_turn_end(p.db, 1, id, MESSAGE_DONE, NOW, NULL));
    assert_ok(begin(&p, "trn_2", &second));
    assert_ok(store_turn_get(p.db, p.a, 1, "trn_1", &t, NULL));
    assert_int_equal(t.reply_id, next);
    assert_ok(
        store_turn_by_asked(p.db, p.a, &(struct turn_asked_key){1, p.session, p.asked, NOW, 0}, &t, NULL));
    assert_int_equal(t.id, second);
    assert_rc(
        store_turn_by_asked(p.db, p.a, &(struct turn_asked_key){1, p.session, p.asked, NOW + 1, 0}, &t, NULL),
        RC_NOT_FOUND);
    leave(&p);
}

TEST(the_end_of_a_turn_indexes_its_question_once)
{
    struct place p = rig_place();
    int64_t id;
    struct message asked = {.session_id = p.session,
        .parent_id = p.reply,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("the giraffe"),
        .index_later = true,
        .created_at = NOW};
    assert_ok(store_message_add(p.db, 1, &asked, NULL));
    assert_int_equal(rig_hits(p.db, "giraffe"), 0);
    struct turn_row t = {.pub = "trn_1",
        .owner = 1,
        .session_id = p.session,
        .asked_id = asked.id,
        .reply_id = p.reply,
        .runner = "stream",
        .started_at = NOW,
        .indexes_asked = true};
    assert_ok(store_turn_add(p.db, &t, &id, NULL));
    assert_ok(store_turn_end(p.db, 1, id, MESSAGE_DONE, NOW, NULL));
    assert_int_equal(rig_hits(p.db, "giraffe"), 1);
    assert_ok(store_turn_end(p.db, 1, id, MESSAGE_DONE, NOW, NULL));
    /* another answer to the same question */
    assert_ok(rig_turn(p.db, 1, "trn_2", p.session, asked.id, p.reply, "stream", &id));
    assert_ok(store_turn_end(p.db, 1, id, MESSAGE_DONE, NOW, NULL));
    assert_int_equal(rig_hits(p.db, "giraffe"), 1);
    rig_check_index(p.db);
    leave(&p);
}

TEST(a_session_that_begins_with_its_turn_is_complete)
{
    struct db *db = rig_db();
    int64_t first, session, turn;
    assert_ok(store_message_ids(db, 1, 2, &first, NULL));
    struct session_beginning b = {.owner = 1,
        .pub = "ses_1",
        .channel = "web",
        .title = "the giraffe",
        .answer_id = first + 1,
        .now = NOW};
    assert_ok(store_session_begin(db, &b, &session, NULL));
    struct message asked = {.taken_id = first,
        .session_id = session,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("the giraffe"),
        .index_later = true,
        .with_turn = true,
        .created_at = NOW};
    struct message reply = {.taken_id = first + 1,
        .session_id = session,
        .parent_id = first,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR(""),
        .with_turn = true,
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &asked, NULL));
    assert_ok(store_message_add(db, 1, &reply, NULL));
    assert_int_equal(asked.id, first);
    assert_int_equal(rig_message(db, 1, session, first, ROLE_ASSISTANT, "next"), first + 2);
    struct turn_row t = {.pub = "trn_1",
        .owner = 1,
        .session_id = session,
        .asked_id = asked.id,
        .reply_id = reply.id,
        .runner = "stream",
        .started_at = NOW,
        .indexes_asked = true,
        .begins = true};
    assert_ok(store_turn_add(db, &t, &turn, NULL));
    assert_int_equal(rig_int(db, "SELECT running_turns FROM session"), 1);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), 3);
    reply.text = STR("long");
    reply.status = MESSAGE_DONE;
    assert_ok(store_message_finish(db, 1, &reply, NULL));
    assert_ok(store_turn_end(db, 1, turn, MESSAGE_DONE, NOW, NULL));
    assert_int_equal(rig_int(db, "SELECT running_turns FROM session"), 0);
    assert_int_equal(
        rig_int(db, "SELECT count(*) FROM session_subject WHERE session_subject MATCH 'giraffe'"), 1);
    rig_check_index(db);
    db_close(db);
}

TEST(foreign_turns_are_absent)
{
    struct place p = rig_place();
    int64_t id;
    struct turn_row t, *all;
    size_t n;
    assert_ok(begin(&p, "trn_1", &id));
    assert_rc(store_turn_get(p.db, p.a, 2, "trn_1", &t, NULL), RC_NOT_FOUND);
    assert_rc(
        store_turn_by_asked(p.db, p.a, &(struct turn_asked_key){2, p.session, p.asked, NOW, 0}, &t, NULL),
        RC_NOT_FOUND);
    assert_ok(store_turns_running(p.db, p.a, 2, p.session, &all, &n, NULL));
    assert_int_equal(n, 0);
    assert_rc(store_turn_end(p.db, 2, id, MESSAGE_DONE, NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_turn_set_reply(p.db, 2, id, (INT64_C(2) << 32) + 1, NULL), RC_NOT_FOUND);
    assert_rc(store_turn_set_reply(p.db, 1, id, (INT64_C(2) << 32) + 1, NULL), RC_NOT_FOUND);
    int64_t bobs = rig_session(p.db, 2, "ses_2"), m = rig_message(p.db, 2, bobs, 0, ROLE_USER, "x");
    assert_rc(rig_turn(p.db, 2, "trn_2", p.session, m, m, "stream", &id), RC_NOT_FOUND);
    assert_rc(rig_turn(p.db, 2, "trn_2", bobs, p.asked, m, "stream", &id), RC_NOT_FOUND);
    assert_rc(rig_turn(p.db, 2, "trn_2", bobs, m, p.reply, "stream", &id), RC_NOT_FOUND);
    assert_int_equal(rig_int(p.db, "SELECT sum(running_turns) FROM session"), 1);
    leave(&p);
}

TEST(orphans_are_the_running_turns_of_one_runner)
{
    struct place p = rig_place();
    int64_t id, bobs = rig_session(p.db, 2, "ses_2"), m = rig_message(p.db, 2, bobs, 0, ROLE_USER, "x");
    struct turn_row *t;
    size_t n;
    assert_ok(begin(&p, "trn_1", &id));
    assert_ok(rig_turn(p.db, 2, "trn_2", bobs, m, m, "stream", &id));
    assert_ok(store_turn_orphans(p.db, p.a, "helper", &t, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_turn_orphans(p.db, p.a, "stream", &t, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(t[0].pub, "trn_1");
    assert_int_equal(t[1].owner, 2);
    leave(&p);
}
