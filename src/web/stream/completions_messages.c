/* The messages and the tools of a request. */
#include <string.h>

#include "web/stream/completions_request_private.h"

/* ---- messages ---- */

/* The parts are joined outside of the arena, which frees nothing before the request ends: a copy for each of
 * thousands of parts would take gigabytes. */
static enum rc read_parts(
    struct completion_parser *p, const json_t *parts, const char *param, struct llm_message *m)
{
    AUTO_STRBUF joined;
    strbuf_init(&joined, p->text_max);
    struct llm_picture *pictures = NULL;
    size_t i;
    json_t *part;
    m->pictures_n = 0;
    json_array_foreach(parts, i, part)
    {
        struct str type = STR(""), text;
        json_get_str(part, "type", &type);
        if (str_is(type, "image_url") && m->role == LLM_USER) {
            const char *at = arena_printf(p->a, "%s[%zu].image_url", param, i);
            if (m->pictures_n == PICTURES_PER_MESSAGE)
                return completion_bad(p, at, "v1.many_pictures");
            if (!pictures)
                m->pictures = pictures = ARENA_ARRAY(p->a, struct llm_picture, PICTURES_PER_MESSAGE);
            enum rc rc = completion_read_picture(p, part, at, &pictures[m->pictures_n++]);
            if (rc != RC_OK)
                return rc;
            continue;
        }
        if (!str_is(type, "text") && !str_is(type, "refusal"))
            return completion_bad(p, arena_printf(p->a, "%s[%zu].type", param, i), "v1.only_text");
        if (!json_get_str(part, "text", &text) && !json_get_str(part, "refusal", &text))
            return completion_bad(p, arena_printf(p->a, "%s[%zu].text", param, i), "v1.bad_content");
        strbuf_adds(&joined, joined.len ? "\n" : "");
        strbuf_addstr(&joined, text);
    }
    m->text = arena_str(p->a, strbuf_str(&joined));
    return RC_OK;
}

/* A string, or a list of parts: text, and pictures of a user. null: "". */
static enum rc read_content(
    struct completion_parser *p, const json_t *v, const char *param, struct llm_message *m)
{
    m->text = STR("");
    if (!v || json_is_null(v))
        return RC_OK;
    if (json_is_string(v)) {
        m->text = (struct str){completion_text(p, v), json_string_length(v)};
        return RC_OK;
    }
    return json_is_array(v) ? read_parts(p, v, param, m) : completion_bad(p, param, "v1.bad_content");
}

static enum rc read_calls(
    struct completion_parser *p, const json_t *v, const char *param, struct llm_message *m)
{
    if (!v || json_is_null(v))
        return RC_OK;
    if (!json_is_array(v) || json_array_size(v) > COMPLETION_TOOLS_MAX)
        return completion_bad(p, param, "v1.bad_value");
    struct llm_tool_call *calls = ARENA_ARRAY(p->a, struct llm_tool_call, json_array_size(v) + 1);
    size_t i;
    json_t *call;
    json_array_foreach(v, i, call)
    {
        const json_t *function = json_object_get(call, "function");
        struct str id, name, args = STR("{}");
        if (!json_get_str(call, "id", &id) || !id.len || !json_get_str(function, "name", &name))
            return completion_bad(p, arena_printf(p->a, "%s[%zu]", param, i), "v1.bad_value");
        json_get_str(function, "arguments", &args);
        calls[i] = (struct llm_tool_call){arena_strndup(p->a, id.s, id.len),
            arena_strndup(p->a, name.s, name.len), arena_strndup(p->a, args.s, args.len)};
    }
    m->calls = calls;
    m->calls_n = json_array_size(v);
    return RC_OK;
}

static bool calls_id(const struct llm_message *m, const char *id)
{
    for (size_t i = 0; i < m->calls_n; i++)
        if (strcmp(m->calls[i].id, id) == 0)
            return true;
    return false;
}

/* A result answers a call of the answer before it. */
static enum rc read_call_id(
    struct completion_parser *p, const json_t *v, const char *param, struct llm_message *m)
{
    struct str id;
    const struct llm_message *before = m - 1;
    if (!json_get_str(v, "tool_call_id", &id) || !id.len)
        return completion_bad(p, arena_printf(p->a, "%s.tool_call_id", param), "v1.missing");
    m->call_id = arena_strndup(p->a, id.s, id.len);
    while (before >= p->out->messages && before->role == LLM_TOOL)
        before--;
    return before >= p->out->messages && calls_id(before, m->call_id)
               ? RC_OK
               : completion_bad(p, arena_printf(p->a, "%s.tool_call_id", param), "v1.no_such_call");
}

static bool role_of(struct str word, enum llm_role *out)
{
    static const struct {
        const char *word;
        enum llm_role role;
    } roles[] = {{"user", LLM_USER}, {"assistant", LLM_ASSISTANT}, {"system", LLM_SYSTEM},
        {"developer", LLM_SYSTEM}, {"tool", LLM_TOOL}};
    for (size_t i = 0; i < ARRAY_LEN(roles); i++)
        if (str_is(word, roles[i].word)) {
            *out = roles[i].role;
            return true;
        }
    return false;
}

