/* How tools write: at once what the user's own message asks for, else as a suggestion (tools_private.h). */
#include "app/tools/tools_private.h"

enum rc tool_request(
    const struct tool_context *c, struct arena *a, struct explicit_request *out, struct err *e)
{
    struct message m;
    *out = (struct explicit_request){0};
    if (!c->asked_id || c->untrusted)
        return RC_OK;
    struct db *db = store_read(c->store);
    enum rc rc = store_message_get(db, a, c->owner, c->asked_id, &m, e);
    store_read_done(c->store, db);
    if (rc == RC_OK)
        explicit_request_read(a, m.text, m.pasted_from, out);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* deleted meanwhile: it asks for nothing */
}

struct suggestion tool_suggestion(const struct tool_context *c, const char *kind)
{
    return (struct suggestion){
        .kind = kind, .session_id = c->session_id, .source_id = c->asked_id, .text = STR("")};
}

struct suggest {
    const struct tool_context *c;
    struct arena *a;
    struct suggestion *s;
    bool at_once;
};

static enum rc suggest_tx(struct db *db, void *arg, struct err *e)
{
    const struct suggest *t = arg;
    struct suggestion copy = *t->s;
    enum rc rc = suggestion_put(db, t->a, t->c->owner, &copy, t->at_once, t->c->now, e);
    if (rc == RC_OK)
        *t->s = copy;
    return rc;
}

enum rc tool_suggest(
    const struct tool_context *c, struct arena *a, struct suggestion *s, bool at_once, struct err *e)
{
    return store_write(c->store, suggest_tx, &(struct suggest){c, a, s, at_once}, e);
}

void tool_say_waits(struct view *result, const struct suggestion *s)
{
    view_text(result, "status", "waits for the user");
    view_text(result, "note",
        suggestion_asks(s)
            ? "Nothing is changed yet. The user is asked above the message box, with buttons. Ask in one "
              "short "
              "sentence whether to do this, and nothing else in your answer; then the user may also say yes "
              "or "
              "no."
            : "Nothing is stored yet, because the user's message did not ask for just this in so many words. "
              "The user sees it under your answer, with a button to keep it and one to dismiss it. Do not "
              "say "
              "that it is stored, and do not call the tool for it again.");
}
