/* Our own export (docs/export.md), record by record. It is trusted no more than the other formats: a value
 * of the wrong type counts as absent. */
#include "app/import/format/import_format_private.h"

#include "app/export/export.h"
#include "app/memory/memory.h"
#include "app/reminder/reminder.h"
#include "app/tasks/tasks.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "codec/calendar/recurrence.h"
#include "store/account/library.h"
#include "store/session/workspace.h"

#define EXPIRES_MAX_MS (INT64_C(100) * 366 * MS_PER_DAY) /* from now; a later expiry means permanent */

static bool type_is(const json_t *v, const char *type)
{
    struct str have;
    return json_get_str(v, "type", &have) && str_is(have, type);
}

bool import_begins_ours(struct str line)
{
    return str_starts(line, STR("{\"type\":\"header\",\"format\":\"" EXPORT_FORMAT "\""));
}

bool import_begins_session(struct str line)
{
    return str_starts(line, STR("{\"type\":\"session\""));
}

enum import_record import_record_of(const json_t *v)
{
    struct str of;
    bool fact = type_is(v, "memory") || type_is(v, "task") || type_is(v, "reminder");
    if (type_is(v, "header"))
        return RECORD_HEADER;
    if (type_is(v, "session"))
        return RECORD_SESSION;
    if (type_is(v, "setting") || type_is(v, "workspace_instruction") || type_is(v, "workspace_file") ||
        type_is(v, "persona") || type_is(v, "prompt") || type_is(v, "tag"))
        return RECORD_PERSONAL;
    if (type_is(v, "message") || type_is(v, "picture") || type_is(v, "summary") || type_is(v, "compaction"))
        return RECORD_PART;
    if (fact)
        return json_get_str(v, "session", &of) ? RECORD_PART : RECORD_FACT;
    return RECORD_OTHER;
}

enum rc import_header(const json_t *v, int64_t *sessions, struct err *e)
{
    int64_t version = 0;
    json_get_int(v, "version", &version);
    if (version != EXPORT_VERSION)
        return err_say(e, RC_BAD_INPUT, "import.other_version", arg_int("format", version));
    *sessions = 0;
    json_get_int(v, "sessions", sessions);
    if (*sessions < 0)
        *sessions = 0;
    return RC_OK;
}

static int64_t count_of(const json_t *v, const char *key)
{
    int64_t n = 0;
    json_get_int(v, key, &n);
    return n < 0 || n > INT32_MAX ? 0 : n;
}

enum rc import_session(struct import_conversation *c, const json_t *v, struct err *e)
{
    struct str id;
    if (!json_get_str(v, "id", &id) || !id_valid(ID_SESSION, id.s))
        return err_set(e, RC_BAD_INPUT, "a session without its id");
    c->own_pub = arena_strdup(c->a, id.s);
    c->outer_id = arena_printf(c->a, EXPORT_FORMAT ":%s", id.s);
    c->title = import_line_of(c->a, v, "title", SESSION_TITLE_CHARS_MAX);
    bool says = json_get_str(v, "titled_by", &id);
    c->titled_by = says && str_is(id, "helper") ? "helper" : says && str_is(id, "none") ? "none" : "user";
    c->topic = import_line_of(c->a, v, "topic", IMPORT_WORD_MAX);
    c->keywords = import_line_of(c->a, v, "keywords", IMPORT_WORD_MAX);
    c->workspace = import_line_of(c->a, v, "workspace", WORKSPACE_CHARS_MAX);
    c->provider = import_line_of(c->a, v, "provider", IMPORT_WORD_MAX);
    c->model = import_line_of(c->a, v, "model", IMPORT_WORD_MAX);
    int64_t temperature = TEMPERATURE_NONE;
    json_get_int(v, "temperature", &temperature);
    c->temperature = temperature < 0 || temperature > TEMPERATURE_MAX ? TEMPERATURE_NONE : (int)temperature;
    c->answer_tokens = count_of(v, "answer_tokens");
    c->effort = import_line_of(c->a, v, "effort", IMPORT_WORD_MAX);
    c->persona = import_line_of(c->a, v, "persona", LIBRARY_NAME_CHARS_MAX);
    import_tags(c, json_object_get(v, "tags"));
    c->pinned = json_is_true(json_object_get(v, "pinned"));
    c->created_at = import_ms(v, "created_at");
    c->active_at = import_ms(v, "active_at");
    c->archived_at = import_ms(v, "archived_at");
    c->archived_by_user = json_is_true(json_object_get(v, "archived_by_user"));
    c->head = arena_strdup(c->a, json_string_value(json_object_get(v, "head")));
    c->topic_knows = arena_strdup(c->a, json_string_value(json_object_get(v, "topic_knows")));
    c->summary_knows = arena_strdup(c->a, json_string_value(json_object_get(v, "summary_knows")));
    c->in_order = true;
    return RC_OK;
}

