/*
 * To-do list rules of the offline model: "remind me to ... by Friday", "what is on my list", "mark the second
 * one done", "delete the task ...", and "delete the chat about ...". It calls the same tools as other models,
 * and its answers are made from their results. A task that is named by words is found by listing first.
 * "That" and "the second one" are passed to the tool unchanged, because it knows the focus of the session.
 */
#include "llm/offline/offline_tasks.h"

#include "base/utf8.h"
#include "codec/markdown/markdown.h"
#include "codec/ordinal_reference.h"
#include "codec/tokenizer.h"
#include "codec/view.h"
#include "llm/internal.h"
#include "llm/offline/offline_due.h"
#include "llm/offline/offline_search.h"

#define QUERY_CHARS_MAX 200 /* the tool's limit */
#define LIST_WORDS_MAX  10  /* a longer sentence asks for more than the list */

enum wish {
    NO_WISH,
    TO_ADD,
    TO_LIST,
    TO_COMPLETE,
    TO_DELETE,
    TO_DELETE_MANY,
    TO_DELETE_CHAT,
    TO_FORGET_THAT
};

struct asked {
    enum wish wish;
    struct str subject;         /* the new task, words of a task, or the subject of a chat */
    bool points;                /* the subject is a reference */
    char due[OFFLINE_DAY_SIZE]; /* TO_ADD: "" without a day */
    const char *show;           /* TO_LIST */
};

struct affix {
    const char *begin, *end; /* around the subject; lower case */
};

static bool fits(struct str s, const struct affix *list, size_t n, struct str *subject)
{
    for (size_t i = 0; i < n; i++) {
        struct str rest = s;
        if (offline_begins(s, list[i].begin, &rest) && offline_ends(rest, list[i].end, &rest) && rest.len) {
            *subject = rest;
            return true;
        }
    }
    return false;
}

/* ---- requests ---- */

/* Reads "remind me tomorrow to call", "erinnere mich morgen an den Anruf". */
static bool is_dated_first(struct str s, int64_t now_ms, struct asked *out)
{
    static const char *const joins[] = {" to ", " an ", " daran, ", " daran "};
    struct str rest, what;
    if (!offline_begins(s, "remind me ", &rest) && !offline_begins(s, "erinnere mich ", &rest))
        return false;
    for (size_t i = 0; i < rest.len; i++)
        for (size_t k = 0; k < ARRAY_LEN(joins); k++)
            if (offline_begins((struct str){rest.s + i, rest.len - i}, joins[k], &what) && what.len &&
                offline_day((struct str){rest.s, i}, now_ms, out->due)) {
                out->subject = what;
                return true;
            }
    return false;
}

static bool is_add(struct str s, int64_t now_ms, struct asked *out)
{
    static const struct affix forms[] = {
        {"add a task to ", ""},
        {"add a task: ", ""},
        {"add task to ", ""},
        {"add task: ", ""},
        {"add a task ", ""},
        {"add task ", ""},
        {"new task: ", ""},
        {"new task ", ""},
        {"task: ", ""},
        {"todo: ", ""},
        {"to do: ", ""},
        {"to-do: ", ""},
        {"add ", " to my list"},
        {"add ", " to my tasks"},
        {"add ", " to my to-do list"},
        {"add ", " to my todo list"},
        {"add ", " to the list"},
        {"put ", " on my list"},
        {"put ", " on my to-do list"},
        {"remind me to ", ""},
        {"remember to ", ""},
        {"don't let me forget to ", ""},
        {"i need to remember to ", ""},
        {"neue aufgabe: ", ""},
        {"neue aufgabe ", ""},
        {"aufgabe: ", ""},
        {"setze ", " auf meine liste"},
        {"setz ", " auf meine liste"},
        {"schreibe ", " auf meine liste"},
        {"schreib ", " auf meine liste"},
        {"erinnere mich daran, ", ""},
        {"erinnere mich daran ", ""},
        {"erinnere mich an ", ""},
    };
    static const struct affix dated[] = {{"remind me about ", ""}, {"remind me of ", ""}};
    struct str rest = s;
    if (offline_due(&rest, now_ms, out->due) && /* "add eggs to my list by Friday" */
        (fits(rest, forms, ARRAY_LEN(forms), &out->subject) ||
            fits(rest, dated, ARRAY_LEN(dated), &out->subject)))
        return true;
    out->due[0] = '\0';
    return fits(s, forms, ARRAY_LEN(forms), &out->subject) || is_dated_first(s, now_ms, out);
}

