/*
 * The answers of Open WebUI. Before version 0.10 the content of an answer is a text, in which its reasoning,
 * its calls of tools and the code that it ran are blocks: <details type="reasoning" duration="5">, <details
 * type="tool_calls" name="..." arguments="..." result="...">, <details type="code_interpreter"
 * output="...">.
 *
 * Since 0.10 the content is empty, and `output` is a list of items as in OpenAI's Responses API: message
 * {content: [{text}]}, reasoning {summary or content: [{text}], duration}, function_call {call_id, name,
 * arguments}, function_call_output {call_id, output: [{text}]}, open_webui:code_interpreter {code, lang,
 * output}; and those of OpenAI's own tools, such as web_search_call {action}.
 */
#include "app/import/format/import_openwebui_private.h"

#include "base/clock.h"

#define BLOCK_END   "</details>"
#define SUMMARY_END "</summary>"
#define SECONDS_MAX (MS_PER_DAY / MS_PER_S) /* of reasoning */

/* ---- pieces ---- */

struct import_message *openwebui_add(struct openwebui_message *m, enum message_role role, struct str text)
{
    struct str model;
    struct import_message *out = import_add_piece(m->c, m->key, &m->pieces, &m->parent, role, text);
    out->created_at = import_seconds(m->json, "timestamp");
    if (role == ROLE_ASSISTANT && json_get_str(m->json, "model", &model)) {
        out->provider = OPENWEBUI;
        out->model = import_line(m->c->a, model, IMPORT_WORD_MAX);
    }
    return out;
}

struct import_message *openwebui_add_answer(struct openwebui_message *m)
{
    struct import_message *out = openwebui_add(m, ROLE_ASSISTANT, str_trim(strbuf_str(&m->text)));
    out->reasoning = import_text(m->c, strbuf_str(&m->reasoning));
    out->reasoning_ms = m->reasoning_ms;
    strbuf_clear(&m->text);
    strbuf_clear(&m->reasoning);
    m->reasoning_ms = 0;
    return out;
}

/* An answer with the call, and the result. */
static void add_call(struct openwebui_message *m, const char *name, const json_t *args, struct str result)
{
    const char *id = arena_printf(m->c->a, "call_%zu", m->c->n),
               *calls = import_call(m->c->a, id, name, args);
    openwebui_add_answer(m)->calls = calls;
    struct import_message *out = openwebui_add(m, ROLE_TOOL, result);
    out->calls = calls;
    out->tool = name;
    out->call_id = id;
}

/* ---- blocks in the text ---- */

enum block_type { REASONING, TOOL_CALL, CODE, NO_BLOCK };

/* head: the attributes; body: what follows the summary. */
struct block {
    enum block_type type;
    struct str head, body;
};

/* Takes the block that `rest` begins with. `*closed` becomes false when no further block ends. */
static bool take_block(struct str *rest, struct block *out, bool *closed)
{
    static const struct str begin[] = {STR("<details type=\"reasoning\""),
        STR("<details type=\"tool_calls\""), STR("<details type=\"code_interpreter\"")};
    out->type = REASONING;
    while (out->type < NO_BLOCK && !str_starts(*rest, begin[out->type]))
        out->type++;
    if (out->type == NO_BLOCK || !*closed)
        return false;
    char quote = '\0';
    size_t from = begin[out->type].len, n = from;
    for (; n < rest->len && (quote || rest->s[n] != '>'); n++) /* a quoted > does not end it */
        if (quote ? rest->s[n] == quote : rest->s[n] == '"' || rest->s[n] == '\'')
            quote = quote ? '\0' : rest->s[n];
    const char *body = rest->s + n, *end = memmem(body, rest->len - n, BLOCK_END, strlen(BLOCK_END));
    *closed = end != NULL;
    if (!end)
        return false;
    const char *summary = memmem(body, (size_t)(end - body), SUMMARY_END, strlen(SUMMARY_END));
    body = summary ? summary + strlen(SUMMARY_END) : body + 1;
    out->head = (struct str){rest->s + from, n - from};
    out->body = str_trim((struct str){body, (size_t)(end - body)});
    end += strlen(BLOCK_END);
    *rest = (struct str){end, rest->len - (size_t)(end - rest->s)};
    return true;
}

/* Its lines are a quotation. */
static void add_reasoning(struct openwebui_message *m, const struct block *x)
{
    int64_t seconds;
    for (struct str rest = import_unescaped(m->c->a, x->body); rest.s;) {
        struct str line = str_cut(&rest, '\n');
        size_t n = str_starts(line, STR("> ")) ? 2 : str_starts(line, STR(">")) ? 1 : 0;
        if (m->reasoning.len)
            strbuf_addc(&m->reasoning, '\n');
        strbuf_add(&m->reasoning, line.s + n, line.len - n);
    }
    if (str_to_int(import_attribute(m->c->a, x->head, "duration"), 0, SECONDS_MAX, &seconds))
        m->reasoning_ms += seconds * MS_PER_S;
}

/* A text, or the words in a JSON string. */
static struct str words_of(struct arena *a, struct str text)
{
    AUTO(json_t) v = import_json(a, text);
    return json_is_string(v) ? str_of(arena_strdup(a, json_string_value(v))) : text;
}

