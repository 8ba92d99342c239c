#include "app/reminder/reminder.h"

#include <assert.h>
#include <stdio.h>

#include "app/tasks/tasks.h"
#include "base/utf8.h"
#include "codec/calendar/recurrence.h"
#include "store/session/session.h"

#define FAR_MS (RECURRENCE_YEARS_MAX * 366 * MS_PER_DAY)

static_assert(REMINDER_START_SIZE == RECURRENCE_START_SIZE, "a stored start");

/* ---- checks ---- */

static bool is_schedule(const char *kind)
{
    return kind && strcmp(kind, REMINDER_PROMPT) == 0;
}

static enum rc check_text(struct arena *a, struct str *text, struct err *e)
{
    if (!utf8_valid_text(*text))
        return err_say(e, RC_BAD_INPUT, "form.text_no_utf8");
    struct str own = str_trim(*text);
    char *to = arena_strndup(a, own.s, own.len);
    *text = str_trim((struct str){to, utf8_drop_directional(to, own.len)});
    if (text->len == 0)
        return err_say(e, RC_BAD_INPUT, "reminder.empty");
    if (utf8_count(*text) > REMINDER_TEXT_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "reminder.too_long", arg_int("max", REMINDER_TEXT_CHARS_MAX));
    return RC_OK;
}

/* A local time with an hour, in its stored form. */
static enum rc check_start(struct arena *a, struct str text, const char **start, struct err *e)
{
    char out[RECURRENCE_START_SIZE];
    if (!recurrence_start(text, out) || strlen(out) + 1 != RECURRENCE_START_SIZE)
        return err_say(e, RC_BAD_INPUT, "reminder.bad_time");
    *start = arena_strdup(a, out);
    return RC_OK;
}

static enum rc load_zone(struct arena *a, const char *name, const struct time_zone **z, struct err *e)
{
    enum rc rc = time_zone_read(a, name, z, e);
    return rc != RC_OK || *z || !name || !*name ? rc : err_say(e, RC_BAD_INPUT, "reminder.no_zone");
}

/* Checks start, rule and zone of `r` and computes next_at, with the snooze_at that it has. A time of the
 * running minute has not passed: fields of pages have no seconds. */
static enum rc set_time(struct arena *a, struct reminder *r, int64_t now, struct err *e)
{
    struct recurrence c = {.start = r->start, .rule = r->rule};
    enum rc rc = load_zone(a, r->zone, &c.zone, e);
    if (rc != RC_OK)
        return rc;
    int64_t first = recurrence_at(c.zone, recurrence_wall(r->start));
    if (first > now + FAR_MS)
        return err_say(e, RC_BAD_INPUT, "reminder.far", arg_int("years", RECURRENCE_YEARS_MAX));
    if (!r->rule) {
        r->next_at = r->snooze_at ? 0 : first;
        return r->snooze_at || first + MS_PER_MIN > now ? RC_OK : err_say(e, RC_BAD_INPUT, "reminder.past");
    }
    int64_t gap = is_schedule(r->kind) ? SCHEDULE_GAP_MS : REMINDER_GAP_MS;
    rc = recurrence_check(a, &c, gap, now, &r->rule, e);
    c.rule = r->rule;
    return rc == RC_OK ? recurrence_next(&c, now, &r->next_at, e) : rc;
}

/* ---- adding ---- */

static enum rc read_input(struct arena *a, const struct reminder_input *in, struct reminder *r, struct err *e)
{
    *r = (struct reminder){.owner = in->owner,
        .kind = is_schedule(in->kind) ? REMINDER_PROMPT : REMINDER_REMIND,
        .text = in->text.s ? in->text : STR(""),
        .source_id = in->source_id,
        .session_id = in->session_id,
        .zone = in->zone ? in->zone : "",
        .snooze_at = in->snooze_at,
        .created_at = in->created_at ? in->created_at : in->now};
    enum rc rc = check_text(a, &r->text, e);
    if (rc == RC_OK)
        rc = check_start(a, in->start.s ? in->start : STR(""), &r->start, e);
    if (rc == RC_OK && in->rule.s && str_trim(in->rule).len)
        r->rule = arena_strndup(a, in->rule.s, in->rule.len);
    return rc == RC_OK ? set_time(a, r, in->now, e) : rc;
}

