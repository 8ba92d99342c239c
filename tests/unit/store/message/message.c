#include "../rig.h"
#include "store/search/text_merge.h"

TEST(ids_are_the_owner_and_a_number_of_his)
{
    AUTO(db) db = rig_db();
    int64_t s1 = rig_session(db, 1, "ses_1"), s2 = rig_session(db, 2, "ses_2"),
            s3 = rig_session(db, 1, "ses_3");
    assert_int_equal(rig_message(db, 1, s1, 0, ROLE_USER, "a"), (INT64_C(1) << 32) | 1);
    assert_int_equal(rig_message(db, 2, s2, 0, ROLE_USER, "b"), (INT64_C(2) << 32) | 1);
    assert_int_equal(rig_message(db, 1, s3, 0, ROLE_USER, "c"), (INT64_C(1) << 32) | 2);
}

TEST(adding_moves_head_counts_and_dates)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1");
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "question");
    int64_t y = rig_message(db, 1, s, u, ROLE_SYSTEM, "note");
    int64_t c = rig_message(db, 1, s, y, ROLE_ASSISTANT, "calls");
    int64_t t = rig_message(db, 1, s, c, ROLE_TOOL, "result");
    int64_t x = rig_message(db, 1, s, t, ROLE_ASSISTANT, "answer"); /* continues: counted once */
    struct session row;
    assert_ok(store_session_by_id(db, a, 1, s, &row, NULL));
    assert_int_equal(row.head_id, x);
    assert_int_equal(row.message_count, 2);
    assert_int_equal(row.active_at, NOW + 1);
    assert_ok(rig_message_delete(db, 1, s, u, NULL));
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), 0);
}

TEST(every_field_comes_back)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1");
    struct message m = {.session_id = s,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_FAILED,
        .channel = "api",
        .text = STR("it's \xc3\xa4 \"text\" {{x}}"),
        .calls = "[{\"id\":\"1\"}]",
        .call_id = "c",
        .tool = "current_time",
        .error = "The provider was busy.",
        .client_id = "client-1",
        .provider = "openai",
        .model = "gpt",
        .tokens_in = 3,
        .tokens_out = 4,
        .created_at = NOW,
        .ended_at = NOW + 5};
    struct message r;
    assert_ok(store_message_add(db, 1, &m, NULL));
    assert_ok(store_message_get(db, a, 1, m.id, &r, NULL));
    assert_int_equal(r.session_id, s);
    assert_int_equal(r.parent_id, 0);
    assert_int_equal(r.role, ROLE_ASSISTANT);
    assert_int_equal(r.status, MESSAGE_FAILED);
    assert_string_equal(r.channel, "api");
    assert_true(str_eq(r.text, m.text));
    assert_string_equal(r.calls, m.calls);
    assert_string_equal(r.call_id, "c");
    assert_string_equal(r.tool, "current_time");
    assert_string_equal(r.error, m.error);
    assert_string_equal(r.client_id, "client-1");
    assert_string_equal(r.provider, "openai");
    assert_string_equal(r.model, "gpt");
    assert_int_equal(r.tokens_in, 3);
    assert_int_equal(r.tokens_out, 4);
    assert_int_equal(r.created_at, NOW);
    assert_int_equal(r.ended_at, NOW + 5);

    int64_t bare = rig_message(db, 1, s, 0, ROLE_USER, "");
    assert_ok(store_message_get(db, a, 1, bare, &r, NULL));
    assert_int_equal(r.text.len, 0);
    assert_string_equal(r.text.s, "");
    assert_null(r.calls);
    assert_null(r.client_id);
}

