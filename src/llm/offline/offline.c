/*
 * The built-in model, used when no model is connected: rules, no network, no weights. It answers questions
 * about the time. It answers other questions from stored facts and from earlier messages, through the same
 * tools as other models. To other messages it says what it is and how to connect a model. It never pretends
 * to have understood.
 *
 * Its text is sent in small pieces with a short pause between them, so that the turn log, the live view and
 * Stop work as with a real provider.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/humanize.h"
#include "base/time_zone.h"
#include "base/utf8.h"
#include "codec/web_address.h"
#include "llm/internal.h"
#include "llm/offline/offline_facts.h"
#include "llm/offline/offline_memory.h"
#include "llm/offline/offline_reminders.h"
#include "llm/offline/offline_search.h"
#include "llm/offline/offline_tasks.h"
#include "llm/offline/offline_workspace.h"

#define PIECE_BYTES 28
#define PACE_MS     6
#define ANSWER_MAX  4096
#define ASKED_MAX   512 /* longer messages ask for more than the time */
#define TIME_TOOL   "current_time"
#define PAGE_TOOL   "read_page"
#define PAGE_WORDS  8 /* a longer message says more than to read its address */

struct offline {
    struct llm_call *call;
    struct loop_timer *timer;
    struct strbuf answer;
    size_t at;
    const char *tool; /* the tool to call; NULL: an answer */
    struct strbuf args;
    char call_id[16];
};

/* ---- questions ---- */

/* Normalises to " what time is it ": lower-case words between single blanks, so that strstr() finds
 * phrases. */
static void add_words(struct strbuf *out, struct str text)
{
    strbuf_addc(out, ' ');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.s[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
        if (word)
            strbuf_addc(out, c);
        else if (c != '\'' && out->s[out->len - 1] != ' ') /* "what's" becomes "whats" */
            strbuf_addc(out, ' ');
    }
    if (out->s[out->len - 1] != ' ')
        strbuf_addc(out, ' ');
}

static bool has_any(const char *words, const char *const *phrases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(words, phrases[i]))
            return true;
    return false;
}

enum asked { SOMETHING, THE_TIME, A_GREETING, THANKS, ABILITIES, THE_PAST, A_PAGE };

static bool is_about_a_page(struct str text)
{
    size_t words = 0;
    for (size_t i = 0; i < text.len; i++)
        words += !str_is_space(text.s[i]) && (i == 0 || str_is_space(text.s[i - 1]));
    return words <= PAGE_WORDS && web_address_any(text);
}

static enum asked what_was_asked(struct str text)
{
    static const char *const time_words[] = {" what time is it ", " what is the time ", " whats the time ",
        " current time ", " tell me the time ", " what date ", " what is the date ", " whats the date ",
        " todays date ", " current date ", " what day is ", " which day is ", " date is it ", " time is it ",
        " what is todays ", " date and time ", " wie spät ist es ", " welches datum ", " welcher tag ist "};
    /* "what time is it in Tokyo", "what day is it tomorrow" */
    static const char *const other_times[] = {
        " in ", " tomorrow ", " yesterday ", " ist morgen ", " gestern "};
    static const char *const greetings[] = {" hello ", " hi ", " hey ", " good morning ", " good afternoon ",
        " good evening ", " hallo ", " moin ", " guten ", " servus ", " bonjour ", " hola ", " ciao "};
    static const char *const thanks[] = {
        " thank you ", " thanks ", " thx ", " danke ", " merci ", " gracias "};
    static const char *const abilities[] = {" what can you do ", " what can i do with you ",
        " what can you help ", " how can you help ", " what are you able to do ", " was kannst du "};
    if (text.len > ASKED_MAX)
        return SOMETHING;
    if (is_about_a_page(text))
        return A_PAGE;
    AUTO_STRBUF words;
    strbuf_init(&words, ASKED_MAX + 2);
    add_words(&words, text);
    bool now = !has_any(words.s, other_times, ARRAY_LEN(other_times));
    if ((now && has_any(words.s, time_words, ARRAY_LEN(time_words))) || strcmp(words.s, " time ") == 0 ||
        strcmp(words.s, " date ") == 0 || strcmp(words.s, " the time please ") == 0)
        return THE_TIME;
    if (has_any(words.s, abilities, ARRAY_LEN(abilities)) || strcmp(words.s, " help ") == 0 ||
        strcmp(words.s, " hilfe ") == 0)
        return ABILITIES;
    if (offline_is_question(words.s, text))
        return THE_PAST;
    size_t blanks = 0;
    for (const char *p = words.s; *p; p++)
        blanks += *p == ' ';
    if (blanks > 5) /* more than four words are more than a greeting */
        return SOMETHING;
    if (STR_STARTS_IN(strbuf_str(&words), greetings))
        return A_GREETING;
    return STR_STARTS_IN(strbuf_str(&words), thanks) ? THANKS : SOMETHING;
}

/* ---- answers ---- */

