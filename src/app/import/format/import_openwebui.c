/*
 * Open WebUI's export of chats: a list of {id, title, chat: {title, models, history: {messages: {id: {id,
 * parentId, childrenIds, role, content, timestamp in seconds, model, files, error}}, currentId}, tags},
 * created_at and updated_at in seconds, archived, pinned, meta: {tags}}. Chats of its first versions have
 * only a list `chat.messages`, in order. A file is {type, name, file: {data: {content}}}, an error {content}.
 * `sources` of an answer (in older ones `citations`) are [{source: {id, name}, document: [text], metadata:
 * [{source: id or address, name, title}]}]. The answer refers to them as [1].
 * import_openwebui_answer.c reads the answers.
 */
#include "app/import/format/import_openwebui_private.h"

#define ERROR_DEPTH 3
#define SOURCES_MAX ((size_t)100) /* of an answer */

static json_t *tree_of(const json_t *chat)
{
    return json_object_get(json_object_get(chat, "history"), "messages");
}

/* The content of the chat, which Open WebUI also imports without the members around it. */
static const json_t *chat_of(const json_t *v)
{
    const json_t *chat = json_object_get(v, "chat");
    return !chat && json_is_object(tree_of(v)) ? v : chat;
}

bool import_is_openwebui(const json_t *v)
{
    const json_t *chat = chat_of(v);
    return json_is_object(tree_of(chat)) || json_is_array(json_object_get(chat, "messages"));
}

/* Content is a string, or a list of parts as in OpenAI's API. Pictures become those of `to`, if it may have
 * them. */
static void add_content(
    struct import_conversation *c, struct import_message *to, struct strbuf *b, const json_t *content)
{
    size_t i;
    const json_t *part;
    struct str text;
    if (json_is_string(content))
        strbuf_add(b, json_string_value(content), json_string_length(content));
    json_array_foreach(content, i, part)
    {
        if (json_get_str(json_object_get(part, "image_url"), "url", &text) &&
            import_picture_add_base64(c, to, text, NULL) == RC_OK)
            continue;
        import_paragraph(b, json_get_str(part, "text", &text) ? text : STR(IMPORT_FILE_NOTE));
    }
}

static bool is_image(const json_t *file)
{
    struct str type;
    return (json_get_str(file, "type", &type) && str_is(type, "image")) ||
           (json_get_str(file, "content_type", &type) && str_starts(type, STR("image/")));
}

/* The pictures and files beside the text: the text that was read in a file, else a note. */
static void add_files(
    struct import_conversation *c, struct import_message *to, const json_t *v, struct strbuf *b)
{
    size_t i;
    const json_t *file;
    struct str url;
    json_array_foreach(json_object_get(v, "files"), i, file)
    {
        if (is_image(file) && json_get_str(file, "url", &url) &&
            import_picture_add_base64(c, to, url, NULL) == RC_OK)
            continue;
        struct str text = {0};
        const char *name = import_line_of(c->a, file, "name", IMPORT_WORD_MAX);
        json_get_str(json_object_get(json_object_get(file, "file"), "data"), "content", &text);
        text = str_trim(text);
        if (is_image(file) || text.len == 0)
            import_paragraph(
                b, str_of(is_image(file) ? IMPORT_IMAGE_NOTE : import_file_note(c->a, file, "name")));
        else if (name)
            import_paragraph(b, str_of(arena_printf(c->a, "%s:", name)));
        if (!is_image(file))
            import_paragraph(b, text);
    }
}

static const char *if_http(const char *s)
{
    return s && str_starts(str_of(s), STR("http")) ? s : NULL;
}

/* The id or address of the source of the i-th text of a group; "" without one. */
static const char *source_key(const json_t *group, size_t i)
{
    const json_t *metadata = json_array_get(json_object_get(group, "metadata"), i);
    const char *key = json_string_value(json_object_get(metadata, "source"));
    key = key ? key : json_string_value(json_object_get(json_object_get(group, "source"), "id"));
    return key ? key : "";
}

/* The source with this key: "[Tea](https://tea.example)", or a name. */
static const char *source_of(struct arena *a, const json_t *group, size_t i, const char *key)
{
    const json_t *metadata = json_array_get(json_object_get(group, "metadata"), i);
    const char *url = if_http(json_string_value(json_object_get(metadata, "source_url"))),
               *name = import_line_of(a, metadata, "title", IMPORT_WORD_MAX);
    url = url ? url : if_http(key);
    if (!name || !url)
        name = import_line_of(a, metadata, "name", IMPORT_WORD_MAX);
    if (!name && !if_http(key))
        name = import_line_of(a, json_object_get(group, "source"), "name", IMPORT_WORD_MAX);
    if (!url)
        return name ? name : IMPORT_FILE_NOTE;
    return import_link(a, str_of(name ? name : url), str_of(url));
}

