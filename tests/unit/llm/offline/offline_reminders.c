#include "unit.h"

#include "codec/calendar/recurrence.h"
#include "llm/llm_run.h"

TEST(offline_reminds_after_a_length_of_time_across_a_clock_change)
{
    AUTO(arena) a = arena_new();
    static const struct llm_tool tools[] = {{"set_reminder", "", "{}"}, {"set_schedule", "", "{}"}};
    static const struct {
        const char *utc, *text, *at;
    } cases[] = {{"2027-03-27T23:00", "Remind me in 8 hours to get up", "\"at\":\"2027-03-28T09:00\""},
        {"2026-10-24T22:00", "Remind me in 8 hours to get up", "\"at\":\"2026-10-25T07:00\""},
        {"2026-10-25T01:10", "Erinnere mich in 20 Minuten an Tee", "\"at\":\"2026-10-25T03:00\""}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct llm_message m = {.role = LLM_USER, .text = str_of(cases[i].text)};
        struct llm_request r = {.model = "offline",
            .messages = &m,
            .messages_n = 1,
            .tools = tools,
            .tools_n = ARRAY_LEN(tools),
            .zone = time_zone_load(a, "Europe/Berlin"),
            .zone_name = "Europe/Berlin",
            .now_ms = recurrence_wall(cases[i].utc)};
        struct llm_run run = {.kind = "offline", .request = &r};
        assert_int_equal(llm_run_at(&run, NULL), RC_OK);
        if (!strstr(run.events.s, cases[i].at))
            print_error("%s: %s\n", cases[i].text, run.events.s);
        assert_non_null(strstr(run.events.s, cases[i].at));
        llm_run_release(&run);
    }
}

#define LISTED                                                                                            \
    "{\"reminders\":[{\"id\":\"4\",\"text\":\"oven\",\"when\":\"today\"},{\"id\":\"5\",\"text\":\"mom\"," \
    "\"when\":\"later\"}],\"more\":true}"
#define SET "{\"reminder\":{\"id\":\"6\",\"text\":\"bins\",\"when\":\"today\"}}"

/* The answer to `text` after a turn that called `tool` with this result; `after`: the same for this turn. */
static void step(struct llm_run *run, const char *tool, const char *result, const char *text,
    const char *after, const char *after_result)
{
    static const struct llm_tool tools[] = {{"set_reminder", "", "{}"}, {"list_reminders", "", "{}"},
        {"cancel_reminder", "", "{}"}, {"add_task", "", "{}"}, {"delete_task", "", "{}"},
        {"search_sessions", "", "{}"}};
    struct llm_tool_call call = {"call_0", tool, "{}"}, next = {"call_1", after, "{}"};
    struct llm_message messages[] = {{.role = LLM_USER, .text = STR("before")},
        {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
        {.role = LLM_TOOL, .text = str_of(result), .call_id = "call_0"},
        {.role = LLM_ASSISTANT, .text = STR("Well.")}, {.role = LLM_USER, .text = str_of(text)},
        {.role = LLM_ASSISTANT, .calls = &next, .calls_n = 1},
        {.role = LLM_TOOL, .text = str_of(after_result), .call_id = "call_1"}};
    struct llm_request r = {.model = "offline",
        .messages = messages,
        .messages_n = after ? 7 : 5,
        .tools = tools,
        .tools_n = ARRAY_LEN(tools),
        .now_ms = recurrence_wall("2026-11-27T20:50")};
    *run = (struct llm_run){.kind = "offline", .request = &r};
    assert_int_equal(llm_run_at(run, NULL), RC_OK);
    run->request = NULL;
}

TEST(offline_cancels_the_reminder_that_words_point_at)
{
    static const struct {
        const char *tool, *result, *text, *does;
    } cases[] = {
        {"list_reminders", LISTED, "delete the second one", "cancel_reminder:{\"id\":\"5\"}"},
        {"list_reminders", LISTED, "cancel the last one", "cancel_reminder:{\"id\":\"5\"}"},
        {"list_reminders", LISTED, "Lösche die zweite Erinnerung", "cancel_reminder:{\"id\":\"5\"}"},
        {"list_reminders", LISTED, "lösche die erste", "cancel_reminder:{\"id\":\"4\"}"},
        {"list_reminders", LISTED, "delete reminder 2", "cancel_reminder:{\"id\":\"5\"}"},
        {"list_reminders", LISTED, "delete the third one", "list_reminders:{\"query\":\"\"}"},
        {"list_reminders", LISTED, "delete the mom reminder", "list_reminders:{\"query\":\"mom\"}"},
        {"set_reminder", SET, "cancel that", "cancel_reminder:{\"id\":\"6\"}"},
        {"list_tasks", "{\"tasks\":[]}", "delete the second reminder", "list_reminders:{\"query\":\"\"}"},
        {"list_tasks", "{\"tasks\":[]}", "delete the second one", "delete_task:"},
        {"list_tasks", "{\"tasks\":[]}", "delete the second task", "delete_task:"},
        {"list_reminders", LISTED, "delete the second task", "delete_task:"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct llm_run run;
        step(&run, cases[i].tool, cases[i].result, cases[i].text, NULL, NULL);
        if (!strstr(run.events.s, cases[i].does))
            fail_msg("%s: %s", cases[i].text, run.events.s);
        llm_run_release(&run);
    }
}

TEST(offline_asks_which_reminder_and_says_that_there_are_more)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"delete the third reminder", "I am not sure which reminder you mean"},
        {"delete the third reminder", "more on the [page of reminders](/reminders)"},
        {"show my reminders", "more on the [page of reminders](/reminders)"}};
    struct llm_run gone;
    step(&gone, "list_reminders", LISTED, "delete the first one", "cancel_reminder",
        "{\"error\":\"Call list_reminders.\"}");
    assert_non_null(strstr(gone.events.s, "I found no reminder with these words."));
    llm_run_release(&gone);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct llm_run run;
        step(&run, "list_tasks", "{}", cases[i].text, "list_reminders", LISTED);
        if (!strstr(run.events.s, cases[i].says))
            fail_msg("%s: %s", cases[i].text, run.events.s);
        llm_run_release(&run);
    }
}

