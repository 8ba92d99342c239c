#include "web/http/fields.h"

#include "base/id.h"
#include "base/utf8.h"
#include "store/message/picture.h"
#include "store/transfer.h"

static const char *const names[F_COUNT] = {
    [F_SESSION] = "session",
    [F_MESSAGE] = "message",
    [F_TURN] = "turn",
    [F_LOGIN] = "login",
    [F_USER] = "user",
    [F_TEXT] = "text",
    [F_TITLE] = "title",
    [F_CLIENT_ID] = "client_id",
    [F_PARENT] = "parent",
    [F_END] = "end",
    [F_CHOICE] = "choice",
    [F_EFFORT] = "effort",
    [F_CSRF] = "csrf",
    [F_NAME] = "name",
    [F_PASSWORD] = "password",
    [F_CURRENT] = "current",
    [F_NEXT] = "next",
    [F_CODE] = "code",
    [F_ROLE] = "role",
    [F_BACK] = "back",
    [F_AFTER] = "after",
    [F_BEFORE] = "before",
    [F_Q] = "q",
    [F_LIMIT] = "limit",
    [F_AT] = "at",
    [F_AROUND] = "around",
    [F_ONCE] = "once",
    [F_FROM] = "from",
    [F_DONE] = "done",
    [F_SHOW] = "show",
    [F_LAST] = "last",
    [F_TO] = "to",
    [F_JOB] = "job",
    [F_OUTGOING] = "outgoing",
    [F_MEMORY] = "memory",
    [F_TAG] = "tag",
    [F_TAGS] = "tags",
    [F_PERMANENT] = "permanent",
    [F_UNDO] = "undo",
    [F_SUGGESTION] = "suggestion",
    [F_WHOLE] = "whole",
    [F_TASK] = "task",
    [F_DUE] = "due",
    [F_TIME] = "time",
    [F_REPEAT] = "repeat",
    [F_RULE] = "rule",
    [F_ZONE] = "zone",
    [F_REMINDER] = "reminder",
    [F_PAUSED] = "paused",
    [F_FOR] = "for",
    [F_WORKSPACE] = "workspace",
    [F_KEEP] = "keep",
    [F_COMPACTION] = "compaction",
    [F_TRANSFER] = "transfer",
    [F_EDIT] = "edit",
    [F_KIND] = "kind",
    [F_PASTED_FROM] = "pasted_from",
    [F_ARCHIVED] = "archived",
    [F_TEMPORARY] = "temporary",
    [F_TIME_ZONE] = "time_zone",
    [F_DISPLAY_NAME] = "display_name",
    [F_ANSWER_TOKENS] = "answer_tokens",
    [F_FORMAT] = "format",
    [F_ALL] = "all",
    [F_REASONING] = "reasoning",
    [F_SHARE] = "share",
    [F_LINK] = "link",
    [F_UNTIL] = "until",
    [F_COMPARE_WITH] = "compare_with",
    [F_TOOLS_CONNECTED] = "tools_connected",
    [F_TOOLS_SESSIONS] = "tools_sessions",
    [F_TOOLS_TASKS] = "tools_tasks",
    [F_TOOLS_MEMORY] = "tools_memory",
    [F_TOOLS] = "tools",
    [F_TEMPERATURE] = "temperature",
    [F_SHARED] = "shared",
    [F_ENTRY] = "entry",
    [F_PERSONA] = "persona",
    [F_ANSWER_STYLE] = "answer_style",
    [F_ABOUT_ME] = "about_me",
    [F_NOTIFICATIONS] = "notifications",
    [F_WEB_SEARCH] = "web_search",
    [F_CONNECTED_TOOLS] = "connected_tools",
    [F_TEXT_SIZE] = "text_size",
    [F_SEND_KEY] = "send_key",
    [F_LANGUAGE] = "language",
    [F_THEME] = "theme",
    [F_TOKEN] = "token",
    [F_SCOPES] = "scopes",
    [F_IDS] = "ids",
    [F_BATCH] = "batch",
    [F_ACTION] = "action",
    [F_LINE] = "line",
    [F_IDENTITY] = "identity",
    [F_PICTURE] = "picture",
    [F_PICTURES] = "pictures",
    [F_FILE] = "file",
    [F_SCOPE_READ] = "scope_read",
    [F_SCOPE_WRITE] = "scope_write",
    [F_SCOPE_CHAT] = "scope_chat",
    [F_USE_MEMORY] = "use_memory",
    [F_USE_TOOLS] = "use_tools",
    [F_DAYS] = "days",
    [F_MODEL] = "model",
    [F_CHANNEL] = "channel",
    [F_IS] = "is",
    [F_SORT] = "sort",
    [F_NEWER] = "newer",
    [F_COLOUR] = "colour",
    [F_WITHOUT_TAG] = "without_tag",
    [F_WITHIN] = "within",
    [F_START] = "start",
    [F_ANSWER] = "answer",
};

