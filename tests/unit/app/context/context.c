#include "unit.h"

#include <string.h>

#include "app/context/context.h"

#define WINDOW 8000

static struct message said(int64_t id, enum message_role role, const char *text)
{
    return (struct message){.id = id, .role = role, .status = MESSAGE_DONE, .text = str_of(text)};
}

static struct config with_policy(enum context_policy p)
{
    struct config c = {0};
    c.context.policy = p;
    c.context.window_messages = 2;
    c.context.thrifty_messages = 2;
    c.context.thrifty_chars = 5;
    return c;
}

static size_t build(struct arena *a, const struct config *c, int64_t window, const char *prompt,
    const struct message *path, size_t n, struct llm_message **out)
{
    size_t got;
    struct context_frame f = {.prompt = str_of(prompt), .window = window};
    assert_int_equal(context_build(a, c, &f, path, n, out, &got, NULL, NULL), RC_OK);
    return got;
}

TEST(full_context_is_the_prompt_and_the_whole_path)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {
        said(1, ROLE_USER, "one"), said(2, ROLE_ASSISTANT, "two"), said(3, ROLE_USER, "three")};
    struct llm_message *m;
    assert_int_equal(build(a, &c, WINDOW, "be kind", path, 3, &m), 4);
    assert_int_equal(m[0].role, LLM_SYSTEM);
    assert_true(str_is(m[0].text, "be kind"));
    assert_int_equal(m[2].role, LLM_ASSISTANT);
    assert_true(str_is(m[3].text, "three"));
}

TEST(window_policy_keeps_the_messages_before_the_new_one_and_begins_with_the_user)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_WINDOW);
    struct message path[] = {said(1, ROLE_USER, "one"), said(2, ROLE_ASSISTANT, "two"),
        said(3, ROLE_USER, "three"), said(4, ROLE_ASSISTANT, "four"), said(5, ROLE_USER, "five")};
    struct llm_message *m;
    c.context.window_messages = 2;
    assert_int_equal(build(a, &c, WINDOW, "", path, 5, &m), 3);
    assert_true(str_is(m[0].text, "three"));
    c.context.window_messages = 3; /* would begin with "two" */
    assert_int_equal(build(a, &c, WINDOW, "", path, 5, &m), 3);
}

TEST(thrifty_policy_cuts_earlier_messages_to_whole_characters)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_THRIFTY);
    struct message path[] = {said(1, ROLE_USER, "old"), said(2, ROLE_ASSISTANT, "older"),
        said(3, ROLE_USER, "äöüäöüäöü"), said(4, ROLE_ASSISTANT, "four"), said(5, ROLE_USER, "the new one")};
    struct llm_message *m;
    assert_int_equal(build(a, &c, WINDOW, "", path, 5, &m), 3);
    assert_true(str_is(m[0].text, "äöüäö"));
    assert_true(str_is(m[2].text, "the new one"));
}

TEST(a_small_window_drops_the_oldest_and_always_keeps_the_newest)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    char big[6000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    struct message path[] = {
        said(1, ROLE_USER, big), said(2, ROLE_ASSISTANT, "two"), said(3, ROLE_USER, big)};
    struct llm_message *m;
    assert_int_equal(build(a, &c, CONTEXT_ANSWER_TOKENS + 2500, "", path, 3, &m), 1);
    assert_int_equal(m[0].text.len, sizeof big - 1);
    assert_int_equal(build(a, &c, 100, "", path, 3, &m), 1);
}

TEST(a_call_is_never_parted_from_its_result)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_WINDOW);
    struct message path[] = {said(1, ROLE_USER, "what time is it"), said(2, ROLE_ASSISTANT, ""),
        said(3, ROLE_TOOL, "{}"), said(4, ROLE_ASSISTANT, "noon"), said(5, ROLE_USER, "thanks")};
    path[1].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{}}]";
    path[2].call_id = "c1";
    struct llm_message *m;
    c.context.window_messages = 1; /* "noon" and "thanks": begins at the user's */
    assert_int_equal(build(a, &c, WINDOW, "", path, 5, &m), 1);
    c.context.window_messages = 2;
    assert_int_equal(build(a, &c, WINDOW, "", path, 5, &m), 5);
    assert_int_equal(m[1].calls_n, 1);
    assert_string_equal(m[1].calls[0].name, "current_time");
    assert_string_equal(m[1].calls[0].args, "{}");
    assert_string_equal(m[2].call_id, "c1");
}

