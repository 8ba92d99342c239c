-- MCP servers (store/mcp.h): the last request for the tools of each, and its last list. The list is a table of its own,
-- because it is long and rarely changes.
CREATE TABLE mcp_server (
    name      TEXT PRIMARY KEY,  -- NAME of [mcp.NAME]
    url       TEXT    NOT NULL,  -- a list of another address is not used
    era       INTEGER NOT NULL,  -- enum mcp_era
    stale     INTEGER NOT NULL,  -- 1: an answer said that the list has changed
    asked_at  INTEGER NOT NULL,  -- a failure that repeats leaves it as it is
    listed_at INTEGER NOT NULL,  -- when a list last came; 0: never
    failure   TEXT               -- of the last time (base/said.h); NULL: a list came
) WITHOUT ROWID;

CREATE TABLE mcp_list (
    name  TEXT PRIMARY KEY REFERENCES mcp_server (name) ON DELETE CASCADE,
    tools TEXT NOT NULL  -- JSON (app/mcp/mcp_list.c)
) WITHOUT ROWID;
