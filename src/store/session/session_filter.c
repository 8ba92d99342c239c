#include "store/session/session_filter.h"

#include "base/strbuf.h"
#include "base/utf8.h"
#include "store/session/session_private.h"

#define SQL_MAX  ((size_t)4 * 1024)
#define ARGS_MAX 60
#define FEW      2000 /* sessions that a plan may read and sort instead of walking the order */

/* A statement while it is put together. */
struct sql {
    struct strbuf text;
    struct db_value v[ARGS_MAX];
    int n;
};

static void add(struct sql *q, const char *text)
{
    strbuf_adds(&q->text, text);
}

/* `text` has one place. */
static void add_value(struct sql *q, const char *text, struct db_value v)
{
    strbuf_adds(&q->text, text);
    if (q->n == ARGS_MAX)
        q->text.failed = true;
    else
        q->v[q->n++] = v;
}

/* ---- plans ---- */

/* The rows that a statement reads first. */
enum plan { BY_ORDER, BY_ID, BY_RUNNING, BY_TAG, BY_WORDS, BY_WORKSPACE, BY_MODEL, BY_CHANNEL };

struct chosen {
    enum plan plan;
    size_t tag;        /* BY_TAG: its place in the filter */
    const char *found; /* BY_WORDS: JSON array with the ids of the sessions whose subject has the words */
};

static bool is_beginning(const char *model)
{
    size_t n = strlen(model);
    return n && model[n - 1] == '*';
}

/* True when at most FEW rows match. */
static enum rc few(struct db *db, const char *sql, struct db_args args, bool *out, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db, sql, args, &n, e);
    *out = rc == RC_OK && n <= FEW;
    return rc;
}

static enum rc few_have(
    struct db *db, int64_t owner, const struct session_text *t, const char *sql, bool *out, struct err *e)
{
    *out = false;
    if (!t->is || t->negated)
        return RC_OK;
    return few(db, sql, ARGS(v_int(owner), v_text(t->is), v_int(FEW + 1)), out, e);
}

#define COUNT_OF(from) "SELECT count(*) FROM (SELECT 1 FROM " from " LIMIT ?)"

#define ID_DIGITS 20 /* with a comma */
#define GRAM      3  /* characters of a term of session_subject; shorter words are not found in it */

/* The words as an FTS5 query of quoted phrases, in the arena. NULL: all are too short. */
static const char *match_of(struct arena *a, const struct session_filter *f)
{
    AUTO_STRBUF q;
    strbuf_init(&q, SQL_MAX);
    for (size_t i = 0; i < f->words_n; i++) {
        struct str word = str_of(f->words[i]);
        word.len = utf8_cut_chars(word, SESSION_TITLE_CHARS_MAX);
        if (utf8_cut_chars(word, GRAM - 1) == word.len || memchr(word.s, '\0', word.len))
            continue;
        strbuf_adds(&q, q.len ? " \"" : "\"");
        for (size_t k = 0; k < word.len; k++) {
            strbuf_addc(&q, word.s[k]);
            if (word.s[k] == '"')
                strbuf_addc(&q, '"');
        }
        strbuf_addc(&q, '"');
    }
    return q.len && !q.failed ? arena_strndup(a, q.s, q.len) : NULL;
}

struct found {
    struct strbuf ids;
    int n;
};

static void on_found(void *arg, int64_t id)
{
    struct found *found = arg;
    strbuf_addf(&found->ids, "%s%lld", found->n++ ? "," : "", (long long)id);
}

/* The sessions of all users whose texts have the words, in the arena, and those of the owner that are not in
 * the index, because their first answer runs. NULL: more than FEW, or all words are too short. */
static enum rc find_words(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    const char **ids, struct err *e)
{
    const char *match = match_of(a, f);
    struct found found = {.n = 0};
    *ids = NULL;
    if (!match)
        return RC_OK;
    strbuf_init(&found.ids, (size_t)(FEW + 1) * ID_DIGITS);
    enum rc rc = row_each_id(db,
        "SELECT rowid FROM session_subject WHERE session_subject MATCH ? UNION ALL "
        "SELECT DISTINCT s.id FROM turn t CROSS JOIN session s ON s.id = t.session_id AND s.owner = ? "
        "WHERE t.status = 'running' AND s.message_count <= 2 LIMIT ?",
        ARGS(v_text(match), v_int(owner), v_int(FEW + 1)), on_found, &found, e);
    if (rc == RC_OK && found.n <= FEW && !found.ids.failed)
        *ids = arena_printf(a, "[%s]", found.n ? found.ids.s : "");
    strbuf_release(&found.ids);
    return rc;
}