/* True for a question about the list, without other words. */
static bool is_list(struct str s, struct asked *out)
{
    static const char *const words[] = {"what", "whats", "s", "is", "are", "on", "in", "of", "my", "the",
        "show", "list", "lists", "give", "see", "me", "all", "open", "done", "completed", "finished", "have",
        "i", "there", "still", "left", "task", "tasks", "todo", "todos", "to", "do", "due", "which", "any",
        "today", "tomorrow", "was", "steht", "auf", "meiner", "meine", "der", "die", "liste", "aufgaben",
        "zeige", "zeig", "mir", "alle", "offenen", "erledigten", "welche", "habe", "ich", "noch", "heute",
        "zu", "tun", "sind"};
    static const char *const nouns[] = {"task", "tasks", "todo", "todos", "due", "aufgaben", "tun"};
    static const char *const lists[] = {"list", "liste"},
                             *const owns[] = {"my", "the", "meiner", "meine", "der"},
                             *const dones[] = {"done", "completed", "finished", "erledigten"},
                             *const alls[] = {"all", "alle"};
    struct term t;
    bool noun = false, list = false, own = false, done = false, all = false, to = false;
    size_t n = 0;
    while (term_next(&s, &t)) {
        struct str word = str_of(t.word);
        if (++n > LIST_WORDS_MAX || !offline_is(word, words, ARRAY_LEN(words)))
            return false;
        noun |= offline_is(word, nouns, ARRAY_LEN(nouns)) || (to && str_is(word, "do"));
        list |= offline_is(word, lists, ARRAY_LEN(lists));
        own |= offline_is(word, owns, ARRAY_LEN(owns));
        done |= offline_is(word, dones, ARRAY_LEN(dones));
        all |= offline_is(word, alls, ARRAY_LEN(alls));
        to = str_is(word, "to");
    }
    out->show = done ? "done" : all ? "all" : "open";
    return noun || (list && own && n > 1);
}

/* Reads "the task buy milk", "buy milk from my list". */
static bool names_task(struct str s, struct str *subject)
{
    static const struct affix forms[] = {
        {"the task ", ""},
        {"my task ", ""},
        {"task ", ""},
        {"the ", " task"},
        {"", " from my list"},
        {"", " from the list"},
        {"", " from my tasks"},
        {"", " from my to-do list"},
        {"", " from my todo list"},
        {"die aufgabe ", ""},
        {"aufgabe ", ""},
        {"", " von meiner liste"},
        {"", " von der liste"},
    };
    *subject = s;
    return fits(s, forms, ARRAY_LEN(forms), subject);
}

static bool is_complete(struct str s, struct asked *out)
{
    static const struct affix forms[] = {
        {"mark ", " as done"},
        {"mark ", " as completed"},
        {"mark ", " as complete"},
        {"mark ", " done"},
        {"mark ", " completed"},
        {"mark ", " complete"},
        {"mark ", " off"},
        {"i am done with ", ""},
        {"i'm done with ", ""},
        {"i’m done with ", ""},
        {"im done with ", ""},
        {"done with ", ""},
        {"check off ", ""},
        {"tick off ", ""},
        {"complete ", ""},
        {"i finished ", ""},
        {"i have finished ", ""},
        {"finish ", ""},
        {"markiere ", " als erledigt"},
        {"hake ", " ab"},
        {"erledigt: ", ""},
        {"ich habe ", " erledigt"},
    };
    static const struct affix pointing[] = {{"", " is done"}, {"", "'s done"}, {"", "’s done"},
        {"i have done ", ""}, {"i did ", ""}, {"", " ist erledigt"}, {"", " ist fertig"}};
    if (fits(s, forms, ARRAY_LEN(forms), &out->subject)) {
        if (ordinal_reference_of(out->subject).kind == REFERENCE_NONE)
            names_task(out->subject, &out->subject);
        return true;
    }
    /* these words need a reference, because they occur in other sentences */
    return fits(s, pointing, ARRAY_LEN(pointing), &out->subject) &&
           ordinal_reference_of(out->subject).kind != REFERENCE_NONE;
}