TEST(without_tools_calls_and_results_stay_out)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {said(1, ROLE_USER, "what time is it"), said(2, ROLE_ASSISTANT, "I look."),
        said(3, ROLE_TOOL, "{\"utc\":1}"), said(4, ROLE_ASSISTANT, ""), said(5, ROLE_TOOL, "{\"utc\":2}"),
        said(6, ROLE_ASSISTANT, "Noon."), said(7, ROLE_USER, "thanks")};
    path[1].calls = path[3].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{}}]";
    path[2].call_id = path[4].call_id = "c1";
    struct context_frame f = {.window = WINDOW, .text_only = true};
    struct context_size size;
    struct llm_message *m;
    size_t got;
    assert_int_equal(context_build(a, &c, &f, path, 7, &m, &got, &size, NULL), RC_OK);
    assert_int_equal(got, 3);
    assert_true(str_is(m[1].text, "I look.\n\nNoon."));
    assert_int_equal(m[1].calls_n, 0);
    f.text_only = false;
    assert_true(context_measure(&c, &f, path, 7).tokens > size.tokens + 20);
}

TEST(a_call_without_result_and_an_answer_without_text_stay_out)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {said(1, ROLE_USER, "one"), said(2, ROLE_ASSISTANT, ""),
        said(3, ROLE_ASSISTANT, ""), said(4, ROLE_USER, "again")};
    path[1].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{}}]";
    struct llm_message *m;
    assert_int_equal(build(a, &c, WINDOW, "", path, 4, &m), 1);
    assert_true(str_is(m[0].text, "one\n\nagain"));
}

TEST(a_question_after_one_without_an_answer_is_part_of_it)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {said(1, ROLE_USER, "one"), said(2, ROLE_ASSISTANT, "two"),
        said(3, ROLE_USER, "three"), said(4, ROLE_ASSISTANT, ""), said(5, ROLE_USER, "four"),
        said(6, ROLE_USER, "five")};
    struct context_frame f = {.window = WINDOW, .aside = STR("a fact")};
    struct llm_message *m;
    size_t got;
    assert_int_equal(context_build(a, &c, &f, path, 6, &m, &got, NULL, NULL), RC_OK);
    assert_int_equal(got, 3);
    assert_true(str_is(m[2].text, "three\n\nfour\n\nfive"));
    assert_true(str_is(m[2].aside, "<context>\na fact\n</context>"));
    assert_string_equal(m[2].text.s + m[2].earlier, "five");
    assert_int_equal(m[0].earlier, 0);
}

TEST(an_answer_after_an_answer_is_part_of_it)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {said(1, ROLE_USER, "one"), said(2, ROLE_ASSISTANT, "two"),
        said(3, ROLE_ASSISTANT, "**Reminder:** three"), said(4, ROLE_USER, "four")};
    struct llm_message *m;
    assert_int_equal(build(a, &c, WINDOW, "", path, 4, &m), 3);
    assert_true(str_is(m[1].text, "two\n\n**Reminder:** three"));
    assert_true(str_is(m[2].text, "four"));
}

TEST(a_missing_answer_stands_between_the_result_of_a_tool_and_the_next_question)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {said(1, ROLE_USER, "what time is it"), said(2, ROLE_ASSISTANT, ""),
        said(3, ROLE_TOOL, "{}"), said(4, ROLE_ASSISTANT, ""), said(5, ROLE_USER, "well"),
        said(6, ROLE_USER, "?")};
    path[1].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{}}]";
    path[2].call_id = "c1";
    struct llm_message *m;
    assert_int_equal(build(a, &c, WINDOW, "", path, 6, &m), 5);
    assert_int_equal(m[3].role, LLM_ASSISTANT);
    assert_true(str_is(m[3].text, "(No answer.)"));
    assert_true(str_is(m[4].text, "well\n\n?"));
}

TEST(ten_thousand_reminders_in_a_row_are_one_message_and_one_copy)
{
    enum { N = 10000 };
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message *path = ARENA_ARRAY(a, struct message, N + 2);
    path[0] = said(1, ROLE_USER, "remind me every hour");
    for (size_t i = 1; i <= N; i++)
        path[i] = said((int64_t)i + 1, ROLE_ASSISTANT, "Reminder: drink some water");
    path[N + 1] = said(N + 2, ROLE_USER, "thanks");
    struct llm_message *m;
    size_t before = unit_allocated();
    assert_int_equal(build(a, &c, 1000000, "", path, N + 2, &m), 3);
    assert_true(unit_allocated() - before < (size_t)8 * 1024 * 1024);
    assert_int_equal(m[1].text.len, N * strlen("Reminder: drink some water\n\n") - 2);
    assert_true(str_starts(m[1].text, STR("Reminder: drink some water\n\nReminder: ")));
    assert_int_equal(m[1].text.s[m[1].text.len], '\0');
}

