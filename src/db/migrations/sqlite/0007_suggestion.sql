-- Facts that the helper found in what the user said and that wait for the user's word: only "keep" makes one a memory.
ALTER TABLE session ADD COLUMN facts_id INTEGER NOT NULL DEFAULT 0; -- the last message that was looked through

CREATE TABLE suggestion (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    text         TEXT    NOT NULL,
    source_id    INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE, -- the user's message that says it
    created_at   INTEGER NOT NULL,
    dismissed_at INTEGER,                         -- not to be suggested again
    UNIQUE (owner, text)
);
CREATE INDEX suggestion_open ON suggestion (owner, id) WHERE dismissed_at IS NULL;
CREATE INDEX suggestion_source ON suggestion (source_id);
