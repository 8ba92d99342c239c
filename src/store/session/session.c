#include "store/session/session_private.h"

#include "store/job.h"
#include "store/memory/compaction.h"
#include "store/message/message_row.h"

struct session session_read(const struct rows *q, struct arena *a)
{
    struct str compact_error = rows_str(q, 19);
    return (struct session){
        .id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .pub = row_text(q, 2, a),
        .title = row_text(q, 3, a),
        .provider = row_text(q, 4, a),
        .model = row_text(q, 5, a),
        .head_id = rows_int(q, 6),
        .message_count = rows_int(q, 7),
        .running_turns = rows_int(q, 8),
        .created_at = rows_int(q, 9),
        .active_at = rows_int(q, 10),
        .seen_at = rows_int(q, 11),
        .pinned = rows_int(q, 12) != 0,
        .archived_at = rows_int(q, 13),
        .topic = row_text(q, 14, a),
        .keywords = row_text(q, 15, a),
        .context_tokens = rows_int(q, 17),
        .context_window = rows_int(q, 18),
        .compacting = !rows_is_null(q, 19) && compact_error.len == 0,
        .compact_error = compact_error.len ? row_text(q, 19, a) : NULL,
        .workspace = row_text(q, 16, a),
        .named = rows_int(q, 20) != 0,
        .archived_by_user = rows_int(q, 21) != 0,
        .effort = row_text(q, 22, a),
        .persona_id = rows_int(q, 23),
        .temperature = (int)rows_int(q, 24),
        .answer_tokens = rows_int(q, 25),
        .channel = row_text(q, 26, a),
        .tags = row_text(q, 27, a),
        .ends_at = rows_int(q, 28),
    };
}

DEFINE_ROWS(session, struct session, session_read, "session")

enum rc store_session_add(struct db *db, int64_t owner, const char *pub, const char *provider,
    const char *model, int64_t now, int64_t *id, struct err *e)
{
    return db_insert(db,
        "INSERT INTO session (owner, pub, provider, model, created_at, active_at, seen_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_int(owner), v_text(pub), v_text(provider), v_text(model), v_int(now), v_int(now), v_int(now)),
        id, e);
}

enum rc store_session_begin(struct db *db, const struct session_beginning *b, int64_t *id, struct err *e)
{
    return db_insert(db,
        "INSERT INTO session (owner, pub, provider, model, channel, title, head_id, message_count, "
        "running_turns, created_at, active_at, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, 2, 1, ?, ?, ?)",
        ARGS(v_int(b->owner), v_text(b->pub), v_text(b->provider), v_text(b->model), v_text(b->channel),
            v_text(b->title), v_int(b->answer_id), v_int(b->now), v_int(b->now), v_int(b->now)),
        id, e);
}

static enum rc refuse_ended(enum rc rc, const struct session *s, struct err *e)
{
    bool ended = rc == RC_OK && s->ends_at && !s->running_turns && s->ends_at <= clock_wall_ms();
    return ended ? err_say(e, RC_NOT_FOUND, SESSION_ENDED) : rc;
}

enum rc store_session_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct session *out, struct err *e)
{
    enum rc rc = get_session(db, a, "SELECT " SESSION_COLUMNS " FROM session WHERE pub = ? AND owner = ?",
        ARGS(v_text(pub), v_int(owner)), out, e);
    return refuse_ended(rc, out, e);
}

