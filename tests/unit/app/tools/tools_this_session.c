/* The tools that read a session: search_this_session, read_messages, summarize_range. */
#include "session_rig.h"

/* ---- search_this_session ---- */

TEST(search_finds_places_newest_first_and_folds_case_and_accents)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) v = call(&h, "search_this_session", "{\"query\":\"gate CODE\"}");
    assert_int_equal(count_at(v, "matches"), 3);
    assert_int_equal(int_at(v, "matches", 0, "position"), 7);
    assert_int_equal(int_at(v, "matches", 2, "position"), 1);
    assert_string_equal(text_at(v, "matches", 2, "role"), "user");
    assert_non_null(strstr(text_at(v, "matches", 2, "url"), "/s/ses_a?at="));
    assert_int_equal(json_integer_value(json_object_get(v, "positions")), 7);
    AUTO(json_t) folded = call(&h, "search_this_session", "{\"query\":\"cafe grosse\"}");
    AUTO(json_t) umlaut = call(&h, "search_this_session", "{\"query\":\"CAF\\u00c9 GR\\u00d6\"}");
    assert_int_equal(count_at(folded, "matches"), 0); /* sharp s is one letter */
    assert_int_equal(count_at(umlaut, "matches"), 1);
    AUTO(json_t) one = call(&h, "search_this_session", "{\"query\":\"gate code\",\"limit\":1}");
    assert_int_equal(count_at(one, "matches"), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "messages_found")), 3);
    leave(&h);
}

TEST(search_stays_on_the_path_of_the_turn)
{
    struct home h = home();
    talk(&h);
    int64_t first = INT64_C(1) << 32 | 1;
    say_at(&h, 1, first, ROLE_ASSISTANT, "On another branch: the walrus.");
    AUTO(json_t) v = call(&h, "search_this_session", "{\"query\":\"walrus\"}");
    assert_int_equal(count_at(v, "matches"), 0);
    AUTO(json_t) own = call(&h, "search_this_session", "{\"query\":\"Where did I say\"}");
    assert_int_equal(count_at(own, "matches"), 0); /* the question itself */
    leave(&h);
}

TEST(an_excerpt_shows_the_match_and_is_whole_text)
{
    struct home h = home();
    char text[2048];
    AUTO_STRBUF long_text;
    strbuf_init(&long_text, 8192);
    for (int i = 0; i < 300; i++)
        strbuf_adds(&long_text, "ä·");
    strbuf_adds(&long_text, "needle");
    for (int i = 0; i < 300; i++)
        strbuf_adds(&long_text, "€");
    snprintf(text, sizeof text, "%s", long_text.s);
    say(&h, 1, ROLE_USER, long_text.s);
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "search_this_session", "{\"query\":\"NEEDLE\"}");
    const char *excerpt = text_at(v, "matches", 0, "excerpt");
    assert_non_null(strstr(excerpt, "needle"));
    assert_true(strncmp(excerpt, "…", 3) == 0 && strlen(excerpt) < 500);
    leave(&h);
}

/* ---- read_messages ---- */

TEST(read_gives_a_range_by_place_by_id_and_by_number)
{
    struct home h = home();
    char args[128];
    talk(&h);
    AUTO(json_t) v = call(&h, "read_messages", "{\"from\":\"3\",\"to\":\"5\"}");
    assert_int_equal(count_at(v, "messages"), 3);
    assert_string_equal(text_at(v, "messages", 1, "role"), "tool");
    assert_string_equal(text_at(v, "messages", 1, "tool"), "current_time");
    assert_string_equal(text_at(v, "messages", 2, "text"), "It is noon.");
    assert_null(json_object_get(v, "left_out"));
    snprintf(args, sizeof args, "{\"from\":\"%s\"}", text_at(v, "messages", 2, "id"));
    AUTO(json_t) by_id = call(&h, "read_messages", args);
    assert_int_equal(count_at(by_id, "messages"), 3);
    AUTO(json_t) last = call(&h, "read_messages", "{\"last\":2}");
    assert_int_equal(int_at(last, "messages", 0, "position"), 6);
    AUTO(json_t) many = call(&h, "read_messages", "{\"last\":200}");
    assert_int_equal(count_at(many, "messages"), 7);
    leave(&h);
}

static enum rc picture_tx(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, "UPDATE message SET pictures = ? WHERE id = ?",
        ARGS(v_text("[{\"id\":\"pic_1\",\"type\":\"image/png\",\"width\":640,\"height\":480,\"bytes\":9}]"),
            v_int(*(int64_t *)arg)),
        NULL, e);
}

