/*
 * ChatGPT's export: conversations.json is a list of conversations, each a tree in `mapping` {node id: {id,
 * message, parent, children}} with the end of the shown branch in `current_node`. A message is {author:
 * {role, name}, content: {content_type, parts or text}, create_time in seconds, recipient, metadata:
 * {model_slug}}. Nodes without a message and hidden ones (custom instructions) only connect others, as do
 * those of reasoning, whose text goes to the answer (import_chatgpt_thoughts.c). No official description
 * exists. This reader follows several public ones.
 *
 * A message of the assistant to a tool (recipient is not "all") becomes a call, and the messages of the tool
 * below it its result (import_chatgpt_tools.c). Sources are marks in the text (import_chatgpt_marks.c).
 */
#include "app/import/format/import_chatgpt_private.h"

#define PROVIDER "chatgpt"

bool import_is_chatgpt(const json_t *v)
{
    return json_is_object(json_object_get(v, "mapping"));
}

static const json_t *in(const json_t *v, const char *one, const char *two)
{
    return json_object_get(json_object_get(v, one), two);
}

static bool part_is(const json_t *part, const char *word)
{
    struct str type;
    return json_get_str(part, "content_type", &type) && strstr(type.s, word);
}

/* The words of a voice chat are in a part beside the sound. */
static bool is_transcribed(const json_t *parts)
{
    size_t i;
    const json_t *part;
    json_array_foreach(parts, i, part)
    {
        if (part_is(part, "audio_transcription"))
            return true;
    }
    return false;
}

/* A part is a string, or an object for other content. A picture of the user becomes one of `m`, if the zip
 * has it. */
static void add_part(
    struct import_conversation *c, struct import_message *m, struct strbuf *b, const json_t *part)
{
    struct str text;
    if (json_get_str(part, "asset_pointer", &text) && part_is(part, "image") &&
        import_picture_add_file(c, m, text, NULL) == RC_OK)
        return;
    if (json_is_string(part))
        import_paragraph(b, (struct str){json_string_value(part), json_string_length(part)});
    else if (json_get_str(part, "text", &text))
        import_paragraph(b, text);
    else if (json_is_string(json_object_get(part, "content_type")))
        import_paragraph(b, part_is(part, "image") ? STR(IMPORT_IMAGE_NOTE) : STR(IMPORT_FILE_NOTE));
}

/* The files that were sent with a message. Images are parts of it, too. */
static void add_attachments(struct arena *a, struct strbuf *b, const json_t *list)
{
    size_t i;
    const json_t *file;
    struct str type;
    json_array_foreach(list, i, file)
    {
        if (!json_get_str(file, "mime_type", &type) || !str_starts(type, STR("image/")))
            import_paragraph(b, str_of(import_file_note(a, file, "name")));
    }
}

/* False: content of a kind that ChatGPT does not show. */
static bool add_content(
    struct import_conversation *c, struct import_message *m, struct strbuf *b, const json_t *content)
{
    static const char *const unseen[] = {
        "thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"};
    struct str type = STR(""), text;
    size_t i;
    const json_t *part;
    json_get_str(content, "content_type", &type);
    for (i = 0; i < ARRAY_LEN(unseen); i++)
        if (str_is(type, unseen[i]))
            return false;
    const json_t *parts = json_object_get(content, "parts");
    bool transcribed = is_transcribed(parts);
    json_array_foreach(parts, i, part)
    {
        if (!transcribed || !part_is(part, "audio") || part_is(part, "audio_transcription"))
            add_part(c, m, b, part);
    }
    import_paragraph(b, str_of(import_page(c->a, content, "url"))); /* tether_quote, sonic_webpage */
    if (json_get_str(content, "text", &text) || json_get_str(content, "result", &text) ||
        json_get_str(content, "output_str", &text))
        import_paragraph(b, text);
    return true;
}

/* Code that is the answer itself, not a call, becomes a fenced block. */
static void fence(struct strbuf *b, const json_t *content)
{
    struct str type = STR(""), language = STR("");
    json_get_str(content, "content_type", &type);
    if (!str_is(type, "code"))
        return;
    AUTO_STRBUF out;
    strbuf_init(&out, IMPORT_VALUE_MAX);
    json_get_str(content, "language", &language);
    import_document(&out, STR(""), str_is(language, "unknown") ? STR("") : language, strbuf_str(b));
    strbuf_clear(b);
    strbuf_addstr(b, strbuf_str(&out));
}

/* ---- messages ---- */

static void set_model(struct import_conversation *c, struct import_message *m, const json_t *message)
{
    struct str model;
    if (!json_get_str(json_object_get(message, "metadata"), "model_slug", &model))
        return;
    m->provider = PROVIDER;
    m->model = import_line(c->a, model, IMPORT_WORD_MAX);
}