static bool names_chat(struct str s, struct str *subject)
{
    static const char *const articles[] = {"the ", "my ", "den ", "das ", "die ", "meinen "};
    static const char *const chats[] = {"chat", "session", "conversation", "gespräch", "unterhaltung"};
    static const char *const joins[] = {"about ", "on ", "with ", "where ", "über "};
    static const char *const these[] = {
        "this", "that", "the", "the current", "my current", "our", "diesen", "dieses", "diese"};
    struct str rest = s, about;
    for (size_t i = 0; i < ARRAY_LEN(articles); i++)
        if (offline_begins(s, articles[i], &rest))
            break;
    for (size_t i = 0; i < ARRAY_LEN(chats); i++) {
        if (offline_ends(s, chats[i], &about) && offline_is(about, these, ARRAY_LEN(these))) {
            *subject = STR("this");
            return true;
        }
        if (!offline_begins(rest, chats[i], &about))
            continue;
        for (size_t k = 0; k < ARRAY_LEN(joins); k++)
            if (offline_begins(about, joins[k], subject) && subject->len)
                return true;
    }
    return false;
}

/* A bare "delete it" means what was mentioned last; without that, a task. */
static bool spoke_of_memory(const struct llm_request *r)
{
    static const char *const tools[] = {"remember", "search_memories", "update_memory", "forget"};
    return offline_is(str_of(offline_last_tool(r)), tools, ARRAY_LEN(tools));
}

static bool is_delete(const struct llm_request *r, struct str s, struct asked *out)
{
    static const struct affix forms[] = {{"delete ", ""}, {"remove ", ""}, {"erase ", ""}, {"drop ", ""},
        {"cancel ", ""}, {"lösche ", ""}, {"entferne ", ""}, {"streiche ", ""}};
    static const char *const many[] = {"all tasks", "all my tasks", "all done tasks", "all completed tasks",
        "everything on my list", "everything from my list", "my list", "alle aufgaben",
        "alle meine aufgaben"};
    struct str what;
    if (!fits(s, forms, ARRAY_LEN(forms), &what))
        return false;
    if (offline_is(what, many, ARRAY_LEN(many))) {
        out->wish = TO_DELETE_MANY;
        return true;
    }
    out->wish = TO_DELETE;
    out->subject = what;
    if (names_chat(what, &out->subject)) {
        out->wish = TO_DELETE_CHAT;
        return true;
    }
    if (ordinal_reference_of(what).kind != REFERENCE_NONE) {
        struct str rest;
        bool task = offline_ends(what, "task", &rest) || offline_begins(what, "task", &rest);
        if (!task && spoke_of_memory(r))
            out->wish = TO_FORGET_THAT;
        return true;
    }
    return names_task(what, &out->subject);
}

static struct asked asked_of(const struct llm_request *r, struct str text)
{
    struct asked a = {.wish = NO_WISH, .show = "open"};
    struct str s = offline_bare(text);
    if (is_add(s, r->now_ms, &a))
        a.wish = TO_ADD;
    else if (is_list(s, &a))
        a.wish = TO_LIST;
    else if (is_complete(s, &a))
        a.wish = TO_COMPLETE;
    else if (!is_delete(r, s, &a))
        a.wish = NO_WISH;
    a.points = (a.wish == TO_COMPLETE || a.wish == TO_DELETE || a.wish == TO_FORGET_THAT) &&
               ordinal_reference_of(a.subject).kind != REFERENCE_NONE;
    return a;
}

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

