/*
 * Memory rules of the offline model: "remember that ...", "what do you remember about ...", "forget ...". It
 * calls the same tools as other models, and its answers are made from their results. Forgetting takes two
 * steps: it searches the fact, then calls for its removal, and Alfred asks the user to confirm. "Forget that"
 * needs no search, because the tool knows the focus of the session.
 */
#include "llm/offline/offline_memory.h"

#include "codec/markdown/markdown.h"
#include "codec/words/ordinal_reference.h"
#include "llm/internal.h"
#include "llm/offline/offline_search.h"

#define TOP_K 20 /* the most that the tool finds */

enum intent { NO_INTENT, TO_REMEMBER, TO_RECALL, TO_FORGET };

static const struct {
    const char *begin; /* lower case; the subject follows */
    enum intent intent;
} phrases[] = {
    {"remember that ", TO_REMEMBER},
    {"remember: ", TO_REMEMBER},
    {"remember this: ", TO_REMEMBER},
    {"remember, ", TO_REMEMBER},
    {"remember my ", TO_REMEMBER},
    {"remember i ", TO_REMEMBER},
    {"note that ", TO_REMEMBER},
    {"keep in mind that ", TO_REMEMBER},
    {"don't forget that ", TO_REMEMBER},
    {"merk dir, dass ", TO_REMEMBER},
    {"merk dir bitte, dass ", TO_REMEMBER},
    {"merk dir bitte dass ", TO_REMEMBER},
    {"merk dir bitte: ", TO_REMEMBER},
    {"merk dir dass ", TO_REMEMBER},
    {"merk dir: ", TO_REMEMBER},
    {"merke dir, dass ", TO_REMEMBER},
    {"merke dir bitte, dass ", TO_REMEMBER},
    {"merke dir dass ", TO_REMEMBER},
    {"merke dir: ", TO_REMEMBER},
    {"what do you remember", TO_RECALL},
    {"what do you know", TO_RECALL},
    {"what have you remembered", TO_RECALL},
    {"what did i ask you to remember", TO_RECALL},
    {"was weißt du", TO_RECALL},
    {"was hast du dir gemerkt", TO_RECALL},
    {"was solltest du dir merken", TO_RECALL},
    {"was hast du dir über mich gemerkt", TO_RECALL},
    {"forget that ", TO_FORGET},
    {"forget about ", TO_FORGET},
    {"forget what i said about ", TO_FORGET},
    {"forget what you know about ", TO_FORGET},
    {"forget ", TO_FORGET},
    {"vergiss, dass ", TO_FORGET},
    {"vergiss dass ", TO_FORGET},
    {"vergiss das mit ", TO_FORGET},
    {"vergiss ", TO_FORGET},
};

static enum intent intent_of(struct str text, struct str *subject)
{
    struct str s = offline_bare(text);
    for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
        if (!offline_begins(s, phrases[i].begin, subject))
            continue;
        if (strcmp(phrases[i].begin, "remember my ") == 0 || strcmp(phrases[i].begin, "remember i ") == 0)
            offline_begins(s, "remember ", subject);
        if (phrases[i].intent == TO_RECALL) {
            static const char *const user[] = {"me", "mich"};
            if (!offline_begins(*subject, "about ", subject))
                offline_begins(*subject, "über ", subject);
            if (STR_IN_NOCASE(*subject, user))
                *subject = STR("");
            return TO_RECALL;
        }
        return subject->len ? phrases[i].intent : NO_INTENT;
    }
    return NO_INTENT;
}

static void say_quoted(struct offline_step *out, const char *key, struct str text)
{
    offline_say(out, key);
    offline_quote(out, text);
}

static void say_remembered(struct offline_step *out, const json_t *result)
{
    const json_t *m = json_object_get(result, "memory");
    struct str new = llm_json_str(result, "new_text");
    if (offline_waits(result)) {
        say_quoted(
            out, new.len ? "offline.ask_change_fact" : "offline.ask_remember", llm_json_str(m, "text"));
        if (new.len) {
            strbuf_addc(out->answer, '\n');
            say_quoted(out, "offline.change_to", new);
        }
        return;
    }
    say_quoted(out,
        json_is_true(json_object_get(result, "known_before")) ? "offline.known_before" : "offline.remembered",
        llm_json_str(m, "text"));
    if (json_is_null(json_object_get(m, "expires")))
        return;
    strbuf_addc(out->answer, '\n');
    offline_say(out, "offline.kept_90_days");
    strbuf_addc(out->answer, '\n');
}

