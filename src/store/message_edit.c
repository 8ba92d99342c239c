/* Rewrites a user's message in place. */
#include "store/job.h"
#include "store/message_private.h"
#include "store/suggestion.h"
#include "store/vector.h"

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

enum rc store_message_set_text(struct db *db, int64_t owner, int64_t session_id, int64_t id, struct str text,
    int64_t pasted_from, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct message old;
    int64_t running;
    enum rc rc = store_message_get(db, a, owner, id, &old, e);
    if (rc != RC_OK)
        return rc;
    if (old.session_id != session_id)
        return err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)id);
    if (old.role != ROLE_USER)
        return err_say(e, RC_BAD_INPUT, "chat.edit_own_only");
    rc = db_one_int(db, "SELECT running_turns FROM session WHERE owner = ? AND id = ?",
        ARGS(v_int(owner), v_int(session_id)), &running, e);
    int64_t pasted = message_pasted_after_edit(&old, text, pasted_from);
    if (rc == RC_OK && running > 0)
        return err_say(e, RC_CONFLICT, "chat.stop_first");
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE message SET text = ?, pasted_from = ? WHERE id = ? AND session_id = ?",
            ARGS(v_str(text), pasted < 0 ? v_null() : v_int(pasted), v_int(id), v_int(session_id)), NULL, e);
    if (rc == RC_OK)
        rc = reindex(db, id, old.text.s, text, e);
    if (rc == RC_OK)
        rc = store_suggestion_forget(db, owner, session_id, id, e);
    return rc == RC_OK ? store_vector_forget(db, VECTOR_MESSAGE, owner, id, e) : rc;
}
