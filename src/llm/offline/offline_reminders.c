/*
 * Reminder rules of the offline model: "remind me at five to ...", "jeden Montag um 8 ... erinnern", "every
 * morning at 7 summarise my open tasks", "show my reminders", "cancel the reminder ...". The times are read
 * by codec/when. A request with a day but without an hour is a task (offline_tasks.c). "The second one" and
 * "that" are reminders when the conversation spoke of reminders last: the tools of reminders take no such
 * words, so the id is read from the last result.
 */
#include "llm/offline/offline_reminders.h"

#include "codec/markdown/markdown.h"
#include "codec/when/when.h"
#include "codec/words/ordinal_reference.h"
#include "codec/words/tokenizer.h"
#include "llm/internal.h"

#define QUERY_CHARS_MAX 200 /* the tool's limit */
#define LIST_WORDS_MAX  8

enum intent { NO_INTENT, TO_REMIND, TO_SCHEDULE, TO_LIST, TO_CANCEL };

struct asked {
    enum intent intent;
    struct str subject;
    bool points; /* TO_CANCEL: the subject is a reference to a reminder of the last result */
    struct when when;
};

static bool skip(struct str *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (offline_begins(*s, list[i], s) && s->len)
            return true;
    return false;
}

static const char *const leads[] = {"remind me ", "tell me ", "wake me up ", "wake me ", "notify me ",
    "ping me ", "set a reminder ", "create a reminder ", "set an alarm ", "erinnere mich ", "erinner mich ",
    "weck mich ", "wecke mich ", "sag mir ", "sage mir ", "gib mir bescheid "};

/* Without the words that lead to the subject: "to", "daran, ". */
static struct str subject_of(struct str s)
{
    static const char *const words[] = {
        "to ", "that ", "about ", "of ", "for ", "daran, ", "daran ", "dass ", ": "};
    if (offline_begins(s, "an ", &s))
        s = when_noun(s);
    else
        skip(&s, words, ARRAY_LEN(words));
    while (s.len && strchr(",;: ", s.s[s.len - 1]))
        s.len--;
    return s;
}

/* Another time follows the one that was read, so that one is not certain. */
static bool begins_with_time(struct arena *a, struct str s, int64_t now_ms)
{
    struct when w;
    struct str rest;
    return when_find(a, s, now_ms, &w, &rest) && rest.len < s.len &&
           str_eq(rest, (struct str){s.s + s.len - rest.len, rest.len});
}

static bool is_remind(struct arena *a, struct str s, int64_t now_ms, struct asked *out)
{
    static const char *const thereof[] = {"daran, ", "daran "};
    struct str rest = s, what = s;
    if (!skip(&rest, leads, ARRAY_LEN(leads))) { /* "every Monday at 8 remind me to ..." */
        if (!when_find(a, s, now_ms, &out->when, &what) || !skip(&what, leads, ARRAY_LEN(leads)))
            return false;
        out->subject = subject_of(what);
        return out->subject.len && (out->when.has_hour || out->when.rule[0]);
    }
    skip(&rest, thereof, ARRAY_LEN(thereof));
    if (!when_find(a, rest, now_ms, &out->when, &what) || !(out->when.has_hour || out->when.rule[0]) ||
        begins_with_time(a, what, now_ms))
        return false;
    out->subject = subject_of(what);
    return true;
}

/* "every morning at 7 summarise my open tasks": a rule, then a verb that asks for an answer. */
static bool is_schedule(struct arena *a, struct str s, int64_t now_ms, struct asked *out)
{
    static const char *const verbs[] = {"summarise ", "summarize ", "list ", "show ", "tell ", "give ",
        "write ", "send ", "fasse ", "fass ", "zeige ", "zeig ", "nenne ", "nenn ", "schreibe ", "schreib ",
        "schicke ", "schick ", "sag ", "liste "};
    static const char *const offered[] = {"schedule: ", "schedule ", "plane: ", "plane "};
    struct str rest = s, verb;
    bool told = skip(&rest, offered, ARRAY_LEN(offered));
    if (!when_find(a, rest, now_ms, &out->when, &out->subject) || !out->when.rule[0])
        return false;
    verb = out->subject;
    return out->subject.len && (told || skip(&verb, verbs, ARRAY_LEN(verbs)));
}