enum rc reminders_clean(struct arena *a, struct reminder_input *in, struct err *e)
{
    struct reminder r;
    enum rc rc = read_input(a, in, &r, e);
    if (rc == RC_OK) {
        in->text = r.text;
        in->start = str_of(r.start);
        in->rule = str_of(r.rule ? r.rule : "");
    }
    return rc;
}

/* RC_CONFLICT: with `more` of that kind the owner would have too many. */
static enum rc refuse_too_many(struct db *db, int64_t owner, const char *kind, int64_t more, struct err *e)
{
    int64_t n, max = is_schedule(kind) ? SCHEDULES_MAX : REMINDERS_MAX;
    enum rc rc = store_reminder_count(db, owner, kind, &n, e);
    if (rc == RC_OK && n + more > max)
        return err_say(e, RC_CONFLICT,
            is_schedule(kind) ? "reminder.too_many_schedules" : "reminder.too_many", arg_int("max", max));
    return rc;
}

/* Between the check and the transaction nothing that was checked can change. */
static enum rc put(
    struct db *db, const struct reminder_input *in, struct arena *a, struct reminder *r, struct err *e)
{
    enum rc rc = refuse_too_many(db, r->owner, r->kind, 1, e);
    if (rc == RC_OK && in->session) {
        struct session s;
        rc = store_session_get(db, a, r->owner, in->session, &s, e);
        if (rc == RC_OK)
            r->session_id = s.id;
    }
    if (rc == RC_OK)
        rc = store_reminder_add(db, r, e);
    return rc == RC_OK ? store_reminder_get(db, a, r->owner, r->id, r, e) : rc;
}

struct change {
    const struct reminder_input *input;
    struct arena *a;
    struct reminder *out;
};

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    return put(db, c->input, c->a, c->out, e);
}

enum rc reminders_add(
    struct store *s, const struct reminder_input *in, struct arena *a, struct reminder *out, struct err *e)
{
    enum rc rc = read_input(a, in, out, e);
    return rc == RC_OK ? store_write(s, add_tx, &(struct change){in, a, out}, e) : rc;
}

enum rc reminders_add_in(
    struct db *db, const struct reminder_input *in, struct arena *a, struct reminder *out, struct err *e)
{
    enum rc rc = read_input(a, in, out, e);
    return rc == RC_OK ? put(db, in, a, out, e) : rc;
}

/* ---- pausing ---- */

struct one {
    int64_t owner, id, now, until;
    bool on, if_open;
    struct arena *a;
    struct reminder *out;
    enum rc (*run)(struct db *db, const struct one *o, struct err *e); /* changes o->out */
};

static enum rc one_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    enum rc rc = store_reminder_get(db, o->a, o->owner, o->id, o->out, e);
    if (rc == RC_OK)
        rc = o->run(db, o, e);
    if (rc == RC_OK)
        rc = store_reminder_change(db, o->out, e);
    return rc == RC_OK ? store_reminder_get(db, o->a, o->owner, o->id, o->out, e) : rc;
}

static enum rc pause_in(struct db *db, const struct one *o, struct err *e)
{
    struct reminder *r = o->out;
    struct recurrence c = {.start = r->start, .rule = r->rule};
    enum rc rc = time_zone_read(o->a, r->zone, &c.zone, e);
    (void)db;
    if (rc != RC_OK)
        return rc;
    if (o->on) {
        r->paused_at = r->paused_at ? r->paused_at : o->now;
        return RC_OK;
    }
    if (!r->paused_at)
        return RC_OK;
    r->paused_at = 0;
    if (r->snooze_at && r->snooze_at <= o->now)
        r->snooze_at = 0;
    return r->next_at && r->next_at <= o->now ? recurrence_next(&c, o->now, &r->next_at, e) : RC_OK;
}

