#include "store/session/workspace.h"

#include "store/row.h"

/* The spelling in the owner's other sessions. */
static enum rc spelling(
    struct db *db, struct arena *a, int64_t owner, const char *session, const char **name, struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q, "SELECT coalesce(" WORKSPACE_SPELLING("?1", "?2", "s.pub <> ?3") ", ?2)",
        ARGS(v_int(owner), v_text(*name), v_text(session)), e);
    if (rc == RC_OK && rows_next(&q))
        *name = row_text(&q, 0, a);
    return rows_done(&q, rc, e);
}

enum rc store_session_set_workspace(
    struct db *db, int64_t owner, const char *session, const char *name, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t changed = 0;
    enum rc rc = name ? spelling(db, a, owner, session, &name, e) : RC_OK;
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET workspace = ? WHERE pub = ? AND owner = ?",
            ARGS(v_text(name), v_text(session), v_int(owner)), &changed, e);
    return must_exist(rc, changed, "session", e);
}

enum rc store_workspace_list(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e)
{
    return row_list_names(db, a, "SELECT min(workspace) FROM session WHERE owner = ? AND workspace > ?",
        owner, WORKSPACES_MAX, out, n, e);
}

enum rc store_workspace_messages(struct db *db, int64_t owner, const char *name,
    void (*fn)(void *arg, int64_t id), void *arg, struct err *e)
{
    return row_each_id(db,
        "SELECT m.id FROM session s JOIN message m ON m.session_id = s.id "
        "WHERE s.owner = ? AND s.workspace = ?",
        ARGS(v_int(owner), v_text(name)), fn, arg, e);
}

static struct workspace_instruction read_instruction(const struct rows *q, struct arena *a)
{
    return (struct workspace_instruction){.workspace = row_text(q, 0, a), .text = row_str(q, 1, a)};
}

DEFINE_ROWS(instruction, struct workspace_instruction, read_instruction, "instruction")

enum rc store_workspace_instruction(
    struct db *db, struct arena *a, int64_t owner, const char *name, struct str *out, struct err *e)
{
    struct workspace_instruction *found;
    size_t n;
    enum rc rc = list_instruction(db, a,
        "SELECT workspace, text FROM workspace_instruction WHERE owner = ? AND workspace = ?",
        ARGS(v_int(owner), v_text(name)), &found, &n, e);
    *out = rc == RC_OK && n ? found[0].text : STR("");
    return rc;
}

enum rc store_workspace_set_instruction(
    struct db *db, int64_t owner, const char *name, struct str text, struct err *e)
{
    if (text.len == 0)
        return db_exec(db, "DELETE FROM workspace_instruction WHERE owner = ? AND workspace = ?",
            ARGS(v_int(owner), v_text(name)), NULL, e);
    return db_exec(db,
        "INSERT INTO workspace_instruction (owner, workspace, text) VALUES (?, ?, ?) "
        "ON CONFLICT (owner, workspace) DO UPDATE SET text = excluded.text",
        ARGS(v_int(owner), v_text(name), v_str(text)), NULL, e);
}

enum rc store_workspace_instructions(struct db *db, struct arena *a, int64_t owner,
    struct workspace_instruction **out, size_t *n, struct err *e)
{
    return list_instruction(db, a,
        "SELECT workspace, text FROM workspace_instruction WHERE owner = ? ORDER BY workspace",
        ARGS(v_int(owner)), out, n, e);
}
