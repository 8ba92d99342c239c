/*
 * To-do list rules of the offline model: "remind me to ... by Friday", "what is on my list", "mark the second
 * one done", "delete the task ...", and "delete the chat about ...". It calls the same tools as other models,
 * and its answers are made from their results. A task that is named by words is found by listing first.
 * "That" and "the second one" are passed to the tool unchanged, because it knows the focus of the session.
 */
#include "llm/offline/offline_tasks.h"

#include "base/utf8.h"
#include "codec/markdown/markdown.h"
#include "codec/view.h"
#include "llm/internal.h"
#include "llm/offline/offline_search.h"
#include "llm/offline/offline_tasks_private.h"

#define QUERY_CHARS_MAX 200 /* the tool's limit */

/* ---- calls ---- */

static void call_list(struct offline_step *out, const char *show, struct str query)
{
    offline_call(out, "list_tasks", "show", str_of(show));
    if (!query.len)
        return;
    query.len = utf8_cut_chars(query, QUERY_CHARS_MAX);
    strbuf_truncate(out->args, out->args->len - 1);
    strbuf_adds(out->args, ",\"query\":");
    json_add_string(out->args, query);
    strbuf_addc(out->args, '}');
}

static void call_add(struct offline_step *out, const struct asked *a)
{
    offline_call(out, "add_task", "text", a->subject);
    if (!a->due[0])
        return;
    strbuf_truncate(out->args, out->args->len - 1);
    strbuf_addf(out->args, ",\"due\":\"%s\"}", a->due);
}

static const char *needed(enum intent w)
{
    static const char *const tools[] = {[NO_INTENT] = "",
        [TO_ADD] = "add_task",
        [TO_LIST] = "list_tasks",
        [TO_COMPLETE] = "complete_task",
        [TO_DELETE] = "delete_task",
        [TO_DELETE_MANY] = "delete_task",
        [TO_DELETE_SESSION] = "delete_session",
        [TO_FORGET_THAT] = "forget"};
    return tools[w];
}

static bool begin(const struct llm_request *r, struct offline_step *out)
{
    AUTO(arena) arena = arena_new();
    struct asked a = offline_tasks_asked(r, arena, r->messages[r->messages_n - 1].text);
    if (a.intent == NO_INTENT || !offline_offers(r, needed(a.intent)))
        return false;
    switch (a.intent) {
    case NO_INTENT: break;
    case TO_ADD: call_add(out, &a); break;
    case TO_LIST: call_list(out, a.show, STR("")); break;
    case TO_COMPLETE:
    case TO_DELETE:
        if (a.points)
            offline_call(out, needed(a.intent), "task", a.subject);
        else
            call_list(out, "open", a.subject);
        break;
    case TO_DELETE_MANY: offline_say(out, "offline.one_task_at_a_time"); break;
    case TO_FORGET_THAT: offline_call(out, "forget", "id", a.subject); break;
    case TO_DELETE_SESSION:
        if (str_is(a.subject, "this"))
            offline_call(out, "delete_session", "session", a.subject);
        else
            offline_call(out, OFFLINE_SEARCH_TOOL, "query", a.subject);
        break;
    }
    return true;
}

/* ---- answers ---- */

static void add_due(struct offline_step *out, const json_t *task)
{
    struct str due = llm_json_str(task, "due"), when = llm_json_str(task, "when");
    bool late = str_is(when, "overdue") && !json_is_true(json_object_get(task, "done"));
    const char *key = str_is(when, "today")      ? "offline.due_today"
                      : str_is(when, "tomorrow") ? "offline.due_tomorrow"
                      : late                     ? "offline.due_late"
                                                 : "offline.due";
    if (!due.len)
        return;
    AUTO(arena) a = arena_new();
    lang_add(out->answer, out->lang, key, LANG_ARGS({"day", offline_day_words(out, a, due)}));
}

static void say_task(struct offline_step *out, const char *key, const json_t *task)
{
    offline_say(out, key);
    offline_quote(out, llm_json_str(task, "text"));
    strbuf_truncate(out->answer, out->answer->len - 1); /* on the same line */
    add_due(out, task);
    strbuf_addc(out->answer, '\n');
}

