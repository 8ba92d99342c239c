-- What Alfred remembers of a user. memory.id is (owner << 32) | n, so that one user's facts and their text index are one
-- range, like the messages.
ALTER TABLE user ADD COLUMN memory_seq INTEGER NOT NULL DEFAULT 0; -- the last n given to a memory
ALTER TABLE user ADD COLUMN memory_paused_at INTEGER;              -- nothing is remembered or recalled while set

CREATE TABLE memory (
    id         INTEGER PRIMARY KEY,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE CHECK (owner = id >> 32),
    text       TEXT    NOT NULL,
    tags       TEXT    NOT NULL,                  -- words with one blank between
    source_id  INTEGER REFERENCES message (id) ON DELETE SET NULL, -- the user's message that it comes from
    embedder   TEXT    NOT NULL,                  -- which one made the vector
    scale      REAL    NOT NULL,
    vector     BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER,                           -- last time it went into a context
    expires_at INTEGER,                           -- null: permanent
    deleted_at INTEGER                            -- can be undone until it is swept
);
CREATE INDEX memory_owner ON memory (owner, id);
CREATE INDEX memory_source ON memory (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX memory_expires ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_deleted ON memory (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE VIRTUAL TABLE memory_text USING fts5 (text, tags, content = 'memory', content_rowid = 'id', tokenize = 'porter unicode61');
INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1); -- facts are few: what is forgotten goes at once

-- Which facts an answer was given with.
CREATE TABLE memory_use (
    message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    memory_id  INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    PRIMARY KEY (message_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX memory_use_memory ON memory_use (memory_id);

-- What a session waits to hear yes or no about: one thing at a time.
CREATE TABLE pending (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL UNIQUE REFERENCES session (id) ON DELETE CASCADE,
    message_id INTEGER REFERENCES message (id) ON DELETE CASCADE, -- the answer that asks; null while it is written
    action     TEXT    NOT NULL,                  -- 'forget'
    subject    INTEGER NOT NULL,                  -- forget: the memory
    created_at INTEGER NOT NULL
);
CREATE INDEX pending_owner ON pending (owner);
CREATE INDEX pending_message ON pending (message_id) WHERE message_id IS NOT NULL;
