#include "../rig.h"

#include "store/session/session_filter.h"

TEST(a_new_session_is_empty_untitled_and_read)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session s;
    int64_t id;
    assert_ok(store_session_add(db, 1, "ses_1", "openai", "gpt", NOW, &id, NULL));
    assert_ok(store_session_get(db, a, 1, "ses_1", &s, NULL));
    assert_int_equal(s.id, id);
    assert_int_equal(s.owner, 1);
    assert_string_equal(s.pub, "ses_1");
    assert_null(s.title);
    assert_string_equal(s.provider, "openai");
    assert_string_equal(s.model, "gpt");
    assert_int_equal(s.head_id + s.message_count + s.running_turns, 0);
    assert_int_equal(s.created_at, NOW);
    assert_int_equal(s.active_at, NOW);
    assert_true(s.seen_at >= s.active_at);
    assert_rc(store_session_add(db, 1, "ses_1", NULL, NULL, NOW, &id, NULL), RC_CONFLICT);
    assert_rc(store_session_add(db, 77, "ses_x", NULL, NULL, NOW, &id, NULL), RC_CONFLICT);
}

TEST(foreign_sessions_are_absent)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = rig_session(db, 1, "ses_1");
    const char *text;
    struct session s, *list;
    size_t n;
    assert_rc(store_session_get(db, a, 2, "ses_1", &s, NULL), RC_NOT_FOUND);
    assert_rc(store_session_get(db, a, 1, "ses_2", &s, NULL), RC_NOT_FOUND);
    assert_rc(store_session_by_id(db, a, 2, id, &s, NULL), RC_NOT_FOUND);
    assert_rc(store_session_rename(db, 2, "ses_1", "x", NULL), RC_NOT_FOUND);
    assert_rc(store_session_suggest_title(db, 2, id, "x", NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_model(db, 2, "ses_1", "p", "m", NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_effort(db, 2, "ses_1", "low", NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_persona(db, 2, "ses_1", 0, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_temperature(db, 2, "ses_1", 1, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_answer_tokens(db, 2, "ses_1", 1, NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_context(db, 2, id, 1, 1, NULL), RC_NOT_FOUND);
    for (enum session_place p = SESSION_PIN; p <= SESSION_UNARCHIVE; p++)
        assert_rc(store_session_set_place(db, 2, id, p, NOW, NULL, NULL), RC_NOT_FOUND);
    assert_rc(store_session_seen(db, 2, id, NOW, NULL), RC_NOT_FOUND);
    assert_rc(store_session_find(db, 2, STR("ses_1"), &(int64_t){0}, NULL), RC_NOT_FOUND);
    assert_rc(store_session_pub(db, a, 2, id, &text, NULL), RC_NOT_FOUND);
    assert_rc(store_session_title(db, a, 2, id, &text, NULL), RC_NOT_FOUND);
    assert_ok(store_session_beginning(db, a, 2, "ses_", 10, &list, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_session_beginning(db, a, 1, "ses_", 10, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_rc(rig_session_delete(db, 2, "ses_1", NULL), RC_NOT_FOUND);
    assert_ok(store_session_list(db, a, 2, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = 10}, &list, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_session_get(db, a, 1, "ses_1", &s, NULL));
    assert_null(s.title);
    assert_null(s.provider);
}

TEST(the_users_title_wins_over_the_helpers)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = rig_session(db, 1, "ses_1");
    struct session s;
    assert_ok(store_session_suggest_title(db, 1, id, "helper's", NULL));
    assert_ok(store_session_get(db, a, 1, "ses_1", &s, NULL));
    assert_string_equal(s.title, "helper's");
    assert_int_equal(s.active_at, NOW);
    assert_ok(store_session_rename(db, 1, "ses_1", "mine", NULL));
    assert_ok(store_session_suggest_title(db, 1, id, "helper's again", NULL));
    assert_ok(store_session_get(db, a, 1, "ses_1", &s, NULL));
    assert_string_equal(s.title, "mine");
}

TEST(model_and_seen_are_kept)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id = rig_session(db, 1, "ses_1");
    struct session s;
    assert_ok(store_session_set_model(db, 1, "ses_1", "anthropic", "claude", NULL));
    assert_ok(store_session_seen(db, 1, id, NOW + 10, NULL));
    assert_ok(store_session_seen(db, 1, id, NOW + 5, NULL));
    assert_ok(store_session_by_id(db, a, 1, id, &s, NULL));
    assert_string_equal(s.provider, "anthropic");
    assert_string_equal(s.model, "claude");
    assert_int_equal(s.seen_at, NOW + 10);
    assert_ok(store_session_set_model(db, 1, "ses_1", NULL, NULL, NULL));
    assert_ok(store_session_by_id(db, a, 1, id, &s, NULL));
    assert_null(s.provider);
}

TEST(pages_have_no_gaps_when_sessions_share_a_time)
{
    enum { N = 23 };
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    char pub[24];
    for (int i = 0; i < N; i++) {
        int64_t id;
        snprintf(pub, sizeof pub, "ses_%02d", i);
        assert_ok(store_session_add(db, 1, pub, NULL, NULL, NOW + i / 7, &id, NULL));
        snprintf(pub, sizeof pub, "ses_b%02d", i);
        assert_ok(store_session_add(db, 2, pub, NULL, NULL, NOW + i / 7, &id, NULL));
    }
    rig_set_place(db, "ses_03", SESSION_PIN);
    rig_set_place(db, "ses_05", SESSION_PIN);
    struct session_key after = {0}, last = {true, INT64_MAX, INT64_MAX};
    int seen = 0;
    bool met[N] = {false};
    for (;;) {
        struct session *list;
        size_t n;
        assert_ok(store_session_list(db, a, 1, &(struct session_filter){.show = SESSIONS_ALL},
            &(struct session_page){.from = after, .limit = 4}, &list, &n, NULL));
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(list[i].owner, 1);
            bool next_group = last.pinned && !list[i].pinned;
            assert_true(next_group || list[i].active_at < last.at ||
                        (list[i].active_at == last.at && list[i].id < last.id));
            assert_int_equal(list[i].pinned, seen < 2);
            last = after = (struct session_key){list[i].pinned, list[i].active_at, list[i].id};
            int which = atoi(list[i].pub + 4);
            assert_false(met[which]);
            met[which] = true;
            seen++;
        }
        if (n < 4)
            break;
    }
    assert_int_equal(seen, N);
}

TEST(the_sidebar_lists_the_owners_sessions_but_those_that_the_owner_archived)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session *list, whole;
    size_t n;
    int64_t id;
    static const char *const pubs[] = {"ses_a", "ses_b", "ses_c", "ses_d", "ses_e"};
    for (int i = 0; i < 5; i++)
        assert_ok(store_session_add(db, i == 1 ? 2 : 1, pubs[i], NULL, NULL, NOW + i, &id, NULL));
    assert_ok(store_session_rename(db, 1, "ses_c", "mine", NULL));
    rig_set_place(db, "ses_d", SESSION_ARCHIVE);
    assert_ok(db_exec(db, "UPDATE session SET archived_at = 1 WHERE pub = 'ses_e'", NO_ARGS, NULL, NULL));
    rig_set_place(db, "ses_a", SESSION_PIN);
    assert_ok(store_session_sidebar(db, a, 1, (struct session_key){0}, 10, &list, &n, NULL));
    assert_int_equal(n, 3);
    assert_string_equal(list[0].pub, "ses_a");
    assert_string_equal(list[1].pub, "ses_e"); /* it was only idle */
    assert_string_equal(list[2].pub, "ses_c");
    assert_string_equal(list[2].title, "mine");
    list[0] = list[2];
    assert_ok(store_session_get(db, a, 1, "ses_c", &whole, NULL));
    assert_int_equal(list[0].id, whole.id);
    assert_int_equal(list[0].active_at, whole.active_at);
    assert_int_equal(list[0].seen_at, whole.seen_at);
    struct session_key after = {list[1].pinned, list[1].active_at, list[1].id};
    assert_ok(store_session_sidebar(db, a, 1, after, 1, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(list[0].pub, "ses_c");
}

TEST(an_archived_session_returns_by_unarchiving_pinning_or_the_users_next_message)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session s;
    int64_t id = rig_session(db, 1, "ses_a"), m = rig_message(db, 1, id, 0, ROLE_USER, "one");
    rig_set_place(db, "ses_a", SESSION_PIN);
    rig_set_place(db, "ses_a", SESSION_ARCHIVE);
    assert_ok(store_session_get(db, a, 1, "ses_a", &s, NULL));
    assert_true(s.archived_by_user && s.archived_at == NOW && !s.pinned);
    rig_message(db, 1, id, m, ROLE_ASSISTANT, "an answer that was still being written");
    assert_ok(store_session_get(db, a, 1, "ses_a", &s, NULL));
    assert_true(s.archived_by_user && s.archived_at == NOW);
    for (int way = 0; way < 3; way++) {
        if (way == 0)
            rig_set_place(db, "ses_a", SESSION_UNARCHIVE);
        else if (way == 1)
            rig_set_place(db, "ses_a", SESSION_PIN);
        else
            rig_message(db, 1, id, m, ROLE_USER, "again");
        assert_ok(store_session_get(db, a, 1, "ses_a", &s, NULL));
        assert_true(!s.archived_by_user && s.archived_at == 0);
        rig_set_place(db, "ses_a", SESSION_ARCHIVE);
    }
}

static int64_t sidebar_changes(struct db *db, int64_t user)
{
    int64_t n;
    assert_ok(db_one_int(db, "SELECT sidebar_changes FROM user WHERE id = ?", ARGS(v_int(user)), &n, NULL));
    return n;
}

TEST(each_change_of_the_sidebar_is_counted_for_its_owner_alone)
{
    static const char *const changes[] = {
        "INSERT INTO session (pub, owner, created_at, active_at, seen_at) VALUES ('ses_b', 1, 1, 1, 1)",
        "UPDATE session SET title = 'a' WHERE pub = 'ses_a'",
        "UPDATE session SET title = 'b' WHERE pub = 'ses_a'",
        "UPDATE session SET running_turns = 1 WHERE pub = 'ses_a'",
        "UPDATE session SET active_at = active_at + 1 WHERE pub = 'ses_a'",
        "UPDATE session SET seen_at = seen_at + 2 WHERE pub = 'ses_a'",
        "UPDATE session SET pinned = 1 WHERE pub = 'ses_a'",
        "UPDATE session SET archived_by_user = 1 WHERE pub = 'ses_a'",
        "UPDATE session SET archived_by_user = 0 WHERE pub = 'ses_a'",
        "DELETE FROM session WHERE pub = 'ses_a'",
    };
    static const char *const others[] = {
        "UPDATE session SET title = 'b' WHERE pub = 'ses_a'",
        "UPDATE session SET topic = 't', context_tokens = 5, archived_at = 1 WHERE pub = 'ses_a'",
    };
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session *list;
    size_t n;
    rig_session(db, 1, "ses_a");
    int64_t before = sidebar_changes(db, 1), foreign = sidebar_changes(db, 2);
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        assert_ok(db_exec(db, changes[i], NO_ARGS, NULL, NULL));
        int64_t now = sidebar_changes(db, 1);
        assert_true(now > before);
        before = now;
        for (size_t k = 0; i == 2 && k < ARRAY_LEN(others); k++)
            assert_ok(db_exec(db, others[k], NO_ARGS, NULL, NULL));
        assert_int_equal(sidebar_changes(db, 1), before);
    }
    assert_int_equal(sidebar_changes(db, 2), foreign);
    assert_ok(store_session_sidebar(db, a, 1, (struct session_key){0}, 10, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(list[0].sidebar_changes, before);
    assert_ok(db_exec(db, "UPDATE session SET owner = 2", NO_ARGS, NULL, NULL));
    assert_true(sidebar_changes(db, 1) > before && sidebar_changes(db, 2) > foreign);
}

TEST(a_list_is_capped)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    char pub[24];
    for (int i = 0; i < SESSION_PAGE_MAX + 1; i++) {
        snprintf(pub, sizeof pub, "ses_%d", i);
        rig_session(db, 1, pub);
    }
    struct session *list;
    size_t n;
    assert_ok(store_session_list(db, a, 1, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = 1000000}, &list, &n, NULL));
    assert_int_equal(n, SESSION_PAGE_MAX);
}

static size_t matches(struct db *db, struct arena *a, const char *text)
{
    struct session *list;
    size_t n;
    assert_ok(store_session_list(db, a, 1,
        &(struct session_filter){.show = SESSIONS_ALL, .words = &text, .words_n = 1},
        &(struct session_page){.limit = 100}, &list, &n, NULL));
    return n;
}

TEST(titles_are_searched_as_plain_text)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    static const char *const titles[] = {"Tax 2026", "100% wool", "a_b", "back\\slash", "TAXI"};
    char pub[24];
    for (size_t i = 0; i < ARRAY_LEN(titles); i++) {
        snprintf(pub, sizeof pub, "ses_%zu", i);
        rig_session(db, 1, pub);
        assert_ok(store_session_rename(db, 1, pub, titles[i], NULL));
    }
    rig_session(db, 1, "ses_untitled");
    assert_int_equal(matches(db, a, "tax"), 2);
    assert_int_equal(matches(db, a, "%"), 1);
    assert_int_equal(matches(db, a, "_"), 1);
    assert_int_equal(matches(db, a, "\\"), 1);
    assert_int_equal(matches(db, a, "' OR 1 --"), 0);
    assert_int_equal(matches(db, a, ""), 6);
}

TEST(deleting_a_session_takes_everything_of_it_and_nothing_else)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_1"), other = rig_session(db, 1, "ses_2"), turn;
    int64_t u = rig_message(db, 1, s, 0, ROLE_USER, "elephant");
    int64_t x = rig_message(db, 1, s, u, ROLE_ASSISTANT, "elephants are grey");
    struct message dead = {.session_id = s,
        .parent_id = x,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR("never indexed"),
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &dead, NULL));
    int64_t o = rig_message(db, 1, other, 0, ROLE_USER, "another elephant");
    assert_ok(store_job_add(db, "title", 1, s, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "facts", 1, s, NOW, NOW, NULL));
    assert_ok(store_job_add(db, "title", 1, other, NOW, NOW, NULL));
    assert_ok(rig_turn(db, 1, "trn_1", s, u, x, "stream", &turn));

    assert_ok(store_turn_end(db, 1, turn, MESSAGE_DONE, NOW, NULL));
    assert_ok(rig_session_delete(db, 1, "ses_1", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), 1);
    assert_int_equal(rig_int(db, "SELECT id FROM message"), o);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM turn"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind NOT LIKE 'purge_%'"), 1);
    assert_int_equal(rig_hits(db, "elephant"), 1);
    rig_check_index(db);
    assert_rc(rig_session_delete(db, 1, "ses_1", NULL), RC_NOT_FOUND);
    assert_true(rig_session(db, 1, "ses_3") > other); /* the id of a deleted one does not come back */
}