/* ---- parts of a session ---- */

/* [{"id", "name", "args"}] as in the store; anything else counts as no calls. */
static const char *calls_of(struct arena *a, const json_t *list)
{
    size_t i;
    const json_t *call;
    AUTO(json_t) out = json_array();
    json_array_foreach(list, i, call)
    {
        struct str id, name;
        json_t *args = json_object_get(call, "args");
        if (!json_get_str(call, "id", &id) || !json_get_str(call, "name", &name) || id.len == 0 ||
            id.len > IMPORT_WORD_MAX || name.len == 0 || name.len > IMPORT_WORD_MAX ||
            !(json_is_object(args) || json_is_string(args)))
            return NULL;
        json_array_append_new(out, json_pack("{s:s, s:s, s:O}", "id", id.s, "name", name.s, "args", args));
    }
    AUTO_FREE char *json = json_array_size(out) ? json_dumps(out, JSON_COMPACT) : NULL;
    return json && strlen(json) <= IMPORT_CALLS_MAX ? arena_strdup(a, json) : NULL;
}

static enum message_status status_of(const json_t *v)
{
    struct str word = {0};
    json_get_str(v, "status", &word);
    for (enum message_status s = MESSAGE_STOPPED; s <= MESSAGE_FAILED; s++)
        if (str_is(word, message_status_name(s)))
            return s;
    return str_is(word, message_status_name(MESSAGE_RUNNING)) ? MESSAGE_INTERRUPTED : MESSAGE_DONE;
}

static enum message_stop stop_of(const json_t *v)
{
    struct str word = {0};
    json_get_str(v, "stop", &word);
    for (enum message_stop x = STOP_LENGTH; x <= STOP_PAUSED; x++)
        if (str_is(word, message_stop_name(x)))
            return x;
    return STOP_NONE;
}

static struct str text_of(struct import_conversation *c, const json_t *v, const char *key)
{
    struct str s = STR("");
    json_get_str(v, key, &s);
    return import_text(c, s);
}

static enum rc message(struct import_conversation *c, const json_t *v, struct err *e)
{
    struct str role = {0}, id;
    if (c->n >= IMPORT_MESSAGES_MAX || c->bytes > IMPORT_CONVERSATION_MAX)
        return err_set(e, RC_TOO_BIG, "a session of %zu messages and %zu bytes", c->n, c->bytes);
    if (!json_get_str(v, "id", &id))
        return RC_OK; /* without an id no message can refer to it */
    struct import_message *m = import_add(c, id.s, json_string_value(json_object_get(v, "parent")));
    json_get_str(v, "role", &role);
    m->dropped = !import_role(role, &m->role);
    if (m->dropped)
        return RC_OK;
    m->status = status_of(v);
    m->text = text_of(c, v, "text");
    m->created_at = import_ms(v, "created_at");
    m->ended_at = import_ms(v, "ended_at");
    m->provider = import_line_of(c->a, v, "provider", IMPORT_WORD_MAX);
    m->model = import_line_of(c->a, v, "model", IMPORT_WORD_MAX);
    m->error = import_line_of(c->a, v, "error", 2 * IMPORT_WORD_MAX);
    m->tokens_in = count_of(v, "tokens_in");
    m->tokens_out = count_of(v, "tokens_out");
    m->edited = m->role == ROLE_ASSISTANT && count_of(v, "edited") > 0;
    if (m->role == ROLE_ASSISTANT) {
        m->tokens_cached = count_of(v, "tokens_cached");
        m->tokens_reasoning = count_of(v, "tokens_reasoning");
        m->reasoning_ms = count_of(v, "reasoning_ms");
        m->reasoning = text_of(c, v, "reasoning");
        m->stop = stop_of(v);
    }
    if (m->role == ROLE_ASSISTANT || m->role == ROLE_TOOL) /* for a result: the call that it answers */
        m->calls = calls_of(c->a, json_object_get(v, "calls"));
    if (m->role == ROLE_TOOL) {
        m->tool = import_line_of(c->a, v, "tool", IMPORT_WORD_MAX);
        m->call_id = import_line_of(c->a, v, "call_id", IMPORT_WORD_MAX);
        m->dropped = !m->tool || !m->call_id;
    }
    return RC_OK;
}