TEST(client_id_is_used_once_per_owner)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1"), bobs = rig_session(db, 2, "ses_2");
    struct message m = {
        .session_id = s, .channel = "web", .text = STR("first"), .client_id = "k", .created_at = NOW};
    struct message again = m, of_bob = m, r;
    again.text = STR("second");
    of_bob.session_id = bobs;
    assert_ok(store_message_add(db, 1, &m, NULL));
    assert_rc(store_message_add(db, 1, &again, NULL), RC_CONFLICT);
    assert_int_equal(again.id, 0);
    assert_ok(store_message_add(db, 2, &of_bob, NULL));
    assert_ok(store_message_by_client(db, a, 1, "k", &r, NULL));
    assert_int_equal(r.id, m.id);
    assert_true(str_is(r.text, "first"));
    assert_rc(store_message_by_client(db, a, 1, "other", &r, NULL), RC_NOT_FOUND);
    /* refused messages left no rows */
    struct session row;
    assert_ok(store_session_by_id(db, a, 1, s, &row, NULL));
    assert_int_equal(row.message_count, 1);
    assert_int_equal(row.head_id, m.id);
    assert_int_equal(rig_hits(db, "second"), 0);
    rig_check_index(db);
}

TEST(foreign_messages_are_absent)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1"), bobs = rig_session(db, 2, "ses_2");
    int64_t id = rig_message(db, 1, s, 0, ROLE_USER, "mine");
    struct message r = {.session_id = s, .channel = "web", .created_at = NOW}, *path;
    size_t n;
    int64_t leaf;
    assert_rc(store_message_get(db, a, 2, id, &r, NULL), RC_NOT_FOUND);
    assert_rc(store_message_get(db, a, 1, id + 1, &r, NULL), RC_NOT_FOUND);
    assert_rc(store_message_get(db, a, 1, -1, &r, NULL), RC_NOT_FOUND);
    assert_rc(store_message_get(db, a, 0, 5, &r, NULL), RC_NOT_FOUND);
    const struct path_query foreign[] = {
        {.owner = 2, .session_id = s, .head = id},
        {.owner = 1, .session_id = bobs, .head = id},
        {.owner = 2, .session_id = bobs, .head = id},
    };
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
        assert_rc(store_message_path(db, a, &foreign[i], &path, &n, NULL), RC_NOT_FOUND);
    assert_rc(store_message_leaf(db, 2, id, &leaf, NULL), RC_NOT_FOUND);
    assert_rc(store_message_leaf(db, 1, id + 9, &leaf, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_head(db, 2, s, id, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_head(db, 2, bobs, id, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_head(db, 1, s, 0, NULL), RC_NOT_FOUND);
    assert_rc(rig_message_delete(db, 2, s, id, NULL), RC_NOT_FOUND);
    assert_rc(rig_message_delete(db, 2, bobs, id, NULL), RC_NOT_FOUND);
    assert_rc(rig_message_delete(db, 1, bobs, id, NULL), RC_NOT_FOUND);
    assert_rc(store_message_set_text(db, 2, bobs, id, STR("x"), MESSAGE_TYPED, NULL), RC_NOT_FOUND);
    /* a foreign session, a foreign parent, a parent of another session */
    struct message m = {.session_id = s, .channel = "web", .created_at = NOW};
    assert_rc(store_message_add(db, 2, &m, NULL), RC_NOT_FOUND);
    m = (struct message){.session_id = bobs, .parent_id = id, .channel = "web", .created_at = NOW};
    assert_rc(store_message_add(db, 2, &m, NULL), RC_NOT_FOUND);
    m = (struct message){
        .session_id = rig_session(db, 1, "ses_3"), .parent_id = id, .channel = "web", .created_at = NOW};
    assert_rc(store_message_add(db, 1, &m, NULL), RC_NOT_FOUND);
    m = (struct message){.id = id, .status = MESSAGE_DONE};
    assert_rc(store_message_finish(db, 2, &m, NULL), RC_NOT_FOUND);
    m.id = id + 1;
    assert_rc(store_message_finish(db, 1, &m, NULL), RC_NOT_FOUND);
}

TEST(a_running_message_is_indexed_when_it_ends)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1");
    struct message m = {.session_id = s,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR("beginning"),
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &m, NULL));
    assert_int_equal(rig_hits(db, "beginning"), 0);
    struct message end = {.id = m.id,
        .status = MESSAGE_STOPPED,
        .text = STR("whole answers"),
        .calls = "[]",
        .error = "why",
        .tokens_in = 1,
        .tokens_out = 2,
        .ended_at = NOW + 9};
    assert_ok(store_message_finish(db, 1, &end, NULL));
    assert_int_equal(rig_hits(db, "answer"), 1);
    struct message r;
    assert_ok(store_message_get(db, a, 1, m.id, &r, NULL));
    assert_int_equal(r.status, MESSAGE_STOPPED);
    assert_true(str_is(r.text, "whole answers"));
    assert_string_equal(r.calls, "[]");
    assert_string_equal(r.error, "why");
    assert_int_equal(r.tokens_in + r.tokens_out, 3);
    assert_int_equal(r.ended_at, NOW + 9);
    assert_rc(store_message_finish(db, 1, &end, NULL), RC_CONFLICT);
    end.status = MESSAGE_RUNNING;
    assert_rc(store_message_finish(db, 1, &end, NULL), RC_INTERNAL);
    rig_check_index(db);
}

