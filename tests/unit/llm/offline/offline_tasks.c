#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/lang.h"
#include "llm/llm_run.h"
#include "llm/offline/offline_tasks.h"

#define NOW_MS INT64_C(1795182361000) /* 2026-11-20T13:46:01Z, a Friday */

static const struct llm_tool tools[] = {{"add_task", "", "{}"}, {"list_tasks", "", "{}"},
    {"complete_task", "", "{}"}, {"delete_task", "", "{}"}, {"delete_session", "", "{}"},
    {"search_sessions", "", "{}"}, {"remember", "", "{}"}, {"search_memories", "", "{}"},
    {"forget", "", "{}"}, {"set_workspace", "", "{}"}};

static void in_utc(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
}

/* Runs the model with the messages; the caller releases `run`. */
static void run_with(struct llm_run *run, const struct llm_message *messages, size_t n, size_t tools_n)
{
    struct llm_request r = {.model = "offline",
        .messages = messages,
        .messages_n = n,
        .tools = tools,
        .tools_n = tools_n,
        .now_ms = NOW_MS};
    *run = (struct llm_run){.kind = "offline", .request = &r};
    in_utc();
    assert_int_equal(llm_run_at(run, NULL), RC_OK);
    run->request = NULL;
}

/* At first (`tool` NULL), or with the result of a call; `before` is a tool that an earlier turn called. */
static void step(
    struct llm_run *run, const char *before, const char *text, const char *tool, const char *result)
{
    struct llm_tool_call first = {"call_0", before, "{}"}, call = {"call_1", tool, "{}"};
    struct llm_message messages[] = {{.role = LLM_USER, .text = STR("before")},
        {.role = LLM_ASSISTANT, .calls = &first, .calls_n = before != NULL},
        {.role = LLM_USER, .text = str_of(text)}, {.role = LLM_ASSISTANT, .calls = &call, .calls_n = 1},
        {.role = LLM_TOOL, .text = str_of(result), .call_id = "call_1"}};
    run_with(run, messages, tool ? 5 : 3, ARRAY_LEN(tools));
}

TEST(offline_understands_the_examples_of_a_new_chat_in_each_language)
{
    static const struct {
        const char *key, *call, *args;
    } table[] = {{"chat.example_memory", ":remember:", "text"},
        {"chat.example_search", ":search_memories:", "\"query\":\"\""},
        {"chat.example_task", ":add_task:", "\"due\":\"2026-11-20\""}};
    for (size_t l = 0; lang_at(l); l++) {
        for (size_t i = 0; i < ARRAY_LEN(table); i++) {
            const char *text = lang_text(lang_at(l), table[i].key);
            struct llm_run run;
            step(&run, NULL, text, NULL, NULL);
            if (!strstr(run.events.s, table[i].call) || !strstr(run.events.s, table[i].args))
                fail_msg("%s: %s", text, run.events.s);
            llm_run_release(&run);
        }
    }
}