const char *field_name(enum field f)
{
    return names[f];
}

enum field field_by_name(struct str name)
{
    for (int f = F_NONE + 1; f < F_COUNT; f++)
        if (str_is(name, names[f]))
            return (enum field)f;
    return F_NONE;
}

const struct field_rule *field_rule_find(const struct field_rule *rules, enum field f)
{
    for (; rules && rules->field != F_NONE; rules++)
        if (rules->field == f)
            return rules;
    return NULL;
}

static bool has_control(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.s[i] < 0x20 || s.s[i] == 0x7F)
            return true;
    return false;
}

/* Browsers send CRLF for every line break of a form. */
struct str field_lines(struct arena *a, struct str raw)
{
    char *to = arena_strndup(a, raw.s, raw.len);
    size_t n = 0;
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.s[i];
        if (c == '\r') {
            c = '\n';
            if (i + 1 < raw.len && raw.s[i + 1] == '\n')
                i++;
        }
        to[n++] = c;
    }
    to[n] = '\0';
    return (struct str){to, n};
}

static enum rc check_text(const struct field_rule *r, struct str s, struct err *e)
{
    int64_t max = r->max ? r->max : r->type == FIELD_SECRET ? FIELD_SECRET_MAX : FIELD_LINE_MAX;
    if (s.len > (size_t)max && utf8_count(s) > (size_t)max)
        return err_say(
            e, RC_BAD_INPUT, "form.too_long", arg_text("field", names[r->field]), arg_int("max", max));
    if (r->type == FIELD_LINE && has_control(s))
        return err_say(e, RC_BAD_INPUT, "form.one_line", arg_text("field", names[r->field]));
    return RC_OK;
}

static bool id_fits(enum field_type type, const char *id)
{
    switch (type) {
    case FIELD_ID_SESSION: return id_valid(ID_SESSION, id);
    case FIELD_ID_SESSION_NEW: return id_valid(ID_SESSION, id) || strcmp(id, "new") == 0;
    case FIELD_ID_TURN: return id_valid(ID_TURN, id);
    case FIELD_ID_LOGIN: return id_valid(ID_LOGIN, id);
    case FIELD_ID_TRANSFER: return id_valid(ID_TRANSFER, id);
    case FIELD_ID_API_TOKEN: return id_valid(ID_API_TOKEN, id);
    case FIELD_ID_BATCH: return id_valid(ID_BATCH, id);
    case FIELD_ID_PICTURE: return id_valid(ID_PICTURE, id);
    default: return false;
    }
}

bool field_is_list(enum field_type type)
{
    return type == FIELD_IDS_SESSION || type == FIELD_IDS_PICTURE;
}

