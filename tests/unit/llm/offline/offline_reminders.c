#include "unit.h"

#include "codec/calendar/recurrence.h"
#include "../llm_run.h"

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