enum rc reminders_pause(struct store *s, int64_t owner, int64_t id, bool paused, int64_t now, struct arena *a,
    struct reminder *out, struct err *e)
{
    struct one o = {.owner = owner, .id = id, .now = now, .on = paused, .a = a, .out = out, .run = pause_in};
    return store_write(s, one_tx, &o, e);
}

/* ---- changing ---- */

/* Text and day of a task are in the task. */
static enum rc change_task(
    struct db *db, const struct reminder_input *in, struct arena *a, const struct reminder *r, struct err *e)
{
    struct task t = {0};
    enum rc rc = store_task_get(db, a, in->owner, r->task_id, &t, e);
    if (rc != RC_OK)
        return rc;
    if (in->start.s)
        t.due = arena_strndup(a, r->start, TASK_DAY_SIZE - 1);
    if (in->text.s)
        t.text = in->text;
    rc = tasks_clean(a, &t.text, &t.due, e);
    return rc == RC_OK ? store_task_change(db, in->owner, &t, e) : rc;
}

static enum rc change_parts(struct db *db, const struct change *c, struct err *e)
{
    const struct reminder_input *in = c->input;
    struct reminder *r = c->out;
    enum rc rc = store_reminder_get(db, c->a, in->owner, in->id, r, e);
    if (rc == RC_OK && in->text.s && !r->task_id) {
        r->text = in->text;
        rc = check_text(c->a, &r->text, e);
    }
    if (in->start.s || in->sets_zone)
        r->zone = in->zone ? in->zone : "";
    if (rc == RC_OK && in->start.s)
        rc = check_start(c->a, in->start, &r->start, e);
    if (rc == RC_OK && in->rule.s)
        r->rule = str_trim(in->rule).len ? arena_strndup(c->a, in->rule.s, in->rule.len) : NULL;
    bool ended = !r->next_at && !r->snooze_at;
    int64_t answered; /* with another time: what is due must not be, or "done" would end the new time */
    if (rc == RC_OK && (in->start.s || in->rule.s || in->sets_zone)) {
        r->snooze_at = 0;
        rc = set_time(c->a, r, in->now, e);
        if (rc == RC_OK)
            rc =
                store_reminder_due_answer(db, in->owner, in->id, REMINDER_DUE_SNOOZED, in->now, &answered, e);
        if (rc == RC_OK && ended)
            rc = refuse_too_many(db, in->owner, r->kind, 1, e);
    }
    if (rc == RC_OK && r->task_id)
        rc = change_task(db, in, c->a, r, e);
    if (rc == RC_OK)
        rc = store_reminder_change(db, r, e);
    return rc == RC_OK ? store_reminder_get(db, c->a, in->owner, in->id, r, e) : rc;
}

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    const struct reminder_input *in = c->input;
    struct one one = {.owner = in->owner,
        .id = in->id,
        .now = in->now,
        .on = in->paused,
        .a = c->a,
        .out = c->out,
        .run = pause_in};
    bool parts = in->text.s || in->start.s || in->rule.s || in->sets_zone;
    enum rc rc = parts ? change_parts(db, c, e) : RC_OK;
    return rc == RC_OK && in->sets_paused ? one_tx(db, &one, e) : rc;
}

enum rc reminders_change(
    struct store *s, const struct reminder_input *in, struct arena *a, struct reminder *out, struct err *e)
{
    return store_write(s, change_tx, &(struct change){in, a, out}, e);
}

/* ---- done, snooze, delete ---- */

static enum rc done_in(struct db *db, const struct one *o, struct err *e)
{
    struct reminder *r = o->out;
    int64_t answered;
    enum rc rc = store_reminder_due_answer(db, o->owner, o->id, REMINDER_DUE_DONE, o->now, &answered, e);
    if (rc != RC_OK || (o->if_open && !answered))
        return rc;
    if (r->task_id) {
        struct task t;
        rc = tasks_set_done_in(db, o->owner, r->task_id, true, o->now, o->a, &t, e);
        return rc == RC_OK ? store_reminder_get(db, o->a, o->owner, o->id, r, e) : rc;
    }
    r->snooze_at = 0;
    if (!r->rule)
        r->next_at = 0;
    return rc;
}

