#include "web/reminder/reminder_page.h"

#include <stdio.h>

#include "app/jobs/helper_notify.h"
#include "app/reminder/reminder.h"
#include "app/reminder/repeat.h"
#include "base/humanize.h"
#include "codec/calendar/recurrence.h"
#include "store/account/calendar_feed.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/due_view.h"
#include "web/page/pages.h"
#include "web/page/repeat_view.h"

#define DELETED_ROWS     50
#define REPEAT_CHARS_MAX 16
#define ANSWER_DONE      "done"
#define ANSWER_CHARS_MAX 16

/* ---- the page ---- */

static const char *zone_name(const struct req *r)
{
    return r->who.time_zone;
}

/* The zone of a reminder whose clock is not the reader's, else NULL. One without a zone has the server's. */
static const char *other_zone(const struct req *r, const struct reminder *m)
{
    if (*m->zone)
        return strcmp(m->zone, zone_name(r)) == 0 ? NULL : m->zone;
    int64_t at = m->fires_at ? m->fires_at : r->now;
    struct tm theirs = time_zone_local(NULL, at), ours = time_zone_local(r->zone, at);
    return theirs.tm_gmtoff == ours.tm_gmtoff ? NULL : arena_strdup(r->arena, theirs.tm_zone);
}

static void view_reminder(const struct req *r, struct view *v, const struct reminder *m)
{
    const struct locale l = req_locale(r);
    bool schedule = strcmp(m->kind, REMINDER_PROMPT) == 0;
    view_id(r->arena, v, "id", m->id);
    view_str(v, "text", m->text);
    view_bool(v, "schedule", schedule);
    view_bool(v, "of_task", m->task_id != 0);
    view_bool(v, "paused", m->paused_at != 0);
    view_bool(v, "ended", !m->fires_at && !m->paused_at);
    view_text(v, "next", m->fires_at ? humanize_moment(r->arena, &l, m->fires_at) : NULL);
    view_text(v, "told", m->told_at ? humanize_moment(r->arena, &l, m->told_at) : NULL);
    view_text(v, "repeat_words", repeat_words(r->arena, r->lang, m->rule, m->start));
    view_text(v, "zone", other_zone(r, m));
    view_text(v, "session_url", m->session ? session_url(r->arena, m->session) : NULL);
}

/* The fields of the form. */
static void view_edited(const struct req *r, struct view *v, const struct reminder *m)
{
    view_bool(v, "edited", true);
    view_text(v, "start", m->start);
    view_text(v, "rule", m->rule);
    repeat_view(v, r->lang, repeat_choice(m->rule));
}

/* The next full hour, as the field takes it. */
static const char *next_hour(const struct req *r)
{
    struct tm tm = time_zone_local(r->zone, r->now + MS_PER_H);
    char start[REMINDER_START_SIZE + 16];
    snprintf(start, sizeof start, "%04d-%02d-%02dT%02d:00", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
        tm.tm_hour);
    return arena_strdup(r->arena, start);
}

