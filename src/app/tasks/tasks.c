#include "app/tasks/tasks_private.h"

#include <time.h>

#include "base/utf8.h"

/* ---- days ---- */

bool tasks_day_valid(struct str day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, date;
    if (day.len != TASK_DAY_SIZE - 1 || day.s[4] != '-' || day.s[7] != '-' ||
        !str_to_int((struct str){day.s, 4}, 1, 9999, &year) ||
        !str_to_int((struct str){day.s + 5, 2}, 1, 12, &month) ||
        !str_to_int((struct str){day.s + 8, 2}, 1, 31, &date))
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return date <= lengths[month - 1] + (month == 2 && leap);
}

void tasks_day(const struct time_zone *z, int64_t now, int days, char out[TASK_DAY_SIZE])
{
    time_t s = (time_t)(time_zone_wall(z, now) / MS_PER_S + days * (MS_PER_DAY / MS_PER_S));
    struct tm tm;
    gmtime_r(&s, &tm);
    if (strftime(out, TASK_DAY_SIZE, "%Y-%m-%d", &tm) == 0)
        out[0] = '\0';
}

enum task_when tasks_when(const char *due, const struct time_zone *z, int64_t now)
{
    char today[TASK_DAY_SIZE], tomorrow[TASK_DAY_SIZE];
    if (!due)
        return TASK_NO_DAY;
    tasks_day(z, now, 0, today);
    tasks_day(z, now, 1, tomorrow);
    int order = strcmp(due, today);
    if (order <= 0)
        return order ? TASK_OVERDUE : TASK_TODAY;
    return strcmp(due, tomorrow) == 0 ? TASK_TOMORROW : TASK_LATER;
}

const char *tasks_when_name(enum task_when w)
{
    static const char *const names[] = {[TASK_OVERDUE] = "overdue",
        [TASK_TODAY] = "today",
        [TASK_TOMORROW] = "tomorrow",
        [TASK_LATER] = "later",
        [TASK_NO_DAY] = "no day"};
    return names[w];
}

/* ---- adding and changing ---- */

struct change {
    const struct task_input *input;
    struct str text, due; /* those of `input`, normalised */
    struct arena *a;
    struct task *out;
};

static struct str one_line(struct arena *a, struct str s)
{
    char *to = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        bool blank = (unsigned char)s.s[i] <= ' ' || s.s[i] == 0x7F;
        if (!blank)
            to[n++] = s.s[i];
        else if (n && to[n - 1] != ' ')
            to[n++] = ' ';
    }
    if (n && to[n - 1] == ' ')
        n--;
    return (struct str){to, utf8_drop_directional(to, n)};
}

static enum rc check_text(struct arena *a, struct str raw, struct str *out, struct err *e)
{
    if (!utf8_valid_text(raw))
        return err_say(e, RC_BAD_INPUT, "form.text_no_utf8");
    *out = one_line(a, raw);
    if (out->len == 0)
        return err_say(e, RC_BAD_INPUT, "task.empty");
    if (utf8_count(*out) > TASK_TEXT_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "task.too_long", arg_int("max", TASK_TEXT_CHARS_MAX));
    return RC_OK;
}

/* An empty day stays empty. */
static enum rc check_due(struct arena *a, struct str raw, struct str *out, struct err *e)
{
    struct str day = str_trim(raw);
    if (day.len && !tasks_day_valid(day))
        return err_say(e, RC_BAD_INPUT, "task.bad_day");
    *out = arena_str(a, day);
    return RC_OK;
}

static enum rc check(struct change *c, struct err *e)
{
    const struct task_input *in = c->input;
    enum rc rc = in->text.s ? check_text(c->a, in->text, &c->text, e) : RC_OK;
    return rc == RC_OK && in->due.s ? check_due(c->a, in->due, &c->due, e) : rc;
}