enum rc reminders_done(struct store *s, int64_t owner, int64_t id, int64_t now, struct arena *a,
    struct reminder *out, struct err *e)
{
    struct one o = {.owner = owner, .id = id, .now = now, .a = a, .out = out, .run = done_in};
    return store_write(s, one_tx, &o, e);
}

enum rc reminders_done_if_open(struct store *s, int64_t owner, int64_t id, int64_t now, struct arena *a,
    struct reminder *out, struct err *e)
{
    struct one o = {
        .owner = owner, .id = id, .now = now, .if_open = true, .a = a, .out = out, .run = done_in};
    return store_write(s, one_tx, &o, e);
}

static enum rc snooze_in(struct db *db, const struct one *o, struct err *e)
{
    struct reminder *r = o->out;
    int64_t answered;
    if (!r->rule)
        r->next_at = 0; /* told later instead */
    r->snooze_at = o->until;
    r->paused_at = 0;
    return store_reminder_due_answer(db, o->owner, o->id, REMINDER_DUE_SNOOZED, o->now, &answered, e);
}

enum rc reminders_snooze(struct store *s, int64_t owner, int64_t id, int64_t until, int64_t now,
    struct arena *a, struct reminder *out, struct err *e)
{
    struct one o = {
        .owner = owner, .id = id, .now = now, .until = until, .a = a, .out = out, .run = snooze_in};
    if (until <= now || until > now + REMINDER_SNOOZE_MAX_MS)
        return err_say(e, RC_BAD_INPUT, "reminder.bad_snooze");
    return store_write(s, one_tx, &o, e);
}

bool reminders_snooze_until(struct str word, const struct time_zone *z, int64_t now, int64_t *until)
{
    static const struct {
        char sign;
        int64_t ms;
    } units[] = {{'m', MS_PER_MIN}, {'h', MS_PER_H}, {'d', MS_PER_DAY}};
    int64_t n;
    word = str_trim(word);
    if (str_eq_nocase(word, STR("tomorrow"))) {
        char day[TASK_DAY_SIZE], start[RECURRENCE_START_SIZE];
        tasks_day(z, now, 1, day);
        snprintf(start, sizeof start, "%sT%s", day, REMINDER_MORNING);
        *until = recurrence_at(z, recurrence_wall(start));
        return true;
    }
    for (size_t i = 0; word.len > 1 && i < ARRAY_LEN(units); i++)
        if (word.s[word.len - 1] == units[i].sign &&
            str_to_int((struct str){word.s, word.len - 1}, 1, REMINDER_SNOOZE_MAX_MS / units[i].ms, &n)) {
            *until = now + n * units[i].ms;
            return true;
        }
    return false;
}

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return store_reminder_delete(db, o->owner, o->id, o->now, e);
}

enum rc reminders_delete(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return store_write(s, delete_tx, &(struct one){.owner = owner, .id = id, .now = now}, e);
}

enum rc reminders_restore_in(
    struct db *db, int64_t owner, int64_t id, struct arena *a, struct reminder *out, struct err *e)
{
    enum rc rc = store_reminder_restore(db, owner, id, e);
    if (rc == RC_OK)
        rc = store_reminder_get(db, a, owner, id, out, e);
    return rc == RC_OK && out->fires_at ? refuse_too_many(db, owner, out->kind, 0, e) : rc;
}

static enum rc restore_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return reminders_restore_in(db, o->owner, o->id, o->a, o->out, e);
}

enum rc reminders_restore(
    struct store *s, int64_t owner, int64_t id, struct arena *a, struct reminder *out, struct err *e)
{
    return store_write(s, restore_tx, &(struct one){.owner = owner, .id = id, .a = a, .out = out}, e);
}

/* ---- for the helper ---- */