static enum rc choose_tag(struct db *db, const struct session_filter *f, struct chosen *out, struct err *e)
{
    bool yes = false;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && !yes && i < f->tags_n; i++) {
        rc = few(
            db, COUNT_OF("session_tag WHERE tag_id = ?"), ARGS(v_int(f->tags[i]), v_int(FEW + 1)), &yes, e);
        if (yes)
            *out = (struct chosen){.plan = BY_TAG, .tag = i};
    }
    return rc;
}

/* By the workspace, the model or the channel that the filter names. */
static enum rc choose_text(
    struct db *db, int64_t owner, const struct session_filter *f, struct chosen *out, struct err *e)
{
    static const struct session_text none = {0};
    const struct {
        enum plan plan;
        const struct session_text *text;
        const char *count;
    } texts[] = {
        {BY_WORKSPACE, &f->workspace, COUNT_OF("session WHERE owner = ? AND workspace = ?")},
        {BY_MODEL, f->model.is && is_beginning(f->model.is) ? &none : &f->model,
            COUNT_OF("session WHERE owner = ? AND model = ?")},
        {BY_CHANNEL, &f->channel, COUNT_OF("session WHERE owner = ? AND channel = ?")},
    };
    bool yes = false;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && !yes && i < ARRAY_LEN(texts); i++) {
        rc = few_have(db, owner, texts[i].text, texts[i].count, &yes, e);
        if (yes)
            out->plan = texts[i].plan;
    }
    return rc;
}

/* The first condition of the filter that few sessions meet; BY_ORDER: there is none. */
static enum rc choose(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    struct chosen *out, struct err *e)
{
    *out = (struct chosen){.plan = f->id ? BY_ID : f->running == SESSION_YES ? BY_RUNNING : BY_ORDER};
    if (out->plan != BY_ORDER)
        return RC_OK;
    enum rc rc = choose_tag(db, f, out, e);
    if (rc != RC_OK || out->plan != BY_ORDER)
        return rc;
    rc = find_words(db, a, owner, f, &out->found, e);
    if (rc == RC_OK && out->found)
        out->plan = BY_WORDS;
    return rc == RC_OK && out->plan == BY_ORDER ? choose_text(db, owner, f, out, e) : rc;
}

/* ---- conditions ---- */

static void add_from(struct sql *q, int64_t owner, const struct session_filter *f, struct chosen c)
{
    if (c.plan == BY_WORDS)
        add_value(q, " FROM (SELECT value AS of FROM json_each(?))", v_text(c.found));
    static const char *const from[] = {
        [BY_ORDER] = " FROM session WHERE owner = ?",
        [BY_ID] = " FROM session WHERE +owner = ?",
        [BY_RUNNING] = " FROM (SELECT DISTINCT t.session_id AS of FROM turn t WHERE t.status = 'running') "
                       "CROSS JOIN session ON session.id = of WHERE session.owner = ?",
        [BY_TAG] = " FROM session_tag CROSS JOIN session ON session.id = session_id WHERE owner = ?",
        [BY_WORDS] = " CROSS JOIN session ON session.id = of WHERE session.owner = ?",
        [BY_WORKSPACE] = " FROM session INDEXED BY session_workspace WHERE owner = ?",
        [BY_MODEL] = " FROM session INDEXED BY session_model WHERE owner = ?",
        [BY_CHANNEL] = " FROM session INDEXED BY session_channel WHERE owner = ?",
    };
    add_value(q, from[c.plan], v_int(owner));
    if (c.plan == BY_TAG)
        add_value(q, " AND session_tag.tag_id = ?", v_int(f->tags[c.tag]));
}

/* The unary plus keeps the condition's index out of the plan. */
static void add_text(struct sql *q, const struct session_text *t, const char *column, bool indexed)
{
    if (!t->is)
        return;
    add(q, indexed ? " AND " : " AND +");
    add(q, column);
    add_value(q, t->negated ? " IS NOT ?" : " = ?", v_text(t->is));
}

static void add_model(struct sql *q, struct arena *a, const struct session_text *t, bool indexed)
{
    if (!t->is || !is_beginning(t->is)) {
        add_text(q, t, "model", indexed);
        return;
    }
    struct str beginning = row_like_beginning(a, (struct str){t->is, strlen(t->is) - 1});
    add_value(q,
        t->negated ? " AND coalesce(model, '') NOT LIKE ? ESCAPE '\\'" : " AND +model LIKE ? ESCAPE '\\'",
        v_str(beginning));
}