/* "14:46 on Friday, 20 November 2026 (CET)" */
static void say_time(struct offline_step *out, const char *key, const struct tm *tm, struct str zone)
{
    AUTO(arena) a = arena_new();
    const char *clock = arena_printf(a, "%02d:%02d", tm->tm_hour, tm->tm_min);
    const char *time = lang_fill(a, out->lang, "offline.clock",
        LANG_ARGS({"time", clock}, {"day", humanize_day(a, out->lang, tm, WITH_YEAR)}));
    if (zone.len)
        time = arena_printf(a, "%s (%.*s)", time, (int)zone.len, zone.s);
    lang_add(out->answer, out->lang, key, LANG_ARGS({"time", time}));
}

/* The tool's "local" is an RFC 3339 time. A result without it is not interpreted. */
static void say_tool_time(struct offline_step *out, const json_t *result)
{
    struct tm tm = {0};
    struct str local = llm_json_str(result, "local");
    if (local.len && strptime(local.s, "%Y-%m-%dT%H:%M", &tm))
        say_time(out, "offline.looked_at_clock", &tm, llm_json_str(result, "zone"));
    else
        offline_say(out, "offline.no_time");
}

static bool has_answered_before(const struct llm_request *r)
{
    for (size_t i = 0; i < r->messages_n; i++)
        if (r->messages[i].role == LLM_ASSISTANT)
            return true;
    return false;
}

static void say_line(struct offline_step *out, const char *key)
{
    strbuf_adds(out->answer, "- ");
    offline_say(out, key);
    strbuf_addc(out->answer, '\n');
}

static void say_how_to_connect(struct offline_step *out)
{
    static const char *const ways[] = {
        "offline.connect_key", "offline.connect_ollama", "offline.connect_provider"};
    offline_say(out, "offline.connect");
    strbuf_adds(out->answer, "\n\n");
    for (size_t i = 0; i < ARRAY_LEN(ways); i++)
        say_line(out, ways[i]);
}

/* Abilities that need a tool. A temporary chat and some personas have no tools. */
static const struct {
    const char *tool, *key;
} abilities[] = {{"remember", "offline.can_remember"}, {"add_task", "offline.can_keep_list"},
    {"set_reminder", "offline.can_remind"}, {OFFLINE_SEARCH_TOOL, "offline.can_search"}};

static size_t abilities_offered(const struct llm_request *r)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(abilities); i++)
        n += offline_offers(r, abilities[i].tool);
    return n;
}

static void say_abilities(struct offline_step *out, const struct llm_request *r)
{
    offline_say(out, "offline.abilities");
    strbuf_adds(out->answer, "\n\n");
    for (size_t i = 0; i < ARRAY_LEN(abilities); i++)
        if (offline_offers(r, abilities[i].tool))
            say_line(out, abilities[i].key);
    say_line(out, "offline.can_tell_time");
    strbuf_addc(out->answer, '\n');
    offline_say(out, "offline.with_model");
    strbuf_adds(out->answer, "\n\n");
    say_how_to_connect(out);
}

static void say_cannot_read(struct offline_step *out, const struct llm_request *r)
{
    offline_say(out, "offline.cannot_read_page");
    if (!r->web_off && !offline_offers(r, PAGE_TOOL))
        return;
    strbuf_addc(out->answer, ' ');
    offline_say(out, r->web_off ? "offline.web_off" : "offline.model_reads_page");
}

static void say_answer(struct offline_step *out, enum asked asked, const struct llm_request *r)
{
    bool again = has_answered_before(r);
    time_t now = (time_t)(r->now_ms / MS_PER_S);
    struct tm tm;
    switch (asked) {
    case THE_TIME:
        gmtime_r(&now, &tm);
        say_time(out, r->zone ? "offline.time" : "offline.time_of_server", &tm, str_of(r->zone_name));
        return;
    case THANKS: offline_say(out, "offline.thanks"); return;
    case ABILITIES: say_abilities(out, r); return;
    case A_GREETING: offline_say(out, "offline.greeting"); break;
    case A_PAGE: say_cannot_read(out, r); break;
    case SOMETHING:
    case THE_PAST: offline_say(out, again ? "offline.still_cannot" : "offline.cannot"); break;
    }
    strbuf_addc(out->answer, ' ');
    size_t able = abilities_offered(r);
    offline_say(out, again || able < ARRAY_LEN(abilities) ? "offline.kept" : "offline.kept_and_can");
    if (able == 0) {
        strbuf_addc(out->answer, ' ');
        offline_say(out, "offline.no_tools");
    }
    strbuf_adds(out->answer, "\n\n");
    say_how_to_connect(out);
}

/* ---- stream ---- */

/* Up to the end of a word near PIECE_BYTES, never inside a character. */
static size_t piece_length(struct str rest)
{
    if (rest.len <= PIECE_BYTES)
        return rest.len;
    for (size_t n = PIECE_BYTES; n > PIECE_BYTES / 2; n--)
        if (rest.s[n - 1] == ' ')
            return n;
    return utf8_cut_bytes(rest, PIECE_BYTES);
}