/* RC_CONFLICT: with `more` tasks the list would exceed its limit. */
static enum rc refuse_too_many(struct db *db, int64_t owner, int64_t more, struct err *e)
{
    int64_t n;
    enum rc rc = store_task_open_count(db, owner, &n, e);
    if (rc == RC_OK && n + more > TASKS_OPEN_MAX)
        return err_say(e, RC_CONFLICT, "task.list_full", arg_int("max", TASKS_OPEN_MAX));
    return rc;
}

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    const struct task_input *in = c->input;
    enum rc rc = refuse_too_many(db, in->owner, 1, e);
    if (rc != RC_OK)
        return rc;
    *c->out = (struct task){.text = c->text,
        .due = c->due.len ? c->due.s : NULL,
        .source_id = in->source_id,
        .created_at = in->now};
    rc = store_task_add(db, in->owner, c->out, e);
    if (rc == RC_OK)
        rc = task_set_time(db, c->a, in, c->out, e);
    return rc == RC_OK ? store_task_get(db, c->a, in->owner, c->out->id, c->out, e) : rc;
}

static enum rc check_new(struct change *c, struct err *e)
{
    if (!c->input->text.s)
        return err_say(e, RC_BAD_INPUT, "task.empty");
    return check(c, e);
}

enum rc tasks_add(
    struct store *s, const struct task_input *in, struct arena *a, struct task *out, struct err *e)
{
    struct change c = {.input = in, .a = a, .out = out};
    enum rc rc = check_new(&c, e);
    return rc == RC_OK ? store_write(s, add_tx, &c, e) : rc;
}

enum rc tasks_add_in(
    struct db *db, const struct task_input *in, struct arena *a, struct task *out, struct err *e)
{
    struct change c = {.input = in, .a = a, .out = out};
    enum rc rc = check_new(&c, e);
    return rc == RC_OK ? add_tx(db, &c, e) : rc;
}

enum rc tasks_clean(struct arena *a, struct str *text, const char **due, struct err *e)
{
    struct task_input in = {.text = *text, .due = str_of(*due)};
    struct change c = {.input = &in, .a = a};
    enum rc rc = check_new(&c, e);
    if (rc == RC_OK) {
        *text = c.text;
        *due = c.due.len ? c.due.s : NULL;
    }
    return rc;
}

/* Removes what does not change: a form always sends day, time and rule, but an unchanged reminder keeps its
 * snooze. */
static struct task_input without_same(const struct change *c)
{
    struct task_input in = *c->input;
    const struct task *t = c->out;
    if (in.due.s && str_is(c->due, t->due ? t->due : ""))
        in.due = (struct str){0};
    if (in.rule.s && str_is(str_trim(in.rule), t->rule ? t->rule : ""))
        in.rule = (struct str){0};
    if (!in.due.s && !in.rule.s && in.time.s && str_eq(str_trim(in.time), task_time(t->start)))
        in.time = (struct str){0};
    return in;
}

struct one {
    int64_t owner, id, now;
    bool done;
    struct arena *a;
    struct task *out;
    int64_t *removed;
};

static enum rc set_done_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    enum rc rc = store_task_get(db, o->a, o->owner, o->id, o->out, e);
    if (rc == RC_OK && !o->done && o->out->done_at)
        rc = refuse_too_many(db, o->owner, 1, e);
    bool changes = rc == RC_OK && o->done == !o->out->done_at;
    if (rc == RC_OK)
        rc = store_task_set_done(db, o->owner, o->id, o->done ? o->now : 0, e);
    if (rc == RC_OK && changes)
        rc = o->done ? task_close_time(db, o->a, o->owner, o->out, o->now, e)
                     : task_reopen_time(db, o->a, o->owner, o->out, o->now, e);
    return rc == RC_OK ? store_task_get(db, o->a, o->owner, o->id, o->out, e) : rc;
}