static void add_is(struct sql *q, enum session_is is, const char *yes, const char *no)
{
    if (is != SESSION_EITHER)
        add(q, is == SESSION_YES ? yes : no);
}

static void add_tags(struct sql *q, const struct session_filter *f)
{
    for (size_t i = 0; i < f->tags_n; i++)
        add_value(q,
            " AND EXISTS (SELECT 1 FROM session_tag x WHERE x.session_id = session.id AND x.tag_id = ?)",
            v_int(f->tags[i]));
    for (size_t i = 0; i < f->not_tags_n; i++)
        add_value(q,
            " AND NOT EXISTS (SELECT 1 FROM session_tag x WHERE x.session_id = session.id AND x.tag_id = ?)",
            v_int(f->not_tags[i]));
}

#define SUBJECT "coalesce(title, '') || char(10) || coalesce(topic, '') || char(10) || coalesce(keywords, '')"

static struct db_value like(struct arena *a, const char *word)
{
    size_t n = utf8_cut_chars(str_of(word), SESSION_TITLE_CHARS_MAX);
    return v_str(row_like_inside(a, (struct str){word, n}));
}

static void add_words(struct sql *q, struct arena *a, const struct session_filter *f)
{
    for (size_t i = 0; i < f->words_n; i++)
        add_value(q, " AND " SUBJECT " LIKE ? ESCAPE '\\'", like(a, f->words[i]));
    for (size_t i = 0; i < f->not_words_n; i++)
        add_value(q, " AND " SUBJECT " NOT LIKE ? ESCAPE '\\'", like(a, f->not_words[i]));
}

static void add_conditions(struct sql *q, struct arena *a, const struct session_filter *f, enum plan plan)
{
    static const char *const shows[] = {
        [SESSIONS_LISTED] = " AND archived_by_user = 0",
        [SESSIONS_ARCHIVED_BY_USER] = " AND archived_by_user = 1",
        [SESSIONS_ACTIVE] = " AND archived_at IS NULL",
        [SESSIONS_ARCHIVED] = " AND archived_at IS NOT NULL",
        [SESSIONS_ALL] = "",
        [SESSIONS_TEMPORARY_TOO] = "",
    };
    add(q, shows[f->show]);
    if (f->show != SESSIONS_TEMPORARY_TOO)
        add(q, " AND id NOT IN (SELECT session_id FROM temporary)");
    add_is(q, f->pinned, " AND pinned = 1", " AND pinned = 0");
    add_is(q, f->running, " AND running_turns > 0", " AND running_turns = 0");
    add_is(q, f->unread, " AND seen_at < active_at", " AND seen_at >= active_at");
    add_text(q, &f->workspace, "workspace", plan == BY_WORKSPACE);
    add_text(q, &f->channel, "channel", plan == BY_CHANNEL);
    add_model(q, a, &f->model, plan == BY_MODEL);
    add_tags(q, f);
    if (f->id)
        add_value(q, " AND id = ?", v_int(f->id));
    if (f->after)
        add_value(q, " AND active_at >= ?", v_int(f->after));
    if (f->before)
        add_value(q, " AND active_at < ?", v_int(f->before));
    add_words(q, a, f);
}

static void add_key(struct sql *q, const struct session_filter *f, const struct session_page *page)
{
    const struct session_key *k = &page->from;
    if (!k->at && !k->id)
        return;
    add(q,
        f->sort == SESSIONS_BY_CREATION ? " AND (pinned, created_at, id)" : " AND (pinned, active_at, id)");
    add_value(q, page->newer ? " > (?, " : " < (?, ", v_int(k->pinned));
    add_value(q, "?, ", v_int(k->at));
    add_value(q, "?)", v_int(k->id));
}

static void add_order(struct sql *q, enum session_sort sort, bool newer, int limit)
{
    static const char *const orders[2][2] = {
        [SESSIONS_BY_ACTIVITY] = {" ORDER BY pinned DESC, active_at DESC, id DESC",
            " ORDER BY pinned, active_at, id"},
        [SESSIONS_BY_CREATION] = {" ORDER BY pinned DESC, created_at DESC, id DESC",
            " ORDER BY pinned, created_at, id"},
    };
    add(q, orders[sort][newer]);
    add_value(q, " LIMIT ?", v_int(limit));
}

/* From SELECT to the last condition. */
static enum rc begin(struct sql *q, struct db *db, struct arena *a, int64_t owner,
    const struct session_filter *f, const char *columns, struct err *e)
{
    struct chosen c;
    enum rc rc = choose(db, a, owner, f, &c, e);
    if (rc != RC_OK)
        return rc;
    strbuf_init(&q->text, SQL_MAX);
    q->n = 0;
    add(q, "SELECT ");
    add(q, columns);
    add_from(q, owner, f, c);
    add_conditions(q, a, f, c.plan);
    return RC_OK;
}