/* Searches for the subject, or for all facts when it is empty. */
static void call_search(struct offline_step *out, struct str subject)
{
    offline_call(out, "search_memories", "query", subject);
    strbuf_truncate(out->args, out->args->len - 1);
    strbuf_addf(out->args, ",\"top_k\":%d}", TOP_K);
}

static void say_found(struct offline_step *out, const json_t *list, struct str subject)
{
    if (json_array_size(list) == 0) {
        offline_say(out, subject.len ? "offline.no_such_fact" : "offline.no_facts");
        return;
    }
    offline_say(out, "offline.facts");
    strbuf_adds(out->answer, "\n\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        strbuf_addf(out->answer, "%zu. ", i + 1); /* allows "the second one" */
        markdown_add_text(out->answer, llm_json_str(json_array_get(list, i), "text"));
        strbuf_addc(out->answer, '\n');
    }
    if (json_array_size(list) < TOP_K)
        return;
    strbuf_addc(out->answer, '\n');
    offline_say(out, "offline.more_facts");
    strbuf_addc(out->answer, '\n');
}

static void answer_result(const struct llm_request *r, const char *tool, struct offline_step *out)
{
    AUTO(json_t) result = offline_result_json(r);
    struct str problem = llm_json_str(result, "error"), subject = STR("");
    enum intent intent = intent_of(offline_asked(r), &subject);
    bool points = intent == TO_FORGET && ordinal_reference_of(subject).kind != REFERENCE_NONE;
    const json_t *list = json_object_get(result, "memories");
    struct str first = llm_json_str(json_array_get(list, 0), "id");
    if (problem.len && points && strcmp(tool, "forget") == 0 && offline_results_count(r) == 1) {
        call_search(out, STR("")); /* lists the memories */
    } else if (problem.len) {
        offline_say_failed(out, problem);
    } else if (strcmp(tool, "remember") == 0) {
        say_remembered(out, result);
    } else if (strcmp(tool, "search_memories") == 0 && points) {
        if (first.len) {
            offline_say(out, "offline.which_fact");
            strbuf_addc(out->answer, ' ');
        }
        say_found(out, list, STR(""));
    } else if (strcmp(tool, "search_memories") == 0 && intent == TO_FORGET && first.len) {
        offline_call(out, "forget", "id", first);
    } else if (strcmp(tool, "search_memories") == 0 && json_array_size(list) == 0 && intent == TO_RECALL &&
               subject.len && offline_offers(r, OFFLINE_SEARCH_TOOL)) {
        offline_call(out, OFFLINE_SEARCH_TOOL, "query", subject); /* maybe it was said but not stored */
    } else if (strcmp(tool, "search_memories") == 0) {
        say_found(out, list, subject);
    } else {
        say_quoted(out, "offline.ask_forget", llm_json_str(json_object_get(result, "memory"), "text"));
    }
}

static bool is_ours(const char *tool)
{
    return strcmp(tool, "remember") == 0 || strcmp(tool, "search_memories") == 0 ||
           strcmp(tool, "forget") == 0;
}

bool offline_memory(const struct llm_request *r, struct offline_step *out)
{
    const struct llm_message *last = &r->messages[r->messages_n - 1];
    struct str subject = STR("");
    if (last->role == LLM_TOOL) {
        const char *tool = offline_result_tool(r);
        if (is_ours(tool))
            answer_result(r, tool, out);
        return is_ours(tool);
    }
    static const char *const everything[] = {
        "everything", "it all", "all", "all my facts", "alles", "alle fakten", "alle meine fakten"};
    enum intent intent = intent_of(last->text, &subject);
    if (intent == NO_INTENT || !offline_offers(r, intent == TO_REMEMBER ? "remember" : "search_memories"))
        return false;
    if (intent == TO_FORGET && STR_IN_NOCASE(subject, everything))
        offline_say(out, "offline.forget_all");
    else if (intent == TO_REMEMBER)
        offline_call(out, "remember", "text", subject);
    else if (intent == TO_FORGET && ordinal_reference_of(subject).kind != REFERENCE_NONE)
        offline_call(out, "forget", "id", subject);
    else
        call_search(out, subject);
    return true;
}
