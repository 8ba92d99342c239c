/* An empty context: a compaction without text after the last message. */
#include "app/context/context.h"
#include "app/session/session_actions.h"
#include "app/summary/compact.h"

struct clearing {
    int64_t owner, now;
    const char *session;
    const struct config *config;
    struct session s;
    struct compaction before; /* id 0: none */
    struct message *path;     /* below it */
    size_t n;
};

static enum rc read_path(struct db *db, struct arena *a, struct clearing *c, struct err *e)
{
    enum rc rc = store_session_get(db, a, c->owner, c->session, &c->s, e);
    if (rc == RC_OK && c->s.running_turns)
        return err_say(e, RC_CONFLICT, "chat.stop_first");
    if (rc == RC_OK && !c->s.head_id)
        return err_say(e, RC_CONFLICT, "chat.nothing_to_clear");
    if (rc != RC_OK)
        return rc;
    rc = store_compaction_on_path(db, a, c->owner, c->s.id, c->s.head_id, &c->before, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    rc = store_message_path(db, a,
        &(struct path_query){
            .owner = c->owner, .session_id = c->s.id, .head = c->s.head_id, .below = c->before.last_id},
        &c->path, &c->n, e);
    if (rc == RC_OK && c->n == 0 && c->before.text.len == 0)
        return err_say(e, RC_CONFLICT, "chat.nothing_to_clear");
    return rc;
}

/* Sets the size of the context without the messages that are no longer sent. The next turn measures it. */
static int64_t tokens_left(struct arena *a, const struct clearing *c)
{
    struct context_frame f = {
        .window = c->s.context_window ? c->s.context_window : c->config->context.model_window};
    int64_t gone =
        context_measure(c->config, &f, c->path, c->n).tokens - context_measure(c->config, &f, NULL, 0).tokens;
    if (c->before.id)
        gone += context_tokens(compact_block(a, &c->before, f.window));
    return c->s.context_tokens > gone ? c->s.context_tokens - gone : 0;
}

static enum rc clear_tx(struct db *db, void *arg, struct err *e)
{
    struct clearing *c = arg;
    AUTO(arena) a = arena_new();
    enum rc rc = read_path(db, a, c, e);
    if (rc != RC_OK)
        return rc;
    struct compaction made = {.session_id = c->s.id,
        .first_id = c->n ? c->path[0].id : c->before.last_id,
        .last_id = c->s.head_id,
        .tokens_before = c->s.context_tokens,
        .tokens_after = tokens_left(a, c),
        .keep = STR(""),
        .text = STR(""),
        .facts = STR("[]"),
        .transcript = "",
        .provider = "offline",
        .model = "offline",
        .created_at = c->now};
    for (size_t i = 0; i < c->n; i++)
        made.messages += context_counts(&c->path[i]);
    rc = store_compaction_add(db, c->owner, &made, e);
    return rc == RC_OK
               ? store_session_set_context(db, c->owner, c->s.id, made.tokens_after, c->s.context_window, e)
               : rc;
}

enum rc session_clear(
    struct store *s, const struct config *c, int64_t owner, const char *session, int64_t now, struct err *e)
{
    return store_write(
        s, clear_tx, &(struct clearing){.owner = owner, .now = now, .session = session, .config = c}, e);
}