TEST(offline_reminds_in_german_without_the_article_of_the_noun)
{
    static const struct {
        const char *text, *subject;
    } cases[] = {{"Erinnere mich morgen um 5 an den Zahnarzt", "Zahnarzt"},
        {"Erinnere mich an den Zahnarzt morgen um 5", "Zahnarzt"},
        {"Morgen um 5 erinnere mich an die Übung am Klavier", "Übung am Klavier"},
        {"erinnere mich um 5 an das auto", "auto"},
        {"erinnere mich um 5 an den müll im hof", "den müll im hof"},
        {"Erinnere mich um 5 an die ältere Rechnung", "die ältere Rechnung"},
        {"Erinnere mich um 5 an Denise", "Denise"},
        {"Erinnere mich um 5 daran, die Tabletten zu nehmen", "die Tabletten zu nehmen"},
        {"Erinnere mich um 5, dass die Heizung läuft", "die Heizung läuft"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct llm_run run;
        step(&run, "list_tasks", "{}", cases[i].text, NULL, NULL);
        if (!strstr(run.events.s, arena_printf(a, "set_reminder:{\"text\":\"%s\"", cases[i].subject)))
            fail_msg("%s: %s", cases[i].text, run.events.s);
        llm_run_release(&run);
    }
}

TEST(offline_says_that_no_reminder_is_set_when_the_time_is_unclear)
{
    static const struct {
        const char *text, *does;
    } cases[] = {{"Remind me at 25:00 to sleep", "No reminder is set"},
        {"remind me yesterday to run", "No reminder is set"},
        {"remind me every week every month at 9 to run", "No reminder is set"},
        {"remind me on February 30 to pay", "No reminder is set"},
        {"Erinnere mich gestern an den Ofen", "No reminder is set"},
        {"Remind me what I said to Anna", "call:call_1:search_sessions"},
        {"Remind me about the talk with Anna", "call:call_1:search_sessions"},
        {"Remind me to call Anna", "call:call_1:add_task"},
        {"Tell me a joke to cheer me up", "cannot answer"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct llm_run run;
        step(&run, "list_tasks", "{}", cases[i].text, NULL, NULL);
        if (!strstr(run.events.s, cases[i].does))
            fail_msg("%s: %s", cases[i].text, run.events.s);
        llm_run_release(&run);
    }
}
