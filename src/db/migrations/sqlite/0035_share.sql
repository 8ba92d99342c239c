-- Links to a copy of one branch of a session, for people without an account. The copy is changed by its owner only.
CREATE TABLE share (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    token      TEXT    NOT NULL,             -- the address, which its owner can copy again
    token_hash BLOB    NOT NULL UNIQUE,      -- links are found by it
    title      TEXT,                         -- of the session when it was copied
    name       TEXT,                         -- shown for the owner; NULL: none
    password   TEXT,                         -- hash; NULL: none
    tools      INTEGER NOT NULL DEFAULT 0,   -- 1: calls of tools and their results are in the copy
    messages   INTEGER NOT NULL,             -- of the copy
    created_at INTEGER NOT NULL,
    copied_at  INTEGER NOT NULL,
    expires_at INTEGER                       -- NULL: never
);
CREATE INDEX share_owner ON share (owner, id);
CREATE INDEX share_session ON share (session_id);

CREATE TABLE share_message (
    share_id   INTEGER NOT NULL REFERENCES share (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,             -- from 1
    role       TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    status     TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    tool       TEXT,
    calls      TEXT,                         -- of a tool: the call that it answers
    created_at INTEGER NOT NULL,
    PRIMARY KEY (share_id, place)
) WITHOUT ROWID;