/* The sources below an answer, with their numbers. A source can have a million texts. */
static void add_sources(struct arena *a, struct strbuf *b, const json_t *v)
{
    const json_t *groups = json_object_get(v, "sources"), *group;
    size_t g, n = 0;
    AUTO(json_t) seen = json_object();
    struct str text = str_trim(strbuf_str(b));
    strbuf_truncate(b, (size_t)(text.s + text.len - b->s));
    groups = groups ? groups : json_object_get(v, "citations");
    json_array_foreach(groups, g, group)
    {
        size_t texts = json_array_size(json_object_get(group, "document"));
        for (size_t i = 0; i < texts && n < SOURCES_MAX; i++) {
            const char *key = source_key(group, i);
            if (json_object_get(seen, key))
                continue;
            json_object_set_new(seen, key, json_true());
            strbuf_addf(b, "%s- [%zu] %s", n ? "\n" : "\n\n", n + 1, source_of(a, group, i, key));
            n++;
        }
    }
}

/* Why an answer failed: a text, or an object with one, which may be an error of the provider. NULL: it did
 * not fail, or the text is the answer itself. */
static const char *error_of(struct arena *a, const json_t *v)
{
    static const char *const keys[] = {"content", "detail", "message", "error"};
    const json_t *at = json_object_get(v, "error");
    for (int depth = 0; depth < ERROR_DEPTH && json_is_object(at); depth++) {
        const json_t *inner = NULL;
        for (size_t i = 0; !inner && i < ARRAY_LEN(keys); i++)
            inner = json_object_get(at, keys[i]);
        at = inner;
    }
    struct str words = {json_string_value(at), json_string_length(at)};
    return words.s ? import_line(a, words, 2 * IMPORT_WORD_MAX) : NULL;
}

/* `with`: its pictures. */
static void read_user_message(
    struct openwebui_message *m, const struct import_message *with, struct str content)
{
    struct import_message got = *with;
    strbuf_addstr(&m->text, str_trim(content).len ? content : STR(""));
    add_files(m->c, &got, m->json, &m->text);
    if (!m->text.len && !got.pictures_n)
        return;
    struct import_message *out = openwebui_add(m, got.role, strbuf_str(&m->text));
    out->pictures = got.pictures;
    out->pictures_n = got.pictures_n;
}

static void read_answer(struct openwebui_message *m, struct import_message *with, struct str content)
{
    if (str_trim(content).len)
        openwebui_read_content(m, content);
    else
        openwebui_read_output(m, json_object_get(m->json, "output"));
    strbuf_truncate(&m->text, str_trim(strbuf_str(&m->text)).len ? m->text.len : 0);
    add_files(m->c, with, m->json, &m->text);
    if (m->text.len)
        add_sources(m->c->a, &m->text, m->json);
    const char *error = error_of(m->c->a, m->json);
    if (!m->text.len && !m->reasoning.len && !error && !with->pictures_n)
        return;
    struct import_message *last = openwebui_add_answer(m);
    last->pictures = with->pictures;
    last->pictures_n = with->pictures_n;
    last->error = error;
    last->status = error ? MESSAGE_FAILED : MESSAGE_DONE;
}

static void read_message(
    struct import_conversation *c, const char *key, const char *parent, const json_t *v, struct strbuf *b)
{
    struct str word = {0};
    struct import_message got = {.role = ROLE_TOOL}; /* its role and pictures, before it is added */
    struct openwebui_message m = {.c = c, .json = v, .key = key, .parent = parent};
    strbuf_init(&m.text, IMPORT_VALUE_MAX);
    strbuf_init(&m.reasoning, IMPORT_VALUE_MAX);
    strbuf_clear(b);
    json_get_str(v, "role", &word);
    (void)import_role(word, &got.role);
    add_content(c, &got, b, json_object_get(v, "content"));
    if (got.role == ROLE_ASSISTANT)
        read_answer(&m, &got, strbuf_str(b));
    else if (got.role != ROLE_TOOL)
        read_user_message(&m, &got, strbuf_str(b));
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

/* Names in the chat, or their ids beside it: lower case, with _ for blanks. */
static void read_tags(struct import_conversation *c, const json_t *v, const json_t *chat)
{
    import_tags(c, json_object_get(chat, "tags"));
    if (c->tags_n)
        return;
    import_tags(c, json_object_get(json_object_get(v, "meta"), "tags"));
    for (size_t i = 0; i < c->tags_n; i++) {
        char *name = arena_strdup(c->a, c->tags[i]);
        for (char *p = name; *p; p++)
            *p = *p == '_' ? ' ' : *p;
        c->tags[i] = name;
    }
}

enum rc import_openwebui(struct import_conversation *c, const json_t *v, struct err *e)
{
    const json_t *chat = chat_of(v), *history = json_object_get(chat, "history");
    json_t *tree = tree_of(chat);
    const json_t *list = json_object_get(chat, "messages");
    bool listed = json_object_size(tree) == 0;
    size_t n = listed ? json_array_size(list) : json_object_size(tree);
    if (n > IMPORT_MESSAGES_MAX)
        return err_set(e, RC_TOO_BIG, "a conversation of %zu messages", n);
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    if (!listed) {
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
    read_tags(c, v, chat);
    return RC_OK;
}
