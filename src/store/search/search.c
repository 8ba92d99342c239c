#include "store/search/search.h"

#include <stdio.h>

#include "codec/words/tokenizer.h"
#include "store/row.h"

#define QUERY_MAX 1024

enum rc store_search_begin(struct db *db, struct err *e)
{
    return db_begin_reading(db, e);
}

void store_search_end(struct db *db)
{
    db_rollback(db);
}

enum rc store_search_room(struct db *db, int64_t owner, int64_t *room, struct err *e)
{
    return db_one_int(db, "SELECT message_seq FROM user WHERE id = ?", ARGS(v_int(owner)), room, e);
}

static enum rc query_for(const char *word, enum term_match match, struct strbuf *query, struct err *e)
{
    strbuf_init(query, QUERY_MAX);
    term_add_match(query, word, match);
    if (query->failed || strchr(word, '"'))
        return err_set(e, RC_BAD_INPUT, "no word to search for");
    return RC_OK;
}

static enum rc each_message(struct db *db, int64_t owner, const char *word, enum term_match match,
    int64_t limit, search_id_fn *fn, void *arg, struct err *e)
{
    AUTO_STRBUF query;
    enum rc rc = query_for(word, match, &query, e);
    if (rc != RC_OK)
        return rc;
    return row_each_id(db,
        term_is_pair(word)
            ? "SELECT rowid FROM message_pair WHERE message_pair MATCH ? AND rowid > ? AND rowid <= ? LIMIT ?"
            : "SELECT rowid FROM message_text WHERE message_text MATCH ? AND rowid > ? AND rowid <= ? LIMIT "
              "?",
        ARGS(v_text(query.s), v_int(owner_first(owner)), v_int(owner_last(owner)), v_int(limit)), fn, arg, e);
}

enum rc store_search_word(struct db *db, int64_t owner, const char *word, enum term_match match,
    search_id_fn *fn, void *arg, struct err *e)
{
    return each_message(db, owner, word, match, -1, fn, arg, e);
}

static void on_one(void *arg, int64_t id)
{
    *(bool *)arg = id != 0;
}

enum rc store_search_has_word(
    struct db *db, int64_t owner, const char *word, enum term_match match, bool *out, struct err *e)
{
    *out = false;
    return each_message(db, owner, word, match, 1, on_one, out, e);
}

enum rc store_search_vocabulary(
    struct db *db, const char *beginning, search_term_fn *fn, void *arg, struct err *e)
{
    char end[QUERY_MAX];
    struct rows q;
    snprintf(end, sizeof end, "%s\xF4\x8F\xBF\xBF", beginning); /* above all that begins so */
    enum rc rc = db_query(db, &q, "SELECT term, doc FROM message_vocabulary WHERE term >= ? AND term < ?",
        ARGS(v_text(beginning), v_text(end)), e);
    while (rc == RC_OK && rows_next(&q))
        fn(arg, rows_str(&q, 0), rows_int(&q, 1));
    return rows_done(&q, rc, e);
}

/* A term is a stem already. MATCH would stem it again, and the result can differ. */
enum rc store_search_term(struct db *db, int64_t owner, const char *term, int64_t *message, struct err *e)
{
    return db_one_int(db, "SELECT doc FROM message_instance WHERE term = ? AND doc > ? AND doc <= ? LIMIT 1",
        ARGS(v_text(term), v_int(owner_first(owner)), v_int(owner_last(owner))), message, e);
}

#define NEWEST_OF(index) "SELECT rowid FROM " index " WHERE " index " MATCH ? AND rowid > ? AND rowid <= ? "
#define NEWEST_FIRST     "ORDER BY rowid DESC LIMIT ?"

enum rc store_search_match(struct db *db, int64_t owner, const char *words, const char *pairs, int limit,
    search_id_fn *fn, void *arg, struct err *e)
{
    int64_t first = owner_first(owner), last = owner_last(owner);
    if (words && pairs)
        return row_each_id(db,
            NEWEST_OF("message_text") "AND rowid IN (" NEWEST_OF("message_pair") ") " NEWEST_FIRST,
            ARGS(v_text(words), v_int(first), v_int(last), v_text(pairs), v_int(first), v_int(last),
                v_int(limit)),
            fn, arg, e);
    return row_each_id(db,
        words ? NEWEST_OF("message_text") NEWEST_FIRST : NEWEST_OF("message_pair") NEWEST_FIRST,
        ARGS(v_text(words ? words : pairs), v_int(first), v_int(last), v_int(limit)), fn, arg, e);
}

enum rc store_search_latest(
    struct db *db, int64_t owner, int limit, search_id_fn *fn, void *arg, struct err *e)
{
    return row_each_id(db, "SELECT id FROM message WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT ?",
        ARGS(v_int(owner_first(owner)), v_int(owner_last(owner)), v_int(limit)), fn, arg, e);
}

enum rc store_search_filter(
    struct db *db, int64_t owner, const struct search_filter *f, search_id_fn *fn, void *arg, struct err *e)
{
    struct db_value until = v_int(f->before ? f->before : INT64_MAX);
    if (f->session)
        return row_each_id(db,
            "SELECT m.id FROM message m JOIN session s ON s.id = m.session_id "
            "WHERE s.id = ? AND s.owner = ? AND m.created_at >= ? AND m.created_at < ?",
            ARGS(v_int(f->session), v_int(owner), v_int(f->after), until), fn, arg, e);
    return row_each_id(db,
        "SELECT id FROM message WHERE (id >> 32) = ? AND created_at >= ? AND created_at < ?",
        ARGS(v_int(owner), v_int(f->after), until), fn, arg, e);
}