TEST(a_path_is_oldest_first_and_tells_whether_there_are_older_messages)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1"), id[6] = {0};
    for (int i = 1; i < 6; i++)
        id[i] = rig_message(db, 1, s, id[i - 1], i % 2 ? ROLE_USER : ROLE_ASSISTANT, "x");
    rig_message(db, 1, s, id[2], ROLE_USER, "off the path");
    struct message *path;
    size_t n;
    struct path_query q = {.owner = 1, .session_id = s, .head = id[5], .limit = 3};
    assert_ok(store_message_path(db, a, &q, &path, &n, NULL));
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(path[i].id, id[3 + i]);
    assert_int_equal(message_above_path(&q, path, n), id[2]);
    q = (struct path_query){.owner = 1, .session_id = s, .head = id[2]};
    assert_ok(store_message_path(db, a, &q, &path, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(path[0].id, id[1]);
    assert_int_equal(message_above_path(&q, path, n), 0);
    q.head = 0;
    assert_ok(store_message_path(db, a, &q, &path, &n, NULL));
    assert_int_equal(n, 0);
    assert_int_equal(message_above_path(&q, path, n), 0);
}

TEST(a_step_of_a_path_is_so_many_below_a_message)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1"), bobs = rig_session(db, 2, "ses_2"), id[8] = {0}, at;
    for (int i = 1; i < 8; i++)
        id[i] = rig_message(db, 1, s, id[i - 1], i % 2 ? ROLE_USER : ROLE_ASSISTANT, "x");
    int64_t off = rig_message(db, 1, s, id[4], ROLE_USER, "off the path");
    assert_ok(store_message_path_step(db, 1, s, id[7], id[3], 0, &at, NULL));
    assert_int_equal(at, id[3]);
    assert_ok(store_message_path_step(db, 1, s, id[7], id[3], 2, &at, NULL));
    assert_int_equal(at, id[5]);
    assert_ok(store_message_path_step(db, 1, s, id[7], id[3], 100, &at, NULL));
    assert_int_equal(at, id[7]);
    assert_ok(store_message_path_step(db, 1, s, off, id[1], 100, &at, NULL));
    assert_int_equal(at, off);
    assert_rc(store_message_path_step(db, 1, s, off, id[5], 1, &at, NULL), RC_NOT_FOUND);
    assert_rc(store_message_path_step(db, 1, s, id[7], off, 1, &at, NULL), RC_NOT_FOUND);
    assert_rc(store_message_path_step(db, 1, s, id[5], id[7], 1, &at, NULL), RC_NOT_FOUND);
    assert_rc(store_message_path_step(db, 2, s, id[7], id[3], 1, &at, NULL), RC_NOT_FOUND);
    assert_rc(store_message_path_step(db, 1, bobs, id[7], id[3], 1, &at, NULL), RC_NOT_FOUND);
}

