#include "../rig.h"

#include "store/row.h"
#include "store/session/session_private.h"
#include "store/session/tag.h"
#include "store/session/temporary.h"
#include "store/session/workspace.h"

/* The pubs of a list as "a b c". */
static const char *listed(
    struct db *db, struct arena *a, const struct session_filter *f, const struct session_page *p)
{
    struct session *list;
    size_t n;
    const char *text = "";
    assert_ok(store_session_list(db, a, 1, f, p, &list, &n, NULL));
    for (size_t i = 0; i < n; i++)
        text = arena_printf(a, "%s%s%s", text, i ? " " : "", list[i].pub);
    return text;
}

static const char *all(struct db *db, struct arena *a, struct session_filter f)
{
    int64_t count, *ids;
    size_t n;
    const char *text;
    f.show = f.show ? f.show : SESSIONS_ALL;
    text = listed(db, a, &f, &(struct session_page){.limit = 50});
    assert_ok(store_session_count(db, 1, &f, &count, NULL));
    assert_ok(store_session_ids(db, a, 1, &f, 50, &ids, &n, NULL));
    assert_int_equal(count, n);
    size_t words = *text != 0;
    for (const char *p = text; *p; p++)
        words += *p == ' ';
    assert_int_equal(count, words);
    return text;
}

/* a to e, the newest activity first, the oldest creation first; f is of another user and like all others. */
static struct db *talks(void)
{
    struct db *db = rig_db();
    char pub[] = "a";
    for (int i = 0; i < 6; i++, pub[0]++) {
        int64_t id, owner = i == 5 ? 2 : 1, tag;
        assert_ok(store_session_add(db, owner, pub, "p",
            i == 1   ? "gpt-4"
            : i == 2 ? "gpt-4o"
                     : "claude",
            NOW + i, &id, NULL));
        assert_ok(db_exec(db, "UPDATE session SET active_at = ?, seen_at = ?, channel = ? WHERE id = ?",
            ARGS(v_int(NOW + 100 - i), v_int(NOW + 96), v_text(i == 4 ? "import" : "web"), v_int(id)), NULL,
            NULL));
        if (i < 2 || i == 5) {
            assert_ok(store_tag_add(db, owner, pub, 0, NOW, &tag, NULL));
            assert_ok(store_session_tag(db, owner, id, tag, NULL));
        }
    }
    assert_ok(store_session_tag(db, 1, 2, 1, NULL)); /* b has both tags */
    assert_ok(store_session_set_workspace(db, 1, "c", "Work", NULL));
    assert_ok(store_session_rename(db, 1, "d", "100% of_it", NULL));
    assert_ok(db_exec(db, "UPDATE session SET running_turns = 1, message_count = 4 WHERE pub IN ('a', 'f')",
        NO_ARGS, NULL, NULL));
    return db;
}

TEST(each_condition_keeps_the_owners_sessions_that_meet_it)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    static const int64_t one[] = {1}, both[] = {1, 2}, foreign[] = {3};
#define F(...) all(db, a, (struct session_filter){__VA_ARGS__})
    assert_string_equal(F(0), "a b c d e");
    assert_string_equal(F(.sort = SESSIONS_BY_CREATION), "e d c b a");
    assert_string_equal(F(.channel = {.is = "import"}), "e");
    assert_string_equal(F(.channel = {.is = "import", .negated = true}), "a b c d");
    assert_string_equal(F(.model = {.is = "gpt-4"}), "b");
    assert_string_equal(F(.model = {.is = "GPT-4*"}), "b c");
    assert_string_equal(F(.model = {.is = "gpt-4*", .negated = true}), "a d e");
    assert_string_equal(F(.model = {.is = "*"}), "a b c d e");
    assert_string_equal(F(.workspace = {.is = "Work"}), "c");
    assert_string_equal(F(.workspace = {.is = "Work", .negated = true}), "a b d e");
    assert_string_equal(F(.tags = one, .tags_n = 1), "a b");
    assert_string_equal(F(.tags = both, .tags_n = 2), "b");
    assert_string_equal(F(.not_tags = both, .not_tags_n = 2), "c d e");
    assert_string_equal(F(.tags = foreign, .tags_n = 1), "");
    assert_string_equal(F(.unread = SESSION_YES), "a b c d");
    assert_string_equal(F(.unread = SESSION_NO), "e");
    assert_string_equal(F(.running = SESSION_NO), "b c d e");
    assert_string_equal(F(.after = NOW + 98, .before = NOW + 100), "b c");
    assert_string_equal(F(.words = (const char *[]){"100%"}, .words_n = 1), "d");
    assert_string_equal(F(.words = (const char *[]){"F_"}, .words_n = 1), "d");
    assert_string_equal(F(.words = (const char *[]){"0_o"}, .words_n = 1), "");
    assert_string_equal(F(.words = (const char *[]){"\\"}, .words_n = 1), "");
    assert_string_equal(F(.not_words = (const char *[]){"100%"}, .not_words_n = 1), "a b c e");
    assert_string_equal(F(.words = (const char *[]){"of", "100"}, .words_n = 2), "d");
    assert_string_equal(F(.id = 3), "c");
    assert_string_equal(F(.id = 6), "");
    rig_set_place(db, "d", SESSION_PIN);
    rig_set_place(db, "e", SESSION_ARCHIVE);
    assert_string_equal(F(.pinned = SESSION_YES), "d");
    assert_string_equal(F(.pinned = SESSION_NO), "a b c e");
    assert_string_equal(F(.show = SESSIONS_ARCHIVED_BY_USER), "e");
    assert_string_equal(
        F(.unread = SESSION_YES, .channel = {.is = "web"}, .tags = one, .tags_n = 1, .model = {.is = "gpt*"}),
        "b");
    int64_t turn, asked = rig_message(db, 1, 3, 0, ROLE_USER, "x"),
                  reply = rig_message(db, 1, 3, asked, ROLE_ASSISTANT, "y");
    assert_ok(rig_turn(db, 1, "trn_a", 3, asked, reply, "stream", &turn));
    assert_string_equal(F(.running = SESSION_YES), "c");