TEST(offline_days_of_tasks_are_read_in_common_words)
{
    static const struct {
        const char *words, *rest, *day; /* after "add task buy milk"; the rest stays with the text */
    } table[] = {{" today", "", "2026-11-20"}, {" tonight", " tonight", "2026-11-20"},
        {" Tomorrow", "", "2026-11-21"}, {", tomorrow", "", "2026-11-21"},
        {" the day after tomorrow", "", "2026-11-22"}, {" by friday", "", "2026-11-20"},
        {" next Friday", "", "2026-11-27"}, {" on Monday", "", "2026-11-23"},
        {" this sunday", "", "2026-11-22"}, {" next week", "", "2026-11-27"},
        {" in 3 days", "", "2026-11-23"}, {" in a week", "", "2026-11-27"},
        {" in two weeks", "", "2026-12-04"}, {" until 2026-12-01", "", "2026-12-01"},
        {" due on the 1st of december", "", "2026-12-01"}, {" 1 December", "", "2026-12-01"},
        {" December 1st, 2027", "", "2027-12-01"}, {" by 3 march", "", "2027-03-03"},
        {" 20 November", "", "2026-11-20"}, {" 29 february 2028", "", "2028-02-29"},
        {" 2026-02-29", " 2026-02-29", NULL}, {" 31 november", " 31 november", NULL},
        {" in 4000 days", " in 4000 days", NULL}, {" friday or so", " friday or so", NULL},
        {" in may", " in may", NULL}, {" 2026-1-01", "", "2026-01-01"},
        {" tomorrow at 5pm", " tomorrow at 5pm", "2026-11-21"},
        {" in 11 hours", " in 11 hours", "2026-11-21"}, {" every Monday", " every Monday", "2026-11-23"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_run run;
        char text[100], call[160];
        snprintf(text, sizeof text, "add task buy milk%s", table[i].words);
        snprintf(call, sizeof call, "add_task:{\"text\":\"buy milk%s\"%s%s%s}", table[i].rest,
            table[i].day ? ",\"due\":\"" : "", table[i].day ? table[i].day : "", table[i].day ? "\"" : "");
        step(&run, NULL, text, NULL, NULL);
        if (!strstr(run.events.s, call))
            fail_msg("%s: %s", text, run.events.s);
        llm_run_release(&run);
    }
}

TEST(offline_calls_the_tools_of_the_list_by_rule)
{
    static const struct {
        const char *before, *text, *call;
    } table[] = {
        {NULL, "Add task buy milk by friday", "add_task:{\"text\":\"buy milk\",\"due\":\"2026-11-20\"}"},
        {NULL, "please add a task to call mum", "add_task:{\"text\":\"call mum\"}"},
        {NULL, "add task x 2026-12-01", "add_task:{\"text\":\"x\",\"due\":\"2026-12-01\"}"},
        {NULL, "Remind me to say \"hi\" tomorrow.",
            "add_task:{\"text\":\"say \\\"hi\\\"\",\"due\":\"2026-11-21\"}"},
        {NULL, "remind me on Monday to call mum", "add_task:{\"text\":\"call mum\",\"due\":\"2026-11-23\"}"},
        {NULL, "add task tomorrow", "add_task:{\"text\":\"tomorrow\"}"},
        {NULL, "remind me what I said on Monday", "search_sessions:"},
        {NULL, "remind me of the place", "search_sessions:{\"query\":\"remind me of the place\"}"},
        {NULL, "todo: taxes", "add_task:{\"text\":\"taxes\"}"},
        {NULL, "Add eggs to my list", "add_task:{\"text\":\"eggs\"}"},
        {NULL, "What are my tasks?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "list tasks", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "what's on my list?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "what do I have to do", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "show my completed tasks", "list_tasks:{\"show\":\"done\"}"},
        {NULL, "list all my tasks", "list_tasks:{\"show\":\"all\"}"},
        {NULL, "what is on the list of guests?", "search_sessions:"},
        {NULL, "Mark the second one done", "complete_task:{\"task\":\"the second one\"}"},
        {NULL, "I'm done with that task", "complete_task:{\"task\":\"that task\"}"},
        {NULL, "It's done!", "complete_task:{\"task\":\"It\"}"},
        {NULL, "complete buy milk", "list_tasks:{\"show\":\"open\",\"query\":\"buy milk\"}"},
        {NULL, "mark the task buy milk as done", "list_tasks:{\"show\":\"open\",\"query\":\"buy milk\"}"},
        {NULL, "delete that task", "delete_task:{\"task\":\"that task\"}"},
        {NULL, "delete the second one", "delete_task:{\"task\":\"the second one\"}"},
        {"list_tasks", "delete it", "delete_task:{\"task\":\"it\"}"},
        {"remember", "delete it", "forget:{\"id\":\"it\"}"},
        {"remember", "delete that task", "delete_task:{\"task\":\"that task\"}"},
        {NULL, "remove milk from my list", "list_tasks:{\"show\":\"open\",\"query\":\"milk\"}"},
        {NULL, "delete the chat about Porto", "search_sessions:{\"query\":\"Porto\"}"},
        {NULL, "delete this chat", "delete_session:{\"session\":\"this\"}"},
        {NULL, "add milk to my list by friday", "add_task:{\"text\":\"milk\",\"due\":\"2026-11-20\"}"},
        {NULL, "Put buy eggs on my to-do list for Monday",
            "add_task:{\"text\":\"buy eggs\",\"due\":\"2026-11-23\"}"},
        {NULL, "remind me about the dentist on Monday",
            "add_task:{\"text\":\"the dentist\",\"due\":\"2026-11-23\"}"},
        {NULL, "what's due tomorrow?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "Do I have any tasks?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "what do I have to do today?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "delete everything on my list", "one task at a time"},
        {NULL, "Vergiss alles", "To forget everything"},
        {NULL, "forget all my facts", "To forget everything"},
        {NULL, "Setze Milch auf die Liste", "add_task:{\"text\":\"Milch\"}"},
        {NULL, "Füge Brot zu meiner Liste hinzu", "add_task:{\"text\":\"Brot\"}"},
        {NULL, "Erinnere mich morgen an den Zahnarzt.",
            "add_task:{\"text\":\"Zahnarzt\",\"due\":\"2026-11-21\"}"},
        {NULL, "Erinnere mich an die Steuer", "add_task:{\"text\":\"Steuer\"}"},
        {NULL, "erinnere mich an das auto", "add_task:{\"text\":\"auto\"}"},
        {NULL, "Erinnere mich an den neuen Reifen am Montag",
            "add_task:{\"text\":\"den neuen Reifen\",\"due\":\"2026-11-23\"}"},
        {NULL, "erinnere mich daran, Milch zu kaufen", "add_task:{\"text\":\"Milch zu kaufen\"}"},
        {NULL, "Neue Aufgabe: Steuer bis 1. Dezember",
            "add_task:{\"text\":\"Steuer\",\"due\":\"2026-12-01\"}"},
        {NULL, "setze Brot auf meine Liste bitte", "add_task:{\"text\":\"Brot\"}"},
        {NULL, "Was steht auf meiner Liste?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "Was steht auf meiner Aufgabenliste?", "list_tasks:{\"show\":\"open\"}"},
        {NULL, "schreibe Brot auf meine Aufgabenliste", "add_task:{\"text\":\"Brot\"}"},
        {NULL, "Setz Blumen gießen für Montag auf meine Aufgabenliste",
            "add_task:{\"text\":\"Blumen gießen\",\"due\":\"2026-11-23\"}"},
        {NULL, "zeige alle Aufgaben", "list_tasks:{\"show\":\"all\"}"},
        {NULL, "die zweite ist erledigt", "complete_task:{\"task\":\"die zweite\"}"},
        {NULL, "hake Milch ab", "list_tasks:{\"show\":\"open\",\"query\":\"Milch\"}"},
        {NULL, "lösche die erste Aufgabe", "delete_task:{\"task\":\"die erste Aufgabe\"}"},
        {NULL, "lösche den Chat über Porto", "search_sessions:{\"query\":\"Porto\"}"},
        {NULL, "lösche meine Sitzung über Porto", "search_sessions:{\"query\":\"Porto\"}"},
        {NULL, "Merk dir, dass meine Frau Maria heißt.", "remember:{\"text\":\"meine Frau Maria heißt\"}"},
        {NULL, "Keep in mind that I prefer tea", "remember:{\"text\":\"I prefer tea\"}"},
        {NULL, "Was weißt du über mich?", "search_memories:{\"query\":\"\",\"top_k\":20}"},
        {NULL, "vergiss das", "forget:{\"id\":\"das\"}"},
        {NULL, "Vergiss das mit Maria", "search_memories:{\"query\":\"Maria\",\"top_k\":20}"},
        {NULL, "move this chat to workspace Travel", "set_workspace:{\"name\":\"Travel\"}"},
        {NULL, "Put this in the Travel workspace.", "set_workspace:{\"name\":\"Travel\"}"},
        {NULL, "verschiebe diese Sitzung in den Arbeitsbereich Reise", "set_workspace:{\"name\":\"Reise\"}"},
        {NULL, "take this chat out of its workspace", "set_workspace:{\"name\":\"\"}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_run run;
        step(&run, table[i].before, table[i].text, NULL, NULL);
        if (!strstr(run.events.s, table[i].call))
            fail_msg("%s: %s", table[i].text, run.events.s);
        llm_run_release(&run);
    }
}

TEST(offline_leaves_other_sentences_alone)
{
    static const char *const others[] = {"The bread is done", "Delete the second paragraph of my essay",
        "i did a course", "hello", "my list of wishes is long, see below", "the task of a poet is hard",
        "put it in writing", "move this to the left", "die Aufgabe eines Dichters ist schwer",
        "das ist alles"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        struct llm_run run;
        step(&run, NULL, others[i], NULL, NULL);
        if (strstr(run.events.s, "_task") || strstr(run.events.s, "set_workspace"))
            fail_msg("%s: %s", others[i], run.events.s);
        llm_run_release(&run);
    }
    struct llm_message m = {.role = LLM_USER, .text = STR("list tasks")};
    struct llm_run run;
    run_with(&run, &m, 1, 0); /* nothing is called that is not offered */
    assert_null(strstr(run.events.s, "call:"));
    llm_run_release(&run);
}

#define MILK \
    "{\"id\":\"7\",\"text\":\"buy <b>milk\",\"due\":\"2026-11-20\",\"when\":\"today\",\"done\":false}"

TEST(offline_shows_the_results_of_the_list_tools)
{
    static const struct {
        const char *text, *tool, *result, *says;
    } table[] = {
        {"todo: x", "add_task", "{\"task\":" MILK "}", "buy \\<b\\>milk, due today (Friday, 20 November)"},
        {"todo: x", "add_task", "{\"error\":\"The list is *full*.\"}",
            "did not work. The list is \\*full\\*"},
        {"list tasks", "list_tasks", "{\"tasks\":[" MILK "," MILK "],\"more\":true}",
            "2. buy \\<b\\>milk, due today (Friday, 20 November)\n\nThere are more"},
        {"list tasks", "list_tasks", "{\"tasks\":[]}", "Nothing is on your list"},
        {"list done tasks", "list_tasks", "{\"tasks\":[]}", "No completed task"},
        {"complete buy milk", "list_tasks", "{\"tasks\":[" MILK "]}",
            "call:call_2:complete_task:{\"task\":\"7\"}"},
        {"complete buy milk", "list_tasks", "{\"tasks\":[]}", "I found no open task with these words"},
        {"complete buy milk", "list_tasks", "{\"tasks\":[" MILK "," MILK "]}", "I am not sure which task"},
        {"complete buy milk", "list_tasks", "not json", "I found no open task"},
        {"mark it done", "complete_task", "{\"task\":" MILK "}", "text:Done:\n\n> buy"},
        {"mark it done", "complete_task", "{\"done_before\":true,\"task\":" MILK "}", "done already"},
        {"mark it done", "complete_task", "{\"error\":\"Unclear.\"}",
            "call:call_2:list_tasks:{\"show\":\"open\"}"},
        {"mark it done", "list_tasks", "{\"tasks\":[" MILK "]}", "I am not sure which task"},
        {"delete the task milk", "list_tasks", "{\"tasks\":[" MILK "]}",
            "call:call_2:delete_task:{\"task\":\"7\"}"},
        {"delete that task", "delete_task", "{\"task\":" MILK "}",
            "Shall I delete this task? Say yes or no."},
        {"delete the chat about Porto", "search_sessions", "{\"sessions\":[{\"id\":\"ses_1\"}]}",
            "call:call_2:delete_session:{\"session\":\"ses_1\"}"},
        {"delete the chat about Porto", "search_sessions", "{\"sessions\":[]}", "Nothing is deleted"},
        {"delete the chat about Porto", "delete_session", "{\"session\":{\"title\":\"Porto *trip*\"}}",
            "Say yes or no.\n\n> Porto \\*trip\\*"},
        {"delete this chat", "delete_session", "{\"error\":\"The user finds.\"}",
            "cannot delete itself. Its menu"},
        {"where is Porto?", "search_sessions", "{\"sessions\":[]}", "found nothing"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct llm_run run;
        step(&run, NULL, table[i].text, table[i].tool, table[i].result);
        if (!strstr(run.events.s, table[i].says))
            fail_msg("%s, %s: %s", table[i].text, table[i].tool, run.events.s);
        llm_run_release(&run);
    }
}
