#include "web/http/wrong_field.h"

#include <stdio.h>

#define FIELD_NAME_MAX 64

/* Errors of app know no fields. A key may have several rows: the first field that was sent counts, else the
 * first that the route declares. */
static const struct {
    const char *key;
    enum field field;
} about[] = {
    {"auth.bad_name", F_NAME},
    {"auth.choose_name", F_NAME},
    {"auth.code_needed", F_CODE},
    {"auth.name_taken", F_NAME},
    {"auth.other_name", F_NAME},
    {"auth.long_password", F_PASSWORD},
    {"auth.password_text", F_PASSWORD},
    {"auth.short_password", F_PASSWORD},
    {"auth.used_up", F_CODE},
    {"auth.wrong", F_PASSWORD},
    {"auth.wrong_code", F_CODE},
    {"auth.wrong_password", F_CURRENT},
    {"batch.bad_action", F_ACTION},
    {"batch.none", F_IDS},
    {"batch.no_tag", F_TAG},
    {"chat.bad_effort", F_EFFORT},
    {"chat.compare_other", F_COMPARE_WITH},
    {"chat.empty_message", F_TEXT},
    {"chat.keep_too_long", F_KEEP},
    {"chat.model_not_set_up", F_CHOICE},
    {"chat.model_not_set_up", F_COMPARE_WITH},
    {"chat.title_empty", F_TITLE},
    {"chat.title_long", F_TITLE},
    {"chat.workspace_line", F_NAME},
    {"chat.workspace_line", F_WORKSPACE},
    {"chat.workspace_long", F_NAME},
    {"chat.workspace_long", F_WORKSPACE},
    {"conversation.no_format", F_FORMAT},
    {"fact.bad_tag", F_TAGS},
    {"fact.empty", F_TEXT},
    {"fact.long_tag", F_TAGS},
    {"fact.many_tags", F_TAGS},
    {"fact.too_long", F_TEXT},
    {"file.name_line", F_NAME},
    {"file.name_long", F_NAME},
    {"file.needs_name", F_NAME},
    {"file.all_too_big", F_TEXT},
    {"file.empty", F_TEXT},
    {"file.no_text", F_TEXT},
    {"file.too_big", F_TEXT},
    {"form.bad_after", F_NEWER},
    {"form.bad_after", F_AFTER},
    {"form.reminder_kind", F_KIND},
    {"form.role", F_ROLE},
    {"form.show_results", F_SHOW},
    {"form.show_sessions", F_SHOW},
    {"form.show_tasks", F_SHOW},
    {"form.snooze_for", F_FOR},
    {"form.sort_sessions", F_SORT},
    {"form.text_no_utf8", F_TEXT},
    {"library.bad_temperature", F_TEMPERATURE},
    {"library.name_long", F_NAME},
    {"library.name_taken", F_NAME},
    {"library.needs_name", F_NAME},
    {"library.needs_persona_text", F_TEXT},
    {"library.needs_prompt_text", F_TEXT},
    {"library.no_persona", F_PERSONA},
    {"message.bad_channel", F_CHANNEL},
    {"picture.cannot_see", F_PICTURES},
    {"picture.gone", F_PICTURES},
    {"picture.offline", F_PICTURES},
    {"reminder.bad_rule", F_RULE},
    {"reminder.bad_rule", F_REPEAT},
    {"reminder.bad_snooze", F_FOR},
    {"reminder.bad_time", F_START},
    {"reminder.bad_time", F_AT},
    {"reminder.empty", F_TEXT},
    {"reminder.far", F_START},
    {"reminder.far", F_AT},
    {"reminder.long_rule", F_RULE},
    {"reminder.long_rule", F_REPEAT},
    {"reminder.never", F_RULE},
    {"reminder.never", F_REPEAT},
    {"reminder.no_zone", F_ZONE},
    {"reminder.once_a_day", F_RULE},
    {"reminder.once_a_day", F_REPEAT},
    {"reminder.past", F_START},
    {"reminder.past", F_AT},
    {"reminder.too_long", F_TEXT},
    {"reminder.too_often", F_RULE},
    {"reminder.too_often", F_REPEAT},
    {"reminders.bad_repeat", F_REPEAT},
    {"search.no_channel", F_CHANNEL},
    {"search.no_channel", F_Q},
    {"search.no_model", F_MODEL},
    {"search.no_model", F_Q},
    {"search.no_workspace", F_Q},
    {"second.wrong_first", F_CODE},
    {"settings.bad_zone", F_TIME_ZONE},
    {"settings.name_long", F_DISPLAY_NAME},
    {"settings.text_long", F_TEXT},
    {"share.bad_day", F_UNTIL},
    {"share.wrong_password", F_PASSWORD},
    {"tag.bad_colour", F_COLOUR},
    {"tag.bad_name", F_NAME},
    {"tag.bad_name", F_TAGS},
    {"tag.empty", F_NAME},
    {"tag.exists", F_NAME},
    {"tag.long", F_NAME},
    {"tag.none", F_TAGS},
    {"tag.none", F_Q},
    {"tag.long", F_TAGS},
    {"tag.too_many_of_session", F_TAGS},
    {"task.bad_day", F_DUE},
    {"task.bad_time", F_TIME},
    {"task.empty", F_TEXT},
    {"task.too_long", F_TEXT},
    {"token.bad_days", F_DAYS},
    {"token.bad_scope", F_SCOPES},
    {"token.name_too_long", F_NAME},
    {"token.no_name", F_NAME},
    {"token.no_scope", F_SCOPES},
    {"token.no_scope", F_SCOPE_CHAT},
    {"users.is_disabled", F_NAME},
    {"users.no_such", F_NAME},
};

static enum field field_of(const struct req *r, const struct err *e)
{
    enum field declared = F_NONE;
    for (size_t i = 0; i < ARRAY_LEN(about); i++) {
        if (!err_is(e, about[i].key) || !field_rule_find(r->route->fields, about[i].field))
            continue;
        if (r->fields[about[i].field].present)
            return about[i].field;
        declared = declared ? declared : about[i].field;
    }
    return declared;
}

/* The only field that was sent, besides those of the path. */
static enum field only_field(const struct req *r)
{
    enum field only = F_NONE;
    for (const struct field_rule *f = r->route->fields; f->field != F_NONE; f++) {
        char part[FIELD_NAME_MAX];
        snprintf(part, sizeof part, "{%s}", field_name(f->field));
        if (!r->fields[f->field].present || strstr(r->route->path, part))
            continue;
        if (only)
            return F_NONE;
        only = f->field;
    }
    return only;
}

static bool is_about_header(const struct err *e)
{
    return err_is(e, "error.not_a_key") || err_is(e, "error.key_of_another");
}

const char *wrong_field(const struct req *r, const struct err *e)
{
    if (r->wrong_param || !r->route || !r->route->fields || is_about_header(e))
        return r->wrong_param;
    enum field f = field_of(r, e);
    if (!f && e->rc == RC_BAD_INPUT)
        f = only_field(r);
    return f ? field_name(f) : NULL;
}
