/*
 * ChatGPT's export: conversations.json is a list of conversations, each a tree in `mapping` {node id: {id,
 * message, parent, children}} with the end of the shown branch in `current_node`. A message is {author:
 * {role, name}, content: {content_type, parts or text}, create_time in seconds, recipient, metadata:
 * {model_slug}}. Nodes without a message and hidden ones (custom instructions, reasoning) only connect
 * others. No official description exists. This reader follows several public ones.
 *
 * The text of an answer has marks between characters of the private use area: U+E200, a word such as cite or
 * entity, arguments behind U+E202 each, U+E201. metadata.content_references has {matched_text, alt}: the
 * mark, and the Markdown that stands for it. U+E203 and U+E204 enclose cited words.
 *
 * A message of the assistant to a tool (recipient is not "all") becomes a call, and the tool's message its
 * result.
 */
#include "app/import/import_private.h"

#include "base/utf8.h"

#define PROVIDER "chatgpt"
#define PLACE    "#" /* member that we add to a node: its index */

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

/* A part is a string, or an object for other content. */
static void add_part(struct strbuf *b, const json_t *part)
{
    struct str text;
    if (json_is_string(part))
        import_paragraph(b, (struct str){json_string_value(part), json_string_length(part)});
    else if (json_get_str(part, "text", &text))
        import_paragraph(b, text);
    else if (json_is_string(json_object_get(part, "content_type")))
        import_paragraph(b, part_is(part, "image") ? STR("(An image was here.)") : STR("(A file was here.)"));
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
static bool add_content(struct strbuf *b, const json_t *content)
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
            add_part(b, part);
    }
    if (json_get_str(content, "text", &text) || json_get_str(content, "result", &text))
        import_paragraph(b, text);
    return true;
}

/* ---- marks ---- */

#define MARK_BEGIN   "\xEE\x88\x80"
#define MARK_END     "\xEE\x88\x81"
#define MARK_ENTITY  MARK_BEGIN "entity\xEE\x88\x82"
#define CITED_BEGIN  "\xEE\x88\x83"
#define CITED_END    "\xEE\x88\x84"
#define MARK_BYTES   3 /* of each of these characters */
#define ENTITY_BYTES 4096
#define MARKED_MAX   1000 /* references of one message */

/* The name in an entity's mark: ["people","Ada Lovelace",0]. */
static void add_name(struct strbuf *b, struct str mark)
{
    AUTO(json_t) list = NULL;
    struct str json = {mark.s + strlen(MARK_ENTITY), mark.len - strlen(MARK_ENTITY) - MARK_BYTES};
    if (json_parse(json, ENTITY_BYTES, &list, NULL) == RC_OK && json_is_string(json_array_get(list, 1)))
        strbuf_adds(b, json_string_value(json_array_get(list, 1)));
}

static void add_marked(struct strbuf *b, struct str mark, const json_t *references)
{
    struct str matched, alt;
    for (size_t i = 0; i < json_array_size(references) && i < MARKED_MAX; i++) {
        const json_t *one = json_array_get(references, i);
        if (json_get_str(one, "matched_text", &matched) && str_eq(matched, mark) &&
            json_get_str(one, "alt", &alt) && alt.len) {
            strbuf_addstr(b, alt);
            return;
        }
    }
    if (str_starts(mark, STR(MARK_ENTITY)))
        add_name(b, mark);
}

/* Replaces the marks. One without an end, and one that stands for nothing, are left out. */
static void resolve_marks(struct strbuf *b, const json_t *references)
{
    AUTO_STRBUF out;
    struct str rest = strbuf_str(b);
    const char *end = rest.s;
    strbuf_init(&out, IMPORT_VALUE_MAX);
    for (const char *at; (at = memmem(rest.s, rest.len, "\xEE\x88", 2));) {
        size_t before = (size_t)(at - rest.s);
        strbuf_add(&out, rest.s, before);
        rest = (struct str){at, rest.len - before};
        size_t n = utf8_cut_bytes(rest, MARK_BYTES);
        bool mark = str_starts(rest, STR(MARK_BEGIN));
        if (mark && end) /* without a further end it is not searched again */
            end = memmem(rest.s, rest.len, MARK_END, MARK_BYTES);
        if (mark && end) {
            n = (size_t)(end - rest.s) + MARK_BYTES;
            add_marked(&out, (struct str){rest.s, n}, references);
        } else if (!mark && !str_starts(rest, STR(CITED_BEGIN)) && !str_starts(rest, STR(CITED_END))) {
            strbuf_add(&out, rest.s, n);
        }
        rest = str_from(rest, n);
    }
    strbuf_addstr(&out, rest);
    strbuf_clear(b);
    strbuf_addstr(b, strbuf_str(&out));
}