TEST(siblings_share_parent_and_role)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1"), other = rig_session(db, 1, "ses_2");
    int64_t r1 = rig_message(db, 1, s, 0, ROLE_USER, "first");
    int64_t elsewhere = rig_message(db, 1, other, 0, ROLE_USER, "another session's root");
    int64_t r2 = rig_message(db, 1, s, 0, ROLE_USER, "first, edited");
    int64_t a1 = rig_message(db, 1, s, r2, ROLE_ASSISTANT, "1");
    int64_t note = rig_message(db, 1, s, r2, ROLE_SYSTEM, "not a sibling");
    int64_t a2 = rig_message(db, 1, s, r2, ROLE_ASSISTANT, "2");
    int64_t a3 = rig_message(db, 1, s, r2, ROLE_ASSISTANT, "3");
    (void)elsewhere;
    (void)note;
    struct message *p;
    size_t n;
    const struct path_query q = {.owner = 1, .session_id = s, .head = a2};
    assert_ok(store_message_path(db, a, &q, &p, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(p[0].sibling, 2);
    assert_int_equal(p[0].siblings, 2);
    assert_int_equal(p[0].prev_sibling, r1);
    assert_int_equal(p[0].next_sibling, 0);
    assert_int_equal(p[1].sibling, 2);
    assert_int_equal(p[1].siblings, 3);
    assert_int_equal(p[1].prev_sibling, a1);
    assert_int_equal(p[1].next_sibling, a3);
}

TEST(a_leaf_is_reached_over_the_newest_children)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1"), leaf;
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "u");
    int64_t a1 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "1");
    int64_t a2 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "2");
    int64_t deep = rig_message(db, 1, s, a1, ROLE_USER, "newest of all, on the older branch");
    assert_ok(store_message_leaf(db, 1, u, &leaf, NULL));
    assert_int_equal(leaf, a2);
    assert_ok(store_message_leaf(db, 1, a1, &leaf, NULL));
    assert_int_equal(leaf, deep);
    assert_ok(store_message_leaf(db, 1, deep, &leaf, NULL));
    assert_int_equal(leaf, deep);
}

TEST(an_answer_ends_behind_its_tools_and_before_what_follows)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1"), end;
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "u");
    assert_ok(store_message_answer_end(db, 1, u, &end, NULL));
    assert_int_equal(end, u);
    rig_message(db, 1, s, u, ROLE_ASSISTANT, "an older answer");
    int64_t calls = rig_message(db, 1, s, u, ROLE_ASSISTANT, "calls");
    int64_t first = rig_message(db, 1, s, calls, ROLE_TOOL, "result");
    int64_t second = rig_message(db, 1, s, first, ROLE_TOOL, "another result");
    int64_t answer = rig_message(db, 1, s, second, ROLE_ASSISTANT, "answer");
    int64_t reminder = rig_message(db, 1, s, answer, ROLE_ASSISTANT, "a reminder");
    rig_message(db, 1, s, reminder, ROLE_USER, "the next question");
    assert_ok(store_message_answer_end(db, 1, u, &end, NULL));
    assert_int_equal(end, answer);
    assert_rc(store_message_answer_end(db, 2, u, &end, NULL), RC_NOT_FOUND);
}

static int64_t head_of(struct db *db, int64_t session)
{
    int64_t head;
    assert_ok(db_one_int(
        db, "SELECT coalesce(head_id, 0) FROM session WHERE id = ?", ARGS(v_int(session)), &head, NULL));
    return head;
}

TEST(set_head_goes_to_messages_of_the_session_only)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1"), other = rig_session(db, 1, "ses_2");
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "u");
    rig_message(db, 1, s, u, ROLE_ASSISTANT, "a");
    int64_t o = rig_message(db, 1, other, 0, ROLE_USER, "o");
    assert_ok(store_session_set_head(db, 1, s, u, NULL));
    assert_int_equal(head_of(db, s), u);
    assert_rc(store_session_set_head(db, 1, s, o, NULL), RC_NOT_FOUND);
    assert_int_equal(head_of(db, s), u);
}

