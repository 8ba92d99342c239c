/*
 * Open WebUI's export of chats: a list of {id, title, chat: {title, models, history: {messages: {id: {id,
 * parentId, childrenIds, role, content, timestamp in seconds, model}}, currentId}}, created_at and updated_at
 * in seconds, archived, pinned}. Chats of its first versions have only a list `chat.messages`, in order.
 *
 * The content of an answer has its reasoning, its calls of tools and the code that it ran as blocks:
 * <details type="reasoning" duration="5">, <details type="tool_calls" name="..." arguments="..."
 * result="...">, <details type="code_interpreter" output="...">.
 */
#include "app/import/import_private.h"

#include "app/context/context.h"
#include "base/clock.h"
#include "codec/html.h"

#define PROVIDER    "openwebui"
#define BLOCK_END   "</details>"
#define SUMMARY_END "</summary>"
#define SECONDS_MAX (MS_PER_DAY / MS_PER_S) /* of reasoning */

bool import_is_openwebui(const json_t *v)
{
    const json_t *chat = json_object_get(v, "chat");
    return json_is_object(json_object_get(json_object_get(chat, "history"), "messages")) ||
           json_is_array(json_object_get(chat, "messages"));
}

/* Content is a string, or a list of parts as in OpenAI's API. */
static void add_content(struct strbuf *b, const json_t *content)
{
    size_t i;
    const json_t *part;
    struct str text;
    if (json_is_string(content))
        strbuf_add(b, json_string_value(content), json_string_length(content));
    json_array_foreach(content, i, part)
    {
        import_paragraph(b, json_get_str(part, "text", &text) ? text : STR("(A file was here.)"));
    }
}

/* ---- what an answer has besides its text ---- */

static struct str unescaped(struct arena *a, struct str s)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    html_decode(&b, s);
    return (struct str){arena_strndup(a, b.s, b.len), b.len};
}

/* The value of an attribute, with its character references resolved. Empty: there is none. */
static struct str attribute(struct arena *a, struct str head, const char *name)
{
    while (head.len) {
        struct str key = str_trim(str_cut(&head, '='));
        char quote = head.len ? *head.s : '\0';
        if (quote != '"' && quote != '\'')
            break;
        head = str_from(head, 1);
        struct str value = str_cut(&head, quote);
        if (str_is(key, name))
            return unescaped(a, value);
    }
    return STR("");
}

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

/* ---- messages ---- */

/* A message of Open WebUI becomes several when tools were called: an answer with its call, the result, the
 * next answer. The last one has the message's key. */
struct reading {
    struct import_conversation *c;
    const json_t *message;
    const char *key, *parent;
    struct strbuf *text, *reasoning;
    int64_t reasoning_ms;
    size_t pieces;
};

static struct import_message *add_piece(struct reading *r, enum message_role role, struct str text)
{
    struct str model;
    const char *key = arena_printf(r->c->a, "%s#%zu", r->key, r->pieces++);
    struct import_message *m = import_add(r->c, key, r->parent);
    m->role = role;
    m->status = MESSAGE_DONE;
    m->text = import_text(r->c, text);
    m->created_at = import_seconds(r->message, "timestamp");
    if (role == ROLE_ASSISTANT && json_get_str(r->message, "model", &model)) {
        m->provider = PROVIDER;
        m->model = import_line(r->c->a, model, IMPORT_WORD_MAX);
    }
    r->parent = key;
    return m;
}

static struct import_message *end_answer(struct reading *r)
{
    struct import_message *m = add_piece(r, ROLE_ASSISTANT, str_trim(strbuf_str(r->text)));
    m->reasoning = import_text(r->c, strbuf_str(r->reasoning));
    m->reasoning_ms = r->reasoning_ms;
    strbuf_clear(r->text);
    strbuf_clear(r->reasoning);
    r->reasoning_ms = 0;
    return m;
}

/* Its lines are a quotation. */
static void add_reasoning(struct reading *r, const struct block *x)
{
    int64_t seconds;
    for (struct str rest = unescaped(r->c->a, x->body); rest.s;) {
        struct str line = str_cut(&rest, '\n');
        size_t n = str_starts(line, STR("> ")) ? 2 : str_starts(line, STR(">")) ? 1 : 0;
        if (r->reasoning->len)
            strbuf_addc(r->reasoning, '\n');
        strbuf_add(r->reasoning, line.s + n, line.len - n);
    }
    if (str_to_int(attribute(r->c->a, x->head, "duration"), 0, SECONDS_MAX, &seconds))
        r->reasoning_ms += seconds * MS_PER_S;
}

/* The value of a JSON text, which may be in a JSON string; NULL: it is none. */
static json_t *decoded(struct arena *a, struct str text)
{
    AUTO(json_t) list = NULL;
    json_t *inner = NULL;
    struct str json = str_of(arena_printf(a, "[%.*s]", STR_FMT(text)));
    if (json_parse_within(json, IMPORT_VALUE_MAX, CONTEXT_CALLS_LIMITS, &list, NULL) != RC_OK)
        return NULL;
    json_t *v = json_array_get(list, 0);
    struct str string = {json_string_value(v), json_string_length(v)};
    if (string.s && json_parse_within(string, IMPORT_VALUE_MAX, CONTEXT_CALLS_LIMITS, &inner, NULL) == RC_OK)
        return inner;
    return json_incref(v);
}

/* A text, or the words in a JSON string. */
static struct str words_of(struct arena *a, struct str text)
{
    AUTO(json_t) v = decoded(a, text);
    return json_is_string(v) ? str_of(arena_strdup(a, json_string_value(v))) : text;
}

