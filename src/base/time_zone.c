#include "base/time_zone.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define FOLDER      "/usr/share/zoneinfo/"
#define SERVER_FILE "/etc/localtime"
#define FILE_MAX    (16 * 1024)
#define HEADER_SIZE 44
#define NAMES_MAX   1000
#define LINE_SIZE   256
#define TYPE_SIZE   6

/* Month, week (5: the last) and weekday on which the clock changes, and the second of that day. */
struct change {
    int month, week, weekday;
    int64_t time;
};

struct time_zone {
    const unsigned char *times; /* times of the changes, 8 bytes each, ascending */
    const unsigned char *kinds; /* after each of them, an index of `types` */
    const unsigned char *types; /* TYPE_SIZE bytes each: the offset in 4 bytes, summer time, name */
    size_t times_n;
    bool has_rule; /* for the time after the last change */
    bool has_summer;
    int64_t standard, summer; /* seconds east of UTC */
    struct change from, to;   /* start and end of summer time */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool time_zone_is_name(struct str name)
{
    if (name.len == 0 || name.len > TIME_ZONE_NAME_MAX || !is_letter(name.s[0]))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.s[i];
        bool part_begins = c == '/';
        if (part_begins && (i + 1 == name.len || name.s[i + 1] == '/'))
            return false;
        if (!part_begins && !is_letter(c) && !(c >= '0' && c <= '9') && !strchr("_+-", c))
            return false;
    }
    return true;
}

static int64_t read_be(const unsigned char *p, int bytes)
{
    uint64_t n = p[0] & 0x80 ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++)
        n = n << 8 | p[i];
    return (int64_t)n;
}

/* ---- the rule at the end of a file: "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX.1-2024, TZ) ---- */

static bool skip_name(const char **p)
{
    const char *s = *p;
    if (*s == '<') {
        s = strchr(s, '>');
        if (!s)
            return false;
        *p = s + 1;
        return true;
    }
    while (is_letter(*s))
        s++;
    bool some = s > *p;
    *p = s;
    return some;
}

static bool read_number(const char **p, int64_t max, int64_t *out)
{
    char *end;
    if (**p < '0' || **p > '9')
        return false;
    *out = strtoll(*p, &end, 10);
    *p = end;
    return *out <= max;
}

/* "[+-]h[h][:mm[:ss]]" as seconds. */
static bool read_time(const char **p, int64_t *out)
{
    int64_t sign = **p == '-' ? -1 : 1, part, unit = S_PER_H;
    if (**p == '-' || **p == '+')
        ++*p;
    if (!read_number(p, 167, &part))
        return false;
    *out = part * unit;
    while (**p == ':' && unit > 1) {
        ++*p;
        unit /= 60;
        if (!read_number(p, 59, &part))
            return false;
        *out += part * unit;
    }
    *out *= sign;
    return true;
}

/* ",Mm.w.d[/time]". The other forms of POSIX are not used by any zone. */
static bool read_change(const char **p, struct change *c)
{
    int64_t month, week, weekday;
    if (strncmp(*p, ",M", 2) != 0)
        return false;
    *p += 2;
    if (!read_number(p, 12, &month) || *(*p)++ != '.' || !read_number(p, 5, &week) || *(*p)++ != '.' ||
        !read_number(p, 6, &weekday) || month < 1 || week < 1)
        return false;
    *c = (struct change){(int)month, (int)week, (int)weekday, 2 * (int64_t)S_PER_H};
    if (**p != '/')
        return true;
    ++*p;
    return read_time(p, &c->time);
}

static bool read_rule(const char *p, struct time_zone *z)
{
    if (!skip_name(&p) || !read_time(&p, &z->standard))
        return false;
    z->standard = -z->standard; /* POSIX counts to the west */
    if (!*p)
        return true;
    if (!skip_name(&p))
        return false;
    z->summer = z->standard + S_PER_H;
    if (*p != ',') {
        if (!read_time(&p, &z->summer))
            return false;
        z->summer = -z->summer;
    }
    z->has_summer = true;
    return read_change(&p, &z->from) && read_change(&p, &z->to) && !*p;
}

/* Seconds from the epoch to the change of that year, as the wall clock counts. */
static int64_t change_at(int year, const struct change *c)
{
    struct tm first = {.tm_year = year - 1900, .tm_mon = c->month - 1, .tm_mday = 1};
    int64_t day = timegm(&first) / S_PER_DAY; /* sets tm_wday */
    int date = 1 + (c->weekday - first.tm_wday + 7) % 7 + 7 * (c->week - 1);
    struct tm next = {.tm_year = year - 1900, .tm_mon = c->month, .tm_mday = 1};
    int days = (int)(timegm(&next) / S_PER_DAY - day);
    return (day + (date > days ? date - 7 : date) - 1) * S_PER_DAY + c->time;
}

static int64_t offset_by_rule(const struct time_zone *z, int64_t s)
{
    if (!z->has_summer)
        return z->standard;
    struct tm tm = clock_utc(s + z->standard);
    int64_t from = change_at(tm.tm_year + 1900, &z->from) - z->standard;
    int64_t to = change_at(tm.tm_year + 1900, &z->to) - z->summer;
    bool summer = from < to ? s >= from && s < to : s >= from || s < to; /* south of the equator */
    return summer ? z->summer : z->standard;
}

/* ---- the file ---- */

struct counts {
    size_t utc, standard, leaps, times, types, chars;
};

