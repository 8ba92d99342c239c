#include "store/transfer.h"

#include "store/job.h"
#include "store/message/draft.h"
#include "store/message/message_row.h"

#define TRANSFER_COLUMNS                                                                                    \
    "id, owner, pub, kind, state, format, bytes, total, done, skipped, known, facts, error, created_at, "   \
    "coalesce(ended_at, 0), position, in_list, counted, loose_facts, reasoning, selected, grown, changed, " \
    "(SELECT count(*) FROM reminder r WHERE r.owner = transfer.owner AND r.kind = 'prompt' "                \
    "AND r.paused_at = transfer.created_at AND r.deleted_at IS NULL), pictures_left_out"

static const char *const kinds[] = {[TRANSFER_EXPORT] = "export", [TRANSFER_IMPORT] = "import"};
static const char *const states[] = {
    [TRANSFER_WAITING] = "waiting", [TRANSFER_DONE] = "done", [TRANSFER_FAILED] = "failed"};

const char *transfer_kind_name(enum transfer_kind k)
{
    return kinds[k];
}

static struct transfer read_transfer(const struct rows *q, struct arena *a)
{
    struct str state = rows_str(q, 4);
    return (struct transfer){
        .id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .pub = row_text(q, 2, a),
        .kind = str_is(rows_str(q, 3), kinds[TRANSFER_IMPORT]) ? TRANSFER_IMPORT : TRANSFER_EXPORT,
        .state = str_is(state, states[TRANSFER_WAITING]) ? TRANSFER_WAITING
                 : str_is(state, states[TRANSFER_DONE])  ? TRANSFER_DONE
                                                         : TRANSFER_FAILED,
        .format = row_text(q, 5, a),
        .bytes = rows_int(q, 6),
        .total = rows_int(q, 7),
        .done = rows_int(q, 8),
        .skipped = rows_int(q, 9),
        .known = rows_int(q, 10),
        .facts = rows_int(q, 11),
        .error = row_text(q, 12, a),
        .created_at = rows_int(q, 13),
        .ended_at = rows_int(q, 14),
        .position = rows_int(q, 15),
        .in_list = rows_int(q, 16) != 0,
        .counted = rows_int(q, 17),
        .loose_facts = rows_int(q, 18),
        .reasoning = rows_int(q, 19) != 0,
        .selected = rows_int(q, 20) != 0,
        .grown = rows_int(q, 21),
        .changed = rows_int(q, 22),
        .paused = rows_int(q, 23),
        .pictures_left_out = rows_int(q, 24),
    };
}

DEFINE_ROWS(transfer, struct transfer, read_transfer, "transfer")
DEFINE_ROWS(message, struct message, message_read, "message")

enum rc store_transfer_add(struct db *db, struct transfer *t, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO transfer (pub, owner, kind, state, format, bytes, reasoning, selected, created_at) "
        "VALUES (?, ?, ?, 'waiting', '', ?, ?, ?, ?) RETURNING id",
        ARGS(v_text(t->pub), v_int(t->owner), v_text(kinds[t->kind]), v_int(t->bytes), v_int(t->reasoning),
            v_int(t->selected), v_int(t->created_at)),
        &t->id, e);
}

enum rc store_transfer_select(
    struct db *db, int64_t owner, int64_t transfer_id, const char *session, struct err *e)
{
    return row_change(db, "session",
        "INSERT INTO transfer_session (transfer_id, session_id) SELECT t.id, s.id FROM session s "
        "JOIN transfer t ON t.owner = s.owner WHERE s.pub = ? AND s.owner = ? AND t.id = ? "
        "AND s.id NOT IN (SELECT session_id FROM temporary) "
        "ON CONFLICT DO UPDATE SET session_id = excluded.session_id",
        ARGS(v_text(session), v_int(owner), v_int(transfer_id)), e);
}

enum rc store_transfer_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct transfer *out, struct err *e)
{
    return get_transfer(db, a, "SELECT " TRANSFER_COLUMNS " FROM transfer WHERE pub = ? AND owner = ?",
        ARGS(v_text(pub), v_int(owner)), out, e);
}