TEST(results_without_all_their_fellows_stay_out_with_the_call)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct message path[] = {said(1, ROLE_USER, "what time is it"), said(2, ROLE_ASSISTANT, "I look."),
        said(3, ROLE_TOOL, "{\"utc\":1}"), said(4, ROLE_USER, "a branch that left between two results")};
    path[1].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{}},"
                    "{\"id\":\"c2\",\"name\":\"current_time\",\"args\":{}}]";
    path[2].call_id = "c1";
    struct llm_message *m;
    assert_int_equal(build(a, &c, WINDOW, "", path, 4, &m), 3);
    assert_true(str_is(m[1].text, "I look."));
    assert_int_equal(m[1].calls_n, 0);
    assert_int_equal(m[2].role, LLM_USER);
}

TEST(the_answers_reserve_is_a_part_of_a_small_window)
{
    struct config c = with_policy(CONTEXT_FULL);
    assert_int_equal(
        context_room(&c, &(struct context_frame){.window = 32768}), 32768 - CONTEXT_ANSWER_TOKENS);
    assert_int_equal(context_room(&c, &(struct context_frame){.window = 2048}), 2048 - 512);
    c.context.answer_tokens = 8000;
    assert_int_equal(context_room(&c, &(struct context_frame){.window = 32768}), 32768 - 8000);
    assert_int_equal(context_room(&c, &(struct context_frame){.window = 4096}), 2048);
}

TEST(the_requests_limit_of_an_answer_is_reserved)
{
    struct config c = with_policy(CONTEXT_FULL);
    struct context_frame f = {.window = 20000, .answer = 8192};
    assert_int_equal(context_room(&c, &f), 20000 - 8192);
    f.window = 8000;
    assert_int_equal(context_room(&c, &f), 4000);
    c.context.answer_tokens = 100;
    assert_int_equal(context_room(&c, &f), 4000);
    f.answer = 0;
    assert_int_equal(context_room(&c, &f), 7900);
}

TEST(the_tools_schemas_take_their_part_of_the_window)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    char big[3000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    struct llm_tool tool = {"name", "what it does", big};
    struct message path[] = {
        said(1, ROLE_USER, big), said(2, ROLE_ASSISTANT, big), said(3, ROLE_USER, "three")};
    path[0].text.len = path[1].text.len = 2000;
    struct context_frame f = {.window = CONTEXT_ANSWER_TOKENS + 1500};
    struct context_size size;
    struct llm_message *m;
    size_t got;
    assert_int_equal(context_build(a, &c, &f, path, 3, &m, &got, &size, NULL), RC_OK);
    assert_int_equal(got, 3);
    assert_false(size.cut);
    f.tools_tokens = context_tools_tokens(&tool, 1);
    assert_int_equal(context_build(a, &c, &f, path, 3, &m, &got, &size, NULL), RC_OK);
    assert_int_equal(got, 1);
    assert_true(size.cut);
    assert_true(size.tokens > 2000); /* the whole size, not the part that fits */
    assert_int_equal(size.messages, 3);
}

TEST(a_measured_context_has_the_size_of_a_built_one)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_THRIFTY);
    struct message path[] = {said(1, ROLE_USER, "left out by the policy"), said(2, ROLE_ASSISTANT, "two"),
        said(3, ROLE_USER, "three"), said(4, ROLE_ASSISTANT, ""), said(5, ROLE_TOOL, "{}"),
        said(6, ROLE_ASSISTANT, "four is long"), said(7, ROLE_USER, "five")};
    path[3].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{}}]";
    struct context_frame f = {.prompt = STR("be kind"), .window = WINDOW};
    struct context_size built, measured = context_measure(&c, &f, path, 7);
    struct llm_message *m;
    size_t got;
    assert_int_equal(context_build(a, &c, &f, path, 7, &m, &got, &built, NULL), RC_OK);
    assert_int_equal(got, 6); /* the prompt, three, the call with its result, four, five */
    assert_int_equal(measured.tokens, built.tokens);
    assert_int_equal(measured.messages, 5); /* the call belongs to its answer */
    int64_t by_hand = context_tokens(STR("be kind")) + context_tokens(STR("three")) +
                      context_tokens(STR("")) + context_tokens(str_of(path[3].calls)) +
                      context_tokens(STR("{}")) + context_tokens(STR("four ")) + context_tokens(STR("five"));
    assert_int_equal(built.tokens, by_hand);
}

