-- All of a user's data out of the house, and conversations into it.
CREATE TABLE transfer (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    pub        TEXT    NOT NULL UNIQUE,           -- xfr_..., also the name of its file below data/transfers
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('export', 'import')),
    state      TEXT    NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    format     TEXT    NOT NULL,                  -- 'alfred', 'chatgpt', ...; '' until it is known
    bytes      INTEGER NOT NULL DEFAULT 0,        -- of the file
    total      INTEGER NOT NULL DEFAULT 0,        -- conversations in it; 0: not known yet
    done       INTEGER NOT NULL DEFAULT 0,        -- of them
    skipped    INTEGER NOT NULL DEFAULT 0,        -- import: passed over, so done + skipped is how far it got
    known      INTEGER NOT NULL DEFAULT 0,        -- of the skipped: they were here before
    facts      INTEGER NOT NULL DEFAULT 0,        -- import: memories and tasks that were added
    error      TEXT,                              -- the sentence for the user
    created_at INTEGER NOT NULL,
    ended_at   INTEGER
);
CREATE INDEX transfer_owner ON transfer (owner, id);
CREATE INDEX transfer_ended ON transfer (ended_at) WHERE ended_at IS NOT NULL;

-- Which conversations came from where: the same file twice adds nothing twice, and an import that was cut goes on.
CREATE TABLE imported (
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    outer_id   TEXT    NOT NULL,                  -- 'chatgpt:...', 'alfred:ses_...'
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    PRIMARY KEY (owner, outer_id)
) WITHOUT ROWID;
CREATE INDEX imported_session ON imported (session_id);
