/*
 * Claude's export: conversations.json is a list of conversations {uuid, name, created_at, updated_at,
 * chat_messages, current_leaf_message_uuid (newer ones)}. A message is {uuid, sender ("human", "assistant"),
 * text, content, created_at, attachments, files, parent_message_uuid (newer ones)}. Without parents the list
 * is in order. The parent of a first message is a fixed id that no message has. `content` is a list of
 * blocks: text, thinking, tool_use {id, name, input}, tool_result {tool_use_id, content}, with
 * start_timestamp and stop_timestamp or null. Older exports have only `text`. An attachment has the text that
 * Claude read in it (extracted_content). No official description exists. This reader follows several public
 * ones.
 *
 * One message of the assistant becomes several: an answer with its calls, the results, the next answer.
 *
 * Documents are in the text (import_claude_text.c), or arguments of calls: artifacts {command: "create",
 * "rewrite" or "update", type, language, title, content or old_str and new_str}, create_file {path,
 * file_text}. They become text of the answer, so that they can be read and found.
 */
#include "app/import/format/import_claude_private.h"

#define PROVIDER    "claude"
#define RESULTS_MAX 64 /* calls of one answer */

struct reading {
    struct import_conversation *c;
    const json_t *message;
    struct strbuf text, thinking, result;
    int64_t thinking_ms;
    json_t *calls;                   /* of the open answer, in the form of the store */
    struct str results[RESULTS_MAX]; /* of these calls; s NULL: none yet */
    const char *uuid;                /* of Claude's message */
    const char *parent;              /* of the next one */
    size_t pieces;                   /* messages that it became */
    bool added;                      /* the open answer stands already, and has results */
};

bool import_is_claude(const json_t *v)
{
    return json_is_array(json_object_get(v, "chat_messages"));
}

/* memories.json has {conversations_memory, project_memories}, projects.json {uuid, name, docs}. The export
 * comes as a list of links to its files: {data_files: [{category, export_url, filename}]}. */
const char *import_other_claude(const json_t *v)
{
    if (json_is_array(json_object_get(v, "data_files")))
        return "import.list_of_files";
    bool memory = json_object_get(v, "conversations_memory") || json_object_get(v, "project_memories");
    bool project = json_object_get(v, "uuid") && json_is_array(json_object_get(v, "docs"));
    return memory || project ? "import.other_part" : NULL;
}

static void add_paragraph(struct strbuf *b, struct str s)
{
    import_paragraph(b, str_trim(s));
}

/* The last piece has the message's own id, so that its children find it; read_message() sets that. */
static struct import_message *add_piece(struct reading *r, enum message_role role, struct str text)
{
    struct import_message *m = import_add_piece(r->c, r->uuid, &r->pieces, &r->parent, role, text);
    m->created_at = import_iso(r->message, "created_at");
    if (role == ROLE_ASSISTANT)
        m->provider = m->model = PROVIDER;
    return m;
}

static void clear_answer(struct reading *r)
{
    strbuf_clear(&r->text);
    strbuf_clear(&r->thinking);
    r->thinking_ms = 0;
}

static void end_answer(struct reading *r)
{
    if (!r->added && (r->text.len || r->thinking.len || json_array_size(r->calls))) {
        struct import_message *m = add_piece(r, ROLE_ASSISTANT, strbuf_str(&r->text));
        m->calls = import_calls(r->c->a, r->calls);
        m->reasoning = import_text(r->c, strbuf_str(&r->thinking));
        m->reasoning_ms = r->thinking_ms;
    }
    clear_answer(r);
}

/* Adds the results in the order of their calls. A call without one gets an empty result, because a model
 * receives all of an answer or none. */
static void add_results(struct reading *r)
{
    size_t i;
    const json_t *call;
    json_array_foreach(r->calls, i, call)
    {
        struct import_message *m = add_piece(r, ROLE_TOOL, r->results[i].s ? r->results[i] : STR(""));
        AUTO(json_t) one = json_pack("[O]", call);
        m->calls = import_calls(r->c->a, one);
        m->tool = arena_strdup(r->c->a, json_string_value(json_object_get(call, "name")));
        m->call_id = arena_strdup(r->c->a, json_string_value(json_object_get(call, "id")));
    }
}

static void begin_answer(struct reading *r)
{
    if (!r->added)
        return;
    add_results(r);
    json_array_clear(r->calls);
    memset(r->results, 0, sizeof r->results);
    r->added = false;
}

/* ---- documents ---- */

