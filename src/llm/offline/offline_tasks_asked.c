/* Reads the sentences about the to-do list that offline_tasks.c answers. */
#include "llm/offline/offline_tasks_private.h"

#include <stdio.h>

#include "base/clock.h"
#include "codec/when/when.h"
#include "codec/words/ordinal_reference.h"
#include "codec/words/tokenizer.h"
#include "llm/offline/offline_words.h"

#define LIST_WORDS_MAX 10 /* a longer sentence asks for more than the list */

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

/* Moves the time of a new task out of its words: the day becomes `due`. An hour or a repetition stays in the
 * words, because a task of this tool has a day only. False: there is no time, or nothing else. */
static bool is_dated(struct arena *a, struct str s, int64_t now_ms, struct asked *out, struct str *rest)
{
    struct when w;
    int64_t midnight = now_ms - now_ms % MS_PER_DAY; /* a day includes the rest of today */
    if (!when_find(a, s, midnight, &w, rest) || !rest->len)
        return false;
    if (w.has_hour)
        when_find(a, s, now_ms, &w, rest);
    if (w.has_hour || w.rule[0])
        *rest = s;
    snprintf(out->due, sizeof out->due, "%.*s", OFFLINE_DAY_SIZE - 1, w.start);
    return true;
}

/* Reads "remind me on Monday to call". In "remind me what I said on Monday" the time is part of the subject.
 */
static bool is_dated_first(struct arena *a, struct str s, int64_t now_ms, struct asked *out)
{
    struct str said, rest;
    if ((!offline_begins(s, "remind me ", &said) && !offline_begins(s, "erinnere mich ", &said)) ||
        !is_dated(a, said, now_ms, out, &rest) || rest.len >= said.len)
        return false;
    out->subject = (struct str){said.s + said.len - rest.len, rest.len};
    return str_eq(out->subject, rest);
}

/* Reads the sentence of a new task without its time. */
static bool names_new(struct str s, struct str *subject)
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
        {"füge ", " zu meiner liste hinzu"},
        {"füge ", " meiner liste hinzu"},
        {"setz ", " auf meine liste"},
        {"setze ", " auf die liste"},
        {"setz ", " auf die liste"},
        {"schreibe ", " auf meine liste"},
        {"schreib ", " auf meine liste"},
        {"setze ", " auf meine aufgabenliste"},
        {"setz ", " auf meine aufgabenliste"},
        {"schreibe ", " auf meine aufgabenliste"},
        {"schreib ", " auf meine aufgabenliste"},
        {"füge ", " zu meiner aufgabenliste hinzu"},
        {"füge ", " meiner aufgabenliste hinzu"},
        {"erinnere mich daran, ", ""},
        {"erinnere mich daran ", ""},
    };
    if (offline_begins(s, "erinnere mich an ", &s)) {
        *subject = when_noun(s);
        return s.len > 0;
    }
    return fits(s, forms, ARRAY_LEN(forms), subject);
}

static bool is_add(struct arena *a, struct str s, int64_t now_ms, struct asked *out)
{
    static const struct affix dated[] = {{"remind me about ", ""}, {"remind me of ", ""}};
    struct str rest;
    if (names_new(s, &out->subject)) {
        if (is_dated(a, out->subject, now_ms, out, &rest))
            out->subject = rest;
        return true;
    }
    if (fits(s, dated, ARRAY_LEN(dated), &out->subject) && is_dated(a, out->subject, now_ms, out, &rest)) {
        out->subject = rest;
        return true;
    }
    if (is_dated_first(a, s, now_ms, out))
        return true;
    return is_dated(a, s, now_ms, out, &rest) && /* "add eggs to my list by Friday" */
           names_new(rest, &out->subject);
}