#define COVERED                                                                 \
    "m.status <> 'running' AND m.text <> '' AND (m.role = 'user' OR (m.role = " \
    "'assistant' AND m.provider IS NOT 'offline'))"

enum rc store_search_around(
    struct db *db, int64_t owner, int64_t session, int64_t id, int64_t out[2 * SEARCH_AROUND], struct err *e)
{
    static const char *const sides[] = {
        "SELECT m.id FROM message m WHERE m.session_id = ? AND m.id < ? AND m.id > ? AND " COVERED
        " ORDER BY m.id DESC LIMIT 2",
        "SELECT m.id FROM message m WHERE m.session_id = ? AND m.id > ? AND m.id <= ? AND " COVERED
        " ORDER BY m.id LIMIT 2",
    };
    enum rc rc = RC_OK;
    for (size_t side = 0; rc == RC_OK && side < ARRAY_LEN(sides); side++) {
        struct rows q;
        int64_t *at = out + side * SEARCH_AROUND;
        memset(at, 0, SEARCH_AROUND * sizeof *at);
        rc = db_query(db, &q, sides[side],
            ARGS(v_int(session), v_int(id), v_int(side == 0 ? owner_first(owner) : owner_last(owner))), e);
        for (size_t i = 0; rc == RC_OK && i < SEARCH_AROUND && rows_next(&q); i++)
            at[i] = rows_int(&q, 0);
        rc = rows_done(&q, rc, e);
    }
    return rc;
}

/* ---- sessions ---- */

enum rc store_search_summary_room(struct db *db, int64_t owner, int64_t *room, struct err *e)
{
    return db_one_int(db, "SELECT summary_seq FROM user WHERE id = ?", ARGS(v_int(owner)), room, e);
}

/* The view current_summary also has the summaries of sessions in the trash. These belong to USER_NOBODY. */
static enum rc each_summary_with(
    struct db *db, int64_t owner, const char *pair, search_id_fn *fn, void *arg, struct err *e)
{
    return row_each_id(db,
        "SELECT c.id FROM current_summary c JOIN session s ON s.id = c.session_id "
        "WHERE instr(c.text, ?) > 0 AND c.id > ? AND c.id <= ? AND s.owner = ?",
        ARGS(v_text(pair), v_int(owner_first(owner)), v_int(owner_last(owner)), v_int(owner)), fn, arg, e);
}

enum rc store_search_summary_word(
    struct db *db, int64_t owner, const char *word, search_id_fn *fn, void *arg, struct err *e)
{
    if (term_is_pair(word))
        return each_summary_with(db, owner, word, fn, arg, e);
    AUTO_STRBUF query;
    enum rc rc = query_for(word, MATCH_WORD, &query, e);
    if (rc != RC_OK)
        return rc;
    return row_each_id(db,
        "SELECT rowid FROM summary_text WHERE summary_text MATCH ? AND rowid > ? AND rowid <= ?",
        ARGS(v_text(query.s), v_int(owner_first(owner)), v_int(owner_last(owner))), fn, arg, e);
}

enum rc store_search_heads(
    struct db *db, int64_t owner, const char *workspace, search_head_fn *fn, void *arg, struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q,
        "SELECT s.id, s.active_at, coalesce(c.id, 0), s.title, s.topic, s.keywords, "
        "? IS NULL OR coalesce(s.workspace = ?, 0) FROM session s "
        "LEFT JOIN summary c ON c.session_id = s.id AND c.current = 1 "
        "WHERE s.owner = ? AND s.message_count > 0 AND s.id NOT IN (SELECT session_id FROM temporary)",
        ARGS(v_text(workspace), v_text(workspace), v_int(owner)), e);
    while (rc == RC_OK && rows_next(&q)) {
        struct search_head h = {.session = rows_int(&q, 0),
            .active_at = rows_int(&q, 1),
            .summary = rows_int(&q, 2),
            .title = rows_str(&q, 3),
            .topic = rows_str(&q, 4),
            .keywords = rows_str(&q, 5),
            .in_workspace = rows_int(&q, 6) != 0};
        fn(arg, &h);
    }
    return rows_done(&q, rc, e);
}

static struct search_summary read_summary(const struct rows *q, struct arena *a)
{
    return (struct search_summary){
        .text = row_str(q, 0, a),
        .session = rows_int(q, 1),
        .created_at = rows_int(q, 2),
        .by_rule = rows_int(q, 3) != 0,
    };
}

DEFINE_ROWS(summary, struct search_summary, read_summary, "summary")

enum rc store_search_summary(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct search_summary *out, struct err *e)
{
    return get_summary(db, a,
        "SELECT c.text, s.id, c.created_at, c.provider = 'offline' FROM summary c "
        "JOIN session s ON s.id = c.session_id WHERE c.id = ? AND s.owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
}

enum rc store_search_newest(
    struct db *db, int64_t owner, int64_t session, int limit, search_id_fn *fn, void *arg, struct err *e)
{
    return row_each_id(db,
        "SELECT m.id FROM message m JOIN session s ON s.id = m.session_id WHERE s.id = ? AND s.owner = ? "
        "AND " COVERED " ORDER BY m.id DESC LIMIT ?",
        ARGS(v_int(session), v_int(owner), v_int(limit)), fn, arg, e);
}

bool store_search_covers(const struct message *m)
{
    if (m->status == MESSAGE_RUNNING || m->text.len == 0)
        return false;
    return m->role == ROLE_USER ||
           (m->role == ROLE_ASSISTANT && !(m->provider && strcmp(m->provider, "offline") == 0));
}
