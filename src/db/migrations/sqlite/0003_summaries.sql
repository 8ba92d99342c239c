-- What sessions were about. summary.id is (owner << 32) | n like a message's, so that one user's summaries, their text
-- index and their vectors are one range.
ALTER TABLE user ADD COLUMN summary_seq INTEGER NOT NULL DEFAULT 0;   -- the last n given to a summary

ALTER TABLE session ADD COLUMN topic TEXT;                            -- one line; null until there is one
ALTER TABLE session ADD COLUMN keywords TEXT;                         -- "invoices, tax, april"
ALTER TABLE session ADD COLUMN topic_id INTEGER NOT NULL DEFAULT 0;      -- the last message that the topic knows
ALTER TABLE session ADD COLUMN summarised_id INTEGER NOT NULL DEFAULT 0; -- the last one that the current summary knows

CREATE INDEX session_active ON session (owner, active_at, id) WHERE archived_at IS NULL;
CREATE INDEX session_archived ON session (owner, active_at, id) WHERE archived_at IS NOT NULL;

CREATE TABLE summary (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,                  -- 1, 2, ... in its session
    whole      INTEGER NOT NULL,                  -- 1: of the session so far; 0: of a part that somebody asked for
    current    INTEGER NOT NULL,                  -- 1: the newest whole one; the others are only read on their page
    first_id   INTEGER NOT NULL,                  -- messages from here
    last_id    INTEGER NOT NULL,                  -- to here
    messages   INTEGER NOT NULL,                  -- how many were read
    text       TEXT    NOT NULL,                  -- Markdown
    provider   TEXT    NOT NULL,                  -- 'offline': by rule
    model      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (session_id, version)
);
CREATE UNIQUE INDEX summary_current ON summary (session_id) WHERE current = 1;

-- What a search sees; also what FTS5 compares its index with.
CREATE VIEW current_summary AS SELECT id, session_id, text FROM summary WHERE current = 1;
CREATE VIRTUAL TABLE summary_text USING fts5 (text, content = 'current_summary', content_rowid = 'id', tokenize = 'porter unicode61');
-- They are few: words of one that was replaced or deleted leave the index at once.
INSERT INTO summary_text (summary_text, rank) VALUES ('secure-delete', 1);

-- What people asked for and is not written yet.
CREATE TABLE summary_request (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    first_id   INTEGER NOT NULL,                  -- 0, 0: the whole session
    last_id    INTEGER NOT NULL,
    asked_at   INTEGER NOT NULL,
    UNIQUE (session_id, first_id, last_id)
);

CREATE INDEX job_dead ON job (id) WHERE state = 'dead';