static void add_block_call(struct openwebui_message *m, const struct block *x)
{
    struct arena *a = m->c->a;
    bool code = x->type == CODE;
    struct str result = import_attribute(a, x->head, code ? "output" : "result");
    AUTO(json_t) args = import_args(a, code ? x->body : import_attribute(a, x->head, "arguments"));
    add_call(m, code ? "code_interpreter" : import_tool_name(a, import_attribute(a, x->head, "name")), args,
        words_of(a, result.len || code ? result : import_unescaped(a, x->body)));
}

void openwebui_read_content(struct openwebui_message *m, struct str content)
{
    struct block x;
    bool closed = true;
    for (struct str rest = content; rest.s;) {
        if (take_block(&rest, &x, &closed)) {
            if (x.type == REASONING)
                add_reasoning(m, &x);
            else
                add_block_call(m, &x);
            continue;
        }
        strbuf_addstr(&m->text, str_cut(&rest, '\n'));
        strbuf_addc(&m->text, '\n');
    }
}

/* ---- items of `output` ---- */

/* A string, or the texts of a list of parts. */
static void add_parts(struct strbuf *b, const json_t *v)
{
    size_t i;
    const json_t *part;
    struct str text;
    if (json_is_string(v))
        strbuf_add(b, json_string_value(v), json_string_length(v));
    json_array_foreach(v, i, part)
    {
        if (json_get_str(part, "text", &text))
            strbuf_addstr(b, text);
    }
}

static void add_message_item(struct openwebui_message *m, const json_t *item)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    add_parts(&b, json_object_get(item, "content"));
    import_paragraph(&m->text, str_trim(strbuf_str(&b)));
}

static void add_reasoning_item(struct openwebui_message *m, const json_t *item)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    const json_t *summary = json_object_get(item, "summary"), *duration = json_object_get(item, "duration");
    add_parts(&b, json_array_size(summary) ? summary : json_object_get(item, "content"));
    import_paragraph(&m->reasoning, str_trim(strbuf_str(&b)));
    m->reasoning_ms += import_reasoning_ms(json_number_value(duration) * (double)MS_PER_S);
}

/* The results by the ids of their calls. */
static json_t *results_of(const json_t *items)
{
    size_t i;
    json_t *item, *out = json_object();
    struct str type, id;
    json_array_foreach(items, i, item)
    {
        if (json_get_str(item, "type", &type) && strstr(type.s, "call_output") &&
            json_get_str(item, "call_id", &id))
            json_object_set(out, id.s, json_object_get(item, "output"));
    }
    return out;
}

static void add_call_item(struct openwebui_message *m, const json_t *item, const json_t *results)
{
    struct str id, name = {0}, input = STR("{}");
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    json_get_str(item, "name", &name);
    if (!json_get_str(item, "arguments", &input))
        json_get_str(item, "input", &input);
    AUTO(json_t) args = import_args(m->c->a, input);
    if (json_get_str(item, "call_id", &id))
        add_parts(&b, json_object_get(results, id.s));
    add_call(m, import_tool_name(m->c->a, name), args, strbuf_str(&b));
}

/* The output is an object {stdout, result, ...}, or a text. */
static void add_code_item(struct openwebui_message *m, const json_t *item)
{
    struct str code = {0}, lang = STR("python");
    const json_t *output = json_object_get(item, "output");
    AUTO_FREE char *json = json_is_object(output) ? json_dumps(output, JSON_COMPACT) : NULL;
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    json_get_str(item, "code", &code);
    json_get_str(item, "lang", &lang);
    AUTO(json_t)
    args = json_pack("{s:s%, s:s%}", "language", lang.s, lang.len, "code", code.s ? code.s : "", code.len);
    if (json)
        strbuf_adds(&b, json);
    add_parts(&b, output);
    add_call(m, "code_interpreter", args, strbuf_str(&b));
}

/* A tool of the provider, whose results are not stored. */
static void add_provider_call_item(struct openwebui_message *m, struct str type, const json_t *item)
{
    const json_t *action = json_object_get(item, "action"), *queries = json_object_get(item, "queries");
    AUTO(json_t)
    args = json_is_object(action)   ? json_deep_copy(action)
           : json_is_array(queries) ? json_pack("{s:O}", "queries", (json_t *)(uintptr_t)queries)
                                    : json_object();
    add_call(m, import_tool_name(m->c->a, type), args, STR(""));
}

void openwebui_read_output(struct openwebui_message *m, const json_t *items)
{
    size_t i;
    const json_t *item;
    AUTO(json_t) results = results_of(items);
    json_array_foreach(items, i, item)
    {
        struct str type = STR("");
        json_get_str(item, "type", &type);
        if (str_is(type, "reasoning"))
            add_reasoning_item(m, item);
        else if (str_is(type, "function_call") || str_is(type, "custom_tool_call"))
            add_call_item(m, item, results);
        else if (strstr(type.s, "code_interpreter"))
            add_code_item(m, item);
        else if (str_is(type, "web_search_call") || str_is(type, "file_search_call") ||
                 str_is(type, "computer_call"))
            add_provider_call_item(m, type, item);
        else if (!strstr(type.s, "call_output"))
            add_message_item(m, item);
    }
}
