/*
 * The tools of ChatGPT. A message of the assistant to a tool is its call, with the arguments as text: JSON,
 * or something else, such as code. The messages of the tool below it are the results: a tool that reads pages
 * answers with several.
 *
 * A canvas is a document: canmore.create_textdoc {name, type: "document" or "code/python", content},
 * canmore.update_textdoc {updates: [{pattern, replacement}]}, where the pattern .* replaces all of it. The
 * document becomes text of the answer, so that it can be read and found.
 *
 * Deep Research of 2026 is an app. metadata.chatgpt_sdk of its message has {attribution_id, widget_state},
 * and this state is a JSON text with {status, report_message}, a message like others.
 */
#include "app/import/format/import_chatgpt_private.h"

#define CANVAS_NEW     "canmore.create_textdoc"
#define CANVAS_CHANGED "canmore.update_textdoc"
#define RESEARCH       "connector_openai_deep_research"

/* ---- calls ---- */

/* Moves the document of a new canvas from the arguments to the text. */
static void take_canvas(struct strbuf *b, json_t *args)
{
    struct str content, name = STR(""), type = STR("document");
    if (!json_get_str(args, "content", &content))
        return;
    json_get_str(args, "name", &name);
    json_get_str(args, "type", &type);
    str_cut(&type, '/');
    import_document(b, name, type.s ? type : STR("markdown"), content);
    json_object_del(args, "content");
}

/* The same of changes that replace the whole document. */
static void take_rewritten(struct strbuf *b, json_t *args)
{
    size_t i;
    json_t *one;
    struct str pattern, content;
    json_array_foreach(json_object_get(args, "updates"), i, one)
    {
        if (!json_get_str(one, "pattern", &pattern) || !str_is(pattern, ".*") ||
            !json_get_str(one, "replacement", &content))
            continue;
        import_document(b, STR(""), STR(""), content);
        json_object_del(one, "replacement");
    }
}

void chatgpt_make_call(
    struct import_conversation *c, struct import_message *m, struct str to, struct strbuf *b)
{
    AUTO(json_t) args = import_args(c->a, strbuf_str(b));
    strbuf_clear(b);
    if (str_is(to, CANVAS_NEW))
        take_canvas(b, args);
    else if (str_is(to, CANVAS_CHANGED))
        take_rewritten(b, args);
    m->text = import_text(c, strbuf_str(b));
    m->tool = import_tool_name(c->a, to);
    m->call_id = arena_printf(c->a, "call_%zu", c->n);
    m->calls = import_call(c->a, m->call_id, m->tool, args);
}

/* ---- Deep Research ---- */

json_t *chatgpt_report(const json_t *message)
{
    const json_t *sdk = json_object_get(json_object_get(message, "metadata"), "chatgpt_sdk");
    struct str of, text, status;
    AUTO(json_t) state = NULL;
    if (!json_get_str(sdk, "attribution_id", &of) || !str_is(of, RESEARCH) ||
        !json_get_str(sdk, "widget_state", &text) ||
        json_parse_within(text, IMPORT_VALUE_MAX, IMPORT_LIMITS, &state, NULL) != RC_OK ||
        !json_get_str(state, "status", &status) || !str_is(status, "completed"))
        return NULL;
    return json_incref(json_object_get(state, "report_message"));
}

/* ---- results ---- */

size_t chatgpt_place_above(const json_t *mapping, const struct import_message *m)
{
    const json_t *at = m->parent ? json_object_get(json_object_get(mapping, m->parent), CHATGPT_PLACE) : NULL;
    return json_is_integer(at) ? (size_t)json_integer_value(at) : IMPORT_NONE;
}

/* The first message of the tool below the call `at` becomes its result, with the texts of those below that.
 * `below`: the first message of a tool below each message. Each message is below one other, so that none is
 * reached twice. */
static void join_results(struct import_conversation *c, size_t at, const size_t *below, struct strbuf *b)
{
    const struct import_message *call = &c->messages[at];
    struct import_message *result = NULL;
    strbuf_clear(b);
    for (at = below[at]; at != IMPORT_NONE; at = below[at]) {
        struct import_message *m = &c->messages[at];
        if (m->dropped)
            continue;
        import_paragraph(b, m->text);
        m->dropped = result != NULL;
        result = result ? result : m;
    }
    if (!result)
        return;
    if (b->len != result->text.len)
        result->text = import_text(c, strbuf_str(b));
    result->call_id = call->call_id;
    result->tool = call->tool;
    result->calls = call->calls;
}

void chatgpt_link_results(struct import_conversation *c, const json_t *mapping)
{
    size_t *below = ARENA_ARRAY(c->a, size_t, c->n + 1);
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    for (size_t i = 0; i < c->n; i++)
        below[i] = IMPORT_NONE;
    for (size_t i = 0; i < c->n; i++) {
        size_t up =
            c->messages[i].role == ROLE_TOOL ? chatgpt_place_above(mapping, &c->messages[i]) : IMPORT_NONE;
        if (up != IMPORT_NONE && below[up] == IMPORT_NONE)
            below[up] = i;
    }
    for (size_t i = 0; i < c->n; i++)
        if (c->messages[i].role == ROLE_ASSISTANT && c->messages[i].call_id)
            join_results(c, i, below, &b); /* import_tree() drops a result without a call */
    for (size_t i = 0; i < c->n; i++)
        if (c->messages[i].role == ROLE_ASSISTANT)
            c->messages[i].tool = c->messages[i].call_id = NULL;
}
