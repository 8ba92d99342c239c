#include "unit.h"

#include <stdlib.h>
#include <time.h>

#include "llm/llm_run.h"

#include "base/utf8.h"

#define NOW_MS INT64_C(1795182361000) /* 2026-11-20T13:46:01Z, a Friday */

static const struct llm_tool clock_tool = {"current_time", "The time", "{\"type\":\"object\"}"};

/* Runs the offline model; the caller releases `run`. */
static void ask(struct llm_run *run, const struct llm_message *messages, size_t n, bool with_tool)
{
    struct llm_request r = {.model = "offline",
        .messages = messages,
        .messages_n = n,
        .tools = &clock_tool,
        .tools_n = with_tool ? 1 : 0,
        .now_ms = NOW_MS};
    setenv("TZ", "UTC", 1);
    tzset();
    *run = (struct llm_run){.kind = "offline", .request = &r};
    assert_int_equal(llm_run_at(run, NULL), RC_OK);
    run->request = NULL;
    assert_true(utf8_valid_text(strbuf_str(&run->events)));
}

static struct llm_run ask_one(const char *text, bool with_tool)
{
    struct llm_run run;
    struct llm_message m = {.role = LLM_USER, .text = str_of(text)};
    ask(&run, &m, 1, with_tool);
    return run;
}

/* Tools for what the model says that it can do, in the order in which it says it. */
static const struct llm_tool able[] = {{"remember", "", "{}"}, {"add_task", "", "{}"},
    {"set_reminder", "", "{}"}, {"search_sessions", "", "{}"}};

TEST(offline_says_what_it_can_do)
{
    static const char *const questions[] = {"What can you do for me?", "what can you do", "Help"},
                             *const says[] = {
                                 "remember facts", "to-do list", "Remind me at five", "find what was said"};
    for (size_t i = 0; i < ARRAY_LEN(questions); i++)
        for (size_t n = 0; n <= ARRAY_LEN(able); n++) { /* a chat may offer some of the tools */
            struct llm_message m = {.role = LLM_USER, .text = str_of(questions[i])};
            struct llm_request r = {
                .model = "offline", .messages = &m, .messages_n = 1, .tools = able, .tools_n = n};
            struct llm_run run = {.kind = "offline", .request = &r};
            assert_int_equal(llm_run_at(&run, NULL), RC_OK);
            for (size_t k = 0; k < ARRAY_LEN(says); k++)
                assert_int_equal(strstr(run.events.s, says[k]) != NULL, k < n);
            assert_non_null(strstr(run.events.s, "What time is it?"));
            assert_null(strstr(run.events.s, "cannot answer"));
            run.request = NULL;
            llm_run_release(&run);
        }
}

TEST(offline_says_when_a_chat_has_no_tools)
{
    for (size_t n = 0; n <= ARRAY_LEN(able); n++) {
        struct llm_message m = {.role = LLM_USER, .text = STR("I wonder about a poem")};
        struct llm_request r = {
            .model = "offline", .messages = &m, .messages_n = 1, .tools = able, .tools_n = n};
        struct llm_run run = {.kind = "offline", .request = &r};
        assert_int_equal(llm_run_at(&run, NULL), RC_OK);
        assert_int_equal(strstr(run.events.s, "I have no tools in this session") != NULL, n == 0);
        assert_int_equal(strstr(run.events.s, "What I can do now is remember") != NULL, n == ARRAY_LEN(able));
        run.request = NULL;
        llm_run_release(&run);
    }
}

