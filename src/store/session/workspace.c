#include "store/session/workspace.h"

#include <stdlib.h>
#include <strings.h>

#include "store/row.h"

/* SQL: the condition that a session is in a workspace. */
#define IN_WORKSPACE(name_) "workspace IS NOT NULL AND lower(workspace) = lower(" name_ ")"

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

/* The instructions and the files of workspaces, which stay without a session. */
static enum rc kept_names(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e)
{
    return row_list_names(db, a,
        "SELECT min(name) FROM (SELECT min(workspace) AS name FROM workspace_instruction "
        "WHERE owner = ?1 AND workspace > ?2 UNION ALL "
        "SELECT min(workspace) FROM workspace_file WHERE owner = ?1 AND workspace > ?2)",
        owner, WORKSPACES_MAX, out, n, e);
}

enum rc store_workspace_list(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e)
{
    const char **kept, **all;
    size_t kept_n = 0, all_n;
    enum rc rc = row_list_names(db, a, "SELECT min(workspace) FROM session WHERE owner = ? AND workspace > ?",
        owner, WORKSPACES_MAX, out, n, e);
    if (rc == RC_OK)
        rc = kept_names(db, a, owner, &kept, &kept_n, e);
    if (rc != RC_OK || !kept_n)
        return rc;
    all = ARENA_ARRAY(a, const char *, *n + kept_n);
    all_n = *n;
    for (size_t i = 0; i < all_n; i++)
        all[i] = (*out)[i];
    for (size_t i = 0, j; i < kept_n; i++) {
        for (j = 0; j < *n && strcasecmp(kept[i], (*out)[j]) != 0; j++)
            ;
        if (j == *n)
            all[all_n++] = kept[i];
    }
    qsort(all, all_n, sizeof *all, str_order);
    *out = all;
    *n = all_n < WORKSPACES_MAX ? all_n : WORKSPACES_MAX;
    return RC_OK;
}

enum rc store_workspace_exists(struct db *db, int64_t owner, const char *name, bool *exists, struct err *e)
{
    int64_t found = 0;
    enum rc rc = db_one_int(db,
        "SELECT EXISTS (SELECT 1 FROM session WHERE owner = ?1 AND " IN_WORKSPACE(
            "?2") ") "
                  "OR EXISTS (SELECT 1 FROM workspace_instruction WHERE owner = ?1 AND workspace = ?2) "
                  "OR EXISTS (SELECT 1 FROM workspace_file WHERE owner = ?1 AND workspace = ?2)",
        ARGS(v_int(owner), v_text(name)), &found, e);
    *exists = found;
    return rc;
}

/* RC_NOT_FOUND when nothing has the name. */
static enum rc must_be_there(struct db *db, int64_t owner, const char *name, struct err *e)
{
    bool exists;
    enum rc rc = store_workspace_exists(db, owner, name, &exists, e);
    return rc == RC_OK && !exists ? err_set(e, RC_NOT_FOUND, "no such workspace") : rc;
}

/* Sessions of the trash belong to user 0. */
#define OWN_OR_TRASHED                                                                    \
    "id IN (SELECT id FROM session WHERE owner = ?1 AND workspace IS NOT NULL UNION ALL " \
    "SELECT session_id FROM trash WHERE owner = ?1 AND from_id IS NULL AND erased = 0)"

static enum rc move_sessions(struct db *db, int64_t owner, const char *name, const char *to, struct err *e)
{
    return db_exec(db, "UPDATE session SET workspace = ?3 WHERE " OWN_OR_TRASHED " AND " IN_WORKSPACE("?2"),
        ARGS(v_int(owner), v_text(name), v_text(to)), NULL, e);
}

enum rc store_workspace_rename(struct db *db, int64_t owner, const char *name, const char *to, struct err *e)
{
    bool taken = false;
    enum rc rc = must_be_there(db, owner, name, e);
    if (rc == RC_OK && strcasecmp(name, to) != 0)
        rc = store_workspace_exists(db, owner, to, &taken, e);
    if (rc == RC_OK && taken)
        return err_say(e, RC_CONFLICT, "workspace.taken", arg_text("name", to));
    if (rc == RC_OK)
        rc = move_sessions(db, owner, name, to, e);
    if (rc == RC_OK)
        rc =
            db_exec(db, "UPDATE workspace_instruction SET workspace = ?3 WHERE owner = ?1 AND workspace = ?2",
                ARGS(v_int(owner), v_text(name), v_text(to)), NULL, e);
    return rc == RC_OK
               ? db_exec(db, "UPDATE workspace_file SET workspace = ?3 WHERE owner = ?1 AND workspace = ?2",
                     ARGS(v_int(owner), v_text(name), v_text(to)), NULL, e)
               : rc;
}

enum rc store_workspace_delete(struct db *db, int64_t owner, const char *name, struct err *e)
{
    enum rc rc = must_be_there(db, owner, name, e);
    if (rc == RC_OK)
        rc = move_sessions(db, owner, name, NULL, e);
    if (rc == RC_OK)
        rc = store_workspace_set_instruction(db, owner, name, STR(""), e);
    return rc == RC_OK ? db_exec(db, "DELETE FROM workspace_file WHERE owner = ? AND workspace = ?",
                             ARGS(v_int(owner), v_text(name)), NULL, e)
                       : rc;
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