/* A picture follows its message. What cannot be one is noted in the text. */
static enum rc picture(struct import_conversation *c, const json_t *v, struct err *e)
{
    struct str of, data, alt;
    struct import_message *m = c->n ? &c->messages[c->n - 1] : NULL;
    if (!m || m->dropped || !json_get_str(v, "message", &of) || !str_is(of, m->key))
        return RC_OK;
    enum rc rc = json_get_str(v, "data", &data) ? import_picture_add_base64(c, m, data, e) : RC_UNSUPPORTED;
    if (rc == RC_OK && json_get_str(v, "alt", &alt))
        m->pictures[m->pictures_n - 1].picture.alt = import_line(c->a, alt, PICTURE_ALT_CHARS_MAX);
    if (rc == RC_UNSUPPORTED || rc == RC_TOO_BIG) {
        m->text = import_with_note(c, m->text, IMPORT_IMAGE_NOTE);
        rc = RC_OK;
    }
    return rc;
}

static const char *or_unknown(const char *s)
{
    return s ? s : "unknown";
}

static void summary(struct import_conversation *c, const json_t *v, struct import_extra *x)
{
    x->kind = EXTRA_SUMMARY;
    x->summary = (struct summary){.whole = json_is_true(json_object_get(v, "whole")),
        .messages = count_of(v, "messages"),
        .text = text_of(c, v, "text"),
        .provider = or_unknown(import_line_of(c->a, v, "provider", IMPORT_WORD_MAX)),
        .model = or_unknown(import_line_of(c->a, v, "model", IMPORT_WORD_MAX)),
        .created_at = import_ms(v, "created_at")};
}

/* Without a transcript: that file stays where the export was made. */
static void compaction(struct import_conversation *c, const json_t *v, struct import_extra *x)
{
    const json_t *facts = json_object_get(v, "facts");
    AUTO_FREE char *json = json_is_array(facts) ? json_dumps(facts, JSON_COMPACT) : NULL;
    bool fits = json && strlen(json) <= IMPORT_CALLS_MAX;
    bool has_text = json_is_string(json_object_get(v, "text")); /* empty: the context was emptied there */
    x->kind = EXTRA_COMPACTION;
    x->compaction = (struct compaction){.messages = count_of(v, "messages"),
        .tokens_before = count_of(v, "tokens_before"),
        .tokens_after = count_of(v, "tokens_after"),
        .keep = text_of(c, v, "keep"),
        .text = has_text ? text_of(c, v, "text") : (struct str){0},
        .facts = str_of(fits ? arena_strdup(c->a, json) : "[]"),
        .transcript = "",
        .provider = or_unknown(import_line_of(c->a, v, "provider", IMPORT_WORD_MAX)),
        .model = or_unknown(import_line_of(c->a, v, "model", IMPORT_WORD_MAX)),
        .created_at = import_ms(v, "created_at")};
}

enum rc import_part(struct import_conversation *c, const json_t *v, struct err *e)
{
    struct str of;
    if (json_get_str(v, "session", &of) && !str_is(of, c->own_pub))
        return RC_OK;
    if (type_is(v, "message"))
        return message(c, v, e);
    if (type_is(v, "picture"))
        return picture(c, v, e);
    if (c->extras_n >= IMPORT_EXTRAS_MAX || c->bytes > IMPORT_CONVERSATION_MAX)
        return RC_OK; /* the session is kept without them */
    struct import_extra x = {0};
    if (type_is(v, "summary"))
        summary(c, v, &x);
    else if (type_is(v, "compaction"))
        compaction(c, v, &x);
    else if (import_fact(c->a, v, &x, NULL) != RC_OK)
        return RC_OK; /* the session is kept without the fact */
    if (!x.first) {
        x.first = arena_strdup(c->a, json_string_value(json_object_get(v, "first")));
        x.last = arena_strdup(c->a, json_string_value(json_object_get(v, "last")));
    }
    *import_add_extra(c) = x;
    return RC_OK;
}

