/* Shared by the tools for a session's messages: the session, its path, and places on it. */
#include "app/tools/tools_private.h"

#define FIRST_ID (INT64_C(1) << 32) /* ids are (owner << 32) | n; a smaller number is a place */

/* The end of this session's path is the message before the question of the turn. Another session's path
 * ends at its head. */
static enum rc find_end(
    const struct tool_context *c, struct db *db, struct arena *a, struct tool_path *p, struct err *e)
{
    struct message m;
    p->end_id = p->session.head_id;
    if (p->session.id != c->session_id || !c->asked_id)
        return RC_OK;
    enum rc rc = store_message_get(db, a, c->owner, c->asked_id, &m, e);
    if (rc == RC_OK)
        p->end_id = m.parent_id;
    return rc;
}

static enum rc read_path(const struct tool_context *c, struct db *db, struct arena *a, const char *pub,
    struct tool_path *p, struct err *e)
{
    enum rc rc = pub ? store_session_get(db, a, c->owner, pub, &p->session, e)
                     : store_session_by_id(db, a, c->owner, c->session_id, &p->session, e);
    if (rc == RC_OK && p->session.ends_at && p->session.id != c->session_id)
        rc = RC_NOT_FOUND; /* a temporary chat is in the context of no other */
    if (rc == RC_OK)
        rc = find_end(c, db, a, p, e);
    if (rc == RC_OK && p->end_id)
        rc = store_message_path(db, a,
            &(struct path_query){.owner = c->owner, .session_id = p->session.id, .head = p->end_id},
            &p->messages, &p->n, e);
    while (p->n && p->messages[p->n - 1].status == MESSAGE_RUNNING)
        p->n--;
    return rc == RC_NOT_FOUND ? err_tell(e, RC_NOT_FOUND, "There is no session with this id.") : rc;
}

enum rc tool_path_read(
    const struct tool_context *c, const json_t *args, struct arena *a, struct tool_path *out, struct err *e)
{
    struct str pub;
    *out = (struct tool_path){0};
    bool named = json_get_str(args, "session", &pub) && pub.len;
    struct db *db = store_read(c->store);
    enum rc rc = read_path(c, db, a, named ? pub.s : NULL, out, e);
    store_read_done(c->store, db);
    return rc;
}

size_t tool_path_place(const struct tool_path *p, struct str text)
{
    int64_t n;
    if (!str_to_int(text, 1, INT64_MAX, &n))
        return SIZE_MAX;
    if (n < FIRST_ID)
        return (size_t)n <= p->n ? (size_t)n - 1 : SIZE_MAX;
    for (size_t i = 0; i < p->n; i++)
        if (p->messages[i].id == n)
            return i;
    return SIZE_MAX;
}

enum rc tool_path_range(
    const struct tool_path *p, const json_t *args, size_t *first, size_t *end, bool *given, struct err *e)
{
    struct str from, to;
    int last = tool_arg_int(args, "last", 0);
    bool has_from = json_get_str(args, "from", &from), has_to = json_get_str(args, "to", &to);
    *given = last || has_from || has_to;
    *first = 0;
    *end = p->n;
    if (last && (has_from || has_to))
        return err_tell(e, RC_BAD_INPUT, "Send \"last\" or \"from\" and \"to\", not both.");
    if (last && (size_t)last < p->n)
        *first = p->n - (size_t)last;
    if (has_from && (*first = tool_path_place(p, from)) == SIZE_MAX)
        return err_tell(
            e, RC_NOT_FOUND, "There is no message at \"from\": the session has %zu messages.", p->n);
    if (has_to && (*end = tool_path_place(p, to)) == SIZE_MAX)
        return err_tell(
            e, RC_NOT_FOUND, "There is no message at \"to\": the session has %zu messages.", p->n);
    *end += has_to;
    if (*first >= *end && p->n)
        return err_tell(e, RC_BAD_INPUT, "\"from\" comes after \"to\".");
    return RC_OK;
}

const char *tool_message_url(struct arena *a, const char *session, int64_t id)
{
    return arena_printf(a, "/s/%s?at=%lld#m-%lld", session, (long long)id, (long long)id);
}

bool tool_list_add(struct view *list, struct view *entry, size_t *room)
{
    AUTO_STRBUF json;
    strbuf_init(&json, *room);
    view_json(entry, &json);
    strbuf_addc(&json, ',');
    if (json.failed)
        return false;
    *room -= json.len;
    view_item_add(list, entry);
    return true;
}
