#include "app/search/search_query.h"

#include <stddef.h>
#include <strings.h>

#include "app/search/search.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "store/session/tag.h"
#include "store/session/workspace.h"

/* ---- days ---- */

static bool year_and_month(struct str text, int *year, int *month)
{
    int64_t y, m = 1;
    struct str rest = text, first = str_cut(&rest, '-');
    if (first.len != 4 || !str_to_int(first, 1970, 9998, &y))
        return false;
    if (rest.s && (rest.len != 2 || !str_to_int(str_from(rest, rest.s[0] == '0'), 1, 12, &m)))
        return false;
    *year = (int)y;
    *month = (int)m;
    return true;
}

/* The wall clock's midnight, some days ago. */
static int64_t days_ago(const struct time_zone *z, int64_t now, int64_t days)
{
    int64_t wall = time_zone_wall(z, now);
    return time_zone_at(z, (wall / MS_PER_DAY - days) * MS_PER_DAY);
}

bool search_date(struct str text, const struct time_zone *z, int64_t *ms)
{
    char day[sizeof "2026-11-20"];
    struct tm tm = {0};
    if (text.len != sizeof day - 1)
        return false;
    memcpy(day, text.s, text.len);
    day[text.len] = '\0';
    const char *end = strptime(day, "%Y-%m-%d", &tm);
    int mday = tm.tm_mday;
    time_t at = end && !*end ? timegm(&tm) : (time_t)-1; /* sets tm_mday */
    if (at < 0 || tm.tm_mday != mday)
        return false; /* like February 30 */
    *ms = time_zone_at(z, (int64_t)at * MS_PER_S);
    return true;
}

bool search_query_date(struct str text, const struct time_zone *z, int64_t now, int64_t *ms)
{
    static const struct {
        const char *name;
        int days;
    } words[] = {{"today", 0}, {"yesterday", 1}, {"heute", 0}, {"gestern", 1}};
    static const struct {
        char letter;
        int days;
    } units[] = {{'d', 1}, {'t', 1}, {'w', 7}, {'m', 30}, {'y', 365}, {'j', 365}};
    int year, month;
    int64_t n;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_eq_nocase(text, str_of(words[i].name))) {
            *ms = days_ago(z, now, words[i].days);
            return true;
        }
    for (size_t i = 0; text.len > 1 && i < ARRAY_LEN(units); i++)
        if ((text.s[text.len - 1] | 0x20) == units[i].letter &&
            str_to_int((struct str){text.s, text.len - 1}, 0, 9999, &n)) {
            int64_t at = days_ago(z, now, n * units[i].days);
            *ms = at > 1 ? at : 1;
            return true;
        }
    if (search_date(text, z, ms))
        return *ms > 0;
    if (!year_and_month(text, &year, &month))
        return false;
    struct tm first = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = 1};
    *ms = time_zone_at(z, (int64_t)timegm(&first) * MS_PER_S);
    return *ms > 0;
}

/* ---- operators ---- */

struct reading {
    struct db *db;
    struct arena *a;
    int64_t owner, now;
    const struct time_zone *zone;
    struct search_query *q;
    int64_t *tags, *not_tags;
};

/* The use of a part. */
enum taken { TAKEN, IS_WORDS, LEFT_OUT };

static void notice(struct reading *r, const char *key, const char *name)
{
    r->q->notices[r->q->notices_n++] = (struct search_notice){key, name};
}

static enum taken take_is(struct reading *r, const struct query_part *p)
{
    static const struct {
        const char *name;
        size_t member;
    } states[] = {
        {"pinned", offsetof(struct session_filter, pinned)},
        {"angeheftet", offsetof(struct session_filter, pinned)},
        {"unread", offsetof(struct session_filter, unread)},
        {"ungelesen", offsetof(struct session_filter, unread)},
        {"running", offsetof(struct session_filter, running)},
        {"aktiv", offsetof(struct session_filter, running)},
    };
    struct session_filter *f = &r->q->sessions;
    if (str_eq_nocase(p->value, str_of("archived")) || str_eq_nocase(p->value, str_of("archiviert"))) {
        f->show = p->negated ? SESSIONS_ACTIVE : SESSIONS_ARCHIVED;
        return TAKEN;
    }
    if (str_eq_nocase(p->value, str_of("trashed")) || str_eq_nocase(p->value, str_of("papierkorb"))) {
        r->q->trashed = !p->negated; /* every search finds what is not in the trash */
        if (r->q->trashed)
            notice(r, "search.in_trash", "");
        return TAKEN;
    }
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        if (str_eq_nocase(p->value, str_of(states[i].name))) {
            enum session_is is = p->negated ? SESSION_NO : SESSION_YES;
            memcpy((char *)f + states[i].member, &is, sizeof is);
            return TAKEN;
        }
    return IS_WORDS;
}