#undef F
}

TEST(only_a_list_that_asks_for_temporary_chats_has_them)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    assert_ok(store_temporary_begin(db, 2, 1000, NOW, NULL));
    assert_string_equal(all(db, a, (struct session_filter){.show = SESSIONS_ALL}), "a c d e");
    assert_string_equal(all(db, a, (struct session_filter){.show = SESSIONS_TEMPORARY_TOO}), "a b c d e");
}

TEST(pages_go_back_over_the_same_rows)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    rig_set_place(db, "d", SESSION_PIN);
    for (int sort = 0; sort < 2; sort++) {
        struct session_filter f = {.show = SESSIONS_ALL, .sort = (enum session_sort)sort};
        struct session *list;
        size_t n;
        struct session_page p = {.limit = 2};
        assert_string_equal(listed(db, a, &f, &p), sort ? "d e" : "d a");
        assert_ok(store_session_list(db, a, 1, &f, &p, &list, &n, NULL));
        p.from = session_key_of(&list[1], f.sort);
        assert_string_equal(listed(db, a, &f, &p), sort ? "c b" : "b c");
        assert_ok(store_session_list(db, a, 1, &f, &p, &list, &n, NULL));
        p = (struct session_page){.from = session_key_of(&list[0], f.sort), .newer = true, .limit = 2};
        assert_string_equal(listed(db, a, &f, &p), sort ? "d e" : "d a");
    }
}

TEST(the_first_message_gives_the_channel)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session s;
    int64_t id = rig_session(db, 1, "a");
    assert_ok(store_session_get(db, a, 1, "a", &s, NULL));
    assert_null(s.channel);
    rig_message(db, 1, id, 0, ROLE_USER, "one");
    struct message m = {.session_id = id,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "import",
        .text = STR("x"),
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &m, NULL));
    assert_ok(store_session_get(db, a, 1, "a", &s, NULL));
    assert_string_equal(s.channel, "web");
}

TEST(brief_rows_have_what_pages_show)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    struct session_filter f = {.show = SESSIONS_ALL};
    struct session *whole, *brief;
    size_t n, brief_n;
    assert_ok(store_session_list(db, a, 1, &f, &(struct session_page){.limit = 50}, &whole, &n, NULL));
    assert_ok(store_session_list(
        db, a, 1, &f, &(struct session_page){.limit = 50, .brief = true}, &brief, &brief_n, NULL));
    assert_int_equal(n, 5);
    assert_int_equal(brief_n, 5);
    for (size_t i = 0; i < n; i++) {
        const struct session *w = &whole[i], *b = &brief[i];
        struct session shown = {.id = w->id,
            .pub = b->pub,
            .title = b->title,
            .message_count = w->message_count,
            .running_turns = w->running_turns,
            .created_at = w->created_at,
            .active_at = w->active_at,
            .seen_at = w->seen_at,
            .pinned = w->pinned,
            .topic = b->topic,
            .workspace = b->workspace,
            .archived_by_user = w->archived_by_user,
            .tags = b->tags};
        assert_memory_equal(&shown, b, sizeof *b);
        const char *const texts[][2] = {{w->pub, b->pub}, {w->title, b->title}, {w->topic, b->topic},
            {w->workspace, b->workspace}, {w->tags, b->tags}};
        for (size_t k = 0; k < ARRAY_LEN(texts); k++)
            assert_string_equal(texts[k][0] ? texts[k][0] : "-", texts[k][1] ? texts[k][1] : "-");
    }
}