static const char *needed(enum wish w)
{
    static const char *const tools[] = {[NO_WISH] = "",
        [TO_ADD] = "add_task",
        [TO_LIST] = "list_tasks",
        [TO_COMPLETE] = "complete_task",
        [TO_DELETE] = "delete_task",
        [TO_DELETE_MANY] = "delete_task",
        [TO_DELETE_CHAT] = "delete_session",
        [TO_FORGET_THAT] = "forget"};
    return tools[w];
}

static bool begin(const struct llm_request *r, struct offline_step *out)
{
    struct asked a = asked_of(r, r->messages[r->messages_n - 1].text);
    if (a.wish == NO_WISH || !offline_offers(r, needed(a.wish)))
        return false;
    switch (a.wish) {
    case NO_WISH: break;
    case TO_ADD: call_add(out, &a); break;
    case TO_LIST: call_list(out, a.show, STR("")); break;
    case TO_COMPLETE:
    case TO_DELETE:
        if (a.points)
            offline_call(out, needed(a.wish), "task", a.subject);
        else
            call_list(out, "open", a.subject);
        break;
    case TO_DELETE_MANY:
        strbuf_adds(out->answer, "I delete one task at a time and ask before each. The [to-do page](/tasks) "
                                 "can delete all completed ones at once.");
        break;
    case TO_FORGET_THAT: offline_call(out, "forget", "id", a.subject); break;
    case TO_DELETE_CHAT:
        if (str_is(a.subject, "this"))
            offline_call(out, "delete_session", "session", a.subject);
        else
            offline_call(out, OFFLINE_SEARCH_TOOL, "query", a.subject);
        break;
    }
    return true;
}

/* ---- answers ---- */

static void add_due(struct strbuf *out, const json_t *task)
{
    struct str due = llm_json_str(task, "due"), when = llm_json_str(task, "when");
    if (!due.len)
        return;
    strbuf_adds(out, ", due ");
    if (str_is(when, "today") || str_is(when, "tomorrow")) {
        strbuf_addstr(out, when);
        strbuf_adds(out, " (");
        strbuf_addstr(out, due);
        strbuf_addc(out, ')');
        return;
    }
    strbuf_addstr(out, due);
    if (str_is(when, "overdue") && !json_is_true(json_object_get(task, "done")))
        strbuf_adds(out, " (overdue)");
}

static void say_task(struct offline_step *out, const char *what, const json_t *task)
{
    strbuf_adds(out->answer, what);
    strbuf_adds(out->answer, "\n\n> ");
    markdown_add_text(out->answer, llm_json_str(task, "text"));
    add_due(out->answer, task);
    strbuf_addc(out->answer, '\n');
}

static void say_list(struct offline_step *out, const char *opening, const json_t *result)
{
    const json_t *list = json_object_get(result, "tasks");
    strbuf_adds(out->answer, opening);
    strbuf_adds(out->answer, "\n\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *task = json_array_get(list, i);
        strbuf_addf(out->answer, "%zu. ", i + 1);
        markdown_add_text(out->answer, llm_json_str(task, "text"));
        add_due(out->answer, task);
        if (json_is_true(json_object_get(task, "done")))
            strbuf_adds(out->answer, ", done");
        strbuf_addc(out->answer, '\n');
    }
    if (json_is_true(json_object_get(result, "more")))
        strbuf_adds(out->answer, "\nThere are more on the [to-do page](/tasks).\n");
}