static bool is_list(struct str s)
{
    static const char *const words[] = {"what", "are", "is", "show", "list", "me", "my", "the", "all",
        "which", "do", "i", "have", "any", "of", "zeig", "zeige", "mir", "meine", "alle", "welche", "habe",
        "ich", "was", "fur", "sind", "die"};
    static const char *const nouns[] = {
        "reminder", "reminders", "schedules", "alarms", "erinnerungen", "zeitplane"};
    struct term t;
    size_t n = 0;
    bool noun = false;
    while (term_next(&s, &t)) {
        struct str word = str_of(t.word);
        bool is_noun = STR_IN_NOCASE(word, nouns);
        if (++n > LIST_WORDS_MAX || (!is_noun && !STR_IN_NOCASE(word, words)))
            return false;
        noun |= is_noun;
    }
    return noun && n > 1;
}

static const char *const our_tools[] = {"set_reminder", "set_schedule", "list_reminders", "cancel_reminder"};

/* "The second task": not a reminder, whatever the conversation spoke of last. */
static bool names_other(struct str s)
{
    static const char *const nouns[] = {"task", "todo", "fact", "memory", "aufgabe", "fakt"};
    struct term t;
    while (term_next(&s, &t))
        if (STR_IN(str_of(t.word), nouns))
            return true;
    return false;
}

static bool is_cancel(const struct llm_request *r, struct str s, struct asked *out)
{
    static const char *const verbs[] = {"cancel ", "delete ", "remove ", "lösche ", "entferne ", "streiche "};
    static const char *const nouns[] = {"the reminder ", "my reminder ", "the schedule ", "my schedule ",
        "reminder ", "schedule ", "die erinnerung ", "meine erinnerung ", "erinnerung ", "den zeitplan "};
    static const char *const joins[] = {"to ", "about ", "for ", "of ", "an ", "für ", "zu "};
    static const char *const ends[] = {" reminder", " schedule", " erinnerung"}, *const articles[] = {"the ",
                                                                                     "my ", "die ", "meine "};
    if (!skip(&s, verbs, ARRAY_LEN(verbs)))
        return false;
    bool named = skip(&s, nouns, ARRAY_LEN(nouns));
    for (size_t i = 0; !named && i < ARRAY_LEN(ends); i++) /* "the stretch reminder" */
        named = offline_ends(s, ends[i], &s) && s.len;
    bool spoken_of = STR_IN(str_of(offline_last_tool(r)), our_tools) && !names_other(s);
    out->points = (named || spoken_of) && ordinal_reference_of(s).kind != REFERENCE_NONE;
    if (!out->points) {
        skip(&s, articles, ARRAY_LEN(articles));
        skip(&s, joins, ARRAY_LEN(joins));
    }
    out->subject = s;
    return s.len && (named || out->points);
}

/* The reminder that the words mean in a result; NULL: none. */
static const json_t *meant(const json_t *result, struct ordinal_reference to)
{
    const json_t *list = json_object_get(result, "reminders");
    size_t n = json_array_size(list);
    if (to.kind == REFERENCE_POSITION)
        return json_array_get(list, (size_t)to.position - 1);
    if (n && (to.kind == REFERENCE_LAST || n == 1))
        return json_array_get(list, n - 1);
    return json_object_get(result, "reminder");
}

/* Calls for the deletion of the reminder that the words mean in the newest result that has one; without such
 * a result, for the list. */
static void call_cancel(const struct llm_request *r, struct str words, struct offline_step *out)
{
    struct ordinal_reference to = ordinal_reference_of(words);
    offline_call(out, "list_reminders", "query", STR(""));
    for (size_t i = r->messages_n; i-- > 0;) {
        if (r->messages[i].role != LLM_TOOL)
            continue;
        AUTO(json_t) result = json_loadb(r->messages[i].text.s, r->messages[i].text.len, 0, NULL);
        struct str id = llm_json_str(meant(result, to), "id");
        if (id.len) {
            offline_call(out, "cancel_reminder", "id", id);
            return;
        }
    }
}