static bool read_counts(struct str file, size_t at, struct counts *n)
{
    if (file.len < at + HEADER_SIZE || memcmp(file.s + at, "TZif", 4) != 0)
        return false;
    const unsigned char *p = (const unsigned char *)file.s + at + 20;
    size_t *const fields[] = {&n->utc, &n->standard, &n->leaps, &n->times, &n->types, &n->chars};
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        int64_t count = read_be(p + 4 * i, 4);
        if (count < 0 || count > FILE_MAX)
            return false;
        *fields[i] = (size_t)count;
    }
    return true;
}

static size_t block_size(const struct counts *n, size_t time_size)
{
    return n->times * (time_size + 1) + n->types * TYPE_SIZE + n->chars + n->leaps * (time_size + 4) +
           n->standard + n->utc;
}

const struct time_zone *time_zone_parse(struct arena *a, struct str file)
{
    struct counts n;
    if (!read_counts(file, 0, &n) || file.s[4] < '2') /* version 1 has times of 4 bytes only */
        return NULL;
    size_t at = HEADER_SIZE + block_size(&n, 4);
    if (!read_counts(file, at, &n) || n.types == 0)
        return NULL;
    at += HEADER_SIZE;
    size_t end = at + block_size(&n, 8);
    if (end >= file.len || file.s[end] != '\n')
        return NULL;
    struct time_zone *z = arena_alloc(a, sizeof *z);
    const unsigned char *p = (const unsigned char *)arena_strndup(a, file.s, file.len) + at;
    *z = (struct time_zone){
        .times = p, .kinds = p + 8 * n.times, .types = p + 9 * n.times, .times_n = n.times};
    for (size_t i = 0; i < n.times; i++)
        if (z->kinds[i] >= n.types)
            return NULL;
    struct str rule = {file.s + end + 1, file.len - end - 1};
    struct str line = str_cut(&rule, '\n');
    z->has_rule = read_rule(arena_strndup(a, line.s, line.len), z);
    return z;
}

static const struct time_zone *load_file(struct arena *a, const char *path)
{
    FILE *f = fopen(path, "rbe");
    if (!f)
        return NULL;
    char content[FILE_MAX];
    size_t n = fread(content, 1, sizeof content, f);
    (void)fclose(f);
    return time_zone_parse(a, (struct str){content, n});
}

const struct time_zone *time_zone_load(struct arena *a, const char *name)
{
    bool is_name = name && time_zone_is_name(str_of(name));
    return is_name ? load_file(a, arena_printf(a, FOLDER "%s", name)) : NULL;
}

static bool is_absent(int error)
{
    return error == 0 || error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES;
}

enum rc time_zone_read(struct arena *a, const char *name, const struct time_zone **out, struct err *e)
{
    errno = 0;
    *out = time_zone_load(a, name);
    if (*out || is_absent(errno))
        return RC_OK;
    return err_set(e, RC_UNAVAILABLE, "the time zone %s: %s", name, strerror(errno));
}

/* As tzset(3) finds it. */
const struct time_zone *time_zone_server(struct arena *a)
{
    const char *name = getenv("TZ");
    return name ? time_zone_load(a, *name == ':' ? name + 1 : name) : load_file(a, SERVER_FILE);
}

/* zone.tab: country, coordinates, name and a comment, separated by tabs; "#" begins a comment. */
void time_zone_names(struct arena *a, const char ***out, size_t *n)
{
    *out = ARENA_ARRAY(a, const char *, NAMES_MAX);
    *n = 0;
    FILE *f = fopen(FOLDER "zone.tab", "rbe");
    if (!f)
        return;
    char line[LINE_SIZE];
    while (*n < NAMES_MAX - 1 && fgets(line, sizeof line, f)) {
        struct str rest = str_of(line);
        if (line[0] == '#')
            continue;
        (void)str_cut(&rest, '\t');
        (void)str_cut(&rest, '\t');
        struct str name = str_trim(str_cut(&rest, '\t'));
        if (time_zone_is_name(name))
            (*out)[(*n)++] = arena_strndup(a, name.s, name.len);
    }
    (void)fclose(f);
    if (*n)
        (*out)[(*n)++] = "UTC";
    qsort(*out, *n, sizeof **out, str_order);
}

static int64_t offset_at(const struct time_zone *z, int64_t s)
{
    size_t low = 0, high = z->times_n; /* the changes before `low` have happened */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (read_be(z->times + 8 * middle, 8) <= s)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == z->times_n && z->has_rule)
        return offset_by_rule(z, s);
    return read_be(z->types + TYPE_SIZE * (low ? z->kinds[low - 1] : 0), 4);
}

struct tm time_zone_local(const struct time_zone *z, int64_t at)
{
    time_t s = (time_t)(at / MS_PER_S);
    if (!z) {
        struct tm tm = {0};
        localtime_r(&s, &tm);
        return tm;
    }
    long offset = (long)offset_at(z, s);
    struct tm tm = clock_utc(s + offset);
    tm.tm_gmtoff = offset;
    return tm;
}

int64_t time_zone_wall(const struct time_zone *z, int64_t at)
{
    struct tm tm = time_zone_local(z, at);
    return (int64_t)timegm(&tm) * MS_PER_S;
}

int64_t time_zone_at(const struct time_zone *z, int64_t wall)
{
    int64_t at = wall - (time_zone_wall(z, wall) - wall);
    return wall - (time_zone_wall(z, at) - at);
}
