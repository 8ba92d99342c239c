/*
 * LibreChat's export of a conversation as JSON: {conversationId, title, endpoint, options, messages or
 * messagesTree}. A message is {messageId, parentMessageId, isCreatedByUser, text, content, createdAt, model,
 * error, files, attachments}. A recursive export has the answers to a message in `children` of it, so it
 * nests as deep as the conversation is long. The parent of a first message is a fixed id that no message has.
 *
 * `content` is a list of parts: text, think, tool_call {id, name, args, output}, error; of assistants
 * tool_call {function: {name, arguments, output}} or {code_interpreter: {input, outputs: [{logs}]}}. A text
 * is a string or {value}. Older messages have only `text`, in which :::thinking ... ::: is the reasoning.
 *
 * A source is U+E202 and turn0search1: the second result of the search with that number in `attachments`
 * {type: "web_search", web_search: {turn, organic: [{title, link}]}}. Other characters from U+E200 on enclose
 * sources or words. Models also write \ue202 as text.
 */
#include "app/import/format/import_format_private.h"

#include <ctype.h>
#include <stdlib.h>

#define PROVIDER        "librechat"
#define LEVELS_MAX      1000 /* of nested messages; IMPORT_NESTED_LIMITS allows fewer */
#define ATTACHMENTS_MAX ((size_t)100)
#define MARKS           "\xEE\x88" /* the characters from U+E200 to U+E23F begin so */
#define MARK_BYTES      3
#define WRITTEN         "\\ue20" /* such a character as text, without its last digit */
#define ANCHOR          2        /* U+E202 */
#define THINKING        ":::thinking"
#define THINKING_END    ":::"

struct reading {
    struct import_conversation *c;
    const json_t *message;
    const char *key, *parent; /* parent: of the next piece */
    const char *error;
    struct strbuf text, reasoning;
    size_t pieces;
};

bool import_is_librechat(const json_t *v)
{
    return json_is_string(json_object_get(v, "conversationId")) &&
           (json_is_array(json_object_get(v, "messages")) ||
               json_is_array(json_object_get(v, "messagesTree")));
}

/* A member that is a string or {value: string}; else empty. */
static struct str text_of(const json_t *v, const char *key)
{
    struct str s = STR("");
    if (!json_get_str(v, key, &s))
        json_get_str(json_object_get(v, key), "value", &s);
    return s;
}

static bool type_is(const json_t *v, const char *type)
{
    struct str have;
    return json_get_str(v, "type", &have) && str_is(have, type);
}

/* ---- pieces ---- */

static struct import_message *add(struct reading *r, enum message_role role, struct str text)
{
    struct import_message *m = import_add_piece(r->c, r->key, &r->pieces, &r->parent, role, text);
    m->created_at = import_iso(r->message, "createdAt");
    if (role == ROLE_ASSISTANT) {
        m->model = import_line_of(r->c->a, r->message, "model", IMPORT_WORD_MAX);
        m->provider = m->model ? PROVIDER : NULL;
    }
    return m;
}

static struct import_message *add_answer(struct reading *r)
{
    struct import_message *m = add(r, ROLE_ASSISTANT, str_trim(strbuf_str(&r->text)));
    m->reasoning = import_text(r->c, strbuf_str(&r->reasoning));
    strbuf_clear(&r->text);
    strbuf_clear(&r->reasoning);
    return m;
}

/* ---- sources ---- */

/* Appends a link for the `i`-th source of a kind in the search with number `turn`, or its name. */
static void add_source(const struct reading *r, struct strbuf *b, int64_t turn, struct str kind, size_t i)
{
    static const char *const lists[][2] = {{"search", "organic"}, {"news", "topStories"}, {"image", "images"},
        {"video", "videos"}, {"ref", "references"}};
    const json_t *all = json_object_get(r->message, "attachments");
    AUTO(arena) a = arena_new();
    for (size_t k = 0; k < json_array_size(all) && k < ATTACHMENTS_MAX; k++) {
        const json_t *one = json_array_get(all, k), *found = json_object_get(one, "web_search"),
                     *source = NULL;
        int64_t number = 0;
        json_get_int(found, "turn", &number);
        for (size_t n = 0; number == turn && n < ARRAY_LEN(lists); n++)
            if (str_is(kind, lists[n][0]))
                source = json_array_get(json_object_get(found, lists[n][1]), i);
        const char *words = import_page(a, source, "link");
        if (str_is(kind, "file")) {
            source = json_array_get(json_object_get(json_object_get(one, "file_search"), "sources"), i);
            words = import_line_of(a, source, "fileName", IMPORT_WORD_MAX);
        }
        if (words) {
            import_apart(b);
            strbuf_addf(b, "(%s)", words);
            return;
        }
    }
}