/* Sets due_at and missed, and when it fires next. */
static enum rc advance(struct arena *a, struct reminder_fired *f, int64_t now, struct err *e)
{
    struct reminder *r = &f->r;
    struct recurrence c = {.start = r->start, .rule = r->rule};
    bool by_rule = r->next_at && r->next_at <= now;
    enum rc rc = time_zone_read(a, r->zone, &c.zone, e);
    f->snoozed = r->snooze_at && r->snooze_at <= now;
    f->due.due_at = by_rule ? r->next_at : r->snooze_at;
    if (rc == RC_OK && by_rule && r->rule) {
        int64_t last;
        rc = recurrence_missed(&c, r->next_at - 1, now, &last, &f->due.missed, e);
        f->due.due_at = last ? last : r->next_at;
    }
    if (rc == RC_OK && by_rule)
        rc = r->rule ? recurrence_next(&c, now, &r->next_at, e) : RC_OK;
    if (by_rule && !r->rule)
        r->next_at = 0;
    if (f->snoozed)
        r->snooze_at = 0;
    return rc;
}

static enum rc fire(struct db *db, struct arena *a, struct reminder_fired *f, int64_t now, struct err *e)
{
    struct reminder *r = &f->r;
    int64_t answered;
    f->due = (struct reminder_due){.owner = r->owner, .reminder_id = r->id, .told_at = now};
    enum rc rc = advance(a, f, now, e);
    if (rc != RC_OK)
        return rc;
    f->late = now - f->due.due_at >= REMINDER_LATE_MS;
    r->told_at = now;
    rc = store_reminder_due_answer(db, r->owner, r->id, REMINDER_DUE_DONE, now, &answered, e);
    if (rc == RC_OK)
        rc = store_reminder_due_add(db, &f->due, e);
    if (rc == RC_OK)
        rc = store_reminder_change(db, r, e);
    return rc == RC_OK ? store_reminder_get(db, a, r->owner, r->id, r, e) : rc;
}

enum rc reminders_fire_in(
    struct db *db, struct arena *a, int64_t now, struct reminder_fired **out, size_t *n, struct err *e)
{
    struct reminder *due;
    size_t found;
    *n = 0;
    enum rc rc = store_reminder_firing(db, a, now, REMINDER_FIRE_MAX, &due, &found, e);
    *out = ARENA_ARRAY(a, struct reminder_fired, found + 1);
    for (size_t i = 0; rc == RC_OK && i < found; i++) {
        struct reminder_fired *f = &(*out)[*n];
        *f = (struct reminder_fired){.r = due[i]};
        rc = fire(db, a, f, now, e);
        if (rc == RC_BAD_INPUT) { /* a rule of another version */
            f->r = due[i];
            f->r.paused_at = now;
            rc = store_reminder_change(db, &f->r, e);
        } else if (rc == RC_OK) {
            ++*n;
        }
    }
    return rc;
}

/* Sets the time to which the open occurrence was put off, if it is still to come. A time that is further away
 * than a user can put it off came from the clock that was ahead. */
static enum rc put_off_again(
    struct db *db, struct reminder *r, const struct recurrence *c, int64_t now, struct err *e)
{
    int64_t due_at, of_rule;
    enum rc rc = store_reminder_due_at(db, r->owner, r->open_due, &due_at, e);
    if (rc != RC_OK || due_at <= now || due_at > now + REMINDER_SNOOZE_MAX_MS)
        return rc;
    if (recurrence_next(c, due_at - 1, &of_rule, NULL) != RC_OK || of_rule != due_at)
        r->snooze_at = due_at;
    return RC_OK;
}

enum rc reminders_clock_back_in(struct db *db, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct reminder *ahead;
    size_t n;
    /* A clock that was ahead by less than the distance of two occurrences has left out none. */
    enum rc rc = store_reminder_told_after(db, a, now + REMINDER_GAP_MS, &ahead, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct reminder *r = &ahead[i];
        struct recurrence c = {.start = r->start, .rule = r->rule};
        r->told_at = now;
        if (!r->rule && !r->open_due) /* the user has answered it */
            continue;
        rc = time_zone_read(a, r->zone, &c.zone, e);
        if (rc == RC_OK && r->open_due)
            rc = put_off_again(db, r, &c, now, e);
        if (rc == RC_OK &&
            recurrence_next(&c, now, &r->next_at, NULL) == RC_OK) /* otherwise a rule of another version */
            rc = store_reminder_change(db, r, e);
    }
    return rc;
}
