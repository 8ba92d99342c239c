/* Single messages. The owner of a message is part of its id. A query by id therefore names the owner once
 * the id is checked. */
#include "store/message/message.h"

#include <assert.h>

#include "store/message/message_row.h"

static const char *const roles[] = {
    [ROLE_USER] = "user", [ROLE_ASSISTANT] = "assistant", [ROLE_SYSTEM] = "system", [ROLE_TOOL] = "tool"};
static const char *const statuses[] = {
    [MESSAGE_DONE] = "done",
    [MESSAGE_RUNNING] = "running",
    [MESSAGE_STOPPED] = "stopped",
    [MESSAGE_INTERRUPTED] = "interrupted",
    [MESSAGE_FAILED] = "failed",
};

static const char *const stops[] = {[STOP_NONE] = "",
    [STOP_LENGTH] = "length",
    [STOP_WINDOW] = "window",
    [STOP_REFUSAL] = "refusal",
    [STOP_FILTER] = "filter",
    [STOP_REJECTED] = "rejected",
    [STOP_PAUSED] = "paused"};

const char *message_stop_name(enum message_stop s)
{
    return s == STOP_NONE ? NULL : stops[s];
}

const char *message_role_name(enum message_role r)
{
    return roles[r];
}

const char *message_status_name(enum message_status s)
{
    return statuses[s];
}

bool message_can_continue(const struct message *m)
{
    bool cut = m->status == MESSAGE_DONE &&
               (m->stop == STOP_LENGTH || m->stop == STOP_WINDOW || m->stop == STOP_PAUSED);
    bool broken = m->status == MESSAGE_STOPPED || m->status == MESSAGE_INTERRUPTED ||
                  (m->status == MESSAGE_FAILED && !m->lasting);
    return m->role == ROLE_ASSISTANT && !m->calls && m->text.len > 0 && (cut || broken);
}

static unsigned word_index(const char *const *words, unsigned n, struct str word)
{
    for (unsigned i = 0; i < n; i++) {
        if (str_is(word, words[i]))
            return i;
    }
    return 0;
}

enum message_role message_role_of(struct str word)
{
    return (enum message_role)word_index(roles, ARRAY_LEN(roles), word);
}

enum message_status message_status_of(struct str word)
{
    return (enum message_status)word_index(statuses, ARRAY_LEN(statuses), word);
}

struct message message_read(const struct rows *q, struct arena *a)
{
    struct message m = {
        .id = rows_int(q, 0),
        .session_id = rows_int(q, 1),
        .parent_id = rows_int(q, 2),
        .role = message_role_of(rows_str(q, 3)),
        .status = message_status_of(rows_str(q, 4)),
        .channel = row_text(q, 5, a),
        .text = row_str(q, 6, a),
        .calls = row_text(q, 7, a),
        .call_id = row_text(q, 8, a),
        .tool = row_text(q, 9, a),
        .error = row_text(q, 10, a),
        .client_id = row_text(q, 11, a),
        .provider = row_text(q, 12, a),
        .model = row_text(q, 13, a),
        .tokens_in = rows_int(q, 14),
        .tokens_out = rows_int(q, 15),
        .created_at = rows_int(q, 16),
        .ended_at = rows_int(q, 17),
        .pasted_from = rows_int(q, 18),
        .stop = (enum message_stop)word_index(stops, ARRAY_LEN(stops), rows_str(q, 19)),
        .tokens_cached = rows_int(q, 20),
        .reasoning = row_str(q, 21, a),
        .reasoning_ms = rows_int(q, 22),
        .opaque = row_str(q, 23, a),
        .lasting = rows_int(q, 24) != 0,
        .tokens_reasoning = rows_int(q, 25),
        .edited = rows_int(q, 26) != 0,
        .compared = (int)rows_int(q, 27),
    };
    picture_list_read(a, rows_text(q, 28), &m.pictures, &m.pictures_n);
    return m;
}

/* ---- adding ---- */

/* Checks that the session is the owner's, and the parent is the session's. `below_tool`: the parent is a
 * tool's result. */