/* The end of a file's name: "py". */
static struct str extension_of(struct str path)
{
    const char *dot = path.len ? memrchr(path.s, '.', path.len) : NULL;
    return dot ? str_from(path, (size_t)(dot - path.s) + 1) : STR("");
}

/* Moves the document in the arguments of a call to the text of the answer. */
static void take_document(struct reading *r, struct str tool, json_t *args)
{
    struct str text, name = STR(""), language = STR(""), type = STR("");
    bool file = str_is(tool, "create_file");
    const char *key = file ? "file_text" : json_object_get(args, "content") ? "content" : "new_str";
    if ((!file && !str_is(tool, "artifacts")) || !json_get_str(args, key, &text) || !text.len)
        return;
    json_get_str(args, file ? "path" : "title", &name);
    json_get_str(args, "language", &language);
    json_get_str(args, "type", &type);
    import_document(&r->text, name, file ? extension_of(name) : claude_language(language, type), text);
    json_object_del(args, key);
}

/* ---- blocks ---- */

static void add_call(struct reading *r, const json_t *block)
{
    struct str id, name = {0};
    const json_t *input = json_object_get(block, "input");
    begin_answer(r);
    if (json_array_size(r->calls) == RESULTS_MAX)
        return;
    AUTO(json_t) args = json_is_object(input) ? json_copy((json_t *)(uintptr_t)input) : json_object();
    if (json_get_str(block, "name", &name))
        take_document(r, name, args);
    if (!json_get_str(block, "id", &id) || id.len == 0 || id.len > IMPORT_WORD_MAX) /* older exports */
        id = str_of(arena_printf(r->c->a, "call_%zu_%zu", r->c->n, json_array_size(r->calls)));
    json_array_append_new(r->calls, json_pack("{s:s%, s:s, s:O}", "id", id.s, id.len, "name",
                                        import_tool_name(r->c->a, name), "args", args));
}

/* The call of a result: by its id, else the first without a result. The number of calls: none, or it has its
 * result. */
static size_t call_of(const struct reading *r, const json_t *block)
{
    struct str want, have;
    size_t n = json_array_size(r->calls), i = 0;
    if (json_get_str(block, "tool_use_id", &want))
        for (i = 0; i < n; i++)
            if (json_get_str(json_array_get(r->calls, i), "id", &have) && str_eq(have, want))
                return r->results[i].s ? n : i;
    for (i = 0; i < n && r->results[i].s; i++)
        ;
    return i;
}

/* A text, a page {title, url, text}, an image, or a file {name}. */
static void add_result_part(struct reading *r, const json_t *part)
{
    struct str type = STR(""), text = STR("");
    json_get_str(part, "type", &type);
    json_get_str(part, "text", &text);
    add_paragraph(&r->result, str_of(import_page(r->c->a, part, "url")));
    if (str_is(type, "image"))
        add_paragraph(&r->result, STR(IMPORT_IMAGE_NOTE));
    if (str_is(type, "local_resource"))
        add_paragraph(&r->result, str_of(import_file_note(r->c->a, part, "name")));
    add_paragraph(&r->result, text);
}

static void add_result(struct reading *r, const json_t *block)
{
    size_t i;
    const json_t *part, *content = json_object_get(block, "content");
    size_t at = call_of(r, block);
    if (at == json_array_size(r->calls))
        return;
    end_answer(r);
    r->added = true;
    strbuf_clear(&r->result);
    if (json_is_string(content))
        add_paragraph(&r->result, (struct str){json_string_value(content), json_string_length(content)});
    json_array_foreach(content, i, part)
    {
        add_result_part(r, part);
    }
    r->results[at] = arena_str(r->c->a, strbuf_str(&r->result));
}

static void add_thinking(struct reading *r, const json_t *block, struct str text)
{
    int64_t from = import_iso(block, "start_timestamp"), to = import_iso(block, "stop_timestamp");
    begin_answer(r);
    add_paragraph(&r->thinking, text);
    if (from && to)
        r->thinking_ms += import_reasoning_ms((double)(to - from));
}

static void add_block(struct reading *r, const json_t *block)
{
    struct str type = STR(""), text;
    json_get_str(block, "type", &type);
    if (str_is(type, "tool_use")) {
        add_call(r, block);
    } else if (str_is(type, "tool_result")) {
        add_result(r, block);
    } else if (str_is(type, "thinking") && json_get_str(block, "thinking", &text)) {
        add_thinking(r, block, text);
    } else if (json_get_str(block, "text", &text)) {
        if (str_trim(text).len)
            begin_answer(r);
        claude_add_text(&r->text, &r->thinking, text, json_object_get(block, "citations"));
    }
}

