/*
 * Workspace rules of the offline model: "Move this chat to the workspace Travel", "put it into the Travel
 * workspace", "take this chat out of its workspace". The answer is made from the tool's result.
 */
#include "llm/offline/offline_workspace.h"

#include "llm/internal.h"

#define TOOL "set_workspace"

/* Cuts one of these off the beginning. */
static bool skip(struct str *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (offline_begins(*s, list[i], s))
            return true;
    return false;
}

/* The requested name; "": none. */
static bool is_wanted(struct str text, struct str *name)
{
    static const char *const verbs[] = {"move ", "put ", "take ", "verschiebe "};
    static const char *const these[] = {"this chat ", "this session ", "this conversation ", "this ", "it ",
        "diesen chat ", "diese sitzung ", "dieses gespräch "};
    static const char *const ways[] = {"to ", "into ", "in ", "nach ", "in den "};
    static const char *const out[] = {
        "out of its workspace", "out of the workspace", "out of this workspace"};
    static const char *const articles[] = {"the ", "my ", "den ", "meinen "};
    static const char *const nouns[] = {"workspace ", "arbeitsbereich "};
    struct str s = offline_bare(text);
    if (!skip(&s, verbs, ARRAY_LEN(verbs)) || !skip(&s, these, ARRAY_LEN(these)))
        return false;
    *name = STR("");
    if (STR_IN_NOCASE(s, out))
        return true;
    if (!skip(&s, ways, ARRAY_LEN(ways)))
        return false;
    skip(&s, articles, ARRAY_LEN(articles));
    *name = s;
    return (skip(name, nouns, ARRAY_LEN(nouns)) || offline_ends(s, " workspace", name)) && name->len;
}

static void answer(const struct llm_request *r, struct offline_step *out)
{
    AUTO(json_t) result = offline_result_json(r);
    struct str problem = llm_json_str(result, "error"), name = llm_json_str(result, "workspace");
    if (offline_waits(result)) {
        offline_say(out, "offline.ask_workspace");
        offline_quote(out, llm_json_str(result, "suggested"));
    } else if (problem.len) {
        offline_say_failed(out, problem);
    } else if (name.len) {
        offline_say_with(out, "offline.in_workspace", "name", name);
    } else {
        offline_say(out, "offline.in_no_workspace");
    }
}

bool offline_workspace(const struct llm_request *r, struct offline_step *out)
{
    const struct llm_message *last = &r->messages[r->messages_n - 1];
    struct str name;
    if (last->role == LLM_TOOL) {
        bool ours = strcmp(offline_result_tool(r), TOOL) == 0;
        if (ours)
            answer(r, out);
        return ours;
    }
    if (!is_wanted(last->text, &name) || !offline_offers(r, TOOL))
        return false;
    offline_call(out, TOOL, "name", name);
    return true;
}