static enum rc check_place(
    struct db *db, int64_t owner, const struct message *m, int64_t *below_tool, struct err *e)
{
    enum rc rc = m->parent_id ? message_owned(owner, m->parent_id, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    return db_one_int(db,
        "SELECT EXISTS (SELECT 1 FROM message p WHERE p.id = ? AND p.role = 'tool') "
        "FROM session s WHERE s.id = ? AND s.owner = ? "
        "AND (? IS NULL OR EXISTS (SELECT 1 FROM message p WHERE p.id = ? AND p.session_id = s.id))",
        ARGS(v_id(m->parent_id), v_int(m->session_id), v_int(owner), v_id(m->parent_id), v_id(m->parent_id)),
        below_tool, e);
}

enum rc message_next_id(struct db *db, int64_t owner, int64_t *id, struct err *e)
{
    return store_message_ids(db, owner, 1, id, e);
}

enum rc store_message_ids(struct db *db, int64_t owner, int n, int64_t *first, struct err *e)
{
    return row_next_ids(db, owner, ROW_SEQUENCE("message_seq", "message"), n, first, e);
}

enum rc message_insert(struct db *db, const struct message *m, struct err *e)
{
    AUTO(arena) a = m->pictures_n ? arena_new() : NULL;
    enum rc rc = db_exec(db,
        "INSERT INTO message (id, session_id, parent_id, role, status, channel, text, calls, "
        "call_id, tool, error, client_id, provider, model, tokens_in, tokens_out, created_at, ended_at, "
        "pasted_from, edited, compared, pictures, stop) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_int(m->id), v_int(m->session_id), v_id(m->parent_id), v_text(message_role_name(m->role)),
            v_text(message_status_name(m->status)), v_text(m->channel), v_str(m->text), v_text(m->calls),
            v_text(m->call_id), v_text(m->tool), v_text(m->error), v_text(m->client_id), v_text(m->provider),
            v_text(m->model), v_id(m->tokens_in), v_id(m->tokens_out), v_int(m->created_at),
            v_id(m->ended_at), m->pasted_from < 0 ? v_null() : v_int(m->pasted_from), v_int(m->edited),
            v_id(m->compared), v_text(picture_list_json(a, m->pictures, m->pictures_n)),
            v_text(message_stop_name(m->stop))),
        NULL, e);
    return rc == RC_OK ? store_pictures_take(db, message_owner(m->id), m->id, m->pictures, m->pictures_n, e)
                       : rc;
}

/* A message unarchives its session. Only a message of the user unarchives a session that the user archived:
 * an answer may still be running then. A statement of its own, because one that names these columns rewrites
 * their indexes. */
static enum rc unarchive(struct db *db, int64_t owner, int64_t session_id, bool asked, struct err *e)
{
    return db_exec(db,
        "UPDATE session SET archived_at = NULL, archived_by_user = 0 "
        "WHERE id = ? AND owner = ? AND archived_at IS NOT NULL AND (? OR NOT archived_by_user)",
        ARGS(v_int(session_id), v_int(owner), v_int(asked)), NULL, e);
}

enum rc message_advance_session(struct db *db, int64_t owner, const struct session_advance *by, struct err *e)
{
    const struct message *m = by->last;
    enum rc rc = db_exec(db,
        "UPDATE session SET head_id = CASE WHEN ? AND head_id IS NOT ? THEN head_id "
        "ELSE ? END, message_count = message_count + ?, active_at = ?, "
        "channel = coalesce(channel, ?), running_turns = running_turns + ?, "
        "title = coalesce(CASE titled_by WHEN 'none' THEN ? END, title) WHERE id = ? AND owner = ?",
        ARGS(v_int(m->beside), v_id(m->parent_id), v_int(m->id), v_int(by->counted), v_int(m->created_at),
            v_text(m->channel), v_int(by->turns), v_text(by->title), v_int(m->session_id), v_int(owner)),
        NULL, e);
    if (rc == RC_OK)
        rc = unarchive(db, owner, m->session_id, by->asked, e);
    return rc;
}

