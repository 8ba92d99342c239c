#include "store/session/tag.h"

#include "base/letter.h"
#include "base/utf8.h"
#include "store/row.h"

static struct tag read_tag(const struct rows *q, struct arena *a)
{
    return (struct tag){.id = rows_int(q, 0),
        .name = row_text(q, 1, a),
        .colour = (int)rows_int(q, 2),
        .sessions = rows_int(q, 3)};
}

DEFINE_ROWS(tag, struct tag, read_tag, "tag")

/* The key of a name: lower case. */
static const char *folded(struct arena *a, const char *name)
{
    struct str rest = str_of(name);
    char *key = arena_alloc(a, 4 * rest.len + 1); /* a lower-case letter may have more bytes */
    size_t n = 0;
    while (rest.len)
        n += utf8_put(letter_lower(utf8_next(&rest, NULL)), key + n);
    return key;
}

/* The lists have no LIMIT, because store_tag_add() limits their rows. With one, SQLite sorts in a table on
 * pages, which costs more than all else of a short list. */
enum rc store_tag_list(
    struct db *db, struct arena *a, int64_t owner, struct tag **out, size_t *n, struct err *e)
{
    return list_tag(db, a,
        "SELECT id, name, colour, 0 FROM tag WHERE owner = ? ORDER BY folded COLLATE numeric",
        ARGS(v_int(owner)), out, n, e);
}

enum rc store_tag_list_counted(
    struct db *db, struct arena *a, int64_t owner, struct tag **out, size_t *n, struct err *e)
{
    return list_tag(db, a,
        "SELECT id, name, colour, (SELECT count(*) FROM session_tag x CROSS JOIN session s "
        "ON s.id = x.session_id AND s.owner = tag.owner WHERE x.tag_id = tag.id) "
        "FROM tag WHERE owner = ? ORDER BY folded COLLATE numeric",
        ARGS(v_int(owner)), out, n, e);
}

enum rc store_tag_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct tag *out, struct err *e)
{
    return get_tag(db, a, "SELECT id, name, colour, 0 FROM tag WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
}

enum rc store_tag_find(
    struct db *db, struct arena *a, int64_t owner, const char *name, struct tag *out, struct err *e)
{
    return get_tag(db, a, "SELECT id, name, colour, 0 FROM tag WHERE owner = ? AND folded = ?",
        ARGS(v_int(owner), v_text(folded(a, name))), out, e);
}

enum rc store_tag_add(
    struct db *db, int64_t owner, const char *name, int colour, int64_t now, int64_t *id, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t have;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM tag WHERE owner = ?", ARGS(v_int(owner)), &have, e);
    if (rc == RC_OK && have >= TAGS_MAX)
        rc = err_say(e, RC_CONFLICT, "tag.too_many", arg_int("max", TAGS_MAX));
    return rc != RC_OK
               ? rc
               : db_insert(db,
                     "INSERT INTO tag (owner, name, folded, colour, created_at) VALUES (?, ?, ?, ?, ?)",
                     ARGS(v_int(owner), v_text(name), v_text(folded(a, name)), v_int(colour), v_int(now)), id,
                     e);
}

enum rc store_tag_rename(struct db *db, int64_t owner, int64_t id, const char *name, struct err *e)
{
    AUTO(arena) a = arena_new();
    return row_change(db, "tag", "UPDATE tag SET name = ?, folded = ? WHERE id = ? AND owner = ?",
        ARGS(v_text(name), v_text(folded(a, name)), v_int(id), v_int(owner)), e);
}

enum rc store_tag_set_colour(struct db *db, int64_t owner, int64_t id, int colour, struct err *e)
{
    return row_change(db, "tag", "UPDATE tag SET colour = ? WHERE id = ? AND owner = ?",
        ARGS(v_int(colour), v_int(id), v_int(owner)), e);
}

static enum rc both_owned(struct db *db, int64_t owner, int64_t from, int64_t to, struct err *e)
{
    int64_t both;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM tag WHERE owner = ? AND id IN (?, ?)",
        ARGS(v_int(owner), v_int(from), v_int(to)), &both, e);
    return rc == RC_OK && both < 2 ? err_set(e, RC_NOT_FOUND, "no such tag") : rc;
}

