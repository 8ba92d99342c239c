#include "web/reminder/reminder_routes.h"

#include "app/jobs/helper_notify.h"
#include "app/reminder/reminder.h"
#include "codec/calendar/recurrence.h"
#include "web/http/web.h"
#include "web/reminder/reminder_resource.h"

#define FOR_MAX 20 /* "10m", "tomorrow" */

/* The helper waits until the next one fires. */
static enum rc answer(
    const struct req *r, struct resp *out, int status, const struct reminder *m, struct err *e)
{
    struct view *v = view_new(r->arena);
    const struct locale locale = req_locale(r);
    reminder_resource(r->arena, view_obj(v, "reminder"), m, &locale);
    if (r->route->method != HTTP_GET)
        helper_notify(r->web->config->server.data_dir);
    return resp_json(out, status, v, e);
}

static enum rc check_kind(const struct req *r, struct err *e)
{
    const char *kind = req_text(r, F_KIND);
    if (!req_has(r, F_KIND) || strcmp(kind, REMINDER_REMIND) == 0 || strcmp(kind, REMINDER_PROMPT) == 0)
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "form.reminder_kind");
}

static enum rc api_reminders(struct req *r, struct resp *out, struct err *e)
{
    struct reminder *rows;
    size_t n;
    enum rc rc = check_kind(r, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    rc = store_reminder_list(db, r->arena, r->who.user_id, req_has(r, F_KIND) ? req_text(r, F_KIND) : NULL,
        REMINDER_PAGE_MAX, &rows, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "reminders");
    const struct locale locale = req_locale(r);
    for (size_t i = 0; i < n; i++)
        reminder_resource(r->arena, view_item(list), &rows[i], &locale);
    return resp_json(out, 200, v, e);
}

static struct reminder_input input_of(const struct req *r)
{
    return (struct reminder_input){.owner = r->who.user_id,
        .text = req_str(r, F_TEXT),
        .start = req_str(r, F_AT),
        .rule = req_str(r, F_REPEAT),
        .zone = req_has(r, F_ZONE) ? req_text(r, F_ZONE)
                : r->zone          ? r->who.time_zone
                                   : "",
        .now = r->now};
}

static enum rc api_reminder_add(struct req *r, struct resp *out, struct err *e)
{
    struct reminder_input in = input_of(r);
    struct reminder m;
    in.kind = req_has(r, F_KIND) ? req_text(r, F_KIND) : REMINDER_REMIND;
    in.session = req_has(r, F_SESSION) ? req_text(r, F_SESSION) : NULL;
    enum rc rc = check_kind(r, e);
    if (rc == RC_OK)
        rc = reminders_add(r->web->store, &in, r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 201, &m, e) : rc;
}

static enum rc api_reminder(struct req *r, struct resp *out, struct err *e)
{
    struct reminder m;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_reminder_get(db, r->arena, r->who.user_id, req_int(r, F_REMINDER), &m, e);
    store_read_done(r->web->store, db);
    return rc == RC_OK ? answer(r, out, 200, &m, e) : rc;
}

static enum rc api_reminder_change(struct req *r, struct resp *out, struct err *e)
{
    struct reminder_input in = input_of(r);
    struct reminder m;
    in.sets_zone = req_has(r, F_ZONE);
    in.id = req_int(r, F_REMINDER);
    in.sets_paused = req_has(r, F_PAUSED);
    in.paused = req_int(r, F_PAUSED) != 0;
    if (!in.text.s && !in.start.s && !in.rule.s && !in.sets_zone && !in.sets_paused)
        return err_say(e, RC_BAD_INPUT, "form.send_reminder");
    enum rc rc = reminders_change(r->web->store, &in, r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 200, &m, e) : rc;
}

static enum rc api_reminder_done(struct req *r, struct resp *out, struct err *e)
{
    struct reminder m;
    enum rc rc =
        reminders_done(r->web->store, r->who.user_id, req_int(r, F_REMINDER), r->now, r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 200, &m, e) : rc;
}

static enum rc api_reminder_snooze(struct req *r, struct resp *out, struct err *e)
{
    struct reminder m;
    int64_t until;
    if (!reminders_snooze_until(req_str(r, F_FOR), r->zone, r->now, &until))
        return err_say(e, RC_BAD_INPUT, "form.snooze_for");
    enum rc rc = reminders_snooze(
        r->web->store, r->who.user_id, req_int(r, F_REMINDER), until, r->now, r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 200, &m, e) : rc;
}

static enum rc api_reminder_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = reminders_delete(r->web->store, r->who.user_id, req_int(r, F_REMINDER), r->now, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

static enum rc api_reminder_restore(struct req *r, struct resp *out, struct err *e)
{
    struct reminder m;
    enum rc rc = reminders_restore(r->web->store, r->who.user_id, req_int(r, F_REMINDER), r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 200, &m, e) : rc;
}

/* ---- routes ---- */

static const struct field_rule list_fields[] = {
    {.field = F_KIND, .type = FIELD_LINE},
    {.field = F_NONE},
};

#define TIME_FIELDS                                                          \
    {.field = F_REPEAT, .type = FIELD_LINE, .max = 2 * RECURRENCE_RULE_MAX}, \
    {                                                                        \
        .field = F_ZONE, .type = FIELD_LINE, .max = TIME_ZONE_NAME_MAX       \
    }

static const struct field_rule add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * REMINDER_TEXT_CHARS_MAX},
    {.field = F_AT, .type = FIELD_LINE, .required = true},
    TIME_FIELDS,
    {.field = F_KIND, .type = FIELD_LINE},
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_NONE},
};

static const struct field_rule change_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .max = 2 * REMINDER_TEXT_CHARS_MAX},
    {.field = F_AT, .type = FIELD_LINE},
    TIME_FIELDS,
    {.field = F_PAUSED, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule one_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule snooze_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_FOR, .type = FIELD_LINE, .required = true, .max = FOR_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/api/reminders",                    api_reminders,       API_READ(ACCESS_MEMBER, SCOPE_READ),    list_fields},
    {HTTP_POST,   "/api/reminders",                    api_reminder_add,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), add_fields},
    {HTTP_GET,    "/api/reminders/{reminder}",         api_reminder,        API_READ(ACCESS_MEMBER, SCOPE_READ),    one_fields},
    {HTTP_PATCH,  "/api/reminders/{reminder}",         api_reminder_change, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), change_fields},
    {HTTP_DELETE, "/api/reminders/{reminder}",         api_reminder_delete, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), one_fields},
    {HTTP_POST,   "/api/reminders/{reminder}/restore", api_reminder_restore, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), one_fields},
    {HTTP_POST,   "/api/reminders/{reminder}/done",    api_reminder_done,   API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), one_fields},
    {HTTP_POST,   "/api/reminders/{reminder}/snooze",  api_reminder_snooze, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), snooze_fields},
};
/* clang-format on */

const struct route_table reminder_routes = {routes, ARRAY_LEN(routes)};