TEST(a_note_stands_for_a_picture)
{
    struct home h = home();
    int64_t one = say(&h, 1, ROLE_USER, "");
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    assert_ok(store_write(h.store, picture_tx, &one, NULL));
    AUTO(json_t) v = call(&h, "read_messages", "{\"last\":1}");
    assert_string_equal(text_at(v, "messages", 0, "text"), "[Picture, 640 x 480: not shown here]");
    leave(&h);
}

TEST(read_continues_after_a_full_result)
{
    struct home h = home();
    AUTO_STRBUF big, got;
    strbuf_init(&big, 100000);
    strbuf_init(&got, 100000);
    for (int i = 0; big.len < 60000; i++)
        strbuf_addf(&big, "<%d \"ö\"\n", i);
    say(&h, 1, ROLE_USER, big.s);
    say(&h, 1, ROLE_ASSISTANT, "short");
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    char args[128] = "{\"from\":\"1\"}";
    for (int calls = 0;; calls++) {
        AUTO(json_t) v = call(&h, "read_messages", args);
        assert_true(calls < 20);
        for (size_t i = 0; i < count_at(v, "messages"); i++)
            strbuf_adds(&got, text_at(v, "messages", i, "text"));
        const json_t *next = json_object_get(v, "left_out");
        if (!next)
            break;
        snprintf(args, sizeof args, "{\"from\":\"%s\",\"to\":\"%s\",\"offset\":%lld}",
            json_string_value(json_object_get(next, "from")), json_string_value(json_object_get(next, "to")),
            (long long)json_integer_value(json_object_get(next, "offset")));
    }
    strbuf_adds(&big, "short");
    assert_string_equal(got.s, big.s);
    leave(&h);
}

TEST(many_small_messages_come_in_pages)
{
    struct home h = home();
    for (int i = 0; i < 100; i++)
        say(&h, 1, i % 2 ? ROLE_ASSISTANT : ROLE_USER, "x");
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "read_messages", "{\"last\":100}");
    size_t n = count_at(v, "messages");
    const json_t *left = json_object_get(v, "left_out");
    assert_true(n < 100);
    assert_int_equal(json_integer_value(json_object_get(left, "messages")), 100 - n);
    leave(&h);
}

TEST(another_session_of_the_user_is_read_but_never_a_strangers)
{
    struct home h = home();
    talk(&h);
    say(&h, 2, ROLE_USER, "Bob's secret");
    h.asked[1] = say(&h, 2, ROLE_USER, "?");
    static const char *const tools[] = {"read_messages", "search_this_session", "summarize_range"};
    static const char *const args[] = {"{\"session\":\"ses_b\",\"last\":5}",
        "{\"session\":\"ses_b\",\"query\":\"secret\"}", "{\"session\":\"ses_b\",\"last\":5}"};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        AUTO(json_t) v = call(&h, tools[i], args[i]);
        assert_string_equal(error_of(v), "There is no session with this id.");
    }
    /* a message of bob is not on ann's path */
    AUTO(json_t) v = call(&h, "read_messages", "{\"from\":\"8589934593\"}");
    error_of(v);
    AUTO(json_t) own = call_as(&h, 2, "read_messages", "{\"session\":\"ses_b\",\"last\":5}");
    assert_string_equal(text_at(own, "messages", 0, "text"), "Bob's secret");
    leave(&h);
}

TEST(broken_arguments_are_told)
{
    struct home h = home();
    static const struct {
        const char *name, *args;
    } bad[] = {{"search_this_session", "{\"query\":\"  \"}"}, {"search_this_session", "{}"},
        {"search_this_session", "{\"query\":\"x\",\"limit\":0}"}, {"search_this_session", "{\"query\":[7]}"},
        {"read_messages", "{}"}, {"read_messages", "{\"from\":1.5}"}, {"read_messages", "{\"from\":\"0\"}"},
        {"read_messages", "{\"from\":\"-1\"}"}, {"read_messages", "{\"from\":\"9\"}"},
        {"read_messages", "{\"from\":\"5\",\"to\":\"2\"}"}, {"read_messages", "{\"from\":\"1\",\"last\":2}"},
        {"read_messages", "{\"last\":0}"}, {"read_messages", "{\"last\":1,\"owner\":2}"},
        {"summarize_range", "{}"}, {"summarize_range", "{\"all\":false}"},
        {"summarize_range", "{\"all\":true,\"last\":3}"}, {"set_context_preferences", "{}"},
        {"set_context_preferences", "{\"memories\":[\"x\"]}"},
        {"set_context_preferences", "{\"memories\":\"1\"}"}, {"set_context_preferences", "{\"recent\":-1}"},
        {"set_context_preferences", "{\"from\":\"99\"}"}, {"set_workspace", "{}"},
        {"set_workspace", "{\"name\":\"a\\nb\"}"},
        {"set_workspace",
            "{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}"}};
    talk(&h);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(json_t) v = call(&h, bad[i].name, bad[i].args);
        if (!json_object_get(v, "error") || strcmp(error_of(v), "The tool failed.") == 0)
            fail_msg("%s %s", bad[i].name, bad[i].args);
    }
    leave(&h);
}