static void read_message(
    struct import_conversation *c, struct import_message *m, const json_t *message, struct strbuf *b)
{
    struct str role = {0}, to = STR("all");
    json_get_str(json_object_get(message, "author"), "role", &role);
    json_get_str(message, "recipient", &to);
    strbuf_clear(b);
    m->status = MESSAGE_DONE;
    m->dropped = !import_role(role, &m->role) || !add_content(c, m, b, json_object_get(message, "content")) ||
                 json_is_true(in(message, "metadata", "is_visually_hidden_from_conversation"));
    if (!m->dropped && m->role == ROLE_USER)
        add_attachments(c->a, b, in(message, "metadata", "attachments"));
    if (m->dropped && m->role == ROLE_ASSISTANT)
        chatgpt_read_thoughts(c, m, message);
    m->dropped = m->dropped || (b->len == 0 && m->role != ROLE_TOOL && !m->pictures_n) || b->failed;
    if (m->dropped)
        return;
    m->created_at = import_seconds(message, "create_time");
    if (m->role == ROLE_ASSISTANT)
        set_model(c, m, message);
    if (m->role == ROLE_ASSISTANT && !str_is(to, "all")) {
        chatgpt_make_call(c, m, to, b);
    } else {
        if (m->role != ROLE_USER)
            chatgpt_resolve_marks(b, json_object_get(message, "metadata"));
        if (m->role == ROLE_ASSISTANT) {
            fence(b, json_object_get(message, "content"));
            import_unwrap(b, STR("writing")); /* a draft: :::writing{variant="email" subject=""} */
        }
        m->text = import_text(c, strbuf_str(b));
    }
}

/* The report of Deep Research is in a message of its tool. It becomes an answer below that. `shown`: the
 * report before, because later messages of the tool may have it again. */
static void add_report(struct import_conversation *c, const char *key, const char *parent,
    const json_t *message, const json_t *report, struct str *shown)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    struct import_message *m = import_add(c, key, parent);
    m->role = ROLE_ASSISTANT;
    add_content(c, m, &b, json_object_get(report, "content"));
    chatgpt_resolve_marks(&b, json_object_get(report, "metadata"));
    m->status = MESSAGE_DONE;
    m->dropped = str_trim(strbuf_str(&b)).len == 0 || (shown->s && str_eq(strbuf_str(&b), *shown));
    if (m->dropped)
        return;
    *shown = m->text = import_text(c, strbuf_str(&b));
    m->created_at = import_seconds(report, "create_time");
    if (!m->created_at)
        m->created_at = import_seconds(message, "create_time");
    set_model(c, m, report);
}

/* True for a result with pictures, which ChatGPT has drawn. */
static bool is_drawn(const json_t *message)
{
    struct str role = {0};
    size_t i;
    const json_t *part;
    json_get_str(json_object_get(message, "author"), "role", &role);
    json_array_foreach(in(message, "content", "parts"), i, part)
    {
        if (str_is(role, "tool") && part_is(part, "image"))
            return true;
    }
    return false;
}

/* A drawing of ChatGPT becomes an answer below the result, if the zip has it. */
static void add_drawn(
    struct import_conversation *c, const char *key, const char *parent, const json_t *message)
{
    struct import_message *m = import_add(c, key, parent);
    struct str pointer, prompt;
    size_t i;
    const json_t *part;
    m->role = ROLE_ASSISTANT;
    m->status = MESSAGE_DONE;
    m->text = STR("");
    m->created_at = import_seconds(message, "create_time");
    json_array_foreach(in(message, "content", "parts"), i, part)
    {
        if (json_get_str(part, "asset_pointer", &pointer) &&
            import_picture_add_file(c, m, pointer, NULL) == RC_OK &&
            json_get_str(in(part, "metadata", "dalle"), "prompt", &prompt))
            m->pictures[m->pictures_n - 1].picture.alt = import_line(c->a, prompt, PICTURE_ALT_CHARS_MAX);
    }
    m->dropped = m->pictures_n == 0;
}

static void read_node(
    struct import_conversation *c, const char *key, json_t *node, struct str *shown, struct strbuf *b)
{
    const char *parent = json_string_value(json_object_get(node, "parent"));
    const json_t *message = json_object_get(node, "message");
    AUTO(json_t) report = chatgpt_report(message);
    bool drawn = !report && is_drawn(message);
    /* The last message of a node has its key, because its children refer to it. */
    const char *first = report || drawn ? arena_printf(c->a, "%s#tool", key) : key;
    json_object_set_new(
        node, CHATGPT_PLACE, json_integer((json_int_t)c->n)); /* does nothing when it is not an object */
    read_message(c, import_add(c, first, parent), message, b);
    if (report)
        add_report(c, key, first, message, report, shown);
    if (drawn)
        add_drawn(c, key, first, message);
}

enum rc import_chatgpt(struct import_conversation *c, const json_t *v, struct err *e)
{
    json_t *mapping = json_object_get(v, "mapping");
    if (json_object_size(mapping) > IMPORT_MESSAGES_MAX)
        return err_set(e, RC_TOO_BIG, "a conversation of %zu messages", json_object_size(mapping));
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    const char *key;
    json_t *node;
    struct str shown = {0};
    json_object_foreach(mapping, key, node)
    {
        read_node(c, key, node, &shown, &b);
    }
    chatgpt_link_results(c, mapping);
    chatgpt_give_thoughts(c, mapping);
    struct str id;
    if (json_get_str(v, "conversation_id", &id) || json_get_str(v, "id", &id))
        c->outer_id = import_outer_id(c, PROVIDER, id);
    c->title = import_line_of(c->a, v, "title", SESSION_TITLE_CHARS_MAX);
    c->titled_by = "user";
    c->created_at = import_seconds(v, "create_time");
    c->active_at = import_seconds(v, "update_time");
    c->archived_by_user = json_is_true(json_object_get(v, "is_archived"));
    c->archived_at = c->archived_by_user ? c->active_at : 0;
    c->pinned = json_is_true(json_object_get(v, "is_starred")) || import_seconds(v, "pinned_time") ||
                import_iso(v, "pinned_time");
    c->head = arena_strdup(c->a, json_string_value(json_object_get(v, "current_node")));
    return RC_OK;
}