static enum taken take_role(struct reading *r, const struct query_part *p)
{
    static const char *const users[] = {"user", "me", "benutzer", "ich"};
    static const char *const models[] = {"assistant", "model", "alfred", "assistent", "modell"};
    enum message_role role = ROLE_SYSTEM;
    for (size_t i = 0; i < ARRAY_LEN(users); i++)
        if (str_eq_nocase(p->value, str_of(users[i])))
            role = p->negated ? ROLE_ASSISTANT : ROLE_USER;
    for (size_t i = 0; i < ARRAY_LEN(models); i++)
        if (str_eq_nocase(p->value, str_of(models[i])))
            role = p->negated ? ROLE_USER : ROLE_ASSISTANT;
    if (role == ROLE_SYSTEM)
        return IS_WORDS;
    r->q->has_role = true;
    r->q->role = role;
    return TAKEN;
}

static enum taken take_date(struct reading *r, const struct query_part *p)
{
    int64_t ms;
    if (!search_query_date(p->value, r->zone, r->now, &ms))
        return IS_WORDS;
    if ((p->op == QUERY_BEFORE) != p->negated)
        r->q->before = ms;
    else
        r->q->after = ms;
    return TAKEN;
}

static enum rc take_tag(struct reading *r, const struct query_part *p, enum taken *out, struct err *e)
{
    const char *name = query_value(r->a, p);
    struct tag t;
    size_t *n = p->negated ? &r->q->sessions.not_tags_n : &r->q->sessions.tags_n;
    *out = IS_WORDS;
    if (*n == SESSION_FILTER_TAGS_MAX)
        return RC_OK;
    enum rc rc = store_tag_find(r->db, r->a, r->owner, name, &t, e);
    if (rc == RC_NOT_FOUND) {
        notice(r, "tag.none", name);
        *out = LEFT_OUT;
        return RC_OK;
    }
    if (rc != RC_OK)
        return rc;
    (p->negated ? r->not_tags : r->tags)[(*n)++] = t.id;
    *out = TAKEN;
    return RC_OK;
}

typedef enum rc names_fn(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e);

static const char *same_name(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(names[i], name) == 0)
            return names[i];
    return NULL;
}

/* Workspace, channel and model. */
static enum rc take_name(struct reading *r, const struct query_part *p, enum taken *out, struct err *e)
{
    static const struct {
        names_fn *list;
        const char *none;
        size_t member;
    } kinds[QUERY_OPS] = {
        [QUERY_WORKSPACE] = {store_workspace_list, "search.no_workspace",
            offsetof(struct session_filter, workspace)},
        [QUERY_CHANNEL] = {store_session_channels, "search.no_channel",
            offsetof(struct session_filter, channel)},
        [QUERY_MODEL] = {store_session_models, "search.no_model", offsetof(struct session_filter, model)},
    };
    const char *name = query_value(r->a, p), **names;
    size_t n;
    *out = LEFT_OUT;
    enum rc rc = kinds[p->op].list(r->db, r->a, r->owner, &names, &n, e);
    if (rc != RC_OK)
        return rc;
    bool beginning = p->op == QUERY_MODEL && p->value.s[p->value.len - 1] == '*';
    const char *found = beginning ? name : same_name(names, n, name);
    if (!found) {
        notice(r, kinds[p->op].none, name);
        return RC_OK;
    }
    struct session_text text = {.is = found, .negated = p->negated};
    memcpy((char *)&r->q->sessions + kinds[p->op].member, &text, sizeof text);
    *out = TAKEN;
    return RC_OK;
}

