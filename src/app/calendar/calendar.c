#include "app/calendar/calendar.h"

#include <stdio.h>

#include "app/account/signin_limit.h"
#include "app/reminder/reminder.h"
#include "app/tasks/tasks.h"
#include "base/version.h"
#include "codec/calendar/icalendar.h"
#include "codec/calendar/recurrence.h"

/* The time of the last reading is stored at most this often: calendars read often. */
#define TOUCH_EVERY_MS MS_PER_H
#define NAME_MAX_BYTES 320 /* of an id, or a name with parameters */
/* Changes of the clock are written for this many years. Calendars read the feed again long before. */
#define ZONE_YEARS 10
#define PRODUCT    "-//Alfred//Alfred " ALFRED_VERSION "//EN"

/* ---- the address ---- */

struct change {
    int64_t owner;
    const struct auth_client *from;
    const unsigned char *hash; /* of the new address; NULL: the feed ends */
};

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    enum rc rc = c->hash ? store_calendar_feed_set(db, c->owner, c->hash, c->from->now, e)
                         : store_calendar_feed_delete(db, c->owner, e);
    return rc == RC_OK
               ? auth_audit(db, c->from, c->owner, c->hash ? "calendar_made" : "calendar_ended", "", e)
               : rc;
}

enum rc calendar_renew(
    struct store *s, int64_t owner, const struct auth_client *from, char token[TOKEN_SIZE], struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_new(token);
    token_hash(token, hash);
    return store_write(s, change_tx, &(struct change){.owner = owner, .from = from, .hash = hash}, e);
}

enum rc calendar_end(struct store *s, int64_t owner, const struct auth_client *from, struct err *e)
{
    return store_write(s, change_tx, &(struct change){.owner = owner, .from = from}, e);
}

/* ---- the feed, for everybody with its address ---- */

static enum rc touch_tx(struct db *db, void *arg, struct err *e)
{
    const struct calendar_feed *f = arg;
    return store_calendar_feed_touch(db, f->owner, f->read_at, e);
}

enum rc calendar_find(struct store *s, const struct config *c, const char *token,
    const struct auth_client *from, struct calendar_feed *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    struct signin_attempt guess;
    signin_attempt_link(&guess, c, from->address, from->now);
    token_hash(token, hash);
    struct db *db = store_read(s);
    enum rc rc = signin_attempt_check(db, &guess, e);
    if (rc == RC_OK)
        rc = store_calendar_feed_find(db, hash, out, e);
    store_read_done(s, db);
    if (rc == RC_NOT_FOUND)
        return signin_attempt_guessed(s, &guess, e);
    if (rc == RC_OK && out->read_at + TOUCH_EVERY_MS <= from->now) {
        out->read_at = from->now;
        store_write_visit(s, touch_tx, out); /* after a failure the next reading notes it */
    }
    return rc;
}

/* ---- the calendar ---- */

struct writer {
    struct strbuf *out;
    const struct reminder *reminders;
    size_t reminders_n;
    struct str host; /* makes ids unique in the world */
    const char *public_url;
};

/* Without a method DTSTAMP is the time of the last change, too (RFC 5545, 3.8.7.2). */
static void begin(const struct writer *w, const char *kind, const char *noun, int64_t id, int64_t changed_at)
{
    char uid[NAME_MAX_BYTES];
    snprintf(uid, sizeof uid, "%s-%lld@%.*s", noun, (long long)id, STR_FMT(w->host));
    icalendar_line(w->out, "BEGIN", str_of(kind));
    icalendar_line(w->out, "UID", str_of(uid));
    icalendar_moment(w->out, "DTSTAMP", changed_at);
    icalendar_moment(w->out, "LAST-MODIFIED", changed_at);
}

static void write_url(const struct writer *w, const char *path)
{
    AUTO_STRBUF url;
    strbuf_init(&url, w->out->cap);
    strbuf_addf(&url, "%s%s", w->public_url, path);
    icalendar_line(w->out, "URL", strbuf_str(&url));
}

/* "2026-12-01" as "20261201". */
static void write_day(const struct writer *w, const char *name, const char *day)
{
    char value[TASK_DAY_SIZE];
    snprintf(value, sizeof value, "%.4s%.2s%.2s", day, day + 5, day + 8);
    icalendar_line(w->out, name, str_of(value));
}

/* An event without an end takes the whole day. It does not make its day busy. */
static void write_task(const struct writer *w, const struct task *t)
{
    const char *kind = t->due ? "VEVENT" : "VTODO";
    begin(w, kind, "task", t->id, t->changed_at);
    if (t->due) {
        write_day(w, "DTSTART;VALUE=DATE", t->due);
        icalendar_line(w->out, "TRANSP", STR("TRANSPARENT"));
    } else {
        icalendar_line(w->out, "STATUS", STR("NEEDS-ACTION"));
    }
    icalendar_text(w->out, "SUMMARY", t->text);
    write_url(w, "/tasks");
    icalendar_line(w->out, "END", str_of(kind));
}

/* A task with a time is the event of its reminder. */
static bool has_time(const struct writer *w, const struct task *t)
{
    for (size_t i = 0; i < w->reminders_n; i++)
        if (w->reminders[i].task_id == t->id && w->reminders[i].fires_at)
            return true;
    return false;
}