TEST(deleting_takes_the_branch_and_moves_the_head_beside_it)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1");
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "question");
    int64_t a1 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "one");
    int64_t a2 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "two");
    int64_t a2u = rig_message(db, 1, s, a2, ROLE_USER, "deeper");
    int64_t a3 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "three");
    int64_t a3u = rig_message(db, 1, s, a3, ROLE_USER, "deepest");
    assert_ok(store_session_set_head(db, 1, s, a2u, NULL));

    assert_ok(rig_message_delete(db, 1, s, a2, NULL)); /* the next sibling's leaf */
    assert_int_equal(head_of(db, s), a3u);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 4);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), 4);
    assert_int_equal(rig_hits(db, "deeper"), 0);
    assert_int_equal(rig_hits(db, "deepest"), 1);
    rig_check_index(db);

    assert_ok(rig_message_delete(db, 1, s, a3, NULL)); /* no next one: the previous */
    assert_int_equal(head_of(db, s), a1);
    assert_ok(rig_message_delete(db, 1, s, a1, NULL)); /* none at all: the parent */
    assert_int_equal(head_of(db, s), u);
    assert_ok(rig_message_delete(db, 1, s, u, NULL));
    assert_int_equal(head_of(db, s), 0);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), 0);
    assert_rc(rig_message_delete(db, 1, s, u, NULL), RC_NOT_FOUND);
    rig_check_index(db);
}

TEST(deleting_elsewhere_leaves_the_head)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1");
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "question");
    int64_t a1 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "one");
    int64_t a2 = rig_message(db, 1, s, u, ROLE_ASSISTANT, "two");
    assert_ok(rig_message_delete(db, 1, s, a1, NULL));
    assert_int_equal(head_of(db, s), a2);
}

TEST(deleting_waits_for_a_running_write)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1");
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "question");
    struct message m = {.session_id = s,
        .parent_id = u,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &m, NULL));
    struct err e = ERR_INIT;
    assert_rc(rig_message_delete(db, 1, s, u, &e), RC_CONFLICT);
    assert_true(e.for_user);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 2);
    m.status = MESSAGE_DONE;
    assert_ok(store_message_finish(db, 1, &m, NULL));
    assert_ok(rig_message_delete(db, 1, s, u, NULL));
}

TEST(text_changed_in_place_is_found_by_its_new_words)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1");
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "elephants");
    assert_ok(store_message_set_text(db, 1, s, u, STR("giraffes"), MESSAGE_TYPED, NULL));
    assert_int_equal(rig_hits(db, "elephant"), 0);
    assert_int_equal(rig_hits(db, "giraffe"), 1);
    rig_check_index(db);
}

/* Searches the storage of the index: the first word of a part is stored in full. */
static int64_t traces(struct db *db, const char *word)
{
    int64_t n;
    assert_ok(db_one_int(db, "SELECT count(*) FROM message_text_data WHERE instr(block, CAST(? AS BLOB)) > 0",
        ARGS(v_text(word)), &n, NULL));
    return n;
}

TEST(the_words_of_a_deleted_message_leave_the_index)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_1");
    int64_t secret = rig_message(db, 1, s, 0, ROLE_USER, "zyzzyva");
    for (int i = 0; i < 50; i++)
        rig_message(db, 1, s, 0, ROLE_USER, "words that stay");
    int64_t kept = rig_message(db, 1, s, 0, ROLE_USER, "quokka");
    assert_ok(rig_message_delete(db, 1, s, secret, NULL));
    assert_int_equal(rig_hits(db, "zyzzyva"), 0);
    assert_true(traces(db, "zyzzyva") > 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'purge_index'"), 1);
    assert_ok(store_message_set_text(db, 1, s, kept, STR("wombat"), MESSAGE_TYPED, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = 'purge_index'"), 1);
    bool more = true;
    int steps = 0;
    for (; more; steps++)
        assert_ok(store_text_purge(db, steps == 0, &more, NULL));
    assert_in_range(steps, 2, 20);
    assert_int_equal(traces(db, "zyzzyva"), 0);
    assert_int_equal(traces(db, "quokka"), 0);
    assert_int_equal(rig_hits(db, "wombat"), 1);
    rig_check_index(db);
}