/* Checks the characters only. An id that has another form is found nowhere, like one that does not exist. */
static enum rc check_ids(const struct field_rule *r, struct str s, struct err *e)
{
    bool good = s.len <= FIELD_IDS_BYTES_MAX;
    for (size_t i = 0; i < s.len; i++)
        good &= s.s[i] == ' ' || s.s[i] == '_' || (s.s[i] >= '0' && s.s[i] <= '9') ||
                (s.s[i] >= 'a' && s.s[i] <= 'z');
    return good ? RC_OK : err_say(e, RC_BAD_INPUT, "form.bad_ids", arg_text("field", names[r->field]));
}

enum rc field_set(
    const struct field_rule *r, struct arena *a, struct str raw, struct field_value *values, struct err *e)
{
    struct field_value *v = &values[r->field];
    bool is_text = r->type == FIELD_LINE || r->type == FIELD_LINES || r->type == FIELD_SECRET;
    bool is_list = field_is_list(r->type); /* an empty list counts as sent */
    if (raw.len == 0 && !r->required && !is_text && !is_list)
        return RC_OK; /* an empty id or number in a form counts as absent */
    if (!utf8_valid_text(raw))
        return err_say(e, RC_BAD_INPUT, "form.field_no_utf8", arg_text("field", names[r->field]));
    if (r->type == FIELD_LINES)
        v->s = field_lines(a, raw);
    else {
        struct str s = r->type == FIELD_SECRET ? raw : str_trim(raw);
        char *copy = arena_strndup(a, s.s ? s.s : "", s.len);
        v->s = (struct str){copy, r->type == FIELD_LINE ? utf8_drop_directional(copy, s.len) : s.len};
    }
    v->present = true;

    switch (r->type) {
    case FIELD_LINE:
    case FIELD_LINES:
    case FIELD_SECRET: return check_text(r, v->s, e);
    case FIELD_BOOL:
        v->i = str_is(v->s, "yes");
        if (v->i || str_is(v->s, "no"))
            return RC_OK;
        return err_say(e, RC_BAD_INPUT, "form.yes_or_no", arg_text("field", names[r->field]));
    case FIELD_INT:
    case FIELD_ID_OR_NONE:
        if (str_to_int(v->s, r->min, r->max, &v->i))
            return RC_OK;
        return err_say(e, RC_BAD_INPUT, "form.number_between", arg_text("field", names[r->field]),
            arg_int("min", r->min), arg_int("max", r->max));
    case FIELD_ID_ROW:
        if (str_to_int(v->s, 1, INT64_MAX, &v->i))
            return RC_OK;
        return err_set(e, RC_NOT_FOUND, "there is no such %s", names[r->field]);
    case FIELD_ID_SESSION:
    case FIELD_ID_SESSION_NEW:
    case FIELD_ID_TURN:
    case FIELD_ID_LOGIN:
    case FIELD_ID_TRANSFER:
    case FIELD_ID_API_TOKEN:
    case FIELD_ID_BATCH:
    case FIELD_ID_PICTURE: break;
    case FIELD_IDS_SESSION:
    case FIELD_IDS_PICTURE: return check_ids(r, v->s, e);
    }
    if (id_fits(r->type, v->s.s))
        return RC_OK;
    return err_set(e, RC_NOT_FOUND, "there is no such %s", names[r->field]);
}

const char *fields_missing(const struct field_rule *rules, const struct field_value *values)
{
    for (; rules && rules->field != F_NONE; rules++)
        if (rules->required && !values[rules->field].present)
            return names[rules->field];
    return NULL;
}

enum rc fields_complete(const struct field_rule *rules, const struct field_value *values, struct err *e)
{
    const char *missing = fields_missing(rules, values);
    return missing ? err_say(e, RC_BAD_INPUT, "form.missing", arg_text("field", missing)) : RC_OK;
}

const struct field_rule no_fields[] = {{.field = F_NONE}};
const struct field_rule notice_fields[] = {{.field = F_DONE, .type = FIELD_LINE}, {.field = F_NONE}};

const struct field_rule session_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_NONE},
};

const struct field_rule session_message_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};