static enum rc write_tasks(const struct writer *w, struct db *db, int64_t owner, struct err *e)
{
    struct task_key after = {0};
    AUTO(arena) a = arena_new();
    size_t n;
    do {
        struct task *rows;
        enum rc rc = store_task_open(db, a, owner, after, TASK_PAGE_MAX, &rows, &n, e);
        if (rc != RC_OK)
            return rc;
        for (size_t i = 0; i < n; i++)
            if (!has_time(w, &rows[i]))
                write_task(w, &rows[i]);
        if (n)
            after = (struct task_key){.due = rows[n - 1].due, .id = rows[n - 1].id};
    } while (n == TASK_PAGE_MAX);
    return RC_OK;
}

/* "2026-12-01T17:00" as "20261201T170000". A start that its rule leaves out gives a series that is not
 * defined (RFC 5545, 3.8.5.3), so the first occurrence is the start. */
static void write_start(const struct writer *w, const struct reminder *r)
{
    char name[NAME_MAX_BYTES], value[REMINDER_START_SIZE], start[RECURRENCE_START_SIZE];
    const struct recurrence series = {.start = r->start, .rule = r->rule};
    (void)recurrence_first(&series, start, NULL); /* without libical: the start */
    snprintf(name, sizeof name, "DTSTART%s%s", *r->zone ? ";TZID=" : "", r->zone);
    snprintf(
        value, sizeof value, "%.4s%.2s%.2sT%.2s%.2s00", start, start + 5, start + 8, start + 11, start + 14);
    icalendar_line(w->out, name, str_of(value));
}

static void write_rule(const struct writer *w, const struct reminder *r)
{
    AUTO(arena) a = arena_new();
    const struct time_zone *z = *r->zone ? time_zone_load(a, r->zone) : NULL;
    icalendar_line(w->out, "RRULE", str_of(z ? recurrence_export(a, r->rule, z) : r->rule));
}

/* A reminder that repeats is written with its rule, as a local time in its zone, or without a zone if it has
 * none. A reminder that fires once is written as a moment in UTC. */
static void write_reminder(const struct writer *w, const struct reminder *r)
{
    begin(w, "VEVENT", "reminder", r->id, r->changed_at);
    if (r->rule) {
        write_start(w, r);
        write_rule(w, r);
    } else {
        icalendar_moment(w->out, "DTSTART", r->fires_at);
    }
    icalendar_line(w->out, "TRANSP", STR("TRANSPARENT"));
    icalendar_text(w->out, "SUMMARY", r->text);
    write_url(w, "/reminders");
    icalendar_line(w->out, "END", STR("VEVENT"));
}

static int64_t start_of(const struct reminder *r, const struct time_zone *z)
{
    struct tm tm = {0};
    return strptime(r->start, "%Y-%m-%dT%H:%M", &tm) ? time_zone_at(z, (int64_t)timegm(&tm) * MS_PER_S)
                                                     : r->created_at;
}

/* The zones of the rules, each once, from the first start in it. */
static void write_zones(const struct writer *w, struct arena *a, int64_t now)
{
    const struct reminder *rows = w->reminders;
    size_t n = w->reminders_n;
    for (size_t i = 0; i < n; i++) {
        const struct reminder *r = &rows[i];
        bool had = !r->rule || !r->fires_at;
        for (size_t k = 0; k < i && !had; k++)
            had = rows[k].rule && rows[k].fires_at && strcmp(rows[k].zone, r->zone) == 0;
        const struct time_zone *z = had ? NULL : time_zone_load(a, r->zone);
        if (!z)
            continue;
        int64_t from = INT64_MAX;
        for (size_t k = i; k < n; k++)
            if (rows[k].rule && strcmp(rows[k].zone, r->zone) == 0 && start_of(&rows[k], z) < from)
                from = start_of(&rows[k], z);
        icalendar_zone(w->out, r->zone, z, from - MS_PER_DAY, now + ZONE_YEARS * 366 * MS_PER_DAY);
    }
}

static void write_reminders(const struct writer *w, struct arena *a, int64_t now)
{
    write_zones(w, a, now);
    for (size_t i = 0; i < w->reminders_n; i++)
        if (w->reminders[i].fires_at)
            write_reminder(w, &w->reminders[i]);
}

static struct str host_of(const char *url)
{
    const char *s = strstr(url, "://");
    s = s ? s + 3 : url;
    return (struct str){s, strcspn(s, ":/")};
}

enum rc calendar_write(
    struct db *db, const struct config *c, int64_t owner, int64_t now, struct strbuf *out, struct err *e)
{
    const char *url = c->server.public_url;
    struct writer w = {.out = out, .host = host_of(url), .public_url = url};
    AUTO(arena) a = arena_new();
    struct reminder *reminders;
    enum rc rc = store_reminder_list(db, a, owner, NULL, REMINDER_PAGE_MAX, &reminders, &w.reminders_n, e);
    if (rc != RC_OK)
        return rc;
    w.reminders = reminders;
    icalendar_line(out, "BEGIN", STR("VCALENDAR"));
    icalendar_line(out, "VERSION", STR("2.0"));
    icalendar_line(out, "PRODID", STR(PRODUCT));
    icalendar_line(out, "X-WR-CALNAME", STR("Alfred"));
    icalendar_line(out, "REFRESH-INTERVAL;VALUE=DURATION", STR("PT1H"));
    icalendar_line(out, "X-PUBLISHED-TTL", STR("PT1H")); /* the same for Outlook */
    write_reminders(&w, a, now);
    rc = write_tasks(&w, db, owner, e);
    icalendar_line(out, "END", STR("VCALENDAR"));
    if (rc == RC_OK && out->failed)
        rc = err_set(e, RC_TOO_BIG, "the calendar is too long");
    return rc;
}