static enum rc take(struct reading *r, const struct query_part *p, enum taken *out, struct err *e)
{
    *out = IS_WORDS;
    switch (p->op) {
    case QUERY_TAG: return take_tag(r, p, out, e);
    case QUERY_WORKSPACE:
    case QUERY_CHANNEL:
    case QUERY_MODEL: return take_name(r, p, out, e);
    case QUERY_ROLE: *out = take_role(r, p); break;
    case QUERY_IS: *out = take_is(r, p); break;
    case QUERY_BEFORE:
    case QUERY_AFTER: *out = take_date(r, p); break;
    case QUERY_WORD:
    case QUERY_PHRASE:
    case QUERY_BEGINNING:
    case QUERY_OPS: break;
    }
    return RC_OK;
}

/* ---- words ---- */

static bool is_text(const struct query_part *p)
{
    return p->op == QUERY_WORD || p->op == QUERY_PHRASE || p->op == QUERY_BEGINNING;
}

static void add_words(struct reading *r, struct str text)
{
    struct str had = r->q->words;
    r->q->words = str_of(arena_printf(r->a, "%.*s%s%.*s", STR_FMT(had), had.len ? " " : "", STR_FMT(text)));
}

/* A query of nothing but excluded words is one for these words. */
static bool excludes_only(const struct query_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        if (!is_text(&parts->part[i]) || !parts->part[i].negated)
            return false;
    return true;
}

static void add_text(struct reading *r, size_t i, bool may_exclude)
{
    struct search_query *q = r->q;
    const struct query_part *p = &q->parts.part[i];
    bool negated = p->negated && may_exclude;
    q->used[i] = negated || p->op != QUERY_WORD;
    if (q->used[i])
        q->needs[q->needs_n++] = (struct search_need){p->op, negated, p->value};
    if (!negated)
        add_words(r, p->value);
}

enum rc search_query_read(
    struct db *db, struct arena *a, const struct search_input *in, struct search_query *out, struct err *e)
{
    struct str text = in->text;
    text.len = text.len > SEARCH_QUERY_BYTES_MAX ? utf8_cut_bytes(text, SEARCH_QUERY_BYTES_MAX) : text.len;
    *out = (struct search_query){.text = text, .words = STR(""), .sessions = {.show = SESSIONS_ALL}};
    struct reading r = {db, a, in->owner, in->now, in->zone, out,
        ARENA_ARRAY(a, int64_t, SESSION_FILTER_TAGS_MAX), ARENA_ARRAY(a, int64_t, SESSION_FILTER_TAGS_MAX)};
    enum rc rc = RC_OK;
    query_parse(text, &out->parts);
    bool may_exclude = !excludes_only(&out->parts);
    for (size_t i = 0; rc == RC_OK && i < out->parts.n; i++) {
        const struct query_part *p = &out->parts.part[i];
        enum taken taken = IS_WORDS;
        if (is_text(p)) {
            add_text(&r, i, may_exclude);
            continue;
        }
        rc = take(&r, p, &taken, e);
        out->used[i] = taken != IS_WORDS;
        if (taken == IS_WORDS)
            add_words(&r, p->source);
        else if (taken == TAKEN && p->op != QUERY_ROLE && p->op != QUERY_BEFORE && p->op != QUERY_AFTER)
            out->about_sessions = true;
    }
    out->sessions.tags = r.tags;
    out->sessions.not_tags = r.not_tags;
    return rc;
}

bool search_query_lists(const struct search_query *q)
{
    return q->words.len == 0 && q->parts.n > 0;
}

struct session_filter search_query_filter(struct arena *a, const struct search_query *q)
{
    struct session_filter f = q->sessions;
    const char **words = ARENA_ARRAY(a, const char *, SESSION_FILTER_WORDS_MAX);
    const char **without = ARENA_ARRAY(a, const char *, SESSION_FILTER_WORDS_MAX);
    f.after = q->after;
    f.before = q->before;
    for (size_t i = 0; i < q->parts.n; i++) {
        const struct query_part *p = &q->parts.part[i];
        bool negated = q->used[i] && p->negated;
        size_t *n = negated ? &f.not_words_n : &f.words_n;
        if ((q->used[i] && !is_text(p)) || *n == SESSION_FILTER_WORDS_MAX)
            continue;
        struct str word = q->used[i] || p->op == QUERY_WORD ? p->value : p->source;
        (negated ? without : words)[(*n)++] = arena_strndup(a, word.s, word.len);
    }
    f.words = words;
    f.not_words = without;
    return f;
}