/* "remind me in 1,5 fortnights to ...": a request with a time that is not understood. "Remind me what ..."
 * asks for something that was said. */
static bool is_unclear(struct str s)
{
    static const char *const asks[] = {
        "remind me ", "wake me ", "set a reminder ", "create a reminder ", "erinnere mich ", "erinner mich "};
    static const char *const joins[] = {" to ", " that ", " an ", " daran ", " dass ", " zu "};
    static const char *const questions[] = {"what ", "when ", "where ", "who ", "how ", "which ", "why ",
        "whether ", "if ", "about ", "of ", "was ", "wann ", "wo ", "wer ", "wie ", "welche ", "ob "};
    struct str rest;
    if (!skip(&s, asks, ARRAY_LEN(asks)) || skip(&(struct str){s.s, s.len}, questions, ARRAY_LEN(questions)))
        return false;
    for (size_t i = 0; i < s.len; i++)
        for (size_t k = 0; k < ARRAY_LEN(joins); k++)
            if (offline_begins(str_from(s, i), joins[k], &rest))
                return true;
    return false;
}

static struct asked asked_of(const struct llm_request *r, struct arena *a, struct str text)
{
    struct asked out = {.intent = NO_INTENT};
    struct str s = offline_bare(text);
    if (s.len > 4 * (size_t)OFFLINE_SUBJECT_CHARS_MAX)
        return out;
    if (is_remind(a, s, r->now_ms, &out))
        out.intent = TO_REMIND;
    else if (is_schedule(a, s, r->now_ms, &out))
        out.intent = TO_SCHEDULE;
    else if (is_list(s))
        out.intent = TO_LIST;
    else if (is_cancel(r, s, &out))
        out.intent = TO_CANCEL;
    return out;
}

static void call_set(struct offline_step *out, const char *tool, const char *key, const struct asked *a)
{
    offline_call(out, tool, key, a->subject);
    strbuf_truncate(out->args, out->args->len - 1);
    strbuf_addf(out->args, ",\"at\":\"%s\"", a->when.start);
    if (a->when.rule[0])
        strbuf_addf(out->args, ",\"repeat\":\"%s\"", a->when.rule);
    strbuf_addc(out->args, '}');
}

static bool begin(const struct llm_request *r, struct offline_step *out)
{
    static const char *const tools[] = {[TO_REMIND] = "set_reminder",
        [TO_SCHEDULE] = "set_schedule",
        [TO_LIST] = "list_reminders",
        [TO_CANCEL] = "list_reminders"};
    AUTO(arena) a = arena_new();
    struct asked asked = asked_of(r, a, r->messages[r->messages_n - 1].text);
    if (asked.intent == NO_INTENT || !offline_offers(r, tools[asked.intent]))
        return false;
    if (asked.intent == TO_REMIND || asked.intent == TO_SCHEDULE)
        when_set_moment(&asked.when, r->zone, out->now);
    switch (asked.intent) {
    case NO_INTENT: break;
    case TO_REMIND:
        if (!asked.subject.len)
            asked.subject = str_of(lang_text(out->lang, "offline.reminder"));
        call_set(out, "set_reminder", "text", &asked);
        break;
    case TO_SCHEDULE: call_set(out, "set_schedule", "prompt", &asked); break;
    case TO_LIST: offline_call(out, "list_reminders", "query", STR("")); break;
    case TO_CANCEL:
        if (asked.points) {
            call_cancel(r, asked.subject, out);
            break;
        }
        asked.subject.len = asked.subject.len > QUERY_CHARS_MAX ? QUERY_CHARS_MAX : asked.subject.len;
        offline_call(out, "list_reminders", "query", asked.subject);
        break;
    }
    return true;
}

/* ---- answers ---- */