/* Files: their text if Claude read it, else a note. */
static void add_files(struct reading *r)
{
    static const char *const lists[] = {"attachments", "files"};
    size_t i;
    const json_t *file;
    for (size_t k = 0; k < ARRAY_LEN(lists); k++)
        json_array_foreach(json_object_get(r->message, lists[k]), i, file)
        {
            struct str text = {0};
            const char *name = import_line_of(r->c->a, file, "file_name", IMPORT_WORD_MAX);
            json_get_str(file, "extracted_content", &text);
            if (text.len == 0)
                add_paragraph(&r->text, str_of(import_file_note(r->c->a, file, "file_name")));
            else if (name)
                add_paragraph(&r->text, str_of(arena_printf(r->c->a, "%s:", name)));
            add_paragraph(&r->text, text);
        }
}

static void read_user(struct reading *r)
{
    size_t i;
    const json_t *block;
    struct str text;
    json_array_foreach(json_object_get(r->message, "content"), i, block)
    {
        if (json_get_str(block, "text", &text))
            add_paragraph(&r->text, text);
    }
    if (r->text.len == 0 && json_get_str(r->message, "text", &text))
        add_paragraph(&r->text, text);
    add_files(r);
    if (r->text.len)
        add_piece(r, ROLE_USER, strbuf_str(&r->text));
}

static void read_answer(struct reading *r)
{
    size_t i;
    const json_t *block;
    struct str text;
    json_array_foreach(json_object_get(r->message, "content"), i, block)
    {
        add_block(r, block);
    }
    if (r->text.len == 0 && r->pieces == 0 && json_array_size(r->calls) == 0 &&
        json_get_str(r->message, "text", &text))
        claude_add_text(&r->text, &r->thinking, text, NULL);
    add_files(r);
    begin_answer(r);
    end_answer(r);
}

/* A message of the list; `before`: the one above it in a list without parents. */
static const char *read_message(struct reading *r, const char *before)
{
    struct str sender = {0}, uuid;
    const char *parent = json_string_value(json_object_get(r->message, "parent_message_uuid"));
    json_get_str(r->message, "sender", &sender);
    r->uuid = json_get_str(r->message, "uuid", &uuid) ? arena_strdup(r->c->a, uuid.s)
                                                      : arena_printf(r->c->a, "%zu", r->c->n);
    r->parent = parent ? parent : before;
    r->pieces = 0;
    r->added = false;
    json_array_clear(r->calls);
    clear_answer(r);
    if (str_is(sender, "human"))
        read_user(r);
    else if (str_is(sender, "assistant"))
        read_answer(r);
    if (r->pieces) { /* children refer to the message by its id */
        r->c->messages[r->c->n - 1].key = r->uuid;
        return r->uuid;
    }
    struct import_message *m = import_add(r->c, r->uuid, r->parent);
    m->dropped = true;
    return r->uuid;
}

enum rc import_claude(struct import_conversation *c, const json_t *v, struct err *e)
{
    const json_t *list = json_object_get(v, "chat_messages");
    struct reading r = {.c = c};
    struct str id;
    size_t i;
    if (json_array_size(list) > IMPORT_MESSAGES_MAX)
        return err_set(e, RC_TOO_BIG, "a conversation of %zu messages", json_array_size(list));
    AUTO(json_t) calls = json_array();
    r.calls = calls;
    strbuf_init(&r.text, IMPORT_VALUE_MAX);
    strbuf_init(&r.thinking, IMPORT_VALUE_MAX);
    strbuf_init(&r.result, IMPORT_VALUE_MAX);
    const char *before = NULL;
    json_array_foreach(list, i, r.message)
    {
        if (json_is_object(r.message))
            before = read_message(&r, before);
    }
    strbuf_release(&r.text);
    strbuf_release(&r.thinking);
    strbuf_release(&r.result);
    if (json_get_str(v, "uuid", &id))
        c->outer_id = import_outer_id(c, PROVIDER, id);
    c->title = import_line_of(c->a, v, "name", SESSION_TITLE_CHARS_MAX);
    c->titled_by = "user";
    c->created_at = import_iso(v, "created_at");
    c->active_at = import_iso(v, "updated_at");
    const char *head = json_string_value(json_object_get(v, "current_leaf_message_uuid"));
    c->head = arena_strdup(c->a, head ? head : before);
    return RC_OK;
}
