-- The files of workspaces (store/session/workspace_file.h). They stay when the last session leaves the workspace.
-- The text is the last column, so that a list does not read it.
CREATE TABLE workspace_file (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    workspace  TEXT    NOT NULL COLLATE NOCASE,
    name       TEXT    NOT NULL COLLATE NOCASE,
    bytes      INTEGER NOT NULL,
    lines      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    text       TEXT    NOT NULL,
    UNIQUE (owner, workspace, name)
);
