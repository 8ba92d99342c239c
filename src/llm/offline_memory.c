/*
 * Memory by rule, for the offline model: "remember that ...", "what do you remember about ...", "forget ...".
 * It asks for the same tools as any other model; what it says is what their results hold. To forget takes two
 * steps: look for the fact, then ask for its removal, which Alfred has the user confirm.
 */
#include "base/utf8.h"
#include "codec/view.h"
#include "llm/internal.h"
#include "llm/offline_memory.h"
#include "llm/offline_search.h"

#define SUBJECT_CHARS_MAX 500 /* what is behind is no longer one thing to remember or look for */

struct offline_step {
    const char **tool;
    struct strbuf *args, *answer;
};

enum wish { NO_WISH, TO_REMEMBER, TO_RECALL, TO_FORGET };

static const struct {
    const char *begin; /* lower case; what follows is the subject */
    enum wish wish;
} phrases[] = {
    {"remember that ", TO_REMEMBER},
    {"remember: ", TO_REMEMBER},
    {"remember this: ", TO_REMEMBER},
    {"remember, ", TO_REMEMBER},
    {"remember my ", TO_REMEMBER},
    {"remember i ", TO_REMEMBER},
    {"note that ", TO_REMEMBER},
    {"what do you remember", TO_RECALL},
    {"what do you know", TO_RECALL},
    {"what have you remembered", TO_RECALL},
    {"forget that ", TO_FORGET},
    {"forget about ", TO_FORGET},
    {"forget what i said about ", TO_FORGET},
    {"forget what you know about ", TO_FORGET},
    {"forget ", TO_FORGET},
};

static struct str without(struct str s, const char *begin)
{
    size_t n = strlen(begin);
    return str_starts_nocase(s, str_of(begin)) ? (struct str){s.s + n, s.len - n} : s;
}

/* The sentence without politeness and final marks. */
static struct str bare(struct str s)
{
    static const char *const openings[] = {
        "hey ", "hi ", "alfred, ", "alfred ", "please ", "can you ", "could you ", "please "};
    s = str_trim(s);
    for (size_t i = 0; i < ARRAY_LEN(openings); i++)
        s = str_trim(without(s, openings[i]));
    while (s.len && strchr(".!?", s.s[s.len - 1]))
        s.len--;
    return str_trim(s);
}

static enum wish wish_of(struct str text, struct str *subject)
{
    struct str s = bare(text);
    for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
        if (!str_starts_nocase(s, str_of(phrases[i].begin)))
            continue;
        bool keeps =
            strcmp(phrases[i].begin, "remember my ") == 0 || strcmp(phrases[i].begin, "remember i ") == 0;
        *subject = str_trim(without(s, keeps ? "remember " : phrases[i].begin));
        if (phrases[i].wish == TO_RECALL) {
            *subject = str_trim(without(*subject, "about "));
            if (str_eq_nocase(*subject, STR("me")) || str_eq_nocase(*subject, STR("about me")))
                *subject = STR("");
            return TO_RECALL;
        }
        return subject->len ? phrases[i].wish : NO_WISH;
    }
    return NO_WISH;
}

static bool offers(const struct llm_request *r, const char *tool)
{
    for (size_t i = 0; i < r->tools_n; i++)
        if (strcmp(r->tools[i].name, tool) == 0)
            return true;
    return false;
}

static void call(struct offline_step *out, const char *tool, const char *key, struct str value)
{
    *out->tool = tool;
    strbuf_clear(out->args);
    strbuf_addf(out->args, "{\"%s\":", key);
    json_add_string(out->args, value);
    strbuf_addc(out->args, '}');
}

/* Text of the user's inside Markdown: signs of it are escaped, line breaks become blanks. */
static void add_quoted(struct strbuf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.s[i];
        if (strchr("\\`*_{}[]<>()#+-.!|~$&", c))
            strbuf_addc(out, '\\');
        strbuf_addc(out, c == '\n' ? ' ' : c);
    }
}

/* Which tool the last message answers. */
static const char *tool_of_result(const struct llm_request *r)
{
    const char *id = r->messages[r->messages_n - 1].call_id;
    for (size_t i = r->messages_n; id && i-- > 0;)
        for (size_t k = 0; k < r->messages[i].calls_n; k++)
            if (strcmp(r->messages[i].calls[k].id, id) == 0)
                return r->messages[i].calls[k].name;
    return "";
}