enum rc store_transfer_by_id(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct transfer *out, struct err *e)
{
    return get_transfer(db, a, "SELECT " TRANSFER_COLUMNS " FROM transfer WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
}

enum rc store_transfer_list(
    struct db *db, struct arena *a, int64_t owner, int limit, struct transfer **out, size_t *n, struct err *e)
{
    return list_transfer(db, a,
        "SELECT " TRANSFER_COLUMNS " FROM transfer WHERE owner = ? ORDER BY id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(limit)), out, n, e);
}

enum rc store_transfer_waiting(struct db *db, int64_t owner, enum transfer_kind k, int64_t *n, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM transfer WHERE owner = ? AND kind = ? AND state = 'waiting'",
        ARGS(v_int(owner), v_text(kinds[k])), n, e);
}

enum rc store_transfer_files(struct db *db, int64_t owner, int64_t *n, struct err *e)
{
    return db_one_int(db,
        "SELECT count(*) FROM transfer WHERE owner = ? AND kind = 'export' AND state = 'done'",
        ARGS(v_int(owner)), n, e);
}

enum rc store_transfer_progress(struct db *db, const struct transfer *t, struct err *e)
{
    return row_change(db, "transfer",
        "UPDATE transfer SET format = ?, bytes = ?, total = ?, done = ?, skipped = ?, known = ?, facts = ?, "
        "position = ?, in_list = ?, counted = ?, loose_facts = ?, grown = ?, changed = ?, "
        "pictures_left_out = ? WHERE id = ? AND owner = ? AND state = 'waiting'",
        ARGS(v_text(t->format), v_int(t->bytes), v_int(t->total), v_int(t->done), v_int(t->skipped),
            v_int(t->known), v_int(t->facts), v_int(t->position), v_int(t->in_list), v_int(t->counted),
            v_int(t->loose_facts), v_int(t->grown), v_int(t->changed), v_int(t->pictures_left_out),
            v_int(t->id), v_int(t->owner)),
        e);
}

enum rc store_transfer_end(struct db *db, const struct transfer *t, struct err *e)
{
    enum rc rc = store_transfer_progress(db, t, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE transfer SET state = ?, error = ?, ended_at = ? WHERE id = ? AND owner = ?",
            ARGS(v_text(states[t->state]), v_text(t->error), v_int(t->ended_at), v_int(t->id),
                v_int(t->owner)),
            NULL, e);
    return rc == RC_OK ? store_draft_abandon_transfer(db, t->id, e) : rc;
}

enum rc store_transfer_delete(struct db *db, int64_t owner, const char *pub, struct err *e)
{
    int64_t id;
    enum rc rc = db_one_int(db, "DELETE FROM transfer WHERE pub = ? AND owner = ? RETURNING id",
        ARGS(v_text(pub), v_int(owner)), &id, e);
    if (rc == RC_OK) /* a running one notices by itself */
        rc = db_exec(db,
            "DELETE FROM job WHERE subject = ? AND kind IN (" JOB_KINDS_OF_TRANSFERS
            ") AND state IN ('ready', 'dead')",
            ARGS(v_int(id)), NULL, e);
    return rc == RC_OK ? store_draft_abandon_transfer(db, id, e) : rc;
}

enum rc store_transfer_sweep(struct db *db, int64_t before, int64_t *removed, struct err *e)
{
    int64_t ended = 0, left = 0;
    enum rc rc = db_exec(db, "DELETE FROM transfer WHERE ended_at < ?", ARGS(v_int(before)), &ended, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "DELETE FROM transfer WHERE state = 'waiting' AND created_at < ? AND NOT EXISTS "
            "(SELECT 1 FROM job WHERE job.subject = transfer.id AND job.kind IN (" JOB_KINDS_OF_TRANSFERS
            ") AND job.state IN ('ready', 'leased'))",
            ARGS(v_int(before)), &left, e);
    *removed = ended + left;
    return rc;
}

enum rc store_transfer_needs_file(struct db *db, const char *pub, bool *needed, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db,
        "SELECT count(*) FROM transfer WHERE pub = ? AND (state = 'waiting' OR kind = 'export')",
        ARGS(v_text(pub)), &n, e);
    *needed = n > 0;
    return rc;
}

/* ---- exports ---- */

#define SELECTED                                                                                            \
    " FROM transfer_session x JOIN session s ON s.id = x.session_id WHERE x.transfer_id = ? AND s.owner = " \
    "? "                                                                                                    \
    "AND s.id NOT IN (SELECT session_id FROM temporary)"

enum rc store_export_count(
    struct db *db, int64_t owner, int64_t transfer_id, int64_t *sessions, struct err *e)
{
    if (transfer_id)
        return db_one_int(
            db, "SELECT count(*)" SELECTED, ARGS(v_int(transfer_id), v_int(owner)), sessions, e);
    return db_one_int(db,
        "SELECT count(*) FROM session WHERE owner = ? AND id NOT IN (SELECT session_id FROM temporary)",
        ARGS(v_int(owner)), sessions, e);
}

enum rc store_export_sessions(struct db *db, struct arena *a, int64_t owner, int64_t transfer_id,
    int64_t after, int limit, int64_t **out, size_t *n, struct err *e)
{
    if (transfer_id)
        return row_list_ids(db, a, "SELECT s.id" SELECTED " AND s.id > ? ORDER BY s.id LIMIT ?",
            ARGS(v_int(transfer_id), v_int(owner), v_int(after), v_int(limit)), out, n, e);
    return row_list_ids(db, a,
        "SELECT id FROM session WHERE owner = ? AND id > ? "
        "AND id NOT IN (SELECT session_id FROM temporary) ORDER BY id LIMIT ?",
        ARGS(v_int(owner), v_int(after), v_int(limit)), out, n, e);
}