static enum rc view_lists(struct req *r, struct db *db, struct view *v, struct err *e)
{
    struct reminder *list, *deleted = NULL;
    size_t n, deleted_n = 0;
    struct calendar_feed feed;
    enum rc rc = store_reminder_list(db, r->arena, r->who.user_id, NULL, REMINDER_PAGE_MAX, &list, &n, e);
    if (rc == RC_OK)
        rc = store_reminder_deleted(
            db, r->arena, r->who.user_id, r->now - REMINDERS_UNDO_MS, DELETED_ROWS, &deleted, &deleted_n, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any", n > 0);
    struct view *rows = view_list(v, "reminders");
    int64_t edited = req_int(r, r->method == HTTP_GET ? F_EDIT : F_REMINDER); /* or whose form was refused */
    for (size_t i = 0; i < n; i++) {
        struct view *row = view_item(rows);
        view_reminder(r, row, &list[i]);
        if (list[i].id == edited)
            view_edited(r, row, &list[i]);
    }
    view_bool(v, "any_deleted", deleted_n > 0);
    rows = view_list(v, "deleted");
    for (size_t i = 0; i < deleted_n; i++)
        view_reminder(r, view_item(rows), &deleted[i]);
    rc = store_calendar_feed_get(db, r->who.user_id, &feed, e);
    view_bool(v, "has_calendar", rc == RC_OK);
    if (rc == RC_OK && feed.read_at) {
        const struct locale l = req_locale(r);
        view_text(v, "calendar_read", humanize_ago(r->arena, &l, feed.read_at));
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc reminders_show(
    struct req *r, struct resp *out, const char *token, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "reminders.title"), AT_REMINDERS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    rc = view_lists(r, db, v, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    view_text(v, "new_start", next_hour(r));
    repeat_view(v, r->lang, repeat_choices[0]);
    view_text(v, "calendar_url",
        token ? arena_printf(r->arena, "%s/calendar/%s.ics", r->web->config->server.public_url, token)
              : NULL);
    return why ? page_problem(r, out, "reminders", v, why, e) : resp_page(r, out, 200, "reminders", v, e);
}

static enum rc form(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return reminders_show(r, out, NULL, why, e);
}

static enum rc page_reminders(struct req *r, struct resp *out, struct err *e)
{
    return form(r, out, NULL, e);
}

/* ---- changes ---- */

/* F_TEXT, F_START, F_REPEAT, F_RULE and F_KIND. */
static enum rc input_of(const struct req *r, int64_t id, struct reminder_input *in, struct err *e)
{
    *in = (struct reminder_input){.owner = r->who.user_id,
        .id = id,
        .text = req_str(r, F_TEXT),
        .start = req_str(r, F_START),
        .zone = zone_name(r),
        .now = r->now};
    struct str custom = req_str(r, F_RULE);
    in->rule = repeat_rule(req_str(r, F_REPEAT), custom.s ? custom : STR(""));
    if (!in->rule.s)
        return err_say(e, RC_BAD_INPUT, "reminders.bad_repeat");
    if (str_is(req_str(r, F_KIND), REMINDER_PROMPT))
        in->kind = REMINDER_PROMPT;
    return RC_OK;
}

/* After a change: the helper sets its timer. */
static enum rc done(struct req *r, struct resp *out, const char *what)
{
    helper_notify(r->web->config->server.data_dir);
    return page_done(out, "/reminders", what);
}

static enum rc page_add(struct req *r, struct resp *out, struct err *e)
{
    struct reminder_input in;
    struct reminder m;
    struct err why = ERR_INIT;
    enum rc rc = input_of(r, 0, &in, &why);
    if (rc == RC_OK)
        rc = reminders_add(r->web->store, &in, r->arena, &m, &why);
    return rc == RC_OK ? done(r, out, "reminder_added") : page_again(r, out, form, &why, e);
}

static enum rc read_one(const struct req *r, struct reminder *m, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_reminder_get(db, r->arena, r->who.user_id, req_int(r, F_REMINDER), m, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* A reminder keeps its zone, unless its time was changed, and its snooze, unless time or rule was. */
static enum rc page_change(struct req *r, struct resp *out, struct err *e)
{
    struct reminder_input in;
    struct reminder m;
    struct err why = ERR_INIT;
    enum rc rc = read_one(r, &m, &why);
    if (rc == RC_OK)
        rc = input_of(r, req_int(r, F_REMINDER), &in, &why);
    if (rc == RC_OK && str_is(in.start, m.start))
        in.start = (struct str){0};
    if (rc == RC_OK && str_is(in.rule, m.rule ? m.rule : ""))
        in.rule = (struct str){0};
    if (rc == RC_OK)
        rc = reminders_change(r->web->store, &in, r->arena, &m, &why);
    return rc == RC_OK ? done(r, out, "reminder_saved") : page_again(r, out, form, &why, e);
}

static enum rc pause_it(struct req *r, struct resp *out, bool paused, struct err *e)
{
    struct reminder m;
    struct err why = ERR_INIT;
    enum rc rc = reminders_pause(
        r->web->store, r->who.user_id, req_int(r, F_REMINDER), paused, r->now, r->arena, &m, &why);
    return rc == RC_OK ? done(r, out, paused ? "reminder_paused" : "reminder_resumed")
                       : page_again(r, out, form, &why, e);
}

static enum rc page_pause(struct req *r, struct resp *out, struct err *e)
{
    return pause_it(r, out, true, e);
}

static enum rc page_resume(struct req *r, struct resp *out, struct err *e)
{
    return pause_it(r, out, false, e);
}

static enum rc page_delete(struct req *r, struct resp *out, struct err *e)
{
    int64_t id = req_int(r, F_REMINDER);
    enum rc rc = reminders_delete(r->web->store, r->who.user_id, id, r->now, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(r->web->config->server.data_dir);
    return page_undoable(r, out, "/reminders", id, "reminder_deleted");
}

static enum rc page_restore(struct req *r, struct resp *out, struct err *e)
{
    struct reminder m;
    struct err why = ERR_INIT;
    enum rc rc = reminders_restore(r->web->store, r->who.user_id, req_int(r, F_REMINDER), r->arena, &m, &why);
    return rc == RC_OK ? done(r, out, "reminder_restored") : page_again(r, out, form, &why, e);
}

/* ---- answers to one that is due ---- */

/* F_ANSWER: "done", or how long it waits ("10m", "1h", "tomorrow"). */
static enum rc answer(struct req *r, bool *snoozed, struct err *e)
{
    struct reminder m;
    int64_t id = req_int(r, F_REMINDER), until;
    struct str word = req_str(r, F_ANSWER);
    enum rc rc = read_one(r, &m, e);
    *snoozed = !str_is(word, ANSWER_DONE);
    if (rc != RC_OK)
        return rc;
    if (!*snoozed)
        rc = reminders_done_if_open(r->web->store, r->who.user_id, id, r->now, r->arena, &m, e);
    else if (!reminders_snooze_until(word, r->zone, r->now, &until))
        return err_say(e, RC_BAD_INPUT, "reminders.bad_answer");
    else
        rc = reminders_snooze(r->web->store, r->who.user_id, id, until, r->now, r->arena, &m, e);
    if (rc == RC_OK)
        helper_notify(r->web->config->server.data_dir);
    return rc;
}

static enum rc page_answer(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    bool snoozed;
    enum rc rc = answer(r, &snoozed, &why);
    return rc == RC_OK ? page_done(out, page_local_path(r, F_BACK, "/reminders"),
                             snoozed ? "reminder_snoozed" : "reminder_done")
                       : page_again(r, out, form, &why, e);
}

static enum rc script_due(struct req *r, struct resp *out, struct err *e)
{
    struct str html;
    struct view *v = view_new(r->arena);
    enum rc rc = due_html(r, &html, e);
    if (rc != RC_OK)
        return rc;
    view_html(v, "html", (struct markup){html});
    return resp_json(out, 200, v, e);
}

static enum rc script_answer(struct req *r, struct resp *out, struct err *e)
{
    bool snoozed;
    enum rc rc = answer(r, &snoozed, e);
    return rc == RC_OK ? script_due(r, out, e) : rc;
}

/* ---- routes ---- */

static const struct field_rule list_fields[] = {
    {.field = F_EDIT, .type = FIELD_ID_ROW},
    {.field = F_UNDO, .type = FIELD_ID_ROW},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};
static const struct field_rule add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * REMINDER_TEXT_CHARS_MAX},
    {.field = F_START, .type = FIELD_LINE, .required = true},
    {.field = F_REPEAT, .type = FIELD_LINE, .required = true, .max = REPEAT_CHARS_MAX},
    {.field = F_RULE, .type = FIELD_LINE, .max = RECURRENCE_RULE_MAX},
    {.field = F_KIND, .type = FIELD_LINE},
    {.field = F_NONE},
};
static const struct field_rule change_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * REMINDER_TEXT_CHARS_MAX},
    {.field = F_START, .type = FIELD_LINE, .required = true},
    {.field = F_REPEAT, .type = FIELD_LINE, .required = true, .max = REPEAT_CHARS_MAX},
    {.field = F_RULE, .type = FIELD_LINE, .max = RECURRENCE_RULE_MAX},
    {.field = F_NONE},
};
static const struct field_rule reminder_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};
static const struct field_rule page_answer_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_ANSWER, .type = FIELD_LINE, .required = true, .max = ANSWER_CHARS_MAX},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};
static const struct field_rule script_answer_fields[] = {
    {.field = F_REMINDER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_ANSWER, .type = FIELD_LINE, .required = true, .max = ANSWER_CHARS_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/reminders",                        page_reminders, PAGE_READ(ACCESS_MEMBER),   list_fields},
    {HTTP_POST, "/reminders",                        page_add,       PAGE_CHANGE(ACCESS_MEMBER), add_fields},
    {HTTP_POST, "/reminders/{reminder}",             page_change,    PAGE_CHANGE(ACCESS_MEMBER), change_fields},
    {HTTP_POST, "/reminders/{reminder}/pause",       page_pause,     PAGE_CHANGE(ACCESS_MEMBER), reminder_fields},
    {HTTP_POST, "/reminders/{reminder}/resume",      page_resume,    PAGE_CHANGE(ACCESS_MEMBER), reminder_fields},
    {HTTP_POST, "/reminders/{reminder}/delete",      page_delete,    PAGE_CHANGE(ACCESS_MEMBER), reminder_fields},
    {HTTP_POST, "/reminders/{reminder}/restore",     page_restore,   PAGE_CHANGE(ACCESS_MEMBER), reminder_fields},
    {HTTP_POST, "/reminders/{reminder}/answer",      page_answer,    PAGE_CHANGE(ACCESS_MEMBER), page_answer_fields},

    {HTTP_GET,  "/page/reminders/due",               script_due,     SCRIPT_READ(ACCESS_MEMBER),   no_fields},
    {HTTP_POST, "/page/reminders/{reminder}/answer", script_answer,  SCRIPT_CHANGE(ACCESS_MEMBER), script_answer_fields},
};
/* clang-format on */

const struct route_table reminder_page_routes = {routes, ARRAY_LEN(routes)};