static enum rc change_parts(struct db *db, struct change *c, struct err *e)
{
    const struct task_input *in = c->input;
    enum rc rc = store_task_get(db, c->a, in->owner, in->id, c->out, e);
    if (rc != RC_OK)
        return rc;
    struct task_input changes = without_same(c);
    if (c->text.s)
        c->out->text = c->text;
    if (c->due.s)
        c->out->due = c->due.len ? c->due.s : NULL;
    rc = store_task_change(db, in->owner, c->out, e);
    if (rc == RC_OK)
        rc = task_set_time(db, c->a, &changes, c->out, e);
    return rc == RC_OK ? store_task_get(db, c->a, in->owner, in->id, c->out, e) : rc;
}

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    const struct task_input *in = c->input;
    struct one one = {
        .owner = in->owner, .id = in->id, .now = in->now, .done = in->done, .a = c->a, .out = c->out};
    bool parts = in->text.s || in->due.s || in->time.s || in->rule.s;
    enum rc rc = parts ? change_parts(db, c, e) : RC_OK;
    return rc == RC_OK && in->sets_done ? set_done_tx(db, &one, e) : rc;
}

enum rc tasks_change(
    struct store *s, const struct task_input *in, struct arena *a, struct task *out, struct err *e)
{
    struct change c = {.input = in, .a = a, .out = out};
    enum rc rc = check(&c, e);
    return rc == RC_OK ? store_write(s, change_tx, &c, e) : rc;
}

enum rc tasks_set_done(struct store *s, int64_t owner, int64_t id, bool done, int64_t now, struct arena *a,
    struct task *out, struct err *e)
{
    struct one o = {.owner = owner, .id = id, .now = now, .done = done, .a = a, .out = out};
    return store_write(s, set_done_tx, &o, e);
}

enum rc tasks_set_done_in(struct db *db, int64_t owner, int64_t id, bool done, int64_t now, struct arena *a,
    struct task *out, struct err *e)
{
    struct one o = {.owner = owner, .id = id, .now = now, .done = done, .a = a, .out = out};
    return set_done_tx(db, &o, e);
}

enum rc tasks_set_time_in(
    struct db *db, const struct task_input *in, struct arena *a, const struct task *t, struct err *e)
{
    return task_set_time(db, a, in, t, e);
}

/* ---- removing ---- */

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return store_task_delete(db, o->owner, o->id, o->now, e);
}

enum rc tasks_delete(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return store_write(s, delete_tx, &(struct one){.owner = owner, .id = id, .now = now}, e);
}

/* A restored task counts against the limit again. */
static enum rc restore_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    AUTO(arena) a = arena_new();
    struct task t = {0};
    enum rc rc = store_task_restore(db, o->owner, o->id, e);
    if (rc == RC_OK)
        rc = store_task_get(db, a, o->owner, o->id, &t, e);
    return rc == RC_OK && !t.done_at ? refuse_too_many(db, o->owner, 0, e) : rc;
}

enum rc tasks_restore_in(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return restore_tx(db, &(struct one){.owner = owner, .id = id}, e);
}

enum rc tasks_restore(struct store *s, int64_t owner, int64_t id, struct err *e)
{
    return store_write(s, restore_tx, &(struct one){.owner = owner, .id = id}, e);
}

static enum rc clear_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return store_task_clear_done(db, o->owner, o->now, o->removed, e);
}

enum rc tasks_clear_done(struct store *s, int64_t owner, int64_t now, int64_t *removed, struct err *e)
{
    return store_write(s, clear_tx, &(struct one){.owner = owner, .now = now, .removed = removed}, e);
}

static enum rc restore_cleared_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return store_task_restore_cleared(db, o->owner, o->now, e);
}

enum rc tasks_restore_cleared(struct store *s, int64_t owner, int64_t cleared_at, struct err *e)
{
    return store_write(s, restore_cleared_tx, &(struct one){.owner = owner, .now = cleared_at}, e);
}