enum rc store_export_messages(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t after, int limit, struct message **out, size_t *n, struct err *e)
{
    return list_message(db, a,
        "SELECT " MESSAGE_COLUMNS " FROM message m JOIN session s ON s.id = m.session_id "
        "WHERE m.session_id = ? AND s.owner = ? AND m.id > ? ORDER BY m.id LIMIT ?",
        ARGS(v_int(session_id), v_int(owner), v_int(after), v_int(limit)), out, n, e);
}

static struct export_node read_node(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct export_node){rows_int(q, 0), rows_int(q, 1)};
}

DEFINE_ROWS(node, struct export_node, read_node, "message")

enum rc store_export_tree(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct export_node **out, size_t *n, struct err *e)
{
    return list_node(db, a,
        "SELECT m.id, coalesce(m.parent_id, 0) FROM message m JOIN session s ON s.id = m.session_id "
        "WHERE m.session_id = ? AND s.owner = ? ORDER BY m.id",
        ARGS(v_int(session_id), v_int(owner)), out, n, e);
}

static struct export_session_more read_more(const struct rows *q, struct arena *a)
{
    return (struct export_session_more){row_text(q, 0, a), rows_int(q, 1), rows_int(q, 2), row_text(q, 3, a)};
}

DEFINE_ROWS(more, struct export_session_more, read_more, "session")

enum rc store_export_session_more(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct export_session_more *out, struct err *e)
{
    return get_more(db, a,
        "SELECT titled_by, topic_id, summarised_id, "
        "(SELECT name FROM library WHERE id = session.persona_id) FROM session WHERE id = ? AND owner = ?",
        ARGS(v_int(session_id), v_int(owner)), out, e);
}

/* By the messages of the session, with a query for each: its owner may have many facts. */
#define FACTS_OF_SESSION(table)                                                                        \
    "SELECT f.id FROM message m CROSS JOIN " table " f WHERE m.session_id = ? AND f.source_id = m.id " \
    "AND f.owner = ? AND f.deleted_at IS NULL ORDER BY f.id"
#define FACTS_OF_NONE(table)                                                                                \
    "SELECT f.id FROM " table " f WHERE ? = 0 AND (f.source_id IS NULL OR EXISTS (SELECT 1 FROM message m " \
    "JOIN trash x ON x.session_id = m.session_id WHERE m.id = f.source_id)) AND f.owner = ? "               \
    "AND f.deleted_at IS NULL ORDER BY f.id"

enum rc store_export_facts(struct db *db, struct arena *a, enum export_facts which, int64_t owner,
    int64_t session_id, int64_t **out, size_t *n, struct err *e)
{
    static const char *const of_session[] = {[EXPORT_MEMORIES] = FACTS_OF_SESSION("memory"),
        [EXPORT_TASKS] = FACTS_OF_SESSION("task"),
        [EXPORT_REMINDERS] = FACTS_OF_SESSION("reminder")};
    static const char *const of_none[] = {[EXPORT_MEMORIES] = FACTS_OF_NONE("memory"),
        [EXPORT_TASKS] = FACTS_OF_NONE("task"),
        [EXPORT_REMINDERS] = FACTS_OF_NONE("reminder")};
    return row_list_ids(db, a, session_id ? of_session[which] : of_none[which],
        ARGS(v_int(session_id), v_int(owner)), out, n, e);
}

/* ---- imports ---- */

enum rc store_import_each_fact(
    struct db *db, enum export_facts which, int64_t owner, import_fact_fn *fn, void *arg, struct err *e)
{
    static const char *const all[] = {
        [EXPORT_MEMORIES] = "SELECT text, created_at, id FROM memory WHERE id > ? AND id <= ?",
        [EXPORT_TASKS] = "SELECT text, created_at, id FROM task WHERE id > ? AND id <= ?",
        [EXPORT_REMINDERS] =
            "SELECT text, created_at, id FROM reminder WHERE id > ? AND id <= ? AND task_id IS NULL"};
    struct rows q;
    enum rc rc = db_query(db, &q, all[which], ARGS(v_int(owner_first(owner)), v_int(owner_last(owner))), e);
    while (rc == RC_OK && rows_next(&q))
        fn(arg, rows_str(&q, 0), rows_int(&q, 1), rows_int(&q, 2));
    return rows_done(&q, rc, e);
}