static struct str asked_by_user(const struct llm_request *r)
{
    for (size_t i = r->messages_n; i-- > 0;)
        if (r->messages[i].role == LLM_USER)
            return r->messages[i].text;
    return STR("");
}

static void say_remembered(struct offline_step *out, const json_t *result)
{
    const json_t *m = json_object_get(result, "memory");
    strbuf_adds(out->answer, json_is_true(json_object_get(result, "known_before"))
                                 ? "I knew that already and keep it as you say it now:\n\n> "
                                 : "I will remember this:\n\n> ");
    add_quoted(out->answer, llm_json_str(m, "text"));
    strbuf_adds(
        out->answer, json_is_null(json_object_get(m, "expires"))
                         ? "\n"
                         : "\n\nI keep it for 90 days. The Memory page shows, changes and deletes it.\n");
}

static void say_found(struct offline_step *out, const json_t *list, struct str subject)
{
    if (json_array_size(list) == 0) {
        strbuf_adds(out->answer, subject.len ? "I remember nothing about that." : "I remember nothing yet.");
        strbuf_adds(out->answer, " Say “remember that …” and I will.");
        return;
    }
    strbuf_adds(out->answer, "This is what I remember:\n\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        strbuf_adds(out->answer, "- ");
        add_quoted(out->answer, llm_json_str(json_array_get(list, i), "text"));
        strbuf_addc(out->answer, '\n');
    }
}

static void answer_result(const struct llm_request *r, const char *tool, struct offline_step *out)
{
    struct str text = r->messages[r->messages_n - 1].text, subject = STR("");
    json_t *result = json_loadb(text.s, text.len, 0, NULL);
    struct str problem = llm_json_str(result, "error");
    enum wish wish = wish_of(asked_by_user(r), &subject);
    const json_t *list = json_object_get(result, "memories");
    struct str first = llm_json_str(json_array_get(list, 0), "id");
    if (problem.len) {
        strbuf_adds(out->answer, "That did not work. ");
        add_quoted(out->answer, problem);
    } else if (strcmp(tool, "remember") == 0) {
        say_remembered(out, result);
    } else if (strcmp(tool, "search_memories") == 0 && wish == TO_FORGET && first.len) {
        call(out, "forget", "id", first);
    } else if (strcmp(tool, "search_memories") == 0 && json_array_size(list) == 0 && wish == TO_RECALL &&
               subject.len && offers(r, OFFLINE_SEARCH_TOOL)) {
        call(out, OFFLINE_SEARCH_TOOL, "query", subject); /* perhaps it was said without being kept */
    } else if (strcmp(tool, "search_memories") == 0) {
        say_found(out, list, subject);
    } else {
        strbuf_adds(out->answer, "Shall I forget this? Say yes or no.\n\n> ");
        add_quoted(out->answer, llm_json_str(json_object_get(result, "memory"), "text"));
        strbuf_addc(out->answer, '\n');
    }
    json_decref(result);
}

static bool is_ours(const char *tool)
{
    return strcmp(tool, "remember") == 0 || strcmp(tool, "search_memories") == 0 ||
           strcmp(tool, "forget") == 0;
}

bool offline_memory(
    const struct llm_request *r, const char **tool_out, struct strbuf *args, struct strbuf *answer)
{
    struct offline_step step = {tool_out, args, answer}, *out = &step;
    const struct llm_message *last = &r->messages[r->messages_n - 1];
    struct str subject = STR("");
    if (last->role == LLM_TOOL) {
        const char *tool = tool_of_result(r);
        if (is_ours(tool))
            answer_result(r, tool, out);
        return is_ours(tool);
    }
    enum wish wish = wish_of(last->text, &subject);
    if (wish == NO_WISH || !offers(r, wish == TO_REMEMBER ? "remember" : "search_memories"))
        return false;
    if (wish == TO_FORGET &&
        (str_eq_nocase(subject, STR("everything")) || str_eq_nocase(subject, STR("it all")))) {
        strbuf_adds(
            out->answer, "To forget everything, use “Forget everything” at the end of the Memory page.");
        return true;
    }
    subject.len = utf8_cut_chars(subject, SUBJECT_CHARS_MAX);
    call(out, wish == TO_REMEMBER ? "remember" : "search_memories", wish == TO_REMEMBER ? "text" : "query",
        subject);
    return true;
}
