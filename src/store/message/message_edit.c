/* Rewrites a user's message in place, adds edited versions of answers, and lets an answer go on. */
#include "store/job.h"
#include "store/message/message_row.h"
#include "store/search/vector.h"
#include "store/session/suggestion.h"

/* FTS5 removes a row of an external content table only when it gets the text that it indexed. */
static enum rc reindex(struct db *db, int64_t id, const char *old, struct str text, struct err *e)
{
    enum rc rc = message_index_forget(db, id, old, e);
    if (rc == RC_OK)
        rc = message_index_add(db, id, text, e);
    return rc == RC_OK ? store_job_purge_later(db, e) : rc;
}

int64_t message_pasted_after_edit(const struct message *old, struct str text, int64_t hint)
{
    int64_t same = 0;
    if (old->pasted_from < 0)
        return hint;
    while (same < old->pasted_from && (size_t)same < text.len && (size_t)same < old->text.len &&
           text.s[same] == old->text.s[same])
        same++;
    return hint >= 0 && hint < same ? hint : same;
}

/* Reads a message that no running answer may depend on. */
static enum rc get_settled(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t id,
    struct message *out, struct err *e)
{
    int64_t running;
    enum rc rc = store_message_get(db, a, owner, id, out, e);
    if (rc != RC_OK)
        return rc;
    if (out->session_id != session_id)
        return err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)id);
    rc = db_one_int(db, "SELECT running_turns FROM session WHERE owner = ? AND id = ?",
        ARGS(v_int(owner), v_int(session_id)), &running, e);
    if (rc == RC_OK && running > 0)
        return err_say(e, RC_CONFLICT, "chat.stop_first");
    return rc;
}

enum rc store_message_set_text(struct db *db, int64_t owner, int64_t session_id, int64_t id, struct str text,
    int64_t pasted_from, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct message old;
    enum rc rc = get_settled(db, a, owner, session_id, id, &old, e);
    if (rc != RC_OK)
        return rc;
    if (old.role != ROLE_USER)
        return err_say(e, RC_BAD_INPUT, "chat.edit_own_only");
    int64_t pasted = message_pasted_after_edit(&old, text, pasted_from);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE message SET text = ?, pasted_from = ? WHERE id = ? AND session_id = ?",
            ARGS(v_str(text), pasted < 0 ? v_null() : v_int(pasted), v_int(id), v_int(session_id)), NULL, e);
    if (rc == RC_OK)
        rc = reindex(db, id, old.text.s, text, e);
    if (rc == RC_OK)
        rc = store_suggestion_forget(db, owner, session_id, id, e);
    return rc == RC_OK ? store_vector_forget(db, VECTOR_MESSAGE, owner, id, e) : rc;
}

/* The message that an answer and its versions are below: an answer that called tools is several messages. */
static enum rc find_asked(
    struct db *db, struct arena *a, int64_t owner, const struct message *answer, int64_t *out, struct err *e)
{
    struct message m = *answer;
    enum rc rc = RC_OK;
    while (rc == RC_OK && m.role != ROLE_USER && m.parent_id)
        rc = store_message_get(db, a, owner, m.parent_id, &m, e);
    *out = m.role == ROLE_USER ? m.id : 0;
    return rc;
}

enum rc store_message_add_edited(struct db *db, int64_t owner, int64_t session_id, int64_t id,
    struct str text, int64_t now, int64_t *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct message old;
    int64_t asked;
    enum rc rc = get_settled(db, a, owner, session_id, id, &old, e);
    if (rc == RC_OK && (old.role != ROLE_ASSISTANT || old.calls))
        return err_say(e, RC_BAD_INPUT, "chat.edit_messages_only");
    if (rc == RC_OK)
        rc = find_asked(db, a, owner, &old, &asked, e);
    if (rc != RC_OK)
        return rc;
    bool unfinished = message_can_continue(&old); /* so is what the user makes of it */
    struct message version = {.session_id = session_id,
        .parent_id = asked,
        .role = ROLE_ASSISTANT,
        .status = unfinished ? old.status : MESSAGE_DONE,
        .stop = unfinished ? old.stop : STOP_NONE,
        .error = unfinished ? old.error : NULL,
        .channel = old.channel,
        .text = text,
        .provider = old.provider,
        .model = old.model,
        .edited = true,
        .created_at = now,
        .ended_at = now};
    rc = store_message_add(db, owner, &version, e);
    *out = version.id;
    return rc;
}

enum rc store_message_reopen(
    struct db *db, int64_t owner, int64_t session_id, int64_t id, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct message m;
    enum rc rc = get_settled(db, a, owner, session_id, id, &m, e);
    if (rc == RC_OK)
        rc = message_index_forget(db, id, m.text.s, e);
    if (rc == RC_OK)
        rc = store_vector_forget(db, VECTOR_MESSAGE, owner, id, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE message SET status = 'running', stop = NULL, error = NULL, lasting = 0, ended_at = NULL "
            "WHERE id = ?",
            ARGS(v_int(id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET head_id = ?, active_at = ? WHERE id = ? AND owner = ?",
            ARGS(v_int(id), v_int(now), v_int(session_id), v_int(owner)), NULL, e);
    return rc;
}