/* ---- lists ---- */

struct session_key session_key_of(const struct session *s, enum session_sort sort)
{
    return (struct session_key){
        s->pinned, sort == SESSIONS_BY_CREATION ? s->created_at : s->active_at, s->id};
}

DEFINE_ROWS(session, struct session, session_read, "session")

#define BRIEF_COLUMNS                                                                               \
    "id, pub, title, message_count, running_turns, created_at, active_at, seen_at, pinned, topic, " \
    "workspace, archived_by_user, " SESSION_TAGS

static struct session read_brief(const struct rows *q, struct arena *a)
{
    return (struct session){
        .id = rows_int(q, 0),
        .pub = row_text(q, 1, a),
        .title = row_text(q, 2, a),
        .message_count = rows_int(q, 3),
        .running_turns = rows_int(q, 4),
        .created_at = rows_int(q, 5),
        .active_at = rows_int(q, 6),
        .seen_at = rows_int(q, 7),
        .pinned = rows_int(q, 8) != 0,
        .topic = row_text(q, 9, a),
        .workspace = row_text(q, 10, a),
        .archived_by_user = rows_int(q, 11) != 0,
        .tags = row_text(q, 12, a),
    };
}

DEFINE_ROWS(brief, struct session, read_brief, "session")

static enum rc finish(struct sql *q, struct arena *a, struct session_statement *out, struct err *e)
{
    struct db_value *v = ARENA_ARRAY(a, struct db_value, (size_t)q->n);
    memcpy(v, q->v, (size_t)q->n * sizeof *v);
    out->args = (struct db_args){v, q->n, .built = true};
    out->sql = arena_strndup(a, q->text.s, q->text.len);
    bool failed = q->text.failed;
    strbuf_release(&q->text);
    return failed ? err_set(e, RC_TOO_BIG, "a filter has too many conditions") : RC_OK;
}

enum rc session_statement(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    const struct session_page *page, const char *columns, struct session_statement *out, struct err *e)
{
    struct sql q;
    enum rc rc = begin(&q, db, a, owner, f, columns, e);
    if (rc != RC_OK)
        return rc;
    if (page) {
        add_key(&q, f, page);
        add_order(&q, f->sort, page->newer, page->limit);
    }
    return finish(&q, a, out, e);
}

enum rc store_session_list(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    const struct session_page *page, struct session **out, size_t *n, struct err *e)
{
    struct session_statement s;
    struct session_page p = *page;
    p.limit = p.limit > SESSION_PAGE_MAX ? SESSION_PAGE_MAX : p.limit;
    *out = NULL;
    *n = 0;
    enum rc rc = session_statement(db, a, owner, f, &p, p.brief ? BRIEF_COLUMNS : SESSION_COLUMNS, &s, e);
    if (rc == RC_OK)
        rc = (p.brief ? list_brief : list_session)(db, a, s.sql, s.args, out, n, e);
    /* a page of newer sessions is read in ascending order, from its key on */
    for (size_t i = 0; p.newer && i < *n / 2; i++) {
        struct session swap = (*out)[i];
        (*out)[i] = (*out)[*n - 1 - i];
        (*out)[*n - 1 - i] = swap;
    }
    return rc;
}

enum rc store_session_count(
    struct db *db, int64_t owner, const struct session_filter *f, int64_t *n, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct session_statement s;
    enum rc rc = session_statement(db, a, owner, f, NULL, "count(*)", &s, e);
    return rc == RC_OK ? db_one_int(db, s.sql, s.args, n, e) : rc;
}

enum rc store_session_ids(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    int limit, int64_t **out, size_t *n, struct err *e)
{
    struct session_statement s;
    *out = NULL;
    *n = 0;
    enum rc rc = session_statement(db, a, owner, f, &(struct session_page){.limit = limit}, "id", &s, e);
    return rc == RC_OK ? row_list_ids(db, a, s.sql, s.args, out, n, e) : rc;
}

/* ---- names ---- */

#define NEXT_OF(column) "SELECT min(" column ") FROM session WHERE owner = ? AND " column " > ?"

enum rc store_session_models(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e)
{
    return row_list_names(db, a, NEXT_OF("model"), owner, SESSION_NAMES_MAX, out, n, e);
}

enum rc store_session_channels(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e)
{
    return row_list_names(db, a, NEXT_OF("channel"), owner, SESSION_NAMES_MAX, out, n, e);
}