static void say_list(struct offline_step *out, const char *key, const json_t *result)
{
    const json_t *list = json_object_get(result, "tasks");
    offline_say(out, key);
    strbuf_adds(out->answer, "\n\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *task = json_array_get(list, i);
        strbuf_addf(out->answer, "%zu. ", i + 1);
        markdown_add_text(out->answer, llm_json_str(task, "text"));
        add_due(out, task);
        if (json_is_true(json_object_get(task, "done")))
            offline_say(out, "offline.task_done");
        strbuf_addc(out->answer, '\n');
    }
    if (!json_is_true(json_object_get(result, "more")))
        return;
    strbuf_addc(out->answer, '\n');
    offline_say(out, "offline.more_tasks");
    strbuf_addc(out->answer, '\n');
}

static void answer_list(const struct asked *a, const json_t *result, struct offline_step *out)
{
    const json_t *list = json_object_get(result, "tasks");
    size_t n = json_array_size(list);
    bool chooses = a->intent == TO_COMPLETE || a->intent == TO_DELETE;
    if (chooses && !a->points && n == 1) {
        offline_call(out, needed(a->intent), "task", llm_json_str(json_array_get(list, 0), "id"));
    } else if (chooses && !a->points && n == 0) {
        offline_say_with(out, "offline.no_such_task", "words", a->subject);
    } else if (n == 0) {
        offline_say(out, strcmp(a->show, "done") == 0 ? "offline.no_tasks_done" : "offline.no_tasks");
    } else if (chooses) {
        say_list(out,
            a->intent == TO_COMPLETE ? "offline.which_task_to_complete" : "offline.which_task_to_delete",
            result);
    } else {
        say_list(out,
            strcmp(a->show, "done") == 0  ? "offline.tasks_done"
            : strcmp(a->show, "all") == 0 ? "offline.tasks_all"
                                          : "offline.tasks_open",
            result);
    }
}

static void answer_search(const json_t *result, struct offline_step *out)
{
    struct str id = llm_json_str(json_array_get(json_object_get(result, "sessions"), 0), "id");
    if (id.len)
        offline_call(out, "delete_session", "session", id);
    else
        offline_say(out, "offline.no_such_session");
}

static void answer_done(const char *tool, const json_t *result, struct offline_step *out)
{
    const json_t *task = json_object_get(result, "task"), *session = json_object_get(result, "session");
    if (strcmp(tool, "add_task") == 0) {
        say_task(out, offline_waits(result) ? "offline.ask_add_task" : "offline.task_added", task);
    } else if (strcmp(tool, "complete_task") == 0) {
        say_task(out,
            offline_waits(result)                                  ? "offline.ask_complete_task"
            : json_is_true(json_object_get(result, "done_before")) ? "offline.done_before"
                                                                   : "offline.completed",
            task);
    } else if (strcmp(tool, "delete_task") == 0) {
        say_task(out, "offline.ask_delete_task", task);
    } else {
        offline_say(out, "offline.ask_delete_session");
        offline_quote(out, llm_json_str(session, "title"));
    }
}

static bool answer(const struct llm_request *r, const char *tool, struct offline_step *out)
{
    static const char *const ours[] = {
        "add_task", "list_tasks", "complete_task", "delete_task", "delete_session"};
    AUTO(arena) arena = arena_new();
    struct asked a = offline_tasks_asked(r, arena, offline_asked(r));
    bool searched = a.intent == TO_DELETE_SESSION && strcmp(tool, OFFLINE_SEARCH_TOOL) == 0;
    if (!searched && !STR_IN_NOCASE(str_of(tool), ours))
        return false;
    AUTO(json_t) result = offline_result_json(r);
    struct str problem = llm_json_str(result, "error");
    if (problem.len && a.intent == TO_DELETE_SESSION && str_is(a.subject, "this")) {
        offline_say(out, "offline.delete_this_session");
    } else if (problem.len && a.points && offline_results_count(r) == 1) {
        call_list(out, "open", STR("")); /* lists the tasks */
    } else if (problem.len) {
        offline_say_failed(out, problem);
    } else if (searched) {
        answer_search(result, out);
    } else if (strcmp(tool, "list_tasks") == 0) {
        answer_list(&a, result, out);
    } else {
        answer_done(tool, result, out);
    }
    return true;
}

bool offline_tasks(const struct llm_request *r, struct offline_step *out)
{
    if (r->messages[r->messages_n - 1].role == LLM_TOOL)
        return answer(r, offline_result_tool(r), out);
    return begin(r, out);
}