static enum rc read_message(struct completion_parser *p, const json_t *v, size_t i)
{
    struct completion_request *out = p->out;
    const char *param = arena_printf(p->a, "messages[%zu]", i);
    struct llm_message *m = &out->messages[out->messages_n];
    struct str word;
    *m = (struct llm_message){0};
    if (!json_get_str(v, "role", &word) || !role_of(word, &m->role))
        return completion_bad(p, arena_printf(p->a, "%s.role", param), "v1.bad_role");
    enum rc rc = read_content(p, json_object_get(v, "content"), arena_printf(p->a, "%s.content", param), m);
    if (rc == RC_OK && m->role == LLM_ASSISTANT)
        rc = read_calls(p, json_object_get(v, "tool_calls"), arena_printf(p->a, "%s.tool_calls", param), m);
    if (rc == RC_OK && m->role == LLM_TOOL)
        rc = read_call_id(p, v, param, m);
    if (rc != RC_OK)
        return rc;
    if (m->role != LLM_SYSTEM) {
        out->messages_n++;
        return RC_OK;
    }
    strbuf_adds(&p->system, p->system.len ? "\n\n" : "");
    strbuf_addstr(&p->system, m->text);
    return RC_OK;
}

/* Every call has its result before the next message of another role. */
static enum rc check_results(struct completion_parser *p)
{
    const struct completion_request *r = p->out;
    for (size_t i = 0; i < r->messages_n; i++) {
        size_t results = 0;
        while (i + 1 + results < r->messages_n && r->messages[i + 1 + results].role == LLM_TOOL)
            results++;
        if (r->messages[i].calls_n > results)
            return completion_bad(p, "messages", "v1.no_result");
    }
    return RC_OK;
}

/* A message of the assistant at the end is the beginning of the answer. */
static enum rc take_prefix(struct completion_parser *p)
{
    struct completion_request *out = p->out;
    const struct llm_message *last = out->messages_n ? &out->messages[out->messages_n - 1] : NULL;
    if (!last || last->role != LLM_ASSISTANT || last->calls_n || !str_trim(last->text).len)
        return RC_OK;
    if (last->text.len > COMPLETION_PREFIX_MAX)
        return completion_bad(p, "messages", "v1.bad_value");
    out->prefix = last->text;
    out->messages_n--;
    return RC_OK;
}

enum rc completion_read_messages(struct completion_parser *p, const json_t *list)
{
    struct completion_request *out = p->out;
    size_t i;
    json_t *v;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return completion_bad(p, "messages", "v1.missing");
    if (json_array_size(list) > COMPLETION_MESSAGES_MAX)
        return completion_bad(p, "messages", "v1.too_many");
    out->messages = ARENA_ARRAY(p->a, struct llm_message, json_array_size(list) + 2);
    out->messages[0] = (struct llm_message){.role = LLM_SYSTEM, .text = STR("")};
    out->messages_n = 1;
    enum rc rc = RC_OK;
    json_array_foreach(list, i, v)
    {
        if ((rc = read_message(p, v, i)) != RC_OK)
            return rc;
    }
    out->messages[0].text =
        arena_str(p->a, strbuf_str(&p->system)); /* providers take one system message, the first */
    if (out->messages_n == 1) {
        out->messages[0].role = LLM_USER; /* they want a question, too */
    } else if (!p->system.len) {
        out->messages++;
        out->messages_n--;
    }
    if ((rc = take_prefix(p)) != RC_OK)
        return rc;
    out->stored = ARENA_ARRAY(p->a, const struct picture *, out->messages_n);
    const struct llm_message *last = out->messages_n ? &out->messages[out->messages_n - 1] : NULL;
    bool asks = last && (last->role == LLM_TOOL ||
                            (last->role == LLM_USER && (str_trim(last->text).len || last->pictures_n)));
    bool users = false;
    for (size_t k = 0; k < out->messages_n; k++)
        users |= out->messages[k].role == LLM_USER;
    return asks && users ? check_results(p) : completion_bad(p, "messages", "v1.no_question");
}

/* ---- tools ---- */

static const char *schema_of(struct completion_parser *p, const json_t *parameters)
{
    return json_is_object(parameters) ? completion_dump(p, parameters)
                                      : "{\"type\":\"object\",\"properties\":{}}";
}

static enum rc read_tool(struct completion_parser *p, const json_t *v, size_t i)
{
    const json_t *function = json_object_get(v, "function");
    struct str type = STR(""), name, description = STR("");
    json_get_str(v, "type", &type);
    if (!str_is(type, "function"))
        return completion_bad(p, arena_printf(p->a, "tools[%zu].type", i), "v1.bad_value");
    if (!json_get_str(function, "name", &name) || !completion_is_name(name))
        return completion_bad(p, arena_printf(p->a, "tools[%zu].function.name", i), "v1.bad_value");
    json_get_str(function, "description", &description);
    p->out->tools[p->out->tools_n++] = (struct llm_tool){.name = arena_strndup(p->a, name.s, name.len),
        .description = arena_str(p->a, description).s,
        .schema = schema_of(p, json_object_get(function, "parameters"))};
    return RC_OK;
}

enum rc completion_read_tools(struct completion_parser *p, const json_t *list)
{
    size_t i;
    json_t *v;
    enum rc rc = RC_OK;
    if (!json_is_array(list))
        return completion_bad(p, "tools", "v1.bad_value");
    if (json_array_size(list) > COMPLETION_TOOLS_MAX)
        return completion_bad(p, "tools", "v1.too_many");
    p->out->tools = ARENA_ARRAY(p->a, struct llm_tool, json_array_size(list) + 1);
    json_array_foreach(list, i, v)
    {
        if ((rc = read_tool(p, v, i)) != RC_OK)
            return rc;
    }
    return rc;
}