#define SOME_SESSIONS "SELECT session_id FROM session_tag WHERE tag_id = ?1 ORDER BY session_id LIMIT ?2"

enum rc store_tag_move_some(
    struct db *db, int64_t owner, int64_t from, int64_t to, int most, bool *more, struct err *e)
{
    struct tag tag;
    int64_t moved = 0;
    AUTO(arena) a = arena_new();
    enum rc rc = to ? both_owned(db, owner, from, to, e) : store_tag_get(db, a, owner, from, &tag, e);
    if (rc == RC_OK && to)
        rc = db_exec(db,
            "INSERT OR IGNORE INTO session_tag (tag_id, session_id) SELECT ?3, session_id FROM "
            "(" SOME_SESSIONS ")",
            ARGS(v_int(from), v_int(most), v_int(to)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM session_tag WHERE tag_id = ?1 AND session_id IN (" SOME_SESSIONS ")",
            ARGS(v_int(from), v_int(most)), &moved, e);
    *more = rc == RC_OK && moved == most;
    return rc;
}

enum rc store_tag_merge(struct db *db, int64_t owner, int64_t from, int64_t to, struct err *e)
{
    enum rc rc = both_owned(db, owner, from, to, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "INSERT OR IGNORE INTO session_tag (tag_id, session_id) "
            "SELECT ?, session_id FROM session_tag WHERE tag_id = ?",
            ARGS(v_int(to), v_int(from)), NULL, e);
    return rc == RC_OK ? store_tag_delete(db, owner, from, e) : rc;
}

enum rc store_tag_delete(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return row_change(
        db, "tag", "DELETE FROM tag WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), e);
}

/* ---- of a session ---- */

bool session_tag_next(struct arena *a, struct str *rest, struct tag *out)
{
    if (!rest->len)
        return false;
    struct str label = str_cut(rest, ','), colour = str_cut(&label, ' ');
    *out = (struct tag){.name = arena_strndup(a, label.s, label.len), .colour = colour.s[0] - '0'};
    return true;
}

enum rc store_session_tags(struct db *db, struct arena *a, int64_t owner, int64_t session, struct tag **out,
    size_t *n, struct err *e)
{
    return list_tag(db, a,
        "SELECT tag.id, tag.name, tag.colour, 0 FROM session_tag x CROSS JOIN tag ON tag.id = x.tag_id "
        "WHERE x.session_id = ? AND tag.owner = ? ORDER BY tag.folded COLLATE numeric",
        ARGS(v_int(session), v_int(owner)), out, n, e);
}

enum rc store_session_tag(struct db *db, int64_t owner, int64_t session, int64_t tag, struct err *e)
{
    int64_t others;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM session_tag WHERE session_id = ? AND tag_id <> ?",
        ARGS(v_int(session), v_int(tag)), &others, e);
    if (rc == RC_OK && others >= TAGS_OF_SESSION_MAX)
        return err_say(e, RC_CONFLICT, "tag.too_many_of_session", arg_int("max", TAGS_OF_SESSION_MAX));
    if (rc != RC_OK)
        return rc;
    return row_change(db, "session or tag",
        "INSERT INTO session_tag (tag_id, session_id) SELECT t.id, s.id FROM tag t, session s "
        "WHERE t.id = ? AND t.owner = ? AND s.id = ? AND s.owner = t.owner "
        "ON CONFLICT DO UPDATE SET tag_id = tag_id",
        ARGS(v_int(tag), v_int(owner), v_int(session)), e);
}

enum rc store_session_untag(struct db *db, int64_t owner, int64_t session, int64_t tag, struct err *e)
{
    return db_exec(db,
        "DELETE FROM session_tag WHERE tag_id = (SELECT id FROM tag WHERE id = ? AND owner = ?) "
        "AND session_id = ?",
        ARGS(v_int(tag), v_int(owner), v_int(session)), NULL, e);
}