enum rc store_import_fact_since(struct db *db, enum export_facts which, int64_t owner, int64_t after,
    struct str text, int64_t created_at, bool *is, struct err *e)
{
    static const char *const all[] = {
        [EXPORT_MEMORIES] = "SELECT EXISTS (SELECT 1 FROM memory WHERE id > max(?, ?) AND id <= ? "
                            "AND created_at = ? AND text = ?)",
        [EXPORT_TASKS] = "SELECT EXISTS (SELECT 1 FROM task WHERE id > max(?, ?) AND id <= ? "
                         "AND created_at = ? AND text = ?)",
        [EXPORT_REMINDERS] = "SELECT EXISTS (SELECT 1 FROM reminder WHERE id > max(?, ?) AND id <= ? "
                             "AND created_at = ? AND text = ? AND task_id IS NULL)"};
    int64_t found = 0;
    enum rc rc = db_one_int(db, all[which],
        ARGS(v_int(after), v_int(owner_first(owner)), v_int(owner_last(owner)), v_int(created_at),
            v_str(text)),
        &found, e);
    *is = found;
    return rc;
}

enum rc store_imported_known(struct db *db, int64_t owner, const char *outer_id, bool *known, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db,
        "SELECT count(*) FROM imported i JOIN session s ON s.id = i.session_id AND s.owner = i.owner "
        "WHERE i.owner = ? AND i.outer_id = ?",
        ARGS(v_int(owner), v_text(outer_id)), &n, e);
    *known = n > 0;
    return rc;
}

enum rc store_imported_add(
    struct db *db, int64_t owner, const char *outer_id, int64_t session_id, int64_t messages, struct err *e)
{
    return db_exec(db,
        "INSERT INTO imported (owner, outer_id, session_id, messages) SELECT owner, ?, id, ? FROM session "
        "WHERE id = ? AND owner = ? ON CONFLICT (owner, outer_id) DO UPDATE SET session_id = "
        "excluded.session_id, messages = excluded.messages",
        ARGS(v_text(outer_id), v_int(messages), v_int(session_id), v_int(owner)), NULL, e);
}

static struct imported read_imported(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct imported){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2)};
}

DEFINE_ROWS(imported, struct imported, read_imported, "imported session")

enum rc store_imported_get(
    struct db *db, struct arena *a, int64_t owner, const char *outer_id, struct imported *out, struct err *e)
{
    return get_imported(db, a,
        "SELECT s.id, i.messages, (SELECT count(*) FROM message m WHERE m.session_id = s.id) "
        "FROM imported i JOIN session s ON s.id = i.session_id AND s.owner = i.owner "
        "WHERE i.owner = ? AND i.outer_id = ?",
        ARGS(v_int(owner), v_text(outer_id)), out, e);
}

enum rc store_imported_grow(
    struct db *db, int64_t owner, const char *outer_id, const struct imported_growth *g, struct err *e)
{
    enum rc rc = row_change(db, "imported session",
        "UPDATE imported SET messages = messages + ? WHERE owner = ? AND outer_id = ? AND session_id = ?",
        ARGS(v_int(g->messages), v_int(owner), v_text(outer_id), v_int(g->session_id)), e);
    return rc == RC_OK ? row_change(db, "session",
                             "UPDATE session SET message_count = message_count + ?, "
                             "head_id = coalesce(?, head_id), active_at = max(active_at, ?), "
                             "seen_at = max(seen_at, ?) WHERE id = ? AND owner = ?",
                             ARGS(v_int(g->counted), v_id(g->head_id), v_int(g->active_at), v_int(g->seen_at),
                                 v_int(g->session_id), v_int(owner)),
                             e)
                       : rc;
}

enum rc store_import_pub_free(struct db *db, const char *pub, bool *free, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM session WHERE pub = ?", ARGS(v_text(pub)), &n, e);
    *free = n == 0;
    return rc;
}

enum rc store_import_session(
    struct db *db, const struct session *s, const char *titled_by, int64_t topic_id, struct err *e)
{
    return row_change(db, "session",
        "UPDATE session SET title = ?, titled_by = ?, provider = ?, model = ?, head_id = ?, "
        "message_count = ?, created_at = ?, active_at = ?, seen_at = ?, pinned = ?, archived_at = ?, "
        "archived_by_user = ?, topic = ?, keywords = ?, topic_id = ?, channel = ? WHERE id = ? AND owner = ?",
        ARGS(v_text(s->title), v_text(titled_by), v_text(s->provider), v_text(s->model), v_id(s->head_id),
            v_int(s->message_count), v_int(s->created_at), v_int(s->active_at), v_int(s->seen_at),
            v_int(s->pinned), v_id(s->archived_at), v_int(s->archived_by_user), v_text(s->topic),
            v_text(s->keywords), v_int(topic_id), v_text(s->channel), v_int(s->id), v_int(s->owner)),
        e);
}