TEST(the_menus_know_the_models_and_channels_of_the_owner)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    const char **names;
    size_t n;
    assert_ok(store_session_models(db, a, 1, &names, &n, NULL));
    assert_int_equal(n, 3);
    assert_string_equal(names[0], "claude");
    assert_string_equal(names[2], "gpt-4o");
    assert_ok(store_session_channels(db, a, 2, &names, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(names[0], "web");
}

TEST(names_are_read_up_to_a_limit_with_one_step_in_the_index_each)
{
    static const char next[] = "SELECT min(model) FROM session WHERE owner = ? AND model > ?";
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    const char **names, *plan;
    size_t n;
    assert_ok(row_list_names(db, a, next, 1, 2, &names, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(names[1], "gpt-4");
    assert_ok(row_list_names(db, a, next, 3, 2, &names, &n, NULL));
    assert_int_equal(n, 0);
    struct rows q;
    assert_ok(
        db_query(db, &q, arena_printf(a, "EXPLAIN QUERY PLAN %s", next), ARGS(v_int(1), v_text("")), NULL));
    assert_true(rows_next(&q));
    plan = arena_strdup(a, rows_text(&q, 3));
    assert_ok(rows_done(&q, RC_OK, NULL));
    assert_string_equal(plan, "SEARCH session USING COVERING INDEX session_model (owner=? AND model>?)");
}

/* ---- plans ---- */

static const char *plan(struct db *db, struct arena *a, struct session_filter f)
{
    struct rows q;
    struct session_statement s;
    const char *text = "";
    struct session_page p = {.from = {false, NOW, 9}, .limit = 30};
    assert_ok(session_statement(db, a, 1, &f, &p, "id", &s, NULL));
    assert_ok(db_query(db, &q, arena_printf(a, "EXPLAIN QUERY PLAN %s", s.sql), s.args, NULL));
    while (rows_next(&q))
        text = arena_printf(a, "%s%s\n", text, rows_text(&q, 3));
    assert_ok(rows_done(&q, RC_OK, NULL));
    return text;
}

static void many(struct db *db, int n)
{
    assert_ok(db_exec(db,
        "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) "
        "INSERT INTO session (owner, pub, created_at, active_at, workspace, model, channel) "
        "SELECT 1, 'm' || i, i, i, 'Work', 'claude', 'web' FROM c",
        ARGS(v_int(n)), NULL, NULL));
    assert_ok(db_exec(db,
        "INSERT INTO session_tag SELECT 1, id FROM session WHERE owner = 1 ON CONFLICT DO NOTHING", NO_ARGS,
        NULL, NULL));
}

TEST(filters_walk_the_order_unless_few_sessions_can_pass)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    static const int64_t tags[] = {1};
    struct session_filter dense[] = {{.show = SESSIONS_LISTED}, {.show = SESSIONS_ALL},
        {.show = SESSIONS_ACTIVE}, {.unread = SESSION_YES}, {.pinned = SESSION_NO},
        {.workspace = {.is = "Work"}}, {.model = {.is = "claude"}}, {.channel = {.is = "web"}},
        {.tags = tags, .tags_n = 1}, {.words = (const char *[]){"x"}, .words_n = 1}, {.after = 1}};
    for (size_t i = 3; i < ARRAY_LEN(dense); i++)
        dense[i].show = SESSIONS_ALL;
    static const char *const sparse[] = {
        "session_workspace", "session_model", "session_channel", "session_tag"};
    for (size_t i = 0; i < ARRAY_LEN(sparse); i++)
        assert_non_null(strstr(plan(db, a, dense[5 + i]), sparse[i]));
    assert_null(strstr(plan(db, a, (struct session_filter){.running = SESSION_YES}), "SCAN session"));
    many(db, 2100);
    for (size_t i = 0; i < ARRAY_LEN(dense); i++) {
        for (int sort = 0; sort < 2; sort++) {
            dense[i].sort = (enum session_sort)sort;
            const char *text = plan(db, a, dense[i]);
            assert_non_null(strstr(text, sort ? "session_created (owner=?" : "session_order (owner=?"));
            assert_null(strstr(text, "TEMP B-TREE"));
        }
    }
    assert_non_null(
        strstr(plan(db, a, (struct session_filter){.show = SESSIONS_ARCHIVED_BY_USER}), "session_hidden"));
}

static const char *titled(struct db *db, struct arena *a, const char *word)
{
    const char *words[] = {word};
    return all(db, a, (struct session_filter){.words = words, .words_n = 1});
}

TEST(words_of_titles_are_found_by_their_index_as_they_are_now)
{
    AUTO(db) db = talks();
    AUTO(arena) a = arena_new();
    const char *two[] = {"tree", "prun"};
    assert_ok(store_session_rename(db, 1, "a", "Pruning the \"old\" plum tree", NULL));
    assert_ok(store_session_rename(db, 1, "b", "A tree_house, 50% off", NULL));
    assert_ok(store_session_rename(db, 2, "f", "Their tree", NULL));
    assert_non_null(strstr(
        plan(db, a, (struct session_filter){.words = two, .words_n = 2, .show = SESSIONS_ALL}), "json_each"));
    assert_string_equal(all(db, a, (struct session_filter){.words = two, .words_n = 2}), "a");
    assert_string_equal(titled(db, a, "TREE"), "a b");
    assert_string_equal(titled(db, a, "\"old\""), "a");
    assert_string_equal(titled(db, a, "e_h"), "b");
    assert_string_equal(titled(db, a, "0%"), "b d"); /* too short for the index */
    assert_string_equal(titled(db, a, "\" OR tree"), "");
    assert_ok(db_exec(
        db, "UPDATE session SET topic = 'Gärten', keywords = 'Beet' WHERE pub = 'c'", NO_ARGS, NULL, NULL));
    assert_string_equal(titled(db, a, "ärt"), "c");
    assert_string_equal(titled(db, a, "beet"), "c");
    assert_ok(db_exec(db, "UPDATE session SET topic = 'Fruit' WHERE pub = 'a'", NO_ARGS, NULL, NULL));
    assert_string_equal(titled(db, a, "plum"), "a"); /* a part that stays is found after another changed */
    assert_ok(store_session_rename(db, 1, "a", "Something else", NULL));
    assert_string_equal(titled(db, a, "plum"), "");
    assert_ok(db_exec(db, "DELETE FROM session WHERE pub = 'b'", NO_ARGS, NULL, NULL));
    assert_string_equal(titled(db, a, "tree"), "");
    assert_ok(db_exec(db, "INSERT INTO session_subject (session_subject, rank) VALUES ('integrity-check', 1)",
        NO_ARGS, NULL, NULL));
}

static int64_t indexed(struct db *db)
{
    assert_ok(db_exec(db, "INSERT INTO session_subject (session_subject, rank) VALUES ('integrity-check', 1)",
        NO_ARGS, NULL, NULL));
    return rig_int(db, "SELECT count(*) FROM session_subject WHERE session_subject MATCH '\"giraffe\"'");
}

/* A question and an answer that runs, as a send adds them. */
static int64_t begin_turn(struct db *db, const char *pub, int64_t session, const char *title)
{
    struct message m[] = {
        {.role = ROLE_USER, .status = MESSAGE_DONE}, {.role = ROLE_ASSISTANT, .status = MESSAGE_RUNNING}};
    int64_t id;
    for (int i = 0; i < 2; i++) {
        m[i].session_id = session;
        m[i].parent_id = i ? m[0].id : 0;
        m[i].channel = "web";
        m[i].text = STR("");
        m[i].created_at = NOW;
        m[i].with_turn = true;
        assert_ok(store_message_add(db, 1, &m[i], NULL));
    }
    assert_ok(store_turn_add(db,
        &(struct turn_row){.pub = pub,
            .owner = 1,
            .session_id = session,
            .asked_id = m[0].id,
            .reply_id = m[1].id,
            .runner = "stream",
            .started_at = NOW,
            .last = &m[1],
            .messages = 2,
            .asks = true,
            .title = title},
        &id, NULL));
    return id;
}

TEST(the_end_of_the_first_turn_indexes_the_title_which_is_found_before)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t first = rig_session(db, 1, "a"), second = rig_session(db, 1, "b");
    int64_t turn = begin_turn(db, "trn_a", first, "The tall giraffe");
    begin_turn(db, "trn_b", second, "A lion");
    assert_int_equal(indexed(db), 0);
    assert_string_equal(titled(db, a, "giraffe"), "a");
    assert_ok(store_session_rename(db, 1, "a", "Another giraffe", NULL));
    assert_int_equal(indexed(db), 0);
    assert_string_equal(titled(db, a, "tall"), "");
    assert_ok(store_turn_end(db, 1, turn, MESSAGE_DONE, NOW, NULL));
    assert_int_equal(indexed(db), 1);
    assert_string_equal(titled(db, a, "giraffe"), "a");
    begin_turn(db, "trn_c", first, "Nobody uses this");
    assert_int_equal(indexed(db), 1);
    assert_string_equal(titled(db, a, "giraffe"), "a");
    assert_ok(db_exec(db, "DELETE FROM session", NO_ARGS, NULL, NULL));
    assert_int_equal(indexed(db), 0);
}