static const char *calls_of(struct arena *a, const char *id, const char *name, struct str input)
{
    AUTO(json_t) args = decoded(a, input);
    AUTO(json_t)
    call = json_is_object(args) ? json_pack("[{s:s, s:s, s:O}]", "id", id, "name", name, "args", args)
                                : json_pack("[{s:s, s:s, s:{s:s%}}]", "id", id, "name", name, "args", "input",
                                      input.s, input.len);
    AUTO_FREE char *json = call ? json_dumps(call, JSON_COMPACT) : NULL;
    return json && strlen(json) <= IMPORT_CALLS_MAX ? arena_strdup(a, json) : NULL;
}

static void add_call(struct reading *r, const struct block *x)
{
    struct arena *a = r->c->a;
    bool code = x->type == CODE;
    struct str result = attribute(a, x->head, code ? "output" : "result");
    const char *id = arena_printf(a, "call_%zu", r->c->n),
               *name = code ? "code_interpreter" : import_tool_name(a, attribute(a, x->head, "name")),
               *calls = calls_of(a, id, name, code ? x->body : attribute(a, x->head, "arguments"));
    end_answer(r)->calls = calls;
    struct import_message *m =
        add_piece(r, ROLE_TOOL, words_of(a, result.len || code ? result : unescaped(a, x->body)));
    m->calls = calls;
    m->tool = name;
    m->call_id = id;
}

static void read_answer(struct reading *r, struct str content)
{
    struct block x;
    bool closed = true;
    for (struct str rest = content; rest.s;) {
        if (take_block(&rest, &x, &closed)) {
            if (x.type == REASONING)
                add_reasoning(r, &x);
            else
                add_call(r, &x);
            continue;
        }
        strbuf_addstr(r->text, str_cut(&rest, '\n'));
        strbuf_addc(r->text, '\n');
    }
}

/* The pictures and files beside the text. */
static void add_files(struct import_conversation *c, const json_t *v, struct strbuf *b)
{
    size_t i;
    const json_t *file;
    struct str type;
    json_array_foreach(json_object_get(v, "files"), i, file)
    {
        bool image = json_get_str(file, "type", &type) && str_is(type, "image");
        import_paragraph(b, str_of(image ? "(An image was here.)" : import_file_note(c->a, file, "name")));
    }
}

static void read_message(
    struct import_conversation *c, const char *key, const char *parent, const json_t *v, struct strbuf *b)
{
    struct str role = {0};
    enum message_role who = ROLE_TOOL;
    AUTO_STRBUF text, reasoning;
    strbuf_init(&text, IMPORT_VALUE_MAX);
    strbuf_init(&reasoning, IMPORT_VALUE_MAX);
    struct reading r = {
        .c = c, .message = v, .key = key, .parent = parent, .text = &text, .reasoning = &reasoning};
    json_get_str(v, "role", &role);
    bool known = import_role(role, &who) && who != ROLE_TOOL;
    strbuf_clear(b);
    add_content(b, json_object_get(v, "content"));
    if (known && who == ROLE_ASSISTANT)
        read_answer(&r, strbuf_str(b));
    else
        strbuf_addstr(&text, strbuf_str(b));
    strbuf_truncate(&text, str_trim(strbuf_str(&text)).len ? text.len : 0);
    add_files(c, v, &text);
    if (known && who == ROLE_ASSISTANT && (text.len || reasoning.len))
        end_answer(&r);
    else if (known && who != ROLE_ASSISTANT && text.len)
        add_piece(&r, who, strbuf_str(&text));
    if (r.pieces)
        c->messages[c->n - 1].key = arena_strdup(c->a, key); /* children refer to the message by it */
    else
        import_add(c, key, parent)->dropped = true;
}

static void read_tree(struct import_conversation *c, json_t *messages, struct strbuf *b)
{
    const char *key;
    json_t *one;
    json_object_foreach(messages, key, one)
    {
        read_message(c, key, json_string_value(json_object_get(one, "parentId")), one, b);
    }
}

static void read_list(struct import_conversation *c, const json_t *messages, struct strbuf *b)
{
    size_t i;
    const json_t *one;
    json_array_foreach(messages, i, one)
    {
        const char *before = c->head;
        c->head = arena_printf(c->a, "%zu", i);
        read_message(c, c->head, before, one, b);
    }
    c->in_order = true;
}

enum rc import_openwebui(struct import_conversation *c, const json_t *v, struct err *e)
{
    const json_t *chat = json_object_get(v, "chat"), *history = json_object_get(chat, "history");
    json_t *tree = json_object_get(history, "messages");
    const json_t *list = json_object_get(chat, "messages");
    size_t n = json_is_object(tree) ? json_object_size(tree) : json_array_size(list);
    if (n > IMPORT_MESSAGES_MAX)
        return err_set(e, RC_TOO_BIG, "a conversation of %zu messages", n);
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    if (json_is_object(tree)) {
        read_tree(c, tree, &b);
        c->head = arena_strdup(c->a, json_string_value(json_object_get(history, "currentId")));
    } else {
        read_list(c, list, &b);
    }
    struct str id;
    if (json_get_str(v, "id", &id))
        c->outer_id = import_outer_id(c, PROVIDER, id);
    c->title = import_line_of(c->a, v, "title", SESSION_TITLE_CHARS_MAX);
    if (!c->title)
        c->title = import_line_of(c->a, chat, "title", SESSION_TITLE_CHARS_MAX);
    c->titled_by = "user";
    c->created_at = import_seconds(v, "created_at");
    c->active_at = import_seconds(v, "updated_at");
    c->archived_by_user = json_is_true(json_object_get(v, "archived"));
    c->archived_at = c->archived_by_user ? c->active_at : 0;
    c->pinned = json_is_true(json_object_get(v, "pinned"));
    return RC_OK;
}