static bool take_number(struct str *rest, int64_t *n)
{
    size_t digits = 0;
    while (digits < rest->len && isdigit((unsigned char)rest->s[digits]))
        digits++;
    bool is = str_to_int((struct str){rest->s, digits}, 0, INT32_MAX, n);
    *rest = str_from(*rest, digits);
    return is;
}

/* Takes "turn0search1" from the beginning of `rest`, unless it is something else. */
static void take_source(const struct reading *r, struct str *rest, struct strbuf *out)
{
    int64_t turn, i;
    size_t n = 0;
    struct str at = *rest;
    if (!str_starts(at, STR("turn")))
        return;
    at = str_from(at, 4);
    if (!take_number(&at, &turn))
        return;
    while (n < at.len && islower((unsigned char)at.s[n]))
        n++;
    struct str kind = {at.s, n};
    at = str_from(at, n);
    if (!n || !take_number(&at, &i))
        return;
    *rest = at;
    add_source(r, out, turn, kind, (size_t)i);
}

/* The bytes of a character from U+E200 to U+E206 at the beginning, and its last digit; 0: another one.
 * `written`: also as text. */
static size_t mark_at(struct str s, bool written, int *digit)
{
    bool sign = str_starts(s, STR(MARKS)) && s.len >= MARK_BYTES;
    size_t n = sign ? MARK_BYTES : strlen(WRITTEN) + 1;
    if (!sign && (!written || !str_starts(s, STR(WRITTEN)) || s.len < n))
        return 0;
    *digit = sign ? (unsigned char)s.s[2] - 0x80 : s.s[n - 1] - '0';
    return *digit >= 0 && *digit <= 6 ? n : 0;
}

static void add_with_sources(const struct reading *r, struct strbuf *b, struct str text)
{
    AUTO_STRBUF out;
    strbuf_init(&out, IMPORT_VALUE_MAX);
    bool written = json_array_size(json_object_get(r->message, "attachments")) > 0;
    while (text.len && !out.failed) {
        int digit;
        size_t n = mark_at(text, written, &digit);
        if (!n) {
            strbuf_addc(&out, *text.s);
            text = str_from(text, 1);
            continue;
        }
        text = str_from(text, n);
        if (digit == ANCHOR)
            take_source(r, &text, &out);
    }
    import_paragraph(b, str_trim(strbuf_str(&out)));
}

/* ---- parts ---- */

/* A text, which may have its reasoning in front. */
static void add_text(struct reading *r, struct str text)
{
    text = str_trim(text);
    if (str_starts(text, STR(THINKING))) {
        text = str_from(text, strlen(THINKING));
        const char *end = memmem(text.s, text.len, THINKING_END, strlen(THINKING_END));
        size_t n = end ? (size_t)(end - text.s) : text.len;
        import_paragraph(&r->reasoning, str_trim((struct str){text.s, n}));
        text = str_from(text, end ? n + strlen(THINKING_END) : n);
    }
    add_with_sources(r, &r->text, text);
}

/* An answer with the call, and the result. */
static void add_call(struct reading *r, const json_t *call)
{
    const json_t *function = json_object_get(call, "function"),
                 *code = json_object_get(call, "code_interpreter"), *given = json_object_get(call, "args"),
                 *one;
    struct str name = STR("code_interpreter"), input = text_of(code, "input"), output = STR("");
    AUTO_STRBUF b;
    size_t i;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    if (!json_get_str(call, "name", &name))
        json_get_str(function, "name", &name);
    if (!json_get_str(call, "args", &input))
        json_get_str(function, "arguments", &input);
    if (!json_get_str(call, "output", &output))
        json_get_str(function, "output", &output);
    import_paragraph(&b, output);
    json_array_foreach(json_object_get(code, "outputs"), i, one)
    {
        import_paragraph(&b, text_of(one, "logs"));
    }
    AUTO(json_t)
    args = json_is_object(given) ? json_incref((json_t *)(uintptr_t)given) : import_args(r->c->a, input);
    const char *id = arena_printf(r->c->a, "call_%zu", r->c->n), *tool = import_tool_name(r->c->a, name),
               *calls = import_call(r->c->a, id, tool, args);
    add_answer(r)->calls = calls;
    struct import_message *m = add(r, ROLE_TOOL, strbuf_str(&b));
    m->calls = calls;
    m->tool = tool;
    m->call_id = id;
}

