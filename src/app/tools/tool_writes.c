/* Writes by tools: at once when the user's own message asks for them, otherwise as a suggestion
 * (tools_private.h). */
#include "app/tools/tools_private.h"

#define WAITS "waits for the user"

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
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the message was deleted meanwhile */
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

enum rc tool_do_or_suggest(
    const struct tool_context *c, struct arena *a, struct suggestion *s, bool asked_for, struct err *e)
{
    return store_write(c->store, suggest_tx, &(struct suggest){c, a, s, .at_once = asked_for}, e);
}

enum rc tool_suggest(const struct tool_context *c, struct arena *a, struct suggestion *s, struct err *e)
{
    return store_write(c->store, suggest_tx, &(struct suggest){c, a, s, .at_once = false}, e);
}

void tool_say_waits(struct view *result, const struct suggestion *s)
{
    /* clang-format off */
    static const char question[] =
        "Nothing is changed yet. "
        "Buttons above the message box ask the user. "
        "Answer with one short sentence that asks whether to do this, and nothing else. "
        "The user may then also answer yes or no.";
    static const char suggested[] =
        "Nothing is stored yet, because the user's message did not explicitly ask for exactly this. "
        "The user sees a suggestion below your answer, with buttons to keep or dismiss it. "
        "Do not say that it is stored, and do not call the tool for it again.";
    /* clang-format on */
    view_text(result, "status", WAITS);
    view_text(result, "note", suggestion_asks(s) ? question : suggested);
}

bool tool_waits(struct str result)
{
    static const char mark[] = "\"status\":\"" WAITS "\""; /* in a text its quotes would be escaped */
    return result.s && memmem(result.s, result.len, mark, sizeof mark - 1);
}