TEST(calls_survive_the_way_through_json)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF json;
    strbuf_init(&json, 4096);
    struct llm_tool_call calls[] = {{"a", "one", "{\"x\":\"\\u00e4\"}"}, {"b", "two", "not json \"at all\""}},
                         *back;
    size_t n;
    context_calls_json(calls, 2, &json);
    assert_int_equal(context_calls(a, json.s, &back, &n, NULL), RC_OK);
    assert_int_equal(n, 2);
    assert_string_equal(back[0].args, "{\"x\":\"ä\"}");
    assert_string_equal(back[1].args, "not json \"at all\"");
    assert_int_equal(context_calls(a, "{\"no\":1}", &back, &n, NULL), RC_INTERNAL);
}

TEST(arguments_as_deep_as_a_tool_takes_them_can_be_read_again)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF json, args;
    strbuf_init(&json, 4096);
    strbuf_init(&args, 4096);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        strbuf_adds(&args, "{\"a\":");
    strbuf_adds(&args, "1");
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        strbuf_addc(&args, '}');
    struct llm_tool_call call = {"a", "one", args.s}, *back;
    size_t n;
    context_calls_json(&call, 1, &json);
    assert_int_equal(context_calls(a, json.s, &back, &n, NULL), RC_OK);
    assert_string_equal(back[0].args, args.s);
}

TEST(a_cut_names_the_lines_of_files_that_it_leaves_out)
{
    AUTO(arena) a = arena_new();
    struct config c = with_policy(CONTEXT_FULL);
    struct context_frame f = {.window = WINDOW, .reads_files = true};
    struct llm_message *m;
    size_t n, head, tail;
    unsigned first, last;
    AUTO_STRBUF text;
    strbuf_init(&text, (size_t)1024 * 1024);
    strbuf_adds(&text, "What failed?\n\ndata.csv\n```\n");
    for (int i = 1; i <= 9000; i++)
        strbuf_addf(&text, "row %d\n", i);
    strbuf_adds(&text, "```\n\nb.txt\n```\nlast\n```");
    struct message path[] = {said(0, ROLE_USER, text.s)};
    assert_int_equal(context_build(a, &c, &f, path, 1, &m, &n, NULL, NULL), RC_OK);
    assert_true(
        m[0].text.len < (size_t)context_room(&c, &f) * CONTEXT_BYTES_PER_TOKEN / CONTEXT_SHARE_CUT + 1);
    assert_true(str_starts(m[0].text, STR("What failed?")));
    const char *mark = strstr(m[0].text.s, "[\xE2\x80\xA6 left out"), *range = strstr(mark, ": lines ");
    assert_int_equal(
        sscanf(range, ": lines %u to %u of \"data.csv\", which has 9000 lines. ", &first, &last), 2);
    const char *above = arena_printf(a, "\nrow %u\n\n[", first - 1),
               *below = arena_printf(a, "]\nrow %u\n", last + 1);
    assert_ptr_equal(strstr(m[0].text.s, above) + strlen(above) - 1, mark);
    assert_non_null(strstr(mark, below));
    head = (size_t)(mark - m[0].text.s);
    tail = m[0].text.len - head;
    assert_true(tail < 2 * head && head < 2 * tail);

    path[0].id = 42; /* an earlier message, whose text has no file */
    path[0].text = str_of(arena_printf(a, "%0100000d", 7));
    assert_int_equal(context_build(a, &c, &f, path, 1, &m, &n, NULL, NULL), RC_OK);
    assert_non_null(
        strstr(m[0].text.s, "lines 1 to 1 of this message, which has 1 lines. Use the tool read_file with "
                            "\"message\": \"42\" to read"));
    f.reads_files = false;
    assert_int_equal(context_build(a, &c, &f, path, 1, &m, &n, NULL, NULL), RC_OK);
    assert_null(strstr(m[0].text.s, "read_file"));
}