/* ---- memories and tasks ---- */

static const char *short_text(struct arena *a, const json_t *v, const char *key, size_t max)
{
    const char *s = json_string_value(json_object_get(v, key));
    return s && strlen(s) < max ? arena_strdup(a, s) : NULL;
}

/* The end of a reminder's snooze; 0: it has passed, or is later than a snooze can end. */
static int64_t snooze_of(const json_t *v)
{
    int64_t at = 0, now = clock_wall_ms();
    json_get_int(v, "snooze_at", &at);
    return at > now && at <= now + REMINDER_SNOOZE_MAX_MS ? at : 0;
}

static enum rc reminder(struct arena *a, const json_t *v, struct str text, struct import_extra *out)
{
    const char *kind = short_text(a, v, "kind", sizeof REMINDER_REMIND),
               *zone = short_text(a, v, "zone", TIME_ZONE_NAME_MAX + 1),
               *start = short_text(a, v, "start", REMINDER_START_SIZE);
    out->kind = EXTRA_REMINDER;
    out->reminder = (struct reminder){
        .kind = kind && strcmp(kind, REMINDER_PROMPT) == 0 ? REMINDER_PROMPT : REMINDER_REMIND,
        .text = arena_str(a, text),
        .start = start ? start : "",
        .rule = short_text(a, v, "rule", RECURRENCE_RULE_MAX),
        .zone = zone ? zone : "",
        .created_at = import_ms(v, "created_at")};
    return RC_OK;
}

enum rc import_fact(struct arena *a, const json_t *v, struct import_extra *out, struct err *e)
{
    bool memory = type_is(v, "memory"), reminds = type_is(v, "reminder");
    struct str text = {0}, tags = STR("");
    const char *words = "";
    json_get_str(v, "text", &text);
    text = str_trim(text);
    text.len = utf8_cut_chars(text, memory    ? MEMORY_TEXT_CHARS_MAX
                                    : reminds ? REMINDER_TEXT_CHARS_MAX
                                              : TASK_TEXT_CHARS_MAX);
    if (text.len == 0)
        return err_set(e, RC_BAD_INPUT, "a fact without text");
    *out = (struct import_extra){.kind = memory ? EXTRA_MEMORY : EXTRA_TASK,
        .first = arena_strdup(a, json_string_value(json_object_get(v, "source"))),
        .paused_at = import_ms(v, "paused_at"),
        .snooze_at = snooze_of(v)};
    if (reminds)
        return reminder(a, v, text, out);
    if (!memory) {
        const char *line = import_line(a, text, TASK_TEXT_CHARS_MAX);
        const char *due = import_line_of(a, v, "due", TASK_DAY_SIZE);
        out->task = (struct task){.text = str_of(line ? line : "?"),
            .due = due && tasks_day_valid(str_of(due)) ? due : NULL,
            .created_at = import_ms(v, "created_at"),
            .done_at = import_ms(v, "done_at"),
            .start = short_text(a, v, "start", REMINDER_START_SIZE),
            .rule = short_text(a, v, "rule", RECURRENCE_RULE_MAX),
            .zone = short_text(a, v, "zone", TIME_ZONE_NAME_MAX + 1)};
        return RC_OK;
    }
    int64_t expires = 0;
    json_get_int(v, "expires_at", &expires);
    json_get_str(v, "tags", &tags);
    if (memory_tags(a, tags, &words, NULL) != RC_OK)
        words = "";
    out->memory = (struct memory){.text = arena_str(a, text),
        .tags = words,
        .created_at = import_ms(v, "created_at"),
        .used_at = import_ms(v, "used_at"),
        .expires_at = expires < 0 || expires > clock_wall_ms() + EXPIRES_MAX_MS ? 0 : expires};
    return RC_OK;
}
