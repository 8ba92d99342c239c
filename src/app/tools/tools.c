#include "app/tools/tools_private.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/config/config.h"
#include "app/context/context.h"
#include "app/drawing/drawing.h"
#include "app/mcp/remote_call.h"
#include "app/python/python.h"
#include "app/suggestion/permission.h"
#include "app/web_fetch/web_fetch.h"
#include "base/clock.h"
#include "codec/json/schema.h"

#define SCHEMA_MAX ((size_t)8 * 1024)

const char *tool_local_time(struct arena *a, const struct time_zone *zone, int64_t at)
{
    char local[32], offset[8];
    struct tm tm = time_zone_local(zone, at);
    strftime(local, sizeof local, "%Y-%m-%dT%H:%M:%S", &tm);
    strftime(offset, sizeof offset, "%z", &tm);
    return arena_printf(a, "%s%.3s:%s", local, offset, offset + 3);
}

static enum rc current_time(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    (void)args;
    (void)e;
    char utc[CLOCK_RFC3339_SIZE], weekday[16];
    struct tm tm = time_zone_local(c->zone, c->now);
    clock_rfc3339(c->now, utc);
    strftime(weekday, sizeof weekday, "%A", &tm);
    view_text(result, "utc", utc);
    view_text(result, "local", tool_local_time(a, c->zone, c->now));
    view_text(result, "zone", c->zone ? c->zone_name : tm.tm_zone);
    view_text(result, "weekday", weekday);
    return RC_OK;
}

static const struct tool clock_tools[] = {
    {{"current_time", "The current date, weekday and time, in UTC and in the user's time zone.",
         TOOL_OBJECT("", "")},
        {"tool.clock", "clock", NULL}, current_time, false, TOOL_READS},
};
static const struct tool_group tools_clock = {clock_tools, ARRAY_LEN(clock_tools), TOOL_SET_OTHER};

/* The most important groups come first: tools_offered() omits groups at the end. */
static const struct tool_group *const groups[] = {&tools_files, &tools_clock, &tools_pages, &tools_web_search,
    &tools_find_sessions, &tools_memory, &tools_tasks, &tools_reminders, &tools_drawing, &tools_python,
    &tools_this_session, &tools_context};

static bool is_denied(const struct tool_group *g, const struct tool *t, unsigned denied)
{
    return (g->set & denied) || (t->effect == TOOL_CHANGES && (denied & TOOL_SET_CHANGES));
}

/* Returns 0 when the group does not fit. */
static size_t offer(const struct tool_group *g, unsigned denied, int64_t *room, struct llm_tool *to)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        if (!is_denied(g, &g->tools[i], denied)) {
            to[n] = g->tools[i].offer;
            *room -= context_tool_tokens(&to[n++]);
        }
    return *room < 0 ? 0 : n;
}

enum rc tool_sets_denied(const char *words, unsigned *out, struct err *e)
{
    static const struct {
        const char *word;
        enum tool_set set;
    } sets[] = {{"memory", TOOL_SET_MEMORY}, {"tasks", TOOL_SET_TASKS}, {"sessions", TOOL_SET_SESSIONS},
        {"connected", TOOL_SET_CONNECTED}};
    *out = 0;
    if (!words)
        return RC_OK;
    *out = TOOL_SET_ALL;
    for (struct str rest = str_of(words); rest.len;) {
        struct str word = str_cut(&rest, ' ');
        size_t i = 0;
        while (i < ARRAY_LEN(sets) && !str_is(word, sets[i].word))
            i++;
        if (word.len && i == ARRAY_LEN(sets))
            return err_tell(
                e, RC_BAD_INPUT, "\"tools\" takes the words memory, tasks, sessions and connected.");
        if (word.len)
            *out &= ~(unsigned)(sets[i].set | TOOL_SET_OTHER);
    }
    return RC_OK;
}

unsigned tool_web_denied(const struct config *c)
{
    unsigned denied = c->web.pages == CONFIG_NO ? TOOL_SET_PAGES : 0;
    return denied | (*c->web.search_url ? 0 : TOOL_SET_SEARCH);
}

unsigned tool_drawing_denied(const struct config *c)
{
    return drawing_configured(c) ? 0 : TOOL_SET_DRAWING;
}

unsigned tool_python_denied(const struct config *c)
{
    return python_configured(c) ? 0 : TOOL_SET_PYTHON;
}

struct llm_tool *tools_offered(struct arena *a, int64_t window, size_t *n)
{
    return tools_offered_without(
        a, window, TOOL_SET_FILES | TOOL_SET_WEB | TOOL_SET_DRAWING | TOOL_SET_PYTHON, n);
}

struct llm_tool *tools_offered_without(struct arena *a, int64_t window, unsigned denied, size_t *n)
{
    return tools_offered_with(a, window, denied, NULL, n);
}

static bool is_denied_connected(const struct connected_tool *t, unsigned denied)
{
    return (denied & TOOL_SET_CONNECTED) || (!t->reads && (denied & TOOL_SET_CHANGES));
}