static void answer_list(const struct asked *a, const json_t *result, struct offline_step *out)
{
    const json_t *list = json_object_get(result, "tasks");
    size_t n = json_array_size(list);
    bool chooses = a->wish == TO_COMPLETE || a->wish == TO_DELETE;
    if (chooses && !a->points && n == 1) {
        offline_call(out, needed(a->wish), "task", llm_json_str(json_array_get(list, 0), "id"));
    } else if (chooses && !a->points && n == 0) {
        strbuf_adds(out->answer, "I found no open task with these words, so nothing was changed: “");
        markdown_add_text(out->answer, a->subject);
        strbuf_adds(out->answer, "”. “What is on my list?” shows all.");
    } else if (n == 0) {
        strbuf_adds(out->answer, strcmp(a->show, "done") == 0
                                     ? "No completed task is on your list."
                                     : "Nothing is on your list. Say “remind me to …” and it will be.");
    } else if (chooses) {
        say_list(out,
            a->wish == TO_COMPLETE
                ? "I am not sure which task you mean; say for example “mark the second one done”. "
                  "These are open:"
                : "I am not sure which task you mean; say for example “delete the second task”. "
                  "These are open:",
            result);
    } else {
        say_list(out,
            strcmp(a->show, "done") == 0  ? "These tasks are done:"
            : strcmp(a->show, "all") == 0 ? "This is your whole list:"
                                          : "This is on your list:",
            result);
    }
}

static void answer_search(const json_t *result, struct offline_step *out)
{
    struct str id = llm_json_str(json_array_get(json_object_get(result, "sessions"), 0), "id");
    if (id.len)
        offline_call(out, "delete_session", "session", id);
    else
        strbuf_adds(out->answer, "I found no other chat about that. Nothing is deleted.");
}

static void answer_done(const char *tool, const json_t *result, struct offline_step *out)
{
    const json_t *task = json_object_get(result, "task"), *session = json_object_get(result, "session");
    if (strcmp(tool, "add_task") == 0) {
        say_task(out,
            offline_waits(result) ? "Shall I add this task to your list? Say yes or no."
                                  : "It is on your list:",
            task);
    } else if (strcmp(tool, "complete_task") == 0) {
        say_task(out,
            offline_waits(result) ? "Shall I mark this task as done? Say yes or no."
            : json_is_true(json_object_get(result, "done_before")) ? "That was done already:"
                                                                   : "Done:",
            task);
    } else if (strcmp(tool, "delete_task") == 0) {
        say_task(out, "Shall I delete this task? Say yes or no.", task);
    } else {
        strbuf_adds(out->answer, "Shall I delete this chat with all its messages? Say yes or no.\n\n> ");
        markdown_add_text(out->answer, llm_json_str(session, "title"));
        strbuf_addc(out->answer, '\n');
    }
}

static bool answer(const struct llm_request *r, const char *tool, struct offline_step *out)
{
    static const char *const ours[] = {
        "add_task", "list_tasks", "complete_task", "delete_task", "delete_session"};
    struct asked a = asked_of(r, offline_asked(r));
    bool searched = a.wish == TO_DELETE_CHAT && strcmp(tool, OFFLINE_SEARCH_TOOL) == 0;
    if (!searched && !offline_is(str_of(tool), ours, ARRAY_LEN(ours)))
        return false;
    struct str text = r->messages[r->messages_n - 1].text;
    json_t *result = json_loadb(text.s ? text.s : "", text.len, 0, NULL);
    struct str problem = llm_json_str(result, "error");
    if (problem.len && a.points && offline_results(r) == 1) {
        call_list(out, "open", STR("")); /* lists the tasks */
    } else if (problem.len) {
        strbuf_adds(out->answer, "That did not work. ");
        markdown_add_text(out->answer, problem);
    } else if (searched) {
        answer_search(result, out);
    } else if (strcmp(tool, "list_tasks") == 0) {
        answer_list(&a, result, out);
    } else {
        answer_done(tool, result, out);
    }
    json_decref(result);
    return true;
}

bool offline_tasks(const struct llm_request *r, struct offline_step *out)
{
    if (r->messages[r->messages_n - 1].role == LLM_TOOL)
        return answer(r, offline_result_of(r), out);
    return begin(r, out);
}