enum rc store_session_by_id(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct session *out, struct err *e)
{
    enum rc rc = get_session(db, a, "SELECT " SESSION_COLUMNS " FROM session WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
    return refuse_ended(rc, out, e);
}

static struct session read_brief(const struct rows *q, struct arena *a)
{
    return (struct session){
        .id = rows_int(q, 0),
        .pub = row_text(q, 1, a),
        .title = row_text(q, 2, a),
        .running_turns = rows_int(q, 3),
        .active_at = rows_int(q, 4),
        .seen_at = rows_int(q, 5),
        .pinned = rows_int(q, 6) != 0,
        .sidebar_changes = rows_int(q, 7),
        .ends_at = rows_int(q, 8),
    };
}

DEFINE_ROWS(brief, struct session, read_brief, "session")

enum rc store_session_sidebar(struct db *db, struct arena *a, int64_t owner, struct session_key after,
    int limit, struct session **out, size_t *n, struct err *e)
{
    if (!after.at && !after.id)
        after = (struct session_key){true, INT64_MAX, INT64_MAX};
    return list_brief(db, a,
        "SELECT id, pub, title, running_turns, active_at, seen_at, pinned, "
        "(SELECT sidebar_changes FROM user WHERE id = ?), "
        "coalesce((SELECT x.ends_at FROM temporary x WHERE x.session_id = session.id), 0) FROM session "
        "WHERE owner = ? AND (pinned, active_at, id) < (?, ?, ?) AND archived_by_user = 0 "
        "ORDER BY pinned DESC, active_at DESC, id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(owner), v_int(after.pinned), v_int(after.at), v_int(after.id), v_int(limit)),
        out, n, e);
}

enum rc store_session_find(struct db *db, int64_t owner, struct str pub, int64_t *id, struct err *e)
{
    return db_one_int(
        db, "SELECT id FROM session WHERE pub = ? AND owner = ?", ARGS(v_str(pub), v_int(owner)), id, e);
}

/* '{' is the character after all letters of an id. */
enum rc store_session_beginning(struct db *db, struct arena *a, int64_t owner, const char *begin, int limit,
    struct session **out, size_t *n, struct err *e)
{
    return list_session(db, a,
        "SELECT " SESSION_COLUMNS " FROM session WHERE pub >= ? AND pub < ? || '{' AND owner = ? "
        "ORDER BY pub LIMIT ?",
        ARGS(v_text(begin), v_text(begin), v_int(owner), v_int(limit)), out, n, e);
}

/* The one text that a statement with id and owner returns. */
static enum rc one_text(struct db *db, struct arena *a, const char *sql, int64_t owner, int64_t id,
    const char **text, struct err *e)
{
    const char **list;
    size_t n;
    enum rc rc = row_list_texts(db, a, sql, ARGS(v_int(id), v_int(owner)), &list, &n, e);
    if (rc == RC_OK && n)
        *text = list[0];
    return must_exist(rc, (int64_t)n, "session", e);
}

enum rc store_session_pub(
    struct db *db, struct arena *a, int64_t owner, int64_t id, const char **pub, struct err *e)
{
    return one_text(db, a, "SELECT pub FROM session WHERE id = ? AND owner = ?", owner, id, pub, e);
}

enum rc store_session_title(
    struct db *db, struct arena *a, int64_t owner, int64_t id, const char **title, struct err *e)
{
    return one_text(db, a, "SELECT title FROM session WHERE id = ? AND owner = ?", owner, id, title, e);
}

enum rc store_session_pubs(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e)
{
    return row_list_texts(db, a,
        "SELECT pub FROM session WHERE owner = ?1 UNION ALL SELECT s.pub FROM trash t "
        "JOIN session s ON s.id = t.session_id WHERE t.owner = ?1 AND t.from_id IS NULL",
        ARGS(v_int(owner)), out, n, e);
}

enum rc store_session_rename(struct db *db, int64_t owner, const char *pub, const char *title, struct err *e)
{
    return row_change(db, "session",
        "UPDATE session SET title = ?, titled_by = 'user' WHERE pub = ? AND owner = ?",
        ARGS(v_text(title), v_text(pub), v_int(owner)), e);
}

enum rc store_session_suggest_title(
    struct db *db, int64_t owner, int64_t id, const char *title, struct err *e)
{
    return row_change(db, "session",
        "UPDATE session SET title = CASE WHEN titled_by = 'user' THEN title ELSE ? END, "
        "titled_by = CASE WHEN titled_by = 'user' THEN 'user' ELSE 'helper' END WHERE id = ? AND owner = ?",
        ARGS(v_text(title), v_int(id), v_int(owner)), e);
}

enum rc store_session_set_model(
    struct db *db, int64_t owner, const char *pub, const char *provider, const char *model, struct err *e)
{
    return row_change(db, "session", "UPDATE session SET provider = ?, model = ? WHERE pub = ? AND owner = ?",
        ARGS(v_text(provider), v_text(model), v_text(pub), v_int(owner)), e);
}

enum rc store_session_set_effort(
    struct db *db, int64_t owner, const char *pub, const char *effort, struct err *e)
{
    return row_change(db, "session", "UPDATE session SET effort = ? WHERE pub = ? AND owner = ?",
        ARGS(v_text(effort), v_text(pub), v_int(owner)), e);
}

enum rc store_session_set_persona(
    struct db *db, int64_t owner, const char *pub, int64_t persona_id, struct err *e)
{
    return row_change(db, "session", "UPDATE session SET persona_id = ? WHERE pub = ? AND owner = ?",
        ARGS(v_id(persona_id), v_text(pub), v_int(owner)), e);
}

enum rc store_session_set_temperature(
    struct db *db, int64_t owner, const char *pub, int temperature, struct err *e)
{
    return row_change(db, "session", "UPDATE session SET temperature = ? WHERE pub = ? AND owner = ?",
        ARGS(temperature < 0 ? v_null() : v_int(temperature), v_text(pub), v_int(owner)), e);
}

enum rc store_session_set_answer_tokens(
    struct db *db, int64_t owner, const char *pub, int64_t tokens, struct err *e)
{
    return row_change(db, "session", "UPDATE session SET answer_tokens = ? WHERE pub = ? AND owner = ?",
        ARGS(v_id(tokens), v_text(pub), v_int(owner)), e);
}

enum rc store_session_set_context(
    struct db *db, int64_t owner, int64_t id, int64_t tokens, int64_t window, struct err *e)
{
    return row_change(db, "session",
        "UPDATE session SET context_tokens = ?, context_window = ? WHERE id = ? AND owner = ?",
        ARGS(v_int(tokens), v_int(window), v_int(id), v_int(owner)), e);
}

#define LASTING " AND NOT EXISTS (SELECT 1 FROM temporary t WHERE t.session_id = session.id)"

static enum rc set_place(struct db *db, int64_t owner, int64_t id, enum session_place place, int64_t now,
    int64_t *n, struct err *e)
{
    struct db_args own = ARGS(v_int(id), v_int(owner));
    switch (place) {
    case SESSION_PIN:
        return db_exec(db,
            "UPDATE session SET pinned = 1, archived_at = NULL, archived_by_user = 0 "
            "WHERE id = ? AND owner = ? AND (pinned = 0 OR archived_at IS NOT NULL)" LASTING,
            own, n, e);
    case SESSION_UNPIN:
        return db_exec(
            db, "UPDATE session SET pinned = 0 WHERE id = ? AND owner = ? AND pinned = 1", own, n, e);
    case SESSION_ARCHIVE:
        return db_exec(db,
            "UPDATE session SET archived_at = coalesce(archived_at, ?), archived_by_user = 1, pinned = 0 "
            "WHERE id = ? AND owner = ? AND archived_by_user = 0" LASTING,
            ARGS(v_int(now), v_int(id), v_int(owner)), n, e);
    case SESSION_UNARCHIVE:
        return db_exec(db,
            "UPDATE session SET archived_at = NULL, archived_by_user = 0 "
            "WHERE id = ? AND owner = ? AND archived_at IS NOT NULL",
            own, n, e);
    case SESSION_PLACE_STAYS: break;
    }
    return RC_OK;
}

enum rc store_session_set_place(struct db *db, int64_t owner, int64_t id, enum session_place place,
    int64_t now, bool *changed, struct err *e)
{
    int64_t one, n = 0;
    enum rc rc = db_one_int(
        db, "SELECT 1 FROM session WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), &one, e);
    if (rc == RC_OK)
        rc = set_place(db, owner, id, place, now, &n, e);
    if (changed)
        *changed = n > 0;
    return rc;
}

enum rc store_session_archive_idle(
    struct db *db, int64_t before, int64_t now, int limit, int64_t *archived, struct err *e)
{
    return db_exec(db,
        "UPDATE session SET archived_at = ? WHERE id IN (SELECT s.id FROM user u "
        "CROSS JOIN session s ON s.owner = u.id AND s.pinned = 0 AND s.active_at < ? "
        "WHERE s.archived_at IS NULL AND s.running_turns = 0 LIMIT ?)",
        ARGS(v_int(now), v_int(before), v_int(limit)), archived, e);
}

enum rc store_session_seen(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return row_change(db, "session",
        "UPDATE session SET seen_at = CASE WHEN seen_at < ? THEN ? ELSE seen_at END WHERE id = ? AND owner = "
        "?",
        ARGS(v_int(now), v_int(now), v_int(id), v_int(owner)), e);
}

#define AHEAD "active_at > ?1 OR seen_at > ?1"

enum rc store_session_ahead(struct db *db, int64_t now, bool *any, struct err *e)
{
    int64_t found = 0;
    enum rc rc =
        db_one_int(db, "SELECT EXISTS (SELECT 1 FROM session WHERE " AHEAD ")", ARGS(v_int(now)), &found, e);
    *any = found != 0;
    return rc;
}

enum rc store_session_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e)
{
    return db_exec(db,
        "UPDATE session SET "
        "active_at = CASE WHEN active_at > ?1 THEN min(active_at - ?2, ?1) ELSE active_at END, "
        "seen_at = CASE WHEN seen_at > ?1 THEN min(seen_at - ?2, ?1) ELSE seen_at END "
        "WHERE " AHEAD,
        ARGS(v_int(now), v_int(ms)), NULL, e);
}