static void on_tick(void *arg)
{
    struct offline *o = arg;
    struct llm_call *c = o->call;
    llm_enter(c);
    struct str rest = {o->answer.s + o->at, o->answer.len - o->at};
    if (o->tool) {
        llm_emit_call(c, &(struct llm_tool_call){o->call_id, o->tool, o->args.s});
        llm_emit_end(c, LLM_STOP_TOOLS);
    } else if (rest.len == 0) {
        llm_emit_end(c, LLM_STOP_DONE);
    } else {
        rest.len = piece_length(rest);
        o->at += rest.len;
        loop_timer_set(o->timer, PACE_MS);
        llm_emit_text(c, LLM_TEXT, rest);
    }
    llm_leave(c);
}

/* The facts that fit, then what a search has found: in other sessions, else in this conversation. */
static void answer_result(struct offline_step *out, const struct llm_request *r)
{
    AUTO(json_t) result = offline_result_json(r);
    const char *tool = offline_result_tool(r);
    bool here = strcmp(tool, OFFLINE_SEARCH_HERE_TOOL) == 0;
    if (!here && strcmp(tool, OFFLINE_SEARCH_TOOL) != 0) {
        say_tool_time(out, result);
        return;
    }
    bool remembered = offline_add_facts(out, r) != FACTS_NONE;
    if (remembered)
        strbuf_addc(out->answer, '\n');
    if (here ? offline_add_found_here(out, result) : offline_add_found(out, result))
        return;
    if (!here && offline_offers(r, OFFLINE_SEARCH_HERE_TOOL) &&
        offline_call_search_here(out, offline_asked(r)))
        return;
    if (!remembered) {
        offline_say(out, here ? "offline.found_nothing_here" : "offline.found_nothing");
        strbuf_addc(out->answer, ' ');
        say_answer(out, THE_PAST, r);
    }
}

static void answer_question(struct offline_step *out, const struct llm_request *r)
{
    struct str text = r->messages[r->messages_n - 1].text;
    enum asked asked = what_was_asked(text);
    enum offline_fit fit = asked == THE_PAST ? offline_add_facts(out, r) : FACTS_NONE;
    bool searches = asked == THE_PAST && fit != FACTS_WHOLE && offline_offers(r, OFFLINE_SEARCH_TOOL);
    if (asked == THE_TIME && offline_offers(r, TIME_TOOL)) {
        *out->tool = TIME_TOOL;
        strbuf_adds(out->args, "{}");
    } else if (searches) { /* the facts come with the result */
        strbuf_clear(out->answer);
        *out->tool = OFFLINE_SEARCH_TOOL;
        offline_search_args(out->args, text);
    } else if (fit == FACTS_NONE) {
        say_answer(out, asked, r);
    }
}

/* From here on now_ms is what the user's clock shows, as if it were UTC. */
static struct llm_request with_users_clock(const struct llm_request *r)
{
    struct llm_request copy = *r;
    copy.now_ms = time_zone_wall(r->zone, r->now_ms);
    if (!r->zone)
        copy.zone_name = time_zone_local(NULL, r->now_ms).tm_zone;
    return copy;
}

static enum rc start(
    struct llm_provider *p, const struct llm_request *asked, struct llm_call *call, struct err *e)
{
    if (asked->messages_n == 0)
        return err_set(e, RC_BAD_INPUT, "a request without messages");
    const struct llm_request users = with_users_clock(asked), *r = &users;
    struct offline *o = xcalloc(1, sizeof *o);
    const struct llm_message *last = &r->messages[r->messages_n - 1];
    o->call = call;
    strbuf_init(&o->answer, ANSWER_MAX);
    strbuf_init(&o->args, LLM_TOOL_ARGS_MAX);
    /* each call of a turn needs its own id */
    snprintf(o->call_id, sizeof o->call_id, "call_%zu", offline_results_count(r) + 1);
    struct offline_step next = {
        &o->tool, &o->args, &o->answer, r->lang ? r->lang : lang_english(), asked->now_ms, asked->zone};
    if (offline_reminders(r, &next) || offline_tasks(r, &next) || offline_memory(r, &next) ||
        offline_workspace(r, &next) || offline_reminder_unclear(r, &next))
        ; /* a rule has written it */
    else if (last->role == LLM_TOOL)
        answer_result(&next, r);
    else
        answer_question(&next, r);
    o->timer = loop_timer_new(p->loop, on_tick, o);
    loop_timer_set(o->timer, 0);
    call->state = o;
    return RC_OK;
}

static void cancel(struct llm_call *call)
{
    struct offline *o = call->state;
    call->state = NULL;
    loop_timer_free(o->timer);
    strbuf_release(&o->answer);
    strbuf_release(&o->args);
    free(o);
}

const struct llm_ops llm_offline_ops = {"offline", start, cancel};
