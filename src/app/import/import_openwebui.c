/*
 * Open WebUI's export of chats: a list of {id, title, chat: {title, models, history: {messages: {id: {id,
 * parentId, childrenIds, role, content, timestamp in seconds, model}}, currentId}}, created_at and updated_at
 * in seconds, archived, pinned}. Chats of its first versions have only a list `chat.messages`, in order.
 * import_openwebui_answer.c reads the answers.
 */
#include "app/import/import_openwebui_private.h"

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

static void read_user_message(struct openwebui_message *m, enum message_role role, struct str content)
{
    strbuf_addstr(&m->text, str_trim(content).len ? content : STR(""));
    add_files(m->c, m->json, &m->text);
    if (m->text.len)
        openwebui_add(m, role, strbuf_str(&m->text));
}

static void read_answer(struct openwebui_message *m, struct str content)
{
    if (str_trim(content).len)
        openwebui_read_content(m, content);
    else
        openwebui_read_output(m, json_object_get(m->json, "output"));
    strbuf_truncate(&m->text, str_trim(strbuf_str(&m->text)).len ? m->text.len : 0);
    add_files(m->c, m->json, &m->text);
    if (m->text.len || m->reasoning.len)
        openwebui_add_answer(m);
}

static void read_message(
    struct import_conversation *c, const char *key, const char *parent, const json_t *v, struct strbuf *b)
{
    struct str word = {0};
    enum message_role role = ROLE_TOOL;
    struct openwebui_message m = {.c = c, .json = v, .key = key, .parent = parent};
    strbuf_init(&m.text, IMPORT_VALUE_MAX);
    strbuf_init(&m.reasoning, IMPORT_VALUE_MAX);
    strbuf_clear(b);
    add_content(b, json_object_get(v, "content"));
    json_get_str(v, "role", &word);
    if (import_role(word, &role) && role == ROLE_ASSISTANT)
        read_answer(&m, strbuf_str(b));
    else if (role != ROLE_TOOL)
        read_user_message(&m, role, strbuf_str(b));
    strbuf_release(&m.text);
    strbuf_release(&m.reasoning);
    if (m.pieces)
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
        c->outer_id = import_outer_id(c, OPENWEBUI, id);
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