/* True for a question about the list, without other words. */
static bool is_list(struct str s, struct asked *out)
{
    static const char *const words[] = {"what", "whats", "s", "is", "are", "on", "in", "of", "my", "the",
        "show", "list", "lists", "give", "see", "me", "all", "open", "done", "completed", "finished", "have",
        "i", "there", "still", "left", "task", "tasks", "todo", "todos", "to", "do", "due", "which", "any",
        "today", "tomorrow", "was", "steht", "auf", "meiner", "meine", "der", "die", "liste", "aufgaben",
        "aufgabenliste", "zeige", "zeig", "mir", "alle", "offenen", "erledigten", "welche", "habe", "ich",
        "noch", "heute", "zu", "tun", "sind"};
    static const char *const nouns[] = {"task", "tasks", "todo", "todos", "due", "aufgaben", "tun"};
    static const char *const lists[] = {"list", "liste", "aufgabenliste"},
                             *const owns[] = {"my", "the", "meiner", "meine", "der"},
                             *const dones[] = {"done", "completed", "finished", "erledigten"},
                             *const alls[] = {"all", "alle"};
    struct term t;
    bool noun = false, list = false, own = false, done = false, all = false, to = false;
    size_t n = 0;
    while (term_next(&s, &t)) {
        struct str word = str_of(t.word);
        if (++n > LIST_WORDS_MAX || !STR_IN_NOCASE(word, words))
            return false;
        noun |= STR_IN_NOCASE(word, nouns) || (to && str_is(word, "do"));
        list |= STR_IN_NOCASE(word, lists);
        own |= STR_IN_NOCASE(word, owns);
        done |= STR_IN_NOCASE(word, dones);
        all |= STR_IN_NOCASE(word, alls);
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
        {"", " von meiner aufgabenliste"},
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
        {"erledige ", ""},
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

static bool names_session(struct str s, struct str *subject)
{
    static const char *const articles[] = {"the ", "my ", "den ", "das ", "die ", "meinen ", "meine "};
    static const char *const names[] = {
        "session", "chat", "conversation", "sitzung", "gespräch", "unterhaltung"};
    static const char *const joins[] = {"about ", "on ", "with ", "where ", "über "};
    static const char *const these[] = {
        "this", "that", "the", "the current", "my current", "our", "diesen", "dieses", "diese"};
    struct str rest = s, about;
    for (size_t i = 0; i < ARRAY_LEN(articles); i++)
        if (offline_begins(s, articles[i], &rest))
            break;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (offline_ends(s, names[i], &about) && STR_IN_NOCASE(about, these)) {
            *subject = STR("this");
            return true;
        }
        if (!offline_begins(rest, names[i], &about))
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
    return STR_IN_NOCASE(str_of(offline_last_tool(r)), tools);
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
    if (STR_IN_NOCASE(what, many)) {
        out->intent = TO_DELETE_MANY;
        return true;
    }
    out->intent = TO_DELETE;
    out->subject = what;
    if (names_session(what, &out->subject)) {
        out->intent = TO_DELETE_SESSION;
        return true;
    }
    if (ordinal_reference_of(what).kind != REFERENCE_NONE) {
        struct str rest;
        bool task = offline_ends(what, "task", &rest) || offline_begins(what, "task", &rest);
        if (!task && spoke_of_memory(r))
            out->intent = TO_FORGET_THAT;
        return true;
    }
    return names_task(what, &out->subject);
}

struct asked offline_tasks_asked(const struct llm_request *r, struct arena *a, struct str text)
{
    struct asked out = {.intent = NO_INTENT, .show = "open"};
    struct str s = offline_bare(text);
    if (is_add(a, s, r->now_ms, &out))
        out.intent = TO_ADD;
    else if (is_list(s, &out))
        out.intent = TO_LIST;
    else if (is_complete(s, &out))
        out.intent = TO_COMPLETE;
    else if (!is_delete(r, s, &out))
        out.intent = NO_INTENT;
    out.points = (out.intent == TO_COMPLETE || out.intent == TO_DELETE || out.intent == TO_FORGET_THAT) &&
                 ordinal_reference_of(out.subject).kind != REFERENCE_NONE;
    return out;
}