TEST(offline_says_the_time_in_the_zone_of_the_user)
{
    AUTO(arena) a = arena_new();
    struct llm_message m = {.role = LLM_USER, .text = STR("What time is it?")};
    struct llm_request r = {.model = "offline",
        .messages = &m,
        .messages_n = 1,
        .now_ms = NOW_MS,
        .zone = time_zone_load(a, "Asia/Kolkata"),
        .zone_name = "Asia/Kolkata"};
    struct llm_run run = {.kind = "offline", .request = &r};
    assert_int_equal(llm_run_at(&run, NULL), RC_OK);
    struct tm there = time_zone_local(r.zone, NOW_MS);
    const char *clock = arena_printf(a, "%02d:%02d", there.tm_hour, there.tm_min);
    assert_non_null(strstr(run.events.s, clock));
    assert_non_null(strstr(run.events.s, "Asia/Kolkata"));
    assert_null(strstr(run.events.s, "server's clock"));
    run.request = NULL;
    llm_run_release(&run);
}

TEST(offline_answers_in_the_language_of_the_user)
{
    static const struct {
        const char *text, *says;
    } table[] = {{"Wie spät ist es?", "Uhr dieses Servers ist es **13:46 Uhr, Freitag, 20. November 2026**"},
        {"Hallo", "**eingebautes Modell**"}, {"Was kannst du für mich tun?", "Aufgabenliste"},
        {"Danke", "Gern geschehen"}, {"Warum ist der Himmel blau?", "kein Sprachmodell verbunden"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_message m = {.role = LLM_USER, .text = str_of(table[i].text)};
        struct llm_request r = {.model = "offline",
            .messages = &m,
            .messages_n = 1,
            .now_ms = NOW_MS,
            .tools = able,
            .tools_n = 2,
            .lang = lang_find(STR("de"))};
        struct llm_run run = {.kind = "offline", .request = &r};
        setenv("TZ", "UTC", 1);
        tzset();
        assert_int_equal(llm_run_at(&run, NULL), RC_OK);
        if (!strstr(run.events.s, table[i].says))
            fail_msg("%s: %s", table[i].text, run.events.s);
        run.request = NULL;
        llm_run_release(&run);
    }
}

TEST(offline_says_what_reads_the_page_of_a_link)
{
    static const struct llm_tool reads = {"read_page", "", "{}"};
    static const char link[] = "I cannot read web pages",
                      setting[] = "“Web access” in the [settings](/settings)",
                      model[] = "A connected model reads the pages";
    static const struct {
        const char *text;
        bool web_off, offers, about_page;
    } table[] = {{"https://example.org/a?b=c", true, false, true},
        {"What does https://example.org/what?q=1 say?", true, false, true},
        {"Please summarise www.example.org", false, true, true}, {"https://example.org/", false, false, true},
        {"https://example.org/ is where my sister works since May, and I like it", true, false, false}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_message m = {.role = LLM_USER, .text = str_of(table[i].text)};
        struct llm_request r = {.model = "offline",
            .messages = &m,
            .messages_n = 1,
            .tools = &reads,
            .tools_n = table[i].offers,
            .web_off = table[i].web_off};
        struct llm_run run = {.kind = "offline", .request = &r};
        assert_int_equal(llm_run_at(&run, NULL), RC_OK);
        bool about = table[i].about_page;
        assert_int_equal(strstr(run.events.s, link) != NULL, about);
        assert_int_equal(strstr(run.events.s, setting) != NULL, about && table[i].web_off);
        assert_int_equal(strstr(run.events.s, model) != NULL, about && (table[i].web_off || table[i].offers));
        assert_non_null(strstr(run.events.s, "To connect one"));
        run.request = NULL;
        llm_run_release(&run);
    }
}

TEST(offline_calls_the_clock_when_asked_for_the_time)
{
    static const char *const questions[] = {"What time is it?", "what's the date today", "Time?",
        "Hi Alfred, tell me the time please.", "What is today's date?", "wie sp\xC3\xA4t ist es gerade"};
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        struct llm_run run = ask_one(questions[i], true);
        assert_string_equal(run.events.s, "call:call_1:current_time:{}\nend:1\n");
        llm_run_release(&run);
    }
}

