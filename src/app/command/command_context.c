/* Commands about the context of a session: empty it, compact it, summarise it. */
#include "app/command/command_private.h"

#include "app/session/session_actions.h"
#include "store/memory/summary.h"

enum rc command_clear(struct command_call *c, struct err *e)
{
    struct session s;
    enum rc rc = command_session(c, &s, e);
    if (rc == RC_OK)
        rc = session_clear(c->x->store, c->x->config, c->x->owner, s.pub, c->x->now, e);
    if (rc == RC_OK)
        command_say(c, "command.cleared", NULL);
    return rc;
}

enum rc command_compact(struct command_call *c, struct err *e)
{
    struct session s;
    enum rc rc = command_session(c, &s, e);
    if (rc == RC_OK)
        rc = session_compact(
            c->x->store, c->x->config, c->x->owner, s.pub, command_str(c, c->args), c->x->now, e);
    if (rc == RC_OK)
        command_say(c, "command.compacting", NULL);
    return rc;
}

static enum rc ask_summary(struct command_call *c, const struct session *s, struct err *e)
{
    const struct summary_range all = {0};
    enum rc rc = session_summarise(c->x->store, c->x->config, c->x->owner, s->pub, &all, c->x->now, e);
    if (rc != RC_OK)
        return rc;
    command_say(c, "command.summarising", NULL);
    command_button(c, "/summary", "/summary");
    return RC_OK;
}

/* The current summary; "/summary new" asks for another one. */
enum rc command_summary(struct command_call *c, struct err *e)
{
    struct session s;
    struct summary now = {0};
    enum rc rc = command_session(c, &s, e);
    if (rc != RC_OK)
        return rc;
    if (str_eq_nocase(c->args, STR("new")))
        return ask_summary(c, &s, e);
    struct db *db = store_read(c->x->store);
    rc = store_summary_current(db, c->x->a, c->x->owner, s.id, &now, e);
    store_read_done(c->x->store, db);
    if (rc == RC_NOT_FOUND)
        return ask_summary(c, &s, e);
    if (rc != RC_OK)
        return rc;
    strbuf_addf(&c->md, "**%s** · %s\n\n", command_title(c, &s), command_ago(c, now.created_at));
    strbuf_addstr(&c->md, now.text);
    command_button(c, lang_text(c->x->lang, "command.summary_again"), "/summary new");
    return RC_OK;
}