/* A question has no other words, so that "yes" answers it (app/suggestion/typed_answer.h). The page shows the
 * time beside its buttons. */
static void say(struct offline_step *out, const char *key, const json_t *reminder, bool asks)
{
    offline_say(out, key);
    offline_quote(out, llm_json_str(reminder, "text"));
    if (asks)
        return;
    strbuf_truncate(out->answer, out->answer->len - 1); /* on the same line */
    strbuf_adds(out->answer, " – ");
    markdown_add_text(out->answer, llm_json_str(reminder, "when"));
    strbuf_addc(out->answer, '\n');
}

static void say_list(struct offline_step *out, const char *key, const json_t *result)
{
    const json_t *list = json_object_get(result, "reminders");
    offline_say(out, key);
    strbuf_adds(out->answer, "\n\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        strbuf_addf(out->answer, "%zu. ", i + 1);
        markdown_add_text(out->answer, llm_json_str(r, "text"));
        strbuf_adds(out->answer, " – ");
        markdown_add_text(out->answer, llm_json_str(r, "when"));
        if (json_is_true(json_object_get(r, "paused")))
            offline_say(out, "offline.paused");
        strbuf_addc(out->answer, '\n');
    }
    if (!json_is_true(json_object_get(result, "more")))
        return;
    strbuf_addc(out->answer, '\n');
    offline_say(out, "offline.more_reminders");
    strbuf_addc(out->answer, '\n');
}

static void answer_list(const struct asked *a, const json_t *result, struct offline_step *out)
{
    const json_t *list = json_object_get(result, "reminders");
    size_t n = json_array_size(list);
    bool cancels = a->intent == TO_CANCEL;
    if (cancels && a->points && n)
        say_list(out, "offline.which_of_reminders", result);
    else if (cancels && n == 1)
        offline_call(out, "cancel_reminder", "id", llm_json_str(json_array_get(list, 0), "id"));
    else if (cancels && n == 0)
        offline_say(out, "offline.no_such_reminder");
    else if (n == 0)
        offline_say(out, "offline.no_reminders");
    else
        say_list(out, cancels ? "offline.which_reminder" : "offline.reminders", result);
}

static bool answer(const struct llm_request *r, const char *tool, struct offline_step *out)
{
    if (!STR_IN(str_of(tool), our_tools))
        return false;
    AUTO(arena) a = arena_new();
    AUTO(json_t) result = offline_result_json(r);
    const json_t *reminder = json_object_get(result, "reminder");
    struct str problem = llm_json_str(result, "error");
    if (problem.len && strcmp(tool, "cancel_reminder") == 0) { /* it has been deleted meanwhile */
        offline_say(out, "offline.no_such_reminder");
    } else if (problem.len) {
        offline_say_failed(out, problem);
    } else if (strcmp(tool, "list_reminders") == 0) {
        struct asked asked = asked_of(r, a, offline_asked(r));
        answer_list(&asked, result, out);
    } else if (strcmp(tool, "cancel_reminder") == 0) {
        say(out, "offline.ask_delete_reminder", reminder, true);
    } else {
        bool schedule = strcmp(tool, "set_schedule") == 0, asks = offline_waits(result);
        static const char *const keys[2][2] = {{"offline.reminder_set", "offline.ask_reminder"},
            {"offline.schedule_set", "offline.ask_schedule"}};
        say(out, keys[schedule][asks], reminder, asks);
    }
    return true;
}

bool offline_reminder_unclear(const struct llm_request *r, struct offline_step *out)
{
    const struct llm_message *last = &r->messages[r->messages_n - 1];
    if (last->role != LLM_USER || !offline_offers(r, "set_reminder") || !is_unclear(offline_bare(last->text)))
        return false;
    offline_say(out, "offline.reminder_unclear");
    return true;
}

bool offline_reminders(const struct llm_request *r, struct offline_step *out)
{
    if (r->messages[r->messages_n - 1].role == LLM_TOOL)
        return answer(r, offline_result_tool(r), out);
    return begin(r, out);
}