enum rc store_message_add(struct db *db, int64_t owner, struct message *m, struct err *e)
{
    /* Checks that can refuse come first: a caller may continue after RC_CONFLICT, and then only a number
     * is lost. */
    int64_t id = m->taken_id, below_tool = 0;
    enum rc rc = check_place(db, owner, m, &below_tool, e);
    if (rc == RC_OK && !id)
        rc = message_next_id(db, owner, &id, e);
    if (rc != RC_OK)
        return rc;
    struct message with_id = *m;
    with_id.id = id;
    rc = message_insert(db, &with_id, e);
    if (rc == RC_OK && m->status != MESSAGE_RUNNING && !m->index_later)
        rc = message_index_add(db, id, m->text, e);
    bool asked = m->role == ROLE_USER;
    bool counts = message_counts(m->role, below_tool);
    if (rc == RC_OK && !m->with_turn)
        rc = message_advance_session(
            db, owner, &(struct session_advance){.last = &with_id, .counted = counts, .asked = asked}, e);
    if (rc == RC_OK) {
        m->id = id;
        m->counts = counts;
    }
    return rc;
}

/* ---- changing ---- */

/* The reason why a message cannot be finished: it is, or it does not exist. */
static enum rc not_running(struct db *db, int64_t id, struct err *e)
{
    enum rc rc = db_one_int(db, "SELECT id FROM message WHERE id = ?", ARGS(v_int(id)), &id, e);
    return rc == RC_OK ? err_say(e, RC_CONFLICT, "chat.message_finished") : rc;
}

static struct db_value or_null(struct str s)
{
    return s.len ? v_str(s) : v_null();
}

enum rc store_message_finish(struct db *db, int64_t owner, const struct message *m, struct err *e)
{
    enum rc rc = message_owned(owner, m->id, e);
    if (rc != RC_OK)
        return rc;
    if (m->status == MESSAGE_RUNNING)
        return err_set(e, RC_INTERNAL, "a message cannot end running");
    int64_t changed;
    rc = db_exec(db,
        "UPDATE message SET text = ?, status = ?, calls = ?, error = ?, provider = coalesce(?, provider), "
        "model = coalesce(?, model), tokens_in = ?, tokens_out = ?, "
        "tokens_cached = ?, tokens_reasoning = ?, stop = ?, reasoning = ?, reasoning_ms = ?, opaque = ?, "
        "lasting = ?, ended_at = ? "
        "WHERE id = ? "
        "AND status = 'running'",
        ARGS(v_str(m->text), v_text(message_status_name(m->status)), v_text(m->calls), v_text(m->error),
            v_text(m->provider), v_text(m->model), v_id(m->tokens_in), v_id(m->tokens_out),
            v_id(m->tokens_cached), v_id(m->tokens_reasoning), v_text(message_stop_name(m->stop)),
            or_null(m->reasoning), v_id(m->reasoning_ms), or_null(m->opaque), v_int(m->lasting),
            v_id(m->ended_at), v_int(m->id)),
        &changed, e);
    if (rc == RC_OK && !changed)
        return not_running(db, m->id, e);
    return rc == RC_OK && !m->index_later ? store_message_index_ended(db, m->id, m->text, e) : rc;
}

/* ---- reading ---- */

DEFINE_ROWS(message, struct message, message_read, "message")

enum rc store_message_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct message *out, struct err *e)
{
    enum rc rc = message_owned(owner, id, e);
    if (rc != RC_OK)
        return rc;
    return get_message(db, a,
        "SELECT " MESSAGE_COLUMNS " FROM message m JOIN session s ON s.id = m.session_id "
        "WHERE m.id = ? AND s.owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
}

/* The words of the condition are those of the index message_long. */
static_assert(MESSAGE_LONG_BYTES == 2048, "as in the index and below");
enum rc store_message_long_bytes(struct db *db, int64_t session_id, int64_t *bytes, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce(sum(octet_length(text)), 0) FROM message WHERE session_id = ? AND role = 'user' AND "
        "octet_length(text) >= 2048",
        ARGS(v_int(session_id)), bytes, e);
}

enum rc store_message_by_client(
    struct db *db, struct arena *a, int64_t owner, const char *client_id, struct message *out, struct err *e)
{
    return get_message(db, a,
        "SELECT " MESSAGE_COLUMNS " FROM message m WHERE (m.id >> 32) = ? AND m.client_id = ?",
        ARGS(v_int(owner), v_text(client_id)), out, e);
}