/* ---- messages ---- */

/* The text becomes the arguments of the call, which gets an id of our own. */
static void make_call(struct import_conversation *c, struct import_message *m, struct str to, struct str text)
{
    if (text.len > IMPORT_CALLS_MAX / 8) /* escapes make it longer */
        text.len = utf8_cut_bytes(text, IMPORT_CALLS_MAX / 8);
    AUTO(json_t)
    call = json_pack("[{s:s, s:s, s:{s:s%}}]", "id", arena_printf(c->a, "call_%zu", c->n), "name",
        import_tool_name(c->a, to), "args", "input", text.s, text.len);
    AUTO_FREE char *json = call ? json_dumps(call, JSON_COMPACT) : NULL;
    m->calls = arena_strdup(c->a, json);
    m->call_id = arena_printf(c->a, "call_%zu", c->n);
    m->text = STR("");
}

/* The message above, if it calls a tool. */
static const struct import_message *call_above(
    const struct import_conversation *c, const json_t *mapping, const char *key)
{
    const char *up = json_string_value(in(mapping, key, "parent"));
    const json_t *at = up ? in(mapping, up, PLACE) : NULL;
    if (!json_is_integer(at))
        return NULL;
    const struct import_message *m = &c->messages[json_integer_value(at)];
    return m->role == ROLE_ASSISTANT && m->call_id ? m : NULL;
}

static void read_message(
    struct import_conversation *c, struct import_message *m, const json_t *message, struct strbuf *b)
{
    struct str role = {0}, to = STR("all"), model;
    json_get_str(json_object_get(message, "author"), "role", &role);
    json_get_str(message, "recipient", &to);
    strbuf_clear(b);
    m->status = MESSAGE_DONE;
    m->dropped = !import_role(role, &m->role) || !add_content(b, json_object_get(message, "content")) ||
                 json_is_true(in(message, "metadata", "is_visually_hidden_from_conversation"));
    if (!m->dropped && m->role == ROLE_USER)
        add_attachments(c->a, b, in(message, "metadata", "attachments"));
    m->dropped = m->dropped || (b->len == 0 && m->role != ROLE_TOOL) || b->failed;
    if (m->dropped)
        return;
    if (m->role != ROLE_USER)
        resolve_marks(b, in(message, "metadata", "content_references"));
    m->created_at = import_seconds(message, "create_time");
    m->text = import_text(c, strbuf_str(b));
    if (json_get_str(json_object_get(message, "metadata"), "model_slug", &model) &&
        m->role == ROLE_ASSISTANT) {
        m->provider = PROVIDER;
        m->model = import_line(c->a, model, IMPORT_WORD_MAX);
    }
    if (m->role == ROLE_ASSISTANT && !str_is(to, "all")) {
        m->tool = import_tool_name(c->a, to);
        make_call(c, m, to, m->text);
    }
}

/* Results need their calls, so this runs last. Until then `tool` and `call_id` of an answer only keep
 * values. */
static void link_results(struct import_conversation *c, const json_t *mapping)
{
    for (size_t i = 0; i < c->n; i++) {
        struct import_message *m = &c->messages[i];
        const struct import_message *call;
        if (m->role != ROLE_TOOL || m->dropped || !(call = call_above(c, mapping, m->key)))
            continue; /* import_tree() drops a result without a call */
        m->call_id = call->call_id;
        m->tool = call->tool;
        m->calls = call->calls;
    }
    for (size_t i = 0; i < c->n; i++)
        if (c->messages[i].role == ROLE_ASSISTANT)
            c->messages[i].tool = c->messages[i].call_id = NULL;
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
    json_object_foreach(mapping, key, node)
    {
        json_object_set_new(
            node, PLACE, json_integer((json_int_t)c->n)); /* does nothing when it is not an object */
        struct import_message *m = import_add(c, key, json_string_value(json_object_get(node, "parent")));
        read_message(c, m, json_object_get(node, "message"), &b);
    }
    link_results(c, mapping);
    struct str id;
    if (json_get_str(v, "conversation_id", &id) || json_get_str(v, "id", &id))
        c->outer_id = import_outer_id(c, PROVIDER, id);
    c->title = import_line_of(c->a, v, "title", SESSION_TITLE_CHARS_MAX);
    c->titled_by = "user";
    c->created_at = import_seconds(v, "create_time");
    c->active_at = import_seconds(v, "update_time");
    c->archived_by_user = json_is_true(json_object_get(v, "is_archived"));
    c->archived_at = c->archived_by_user ? c->active_at : 0;
    c->pinned = json_is_true(json_object_get(v, "is_starred"));
    c->head = arena_strdup(c->a, json_string_value(json_object_get(v, "current_node")));
    return RC_OK;
}