static void add_part(struct reading *r, const json_t *part)
{
    struct str failed = text_of(part, "error");
    if (type_is(part, "tool_call"))
        add_call(r, json_object_get(part, "tool_call"));
    else if (type_is(part, "think"))
        import_paragraph(&r->reasoning, str_trim(text_of(part, "think")));
    else if (type_is(part, "error"))
        r->error = import_line(r->c->a, failed.len ? failed : text_of(part, "text"), 2 * IMPORT_WORD_MAX);
    else if (type_is(part, "image_file") || type_is(part, "image_url"))
        import_paragraph(&r->text, STR(IMPORT_IMAGE_NOTE));
    else
        add_text(r, text_of(part, "text"));
}

static void add_files(struct reading *r)
{
    size_t i;
    const json_t *file;
    struct str type;
    json_array_foreach(json_object_get(r->message, "files"), i, file)
    {
        bool image = json_get_str(file, "type", &type) && str_starts(type, STR("image/"));
        import_paragraph(
            &r->text, str_of(image ? IMPORT_IMAGE_NOTE : import_file_note(r->c->a, file, "filename")));
    }
}

/* ---- messages ---- */

static void read_content(struct reading *r)
{
    const json_t *parts = json_object_get(r->message, "content"), *part;
    size_t i;
    bool user = json_is_true(json_object_get(r->message, "isCreatedByUser"));
    if (!user && json_is_true(json_object_get(r->message, "error")))
        r->error = import_line(r->c->a, text_of(r->message, "text"), 2 * IMPORT_WORD_MAX);
    json_array_foreach(parts, i, part)
    {
        add_part(r, part);
    }
    if (user && !r->text.len)
        import_paragraph(&r->text, str_trim(text_of(r->message, "text")));
    else if (!json_array_size(parts) && !r->error)
        add_text(r, text_of(r->message, "text"));
    if (!user)
        import_unwrap(&r->text, STR("artifact")); /* :::artifact{title="..."}, a fenced block, ::: */
    add_files(r);
    if (user && r->text.len)
        add(r, ROLE_USER, strbuf_str(&r->text));
    if (user || (!r->text.len && !r->reasoning.len && !r->error))
        return;
    struct import_message *last = add_answer(r);
    last->error = r->error;
    last->status = r->error ? MESSAGE_FAILED : MESSAGE_DONE;
}

/* Returns the key of the message. `parent`: the message that it is in; NULL: none. */
static const char *read_message(struct import_conversation *c, const json_t *message, const char *parent)
{
    struct reading r = {.c = c, .message = message, .parent = parent};
    const char *id = json_string_value(json_object_get(message, "messageId"));
    r.key = id ? arena_strdup(c->a, id) : arena_printf(c->a, "%zu", c->n);
    if (!parent)
        parent = r.parent = json_string_value(json_object_get(message, "parentMessageId"));
    strbuf_init(&r.text, IMPORT_VALUE_MAX);
    strbuf_init(&r.reasoning, IMPORT_VALUE_MAX);
    read_content(&r);
    strbuf_release(&r.text);
    strbuf_release(&r.reasoning);
    if (r.pieces)
        c->messages[c->n - 1].key = r.key; /* children refer to the message by it */
    else
        import_add(c, r.key, parent)->dropped = true;
    return r.key;
}

/* Reads nested messages, without recursion. */
static enum rc read_all(struct import_conversation *c, const json_t *list, struct err *e)
{
    struct level {
        const json_t *list;
        size_t at;
        const char *parent;
    } *levels = ARENA_ARRAY(c->a, struct level, LEVELS_MAX);
    levels[0].list = list;
    for (size_t n = 1, count = 0; n > 0;) {
        struct level *top = &levels[n - 1];
        const json_t *message = json_array_get(top->list, top->at++);
        if (!message) {
            n--;
            continue;
        }
        if (++count > IMPORT_MESSAGES_MAX)
            return err_set(e, RC_TOO_BIG, "a conversation of more than %zu messages", count - 1);
        if (!json_is_object(message))
            continue;
        const char *key = read_message(c, message, top->parent);
        const json_t *children = json_object_get(message, "children");
        if (json_array_size(children) && n < LEVELS_MAX)
            levels[n++] = (struct level){children, 0, key};
    }
    return RC_OK;
}

enum rc import_librechat(struct import_conversation *c, const json_t *v, struct err *e)
{
    struct str id;
    const json_t *list = json_object_get(v, "messages");
    if (json_get_str(v, "conversationId", &id))
        c->outer_id = import_outer_id(c, PROVIDER, id);
    c->title = import_line_of(c->a, v, "title", SESSION_TITLE_CHARS_MAX);
    c->titled_by = "user";
    return read_all(c, json_is_array(list) ? list : json_object_get(v, "messagesTree"), e);
}
