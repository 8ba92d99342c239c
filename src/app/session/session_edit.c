/* Edits of messages (session_actions.h). */
#include "app/session/session_actions.h"

#include "app/jobs/helper_notify.h"
#include "app/summary/compact.h"
#include "app/summary/summary.h"
#include "base/clock.h"
#include "store/channel/chat.h"
#include "store/job.h"

enum rc session_edit_in(struct db *db, const struct config *c, const struct session_edit *m, struct err *e)
{
    enum rc rc = store_message_set_text(db, m->owner, m->session_id, m->message, m->text, m->pasted_from, e);
    if (rc == RC_OK)
        rc = compact_forget(db, m->owner, m->session_id, m->message, m->now, e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, c, m->owner, m->session_id, m->message, m->now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, m->owner, 0, m->now, m->now, e) : rc;
}

struct editing {
    const struct config *config;
    const struct message_edit *edit;
    int64_t now;
    int64_t text_id; /* the message that has the text */
};

/* Facts and compactions of the old version stay. Only the summary of the session is made again. */
static enum rc add_version(struct db *db, struct editing *t, int64_t session_id, struct err *e)
{
    const struct message_edit *m = t->edit;
    enum rc rc =
        store_message_add_edited(db, m->owner, session_id, m->message, m->text, t->now, &t->text_id, e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, t->config, m->owner, session_id, m->message, t->now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, m->owner, 0, t->now, t->now, e) : rc;
}

static enum rc edit_tx(struct db *db, void *arg, struct err *e)
{
    struct editing *t = arg;
    const struct message_edit *m = t->edit;
    AUTO(arena) a = arena_new();
    struct session s;
    struct message old;
    enum rc rc = store_session_get(db, a, m->owner, m->session, &s, e);
    if (rc == RC_OK)
        rc = store_message_get(db, a, m->owner, m->message, &old, e);
    if (rc == RC_OK && str_trim(m->text).len == 0 && old.pictures_n == 0)
        return err_say(e, RC_BAD_INPUT, "chat.needs_text");
    if (rc != RC_OK)
        return rc;
    t->text_id = m->message;
    if (old.role == ROLE_ASSISTANT)
        return add_version(db, t, s.id, e);
    const struct session_edit edit = {.owner = m->owner,
        .session_id = s.id,
        .message = m->message,
        .text = m->text,
        .pasted_from = m->pasted_from,
        .now = t->now};
    rc = session_edit_in(db, t->config, &edit, e);
    return rc == RC_OK && old.client_id ? store_channel_message_detach(db, m->owner, old.client_id, e) : rc;
}

enum rc session_edit_text(
    struct store *s, const struct config *c, const struct message_edit *edit, int64_t *out, struct err *e)
{
    if (edit->text.len > (size_t)c->limits.message_bytes)
        return err_say(e, RC_TOO_BIG, "chat.message_limit", arg_limit("max", c->limits.message_bytes));
    struct editing t = {.config = c, .edit = edit, .now = clock_wall_ms(), .text_id = edit->message};
    enum rc rc = helper_write(s, c->server.data_dir, edit_tx, &t, e);
    *out = t.text_id;
    return rc;
}
