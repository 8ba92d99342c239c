/* The labels of calls in words. Two of them name what the call is about: the query of a search, the host of a
 * page. The model chose these words, so they are cut and on one line. That of a connected tool is its `from`,
 * which the result has, so that a conversation keeps it when the server is gone. */
#include "app/tools/tools_private.h"

#include "app/config/hosts.h"
#include "base/humanize.h"
#include "base/utf8.h"
#include "codec/web_address.h"

#define PAGE        "tool.read_page"
#define SUBJECT_MAX 80 /* bytes */
#define CUT         "\u2026"

/* Labels of calls that take time. */
static const struct subject {
    const char *label, *runs;             /* after the call, and while it runs */
    const char *argument;                 /* of the call, with the subject; NULL: it has none */
    const char *name, *with, *with_while; /* its name in the labels with it */
} subjects[] = {
    {PAGE, "tool_runs.read_page", "url", "host", "tool.read_host", "tool_runs.read_host"},
    {"tool.search_web", "tool_runs.search_web", "query", "query", "tool.searched_for",
        "tool_runs.search_for"},
    {"tool.draw", "tool_runs.draw", NULL, NULL, NULL, NULL},
    {"tool.python", "tool_runs.python", NULL, NULL, NULL, NULL},
};

static const struct subject *subject_of(const char *name)
{
    const char *label = name ? tool_look(name).label : NULL;
    for (size_t i = 0; label && i < ARRAY_LEN(subjects); i++)
        if (strcmp(subjects[i].label, label) == 0)
            return &subjects[i];
    return NULL;
}

static const char *shown(struct arena *a, struct str text)
{
    struct str line = humanize_line(a, text, SUBJECT_MAX + UTF8_BYTES_MAX);
    if (line.len <= SUBJECT_MAX)
        return line.s;
    line = utf8_head(line, SUBJECT_MAX);
    return arena_printf(a, "%.*s" CUT, STR_FMT(line));
}

const char *tool_subject(struct arena *a, const char *name, const char *args)
{
    const struct subject *s = subject_of(name);
    struct str text = {0};
    AUTO(json_t) json = NULL;
    if (!s || !s->argument || !args || json_parse(str_of(args), LLM_TOOL_ARGS_MAX, &json, NULL) != RC_OK ||
        !json_get_str(json, s->argument, &text))
        return "";
    if (strcmp(s->label, PAGE) == 0) {
        const char *address = web_address_normal(a, text);
        text = address ? web_address_host(address) : STR("");
    }
    return shown(a, text);
}

const char *tool_code(struct arena *a, const char *name, const char *args)
{
    struct str code;
    AUTO(json_t) json = NULL;
    if (!name || strcmp(name, TOOL_RUN_PYTHON) != 0 ||
        json_parse(str_of(args), LLM_TOOL_ARGS_MAX, &json, NULL) != RC_OK ||
        !json_get_str(json, "code", &code))
        return NULL;
    return arena_str(a, code).s;
}

struct str tool_output(struct arena *a, const char *name, struct str result)
{
    struct str output, ended;
    AUTO(json_t) json = NULL;
    if (!name || strcmp(name, TOOL_RUN_PYTHON) != 0 ||
        json_parse(result, TOOL_RESULT_MAX, &json, NULL) != RC_OK || !json_get_str(json, "output", &output) ||
        !output.len)
        return result;
    const char *line = output.s[output.len - 1] == '\n' ? "" : "\n";
    long long code = json_integer_value(json_object_get(json, "exit_code"));
    if (json_get_str(json, "ended", &ended))
        return str_of(arena_printf(a, "%.*s%s%.*s", STR_FMT(output), line, STR_FMT(ended)));
    return code ? str_of(arena_printf(a, "%.*s%sExit code: %lld", STR_FMT(output), line, code))
                : arena_str(a, output);
}

const char *tool_label(struct arena *a, const struct lang *l, const char *name, const char *subject)
{
    const struct subject *s = *subject ? subject_of(name) : NULL;
    if (s)
        return lang_fill(a, l, s->with, LANG_ARGS({s->name, humanize_isolated(a, subject)}));
    const char *label = name ? tool_look(name).label : "tool.called_some";
    if (!label && *subject)
        return humanize_isolated(a, subject);
    return label ? lang_text(l, label) : lang_fill(a, l, "tool.called", LANG_ARGS({"name", name}));
}

bool tool_takes_time(const char *name)
{
    return !tool_is_own(name) || subject_of(name);
}

const char *tool_running(struct arena *a, const struct lang *l, struct str record)
{
    struct str subject = record, name = str_cut(&subject, '\n');
    const char *tool = arena_str(a, name).s, *about = subject.len ? arena_str(a, subject).s : "";
    const struct subject *s = subject_of(tool);
    if (s && *about)
        return lang_fill(a, l, s->with_while, LANG_ARGS({s->name, humanize_isolated(a, about)}));
    if (s)
        return lang_text(l, s->runs);
    const char *label = tool_look(tool).label;
    return label ? arena_printf(a, "%s \u2026", lang_text(l, label))
                 : lang_fill(a, l, "tool_runs.call",
                       LANG_ARGS({"name", humanize_isolated(a, *about ? about : tool)}));
}

/* The page that was read may be another one than that of the call, after a redirect. Empty: none. */
static const char *host_read(struct arena *a, const char *name, struct str result)
{
    const struct subject *s = subject_of(name);
    bool read = s && strcmp(s->label, PAGE) == 0 && str_starts(result, STR("{\"url\":\"http"));
    return read ? shown(a, host_of_url(result)) : "";
}

const char *tool_subject_of(struct arena *a, const char *name, const char *args, struct str result)
{
    if (name && !tool_look(name).label)
        return tool_from(a, result);
    const char *host = host_read(a, name, result);
    return *host ? host : tool_subject(a, name, args);
}

const char *tool_label_of(
    struct arena *a, const struct lang *l, const char *name, const char *args, struct str result)
{
    const char *label = tool_label(a, l, name, tool_subject_of(a, name, args, result));
    struct tool_look look = name ? tool_look(name) : (struct tool_look){0};
    if (look.asks && tool_waits(result))
        return lang_text(l, look.asks);
    return tool_failed(result) ? lang_fill(a, l, "tool.failed", LANG_ARGS({"label", label})) : label;
}