TEST(an_empty_session_has_nothing_to_read)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, "Hello");
    AUTO(json_t) read = call(&h, "read_messages", "{\"last\":5}");
    assert_int_equal(count_at(read, "messages"), 0);
    AUTO(json_t) found = call(&h, "search_this_session", "{\"query\":\"Hello\"}");
    assert_int_equal(count_at(found, "matches"), 0);
    AUTO(json_t) v = call(&h, "summarize_range", "{\"last\":5}");
    error_of(v);
    leave(&h);
}

/* ---- summarize_range ---- */

static enum rc keep_summary_tx(struct db *db, void *arg, struct err *e)
{
    return store_summary_add(db, 1, arg, e);
}

TEST(a_range_is_summed_up_at_once_and_only_once)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) v = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"5\"}");
    const json_t *s = json_object_get(v, "summary");
    assert_false(json_is_true(json_object_get(v, "made_before")));
    assert_non_null(strstr(json_string_value(json_object_get(s, "by")), "rule"));
    assert_non_null(strstr(json_string_value(json_object_get(s, "text")), "4711"));
    assert_int_equal(json_integer_value(json_object_get(s, "to")), 5);
    AUTO(json_t) again = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"5\"}");
    assert_true(json_is_true(json_object_get(again, "made_before")));
    AUTO(json_t) other = call(&h, "summarize_range", "{\"last\":2}");
    assert_false(json_is_true(json_object_get(other, "made_before")));
    AUTO(json_t) all = call(&h, "summarize_range", "{\"all\":true}");
    assert_int_equal(count_at(all, "summaries"), 2);
    assert_int_equal(int_at(all, "summaries", 0, "version"), 2);
    leave(&h);
}

TEST(a_models_summary_of_the_range_is_preferred)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) by_rule = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"2\"}");
    struct summary s = {.session_id = h.session[0],
        .first_id = INT64_C(1) << 32 | 1,
        .last_id = INT64_C(1) << 32 | 2,
        .messages = 2,
        .text = STR("What a model wrote."),
        .provider = "openai",
        .model = "m",
        .created_at = NOW};
    assert_ok(store_write(h.store, keep_summary_tx, &s, NULL));
    AUTO(json_t) v = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"2\"}");
    const json_t *got = json_object_get(v, "summary");
    assert_string_equal(json_string_value(json_object_get(got, "text")), "What a model wrote.");
    assert_string_equal(json_string_value(json_object_get(got, "by")), "a model");
    leave(&h);
}

TEST(all_summaries_come_in_pages)
{
    struct home h = home();
    AUTO_STRBUF text;
    strbuf_init(&text, 8000);
    while (text.len < 7000)
        strbuf_adds(&text, "A \"long\" line.\n");
    talk(&h);
    for (int i = 0; i < 9; i++) {
        struct summary s = {.session_id = h.session[0],
            .first_id = INT64_C(1) << 32 | 1,
            .last_id = INT64_C(1) << 32 | 2,
            .text = strbuf_str(&text),
            .provider = "openai",
            .model = "m"};
        assert_ok(store_write(h.store, keep_summary_tx, &s, NULL));
    }
    char args[64] = "{\"all\":true}";
    size_t seen = 0;
    for (int calls = 0;; calls++) {
        AUTO(json_t) v = call(&h, "summarize_range", args);
        assert_true(calls < 10);
        seen += count_at(v, "summaries");
        const json_t *before = json_object_get(v, "before");
        if (!before)
            break;
        snprintf(args, sizeof args, "{\"all\":true,\"before\":%lld}", (long long)json_integer_value(before));
    }
    assert_int_equal(seen, 9);
    leave(&h);
}

TEST(a_long_text_is_cut_between_characters)
{
    struct home h = home();
    AUTO_STRBUF euros;
    strbuf_init(&euros, 40000);
    for (int i = 0; i < 10000; i++)
        strbuf_adds(&euros, "€");
    say(&h, 1, ROLE_USER, euros.s);
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "read_messages", "{\"from\":\"1\"}");
    const char *text = text_at(v, "messages", 0, "text");
    assert_int_equal(strlen(text) % strlen("€"), 0);
    json_int_t next = json_integer_value(json_object_get(json_object_get(v, "left_out"), "offset"));
    assert_int_equal(next, strlen(text) / strlen("€"));
    assert_true(next > 5000);
    leave(&h);
}
