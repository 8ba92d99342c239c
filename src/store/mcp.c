#include "store/mcp.h"

#include "store/row.h"

static struct mcp_server_row read_server(const struct rows *q, struct arena *a)
{
    return (struct mcp_server_row){.name = row_text(q, 0, a),
        .url = row_text(q, 1, a),
        .era = (int)rows_int(q, 2),
        .asked_at = rows_int(q, 3),
        .listed_at = rows_int(q, 4),
        .failure = row_text(q, 5, a),
        .tools = row_text(q, 6, a)};
}

DEFINE_ROWS(server, struct mcp_server_row, read_server, "list of tools")

enum rc store_mcp_read(struct db *db, struct arena *a, struct mcp_server_row **out, size_t *n, struct err *e)
{
    return list_server(db, a,
        "SELECT s.name, s.url, s.era, s.asked_at, s.listed_at, s.failure, coalesce(l.tools, '{}') "
        "FROM mcp_server AS s LEFT JOIN mcp_list AS l ON l.name = s.name ORDER BY s.name",
        NO_ARGS, out, n, e);
}

/* The list of another address is of no use. */
static enum rc forget_other(struct db *db, const struct mcp_server_row *s, struct err *e)
{
    return db_exec(db, "DELETE FROM mcp_server WHERE name = ? AND url <> ?",
        ARGS(v_text(s->name), v_text(s->url)), NULL, e);
}

static enum rc put_failure(struct db *db, const struct mcp_server_row *s, struct err *e)
{
    return db_exec(db,
        "INSERT INTO mcp_server (name, url, era, stale, asked_at, listed_at, failure) "
        "VALUES (?, ?, 0, 0, ?, 0, ?) ON CONFLICT (name) DO UPDATE SET "
        "asked_at = excluded.asked_at, stale = 0, failure = excluded.failure "
        "WHERE mcp_server.failure IS NULL OR mcp_server.failure <> excluded.failure OR mcp_server.stale = 1",
        ARGS(v_text(s->name), v_text(s->url), v_int(s->asked_at), v_text(s->failure)), NULL, e);
}

static enum rc put_list(struct db *db, const struct mcp_server_row *s, struct err *e)
{
    enum rc rc = db_exec(db,
        "INSERT INTO mcp_server (name, url, era, stale, asked_at, listed_at, failure) "
        "VALUES (?, ?, ?, 0, ?, ?, NULL) ON CONFLICT (name) DO UPDATE SET "
        "era = excluded.era, stale = 0, asked_at = excluded.asked_at, listed_at = excluded.listed_at, "
        "failure = NULL",
        ARGS(v_text(s->name), v_text(s->url), v_int(s->era), v_int(s->asked_at), v_int(s->asked_at)), NULL,
        e);
    if (rc != RC_OK)
        return rc;
    return db_exec(db,
        "INSERT INTO mcp_list (name, tools) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "
        "tools = excluded.tools WHERE mcp_list.tools <> excluded.tools",
        ARGS(v_text(s->name), v_text(s->tools)), NULL, e);
}

enum rc store_mcp_put(struct db *db, const struct mcp_server_row *s, struct err *e)
{
    enum rc rc = forget_other(db, s, e);
    if (rc != RC_OK)
        return rc;
    return s->failure ? put_failure(db, s, e) : put_list(db, s, e);
}

enum rc store_mcp_mark_stale(struct db *db, const char *name, struct err *e)
{
    return db_exec(db, "UPDATE mcp_server SET stale = 1 WHERE name = ?", ARGS(v_text(name)), NULL, e);
}

enum rc store_mcp_is_stale(struct db *db, const char *name, bool *out, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db, "SELECT EXISTS (SELECT 1 FROM mcp_server WHERE name = ? AND stale = 1)",
        ARGS(v_text(name)), &n, e);
    *out = n != 0;
    return rc;
}
