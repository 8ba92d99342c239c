/*
 * Open WebUI's export of chats: a list of {id, title, chat: {title, models, history: {messages: {id: {id,
 * parentId, childrenIds, role, content, timestamp in seconds, model}}, currentId}}, created_at and updated_at
 * in seconds, archived, pinned}. Chats of its first versions have only a list `chat.messages`, in order.
 */
#include "app/import/import_private.h"

#define PROVIDER "openwebui"

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
        if (b->len)
            strbuf_adds(b, "\n\n");
        strbuf_addstr(b, json_get_str(part, "text", &text) ? text : STR("(A file was here.)"));
    }
}

static void read_message(
    struct import_conversation *c, struct import_message *m, const json_t *v, struct strbuf *b)
{
    struct str role = {0}, model;
    json_get_str(v, "role", &role);
    strbuf_clear(b);
    add_content(b, json_object_get(v, "content"));
    m->status = MESSAGE_DONE;
    m->dropped = !import_role(role, &m->role) || m->role == ROLE_TOOL || b->len == 0 || b->failed;
    if (m->dropped)
        return;
    m->text = import_text(c, strbuf_str(b));
    m->created_at = import_seconds(v, "timestamp");
    if (m->role == ROLE_ASSISTANT && json_get_str(v, "model", &model)) {
        m->provider = PROVIDER;
        m->model = import_line(c->a, model, IMPORT_WORD_MAX);
    }
}

static void read_tree(struct import_conversation *c, json_t *messages, struct strbuf *b)
{
    const char *key;
    json_t *one;
    json_object_foreach(messages, key, one)
    {
        read_message(c, import_add(c, key, json_string_value(json_object_get(one, "parentId"))), one, b);
    }
}

static void read_list(struct import_conversation *c, const json_t *messages, struct strbuf *b)
{
    size_t i;
    const json_t *one;
    json_array_foreach(messages, i, one)
    {
        const char *before = i ? arena_printf(c->a, "%zu", i - 1) : NULL;
        c->head = arena_printf(c->a, "%zu", i);
        read_message(c, import_add(c, c->head, before), one, b);
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