struct llm_tool *tools_offered_with(
    struct arena *a, int64_t window, unsigned denied, const struct connected_tools *connected, size_t *n)
{
    size_t all = connected ? connected->n : 0;
    int64_t room = window / CONTEXT_SHARE_TOOLS;
    for (size_t g = 0; g < ARRAY_LEN(groups); g++)
        all += groups[g]->n;
    struct llm_tool *list = ARENA_ARRAY(a, struct llm_tool, all);
    *n = 0;
    for (size_t g = 0; g < ARRAY_LEN(groups) && room >= 0; g++)
        *n += offer(groups[g], denied, &room, &list[*n]);
    for (size_t i = 0; connected && i < connected->n; i++) {
        const struct connected_tool *t = &connected->list[i];
        if (is_denied_connected(t, denied))
            continue;
        room -= context_tool_tokens(&t->offer);
        if (room < 0 || *n == TOOLS_OFFERED_MAX)
            break;
        list[(*n)++] = t->offer;
    }
    return list;
}

/* Models put a namespace before a name, such as "default_api.current_time". */
static const char *without_namespace(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

const struct connected_tool *tool_connected(const struct connected_tools *connected, const char *name)
{
    return connected_find(connected, without_namespace(name));
}

static const struct tool *find_within(const char *name, unsigned denied)
{
    name = without_namespace(name);
    for (size_t g = 0; g < ARRAY_LEN(groups); g++)
        for (size_t i = 0; i < groups[g]->n; i++)
            if (strcmp(groups[g]->tools[i].offer.name, name) == 0 &&
                !is_denied(groups[g], &groups[g]->tools[i], denied))
                return &groups[g]->tools[i];
    return NULL;
}

static const struct tool *find(const char *name)
{
    return find_within(name, 0);
}

bool tool_is_own(const char *name)
{
    return find(name) != NULL;
}

struct tool_look tool_look(const char *name)
{
    const struct tool *t = find(name);
    return t ? t->look : (struct tool_look){NULL, "tool", NULL};
}

bool tool_failed(struct str result)
{
    return str_starts(result, STR("{\"error\":"));
}

bool tool_is_untrusted(const char *name)
{
    const struct tool *t = find(name);
    return t && t->untrusted;
}

bool tool_only_reads(const char *name)
{
    const struct tool *t = find(name);
    return t && t->effect == TOOL_READS;
}

static enum rc check_args(const struct tool *t, json_t *args, struct err *e)
{
    AUTO(json_t) schema = NULL;
    enum rc rc = json_parse(str_of(t->offer.schema), SCHEMA_MAX, &schema, e);
    if (rc != RC_OK)
        return rc;
    tool_args_put_right(schema, args);
    return schema_check(schema, args, e);
}

static const struct connected_tool *connected_of(const struct tool_context *c, const char *name)
{
    const struct connected_tool *t = tool_connected(c->connected, name);
    return t && !is_denied_connected(t, c->denied) ? t : NULL;
}

static enum rc run(const struct tool_context *c, const struct llm_tool_call *call, struct arena *a,
    struct view *result, struct err *e)
{
    const struct tool *t = find_within(call->name, c->denied);
    const struct connected_tool *remote = t ? NULL : connected_of(c, call->name);
    if (!t && !remote)
        return err_tell(e, RC_NOT_FOUND, "There is no tool with this name.");
    AUTO(json_t) args = NULL;
    struct str text = str_trim(str_of(call->args));
    enum rc rc = json_parse(text.len ? text : STR("{}"), LLM_TOOL_ARGS_MAX, &args, e);
    if (rc == RC_OK && remote)
        return tool_run_connected(c, remote, args, a, result, e);
    if (rc == RC_OK)
        rc = check_args(t, args, e);
    return rc == RC_OK ? t->run(c, args, a, result, e) : rc;
}

static bool waits(const struct tool_context *c)
{
    return (c->fetch && awaited_waits(&c->fetch->awaited)) ||
           (c->permission && awaited_waits(&c->permission->awaited)) ||
           (c->remote && awaited_waits(&c->remote->awaited)) ||
           (c->drawing && awaited_waits(&c->drawing->awaited)) ||
           (c->python && awaited_waits(&c->python->awaited));
}

void tool_run(const struct tool_context *c, const struct llm_tool_call *call, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct err e = ERR_INIT;
    struct view *result = view_new(a);
    if (run(c, call, a, result, &e) != RC_OK) {
        result = view_new(a);
        const char *said = err_stored(&e); /* the offline model shows it to the user */
        const struct connected_tool *remote = connected_of(c, call->name);
        view_text(result, "error", said ? said_words(a, tool_lang(c), said) : "The tool failed.");
        if (remote)
            view_text(result, TOOL_FROM, remote->from);
    } else if (waits(c)) {
        return;
    }
    view_json(result, out);
    if (out->failed) { /* a truncated result would be invalid JSON */
        strbuf_clear(out);
        strbuf_adds(out, "{\"error\":\"The tool ran, but its result is too large. Ask for less.\"}");
    }
}