TEST(offline_does_not_tell_the_time_when_another_one_is_asked_for)
{
    static const char *const questions[] = {"What time is it in Tokyo?", "what day is it tomorrow?",
        "Welcher Tag ist morgen?", "Wie spät ist es in Rom?"};
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        struct llm_run run = ask_one(questions[i], true),
                       greeted = ask_one("Guten Morgen, wie spät ist es?", true);
        assert_null(strstr(run.events.s, "current_time"));
        assert_non_null(strstr(greeted.events.s, "current_time"));
        llm_run_release(&run);
        llm_run_release(&greeted);
    }
}

TEST(offline_puts_the_tools_result_into_a_sentence)
{
    static const struct llm_tool_call call = {"call_1", "current_time", "{}"};
    static const struct {
        const char *result, *events;
    } table[] = {
        {"{\"utc\":\"2026-11-20T13:46:01Z\",\"local\":\"2026-11-20T14:46:01+01:00\",\"zone\":\"CET\"}",
            "text:I looked at the clock: it is **14:46 on Friday, 20 November 2026** (CET).\nend:0\n"},
        {"{\"local\":\"2026-11-20T14:46:01+01:00\"}",
            "text:I looked at the clock: it is **14:46 on Friday, 20 November 2026**.\nend:0\n"},
        {"{\"error\":\"broken\"}",
            "text:I looked at the clock, but it gave no time that I can read.\nend:0\n"},
        {"", "text:I looked at the clock, but it gave no time that I can read.\nend:0\n"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_message messages[] = {{.role = LLM_USER, .text = STR("What time is it?")},
            {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
            {.role = LLM_TOOL, .text = str_of(table[i].result), .call_id = "call_1"}};
        struct llm_run run;
        ask(&run, messages, ARRAY_LEN(messages), true);
        assert_string_equal(run.events.s, table[i].events);
        llm_run_release(&run);
    }
}

static const struct llm_tool search_tool = {"search_sessions", "Search", "{\"type\":\"object\"}"};

static struct llm_run ask_with_search(const struct llm_message *messages, size_t n)
{
    struct llm_request r = {.model = "offline",
        .messages = messages,
        .messages_n = n,
        .tools = &search_tool,
        .tools_n = 1,
        .now_ms = NOW_MS};
    struct llm_run run = {.kind = "offline", .request = &r};
    assert_int_equal(llm_run_at(&run, NULL), RC_OK);
    run.request = NULL;
    return run;
}

TEST(offline_searches_the_past_for_questions_only)
{
    static const char *const questions[] = {
        "Where is my \"key\"?", "what did I say about bread", "remind me of it"};
    static const char *const others[] = {"Buy bread", "hello", "How do I connect a language model?"};
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        struct llm_message m = {.role = LLM_USER, .text = str_of(questions[i])};
        struct llm_run run = ask_with_search(&m, 1);
        assert_non_null(strstr(run.events.s, "call:call_1:search_sessions:{\"query\":\""));
        llm_run_release(&run);
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        struct llm_message m = {.role = LLM_USER, .text = str_of(others[i])};
        struct llm_run run = ask_with_search(&m, 1);
        assert_null(strstr(run.events.s, "call:"));
        llm_run_release(&run);
    }
}

/* Results of the tool are quoted as text, whatever they contain; links lead to this server only. */
TEST(offline_quotes_search_results_only)
{
    static const struct llm_tool_call call = {"call_1", "search_sessions", "{}"};
    static const struct {
        const char *result, *has, *has_not;
    } table[] = {
        {"{\"sessions\":[{\"title\":\"Keys\",\"url\":\"/s/ses_1\",\"messages\":[{\"role\":\"user\",\"date\":"
         "\"2026-11-20T13:46:01Z\",\"url\":\"/s/ses_1?at=5#m-5\",\"text\":\"blue *pot* "
         "[x](https://evil)\"}]}]}",
            "you, [Friday, 20 November](/s/ses_1?at=5#m-5): \xE2\x80\x9C"
            "blue \\*pot\\* \\[x&#93;(https\\://evil)",
            "found nothing"},
        {"{\"sessions\":[]}", "found nothing", "places"},
        {"{\"error\":\"broken\"}", "found nothing", "places"},
        {"", "found nothing", "places"},
        {"{\"sessions\":[{\"title\":\"x\",\"url\":\"https://evil/"
         "\",\"messages\":[{\"url\":\"javascript:1\",\"text\":"
         "\"t\"}]}]}",
            "found nothing", "evil"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_message messages[] = {{.role = LLM_USER, .text = STR("Where is my key?")},
            {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
            {.role = LLM_TOOL, .text = str_of(table[i].result), .call_id = "call_1"}};
        struct llm_run run = ask_with_search(messages, ARRAY_LEN(messages));
        assert_non_null(strstr(run.events.s, table[i].has));
        assert_null(strstr(run.events.s, table[i].has_not));
        llm_run_release(&run);
    }
}

TEST(offline_tells_the_time_itself_without_the_tool)
{
    struct llm_run run = ask_one("What time is it?", false);
    assert_string_equal(run.events.s,
        "text:By this server's clock it is **13:46 on Friday, 20 November 2026** (UTC).\nend:0\n");
    llm_run_release(&run);
}

TEST(offline_explains_itself_and_how_to_connect_a_model)
{
    static const char *const messages[] = {"Write me a poem about the best time of the day",
        "How do I measure time in physics?", "Hello", "", "\xF0\x9F\x98\x80", "update the file"};
    for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
        struct llm_run run = ask_one(messages[i], true);
        assert_non_null(strstr(run.events.s, "built-in model"));
        assert_non_null(strstr(run.events.s, "kept in this session"));
        assert_non_null(strstr(run.events.s, "OPENAI_API_KEY"));
        assert_non_null(strstr(run.events.s, "ANTHROPIC_API_KEY"));
        assert_non_null(strstr(run.events.s, "Ollama"));
        assert_non_null(strstr(run.events.s, "alfred.toml"));
        assert_true(run.pieces > 5); /* it streams */
        llm_run_release(&run);
    }
}

TEST(offline_answers_greetings_thanks_and_repetition_differently)
{
    struct llm_run hello = ask_one("Hello Alfred!", true), thanks = ask_one("thank you", true),
                   poem = ask_one("hi, write me a long poem about hills", true), again;
    struct llm_message messages[] = {{.role = LLM_USER, .text = STR("Write a poem")},
        {.role = LLM_ASSISTANT, .text = STR("I cannot")}, {.role = LLM_USER, .text = STR("Try it")}};
    ask(&again, messages, ARRAY_LEN(messages), true);
    assert_int_equal(strncmp(hello.events.s, "text:Hello!", 11), 0);
    assert_int_equal(strncmp(thanks.events.s, "text:You're welcome.", 20), 0);
    assert_int_equal(strncmp(poem.events.s, "text:I cannot answer this:", 26), 0);
    assert_int_equal(strncmp(again.events.s, "text:I cannot answer this either:", 33), 0);
    llm_run_release(&hello);
    llm_run_release(&thanks);
    llm_run_release(&poem);
    llm_run_release(&again);
}

TEST(offline_stops_when_the_call_is_freed)
{
    struct llm_message m = {.role = LLM_USER, .text = STR("hello")};
    struct llm_request r = {.model = "offline", .messages = &m, .messages_n = 1, .now_ms = NOW_MS};
    struct llm_run run = {.kind = "offline", .request = &r, .free_at = 2};
    assert_int_equal(llm_run_at(&run, NULL), RC_OK);
    assert_int_equal(run.pieces, 2);
    assert_null(strstr(run.events.s, "end:"));
    llm_run_release(&run);
}

TEST(offline_refuses_a_request_without_messages)
{
    struct llm_request r = {.model = "offline"};
    struct llm_run run = {.kind = "offline", .request = &r};
    assert_int_equal(llm_run_at(&run, NULL), RC_BAD_INPUT);
    llm_run_release(&run);
}

static const struct llm_tool memory_tools[] = {{"remember", "", "{}"}, {"search_memories", "", "{}"},
    {"forget", "", "{}"}, {"search_sessions", "", "{}"}};

/* The model's first action (`tool` NULL), or its action after the result of a call. */
static void memory_step(struct llm_run *run, const char *text, const char *tool, const char *result)
{
    struct llm_tool_call call = {"call_1", tool, "{}"};
    struct llm_message messages[] = {{.role = LLM_USER, .text = str_of(text)},
        {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
        {.role = LLM_TOOL, .text = str_of(result), .call_id = "call_1"}};
    struct llm_request r = {.model = "offline",
        .messages = messages,
        .messages_n = tool ? 3 : 1,
        .tools = memory_tools,
        .tools_n = ARRAY_LEN(memory_tools),
        .now_ms = NOW_MS};
    *run = (struct llm_run){.kind = "offline", .request = &r};
    assert_int_equal(llm_run_at(run, NULL), RC_OK);
    run->request = NULL;
}

TEST(offline_calls_the_tools_of_memory_by_rule)
{
    static const struct {
        const char *text, *events;
    } table[] = {
        {"Remember that I like \"tea\".", "call:call_1:remember:{\"text\":\"I like \\\"tea\\\"\"}\nend:1\n"},
        {"please remember my car is red", "call:call_1:remember:{\"text\":\"my car is red\"}\nend:1\n"},
        {"What do you remember about tea?",
            "call:call_1:search_memories:{\"query\":\"tea\",\"top_k\":20}\nend:1\n"},
        {"what do you know about me?", "call:call_1:search_memories:{\"query\":\"\",\"top_k\":20}\nend:1\n"},
        {"Alfred, forget what I said about tea!",
            "call:call_1:search_memories:{\"query\":\"tea\",\"top_k\":20}\nend:1\n"},
        {"forget that", "call:call_1:forget:{\"id\":\"that\"}\nend:1\n"},
        {"Forget the second one.", "call:call_1:forget:{\"id\":\"the second one\"}\nend:1\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_run run;
        memory_step(&run, table[i].text, NULL, NULL);
        assert_string_equal(run.events.s, table[i].events);
        llm_run_release(&run);
    }
}

TEST(offline_shows_the_results_of_the_memory_tools)
{
    static const struct {
        const char *text, *tool, *result, *says;
    } table[] = {
        {"remember that x", "remember", "{\"memory\":{\"text\":\"<b>x</b>\",\"expires\":null}}",
            "\\<b\\>x\\</b\\>"},
        {"remember that x", "remember", "{\"error\":\"The memory is paused.\"}", "The memory is paused"},
        {"what do you know about me", "search_memories", "{\"memories\":[]}", "I remember nothing yet"},
        {"what do you know about tea", "search_memories", "{\"memories\":[]}",
            "call:call_2:search_sessions:"},
        {"what do you know about tea", "search_memories",
            "{\"memories\":[{\"id\":\"9\",\"text\":\"likes tea\"}]}", "1. likes tea"},
        {"forget tea", "search_memories", "{\"memories\":[{\"id\":\"9\",\"text\":\"likes tea\"}]}",
            "call:call_2:forget:{\"id\":\"9\"}"},
        {"forget tea", "search_memories", "{\"memories\":[]}", "nothing about that"},
        {"forget tea", "search_memories", "not json", "nothing about that"},
        {"forget tea", "forget", "{\"memory\":{\"text\":\"likes tea\"}}", "Shall I forget this?"},
        {"forget that", "forget", "{\"memory\":{\"text\":\"likes tea\"}}", "Shall I forget this?"},
        {"forget that", "forget", "{\"error\":\"Unclear.\"}",
            "call:call_2:search_memories:{\"query\":\"\",\"top_k\":20}"},
        {"forget that", "search_memories", "{\"memories\":[{\"id\":\"9\",\"text\":\"likes tea\"}]}",
            "I am not sure which one you mean"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_run run;
        memory_step(&run, table[i].text, table[i].tool, table[i].result);
        if (!strstr(run.events.s, table[i].says))
            fail_msg("%s: %s", table[i].says, run.events.s);
        llm_run_release(&run);
    }
}

#define FACTS                                                                                       \
    "<context>\nNotes.\n<stored_facts>\n"                                                           \
    "{\"id\":\"6\",\"text\":\"my number is 12\",\"since\":\"2026-11-01\"}\n"                        \
    "{\"id\":\"7\",\"text\":\"my dog is called Rex\",\"since\":\"2026-11-02\"}\n"                   \
    "{\"id\":\"8\",\"text\":\"my cat is called Mimi\",\"since\":\"2026-11-03\"}\n"                  \
    "{\"id\":\"9\",\"text\":\"mein Auto ist ein Golf\",\"since\":\"2026-11-04\"}\n"                 \
    "{\"id\":\"10\",\"text\":\"the boiler is a [Vaillant](https://a)\",\"since\":\"2026-11-05\"}\n" \
    "</stored_facts>\n<other>\n{\"id\":\"11\",\"text\":\"a dog is called Wuff\"}\n</other>\n</context>"
#define REX    "- my dog is called Rex ([Monday, 2 November](/memory?after=8#memory-7))\n"
#define GOLF   "- mein Auto ist ein Golf ([Wednesday, 4 November](/memory?after=10#memory-9))\n"
#define BOILER "- the boiler is a \\[Vaillant&#93;("
#define CALLS  "call:call_1:search_sessions:"

TEST(offline_answers_a_question_from_the_facts_of_the_turn)
{
    static const struct llm_tool_call call = {"call_1", "search_sessions", "{}"};
    static const struct {
        const char *text, *result, *says, *says_not;
    } table[] = {{"What is my dog called?", NULL, REX, "Mimi"}, {"Who is Rex?", NULL, REX, "Mimi"},
        {"What is my dog called?", NULL, REX, "search"}, {"What is my dog called?", NULL, REX, "Wuff"},
        {"Was für ein Auto habe ich?", NULL, CALLS, "Golf"},
        {"Was für ein Auto habe ich?", "{\"sessions\":[]}", GOLF, "cannot answer"},
        {"What did I say about the boiler?", NULL, CALLS, "Vaillant"},
        {"What did I say about the boiler?",
            "{\"sessions\":[{\"title\":\"Heating\",\"url\":\"/s/ses_1\",\"messages\":[{\"role\":\"user\","
            "\"date\":\"2026-11-01\",\"text\":\"It leaks.\",\"url\":\"/s/ses_1#m-1\"}]}]}",
            BOILER, "cannot answer"},
        {"Where do I live?", "{\"sessions\":[]}", "cannot answer", "remember:"},
        {"What is 12 + 12?", NULL, CALLS, "remember:"},
        {"When do 12 trains leave?", NULL, CALLS, "remember:"},
        {"Tell Rex that his name is called often", NULL, "cannot answer", REX}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_message messages[] = {
            {.role = LLM_USER, .text = str_of(table[i].text), .aside = STR(FACTS)},
            {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
            {.role = LLM_TOOL, .text = str_of(table[i].result), .call_id = "call_1"}};
        struct llm_run run = ask_with_search(messages, table[i].result ? 3 : 1);
        if (!strstr(run.events.s, table[i].says) || strstr(run.events.s, table[i].says_not))
            fail_msg("%s: %s", table[i].text, run.events.s);
        llm_run_release(&run);
    }
}

TEST(offline_searches_the_conversation_when_other_sessions_have_nothing)
{
    static const struct llm_tool both[] = {{"search_sessions", "", "{}"}, {"search_this_session", "", "{}"}};
    static const struct {
        const char *tool, *result, *says;
    } table[] = {
        {"search_sessions", "{\"sessions\":[]}", "call:call_2:search_this_session:{\"query\":\"parked\"}"},
        {"search_this_session", "{\"matches\":[]}", "I searched this session and your others"},
        {"search_this_session", "not json", "I searched this session and your others"},
        {"search_this_session",
            "{\"matches\":[{\"role\":\"user\",\"date\":\"2026-11-02T10:00:00Z\",\"url\":\"/s/ses_1#m-2\","
            "\"excerpt\":\"Where is it parked?\"},{\"role\":\"user\",\"date\":\"2026-11-01T10:00:00Z\","
            "\"url\":\"/s/ses_1#m-1\",\"excerpt\":\"I parked on level 3\"}]}",
            "of your question:\n\n- you, [Sunday, 1 November 2026](/s/ses_1#m-1): “I parked on level "
            "3”\n\nend"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_tool_call call = {"call_1", table[i].tool, "{}"};
        struct llm_message messages[] = {{.role = LLM_USER, .text = STR("Where have I parked it?")},
            {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
            {.role = LLM_TOOL, .text = str_of(table[i].result), .call_id = "call_1"}};
        struct llm_request r = {
            .model = "offline", .messages = messages, .messages_n = 3, .tools = both, .tools_n = 2};
        struct llm_run run = {.kind = "offline", .request = &r};
        assert_int_equal(llm_run_at(&run, NULL), RC_OK);
        if (!strstr(run.events.s, table[i].says))
            fail_msg("%s", run.events.s);
        run.request = NULL;
        llm_run_release(&run);
    }
}

TEST(offline_shows_the_newest_facts_first)
{
    struct llm_message m = {.role = LLM_USER,
        .text = STR("What is my address?"),
        .aside = STR("<stored_facts>\n"
                     "{\"id\":\"1\",\"text\":\"my address is A\",\"since\":\"2026-03-17\"}\n"
                     "{\"id\":\"2\",\"text\":\"I live at B\",\"tags\":\"address\",\"since\":\"2025-10-12\"}\n"
                     "{\"id\":\"3\",\"text\":\"an address at C\",\"since\":\"2024-10-12\"}\n"
                     "{\"id\":\"4\",\"text\":\"I live at D\",\"tags\":\"address\",\"since\":\"2026-09-02\"}\n"
                     "</stored_facts>")};
    struct llm_run run = ask_with_search(&m, 1);
    const char *newest = strstr(run.events.s, "live at D"), *middle = strstr(run.events.s, "address is A"),
               *oldest = strstr(run.events.s, "live at B");
    assert_true(newest && middle && oldest && newest < middle && middle < oldest);
    assert_null(strstr(run.events.s, "at C"));
    llm_run_release(&run);
}

TEST(offline_shows_no_facts_without_a_question)
{
    static const char *const asides[] = {"", "<stored_facts>", "<stored_facts>\n",
        "<stored_facts>\nnot json\n", "<stored_facts>\n{\"id\":7}\n</stored_facts>"};
    for (size_t i = 0; i < ARRAY_LEN(asides); i++) {
        struct llm_message m = {
            .role = LLM_USER, .text = STR("What is my dog called?"), .aside = str_of(asides[i])};
        struct llm_run run = ask_with_search(&m, 1);
        assert_non_null(strstr(run.events.s, CALLS));
        llm_run_release(&run);
    }
}

TEST(offline_says_that_there_are_more_facts)
{
    AUTO(arena) a = arena_new();
    const char *list = "";
    for (int i = 1; i <= 20; i++) {
        struct llm_run run;
        list = arena_printf(a, "%s%s{\"id\":\"%d\",\"text\":\"fact %d\"}", list, i > 1 ? "," : "", i, i);
        memory_step(&run, "what do you know about me", "search_memories",
            arena_printf(a, "{\"memories\":[%s]}", list));
        assert_int_equal(strstr(run.events.s, "There may be more on the [Memory page]") != NULL, i == 20);
        llm_run_release(&run);
    }
}
