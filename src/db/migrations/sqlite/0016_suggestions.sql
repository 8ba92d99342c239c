-- A suggestion is a change to the memory, the to-do list, the workspace or the sessions of a user that waits for the user's
-- decision, or that was made at once and can be undone. The table takes in the table "pending", which held one question
-- per session.
CREATE TABLE suggestion_new (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,                  -- 'remember', 'add_task', ...: the table of app/suggestion/suggestion.c
    state      TEXT    NOT NULL CHECK (state IN ('open', 'done', 'dismissed', 'undone')),
    session_id INTEGER REFERENCES session (id) ON DELETE CASCADE, -- in which a tool made it; null: the helper found it
    message_id INTEGER REFERENCES message (id) ON DELETE CASCADE, -- the answer that shows it; null while it is written
    source_id  INTEGER REFERENCES message (id) ON DELETE CASCADE, -- the user's message that it comes from
    subject    INTEGER NOT NULL DEFAULT 0,        -- the memory, task or session that it changes, or has made
    text       TEXT    NOT NULL,                  -- what is to be stored; empty when nothing is, or when the subject has it
    tags       TEXT,                              -- of a fact; null: none, or unchanged
    due        TEXT,                              -- of a task
    permanent  INTEGER NOT NULL DEFAULT 0,        -- a fact is kept for good
    prior_text TEXT,                              -- what a change replaced, until undo_until
    prior_tags TEXT,
    created_at INTEGER NOT NULL,
    lapses_at  INTEGER,                           -- an open one cannot be decided from then on; null: never
    settled_at INTEGER,                           -- when it left the state 'open'
    undo_until INTEGER                            -- null: no time limit
);
INSERT INTO suggestion_new (id, owner, kind, state, source_id, text, permanent, created_at, settled_at)
    SELECT id, owner, 'remember', CASE WHEN dismissed_at IS NULL THEN 'open' ELSE 'dismissed' END, source_id, text, 1,
        created_at, dismissed_at FROM suggestion;
INSERT INTO suggestion_new (owner, kind, state, session_id, message_id, subject, text, created_at, lapses_at)
    SELECT owner, action, 'open', session_id, message_id, subject, '', created_at, created_at + 1800000 FROM pending;
DROP TABLE suggestion;
DROP TABLE pending;
ALTER TABLE suggestion_new RENAME TO suggestion;

-- A fact that the user has dismissed is not suggested again; a fact is open once.
CREATE UNIQUE INDEX suggestion_fact ON suggestion (owner, text) WHERE kind = 'remember' AND state IN ('open', 'dismissed');
CREATE INDEX suggestion_open ON suggestion (owner, id) WHERE state = 'open';
CREATE INDEX suggestion_session ON suggestion (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX suggestion_message ON suggestion (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX suggestion_source ON suggestion (source_id) WHERE source_id IS NOT NULL;

-- Where the first pasted or imported text of a user's message begins, in bytes; null: none is known.
ALTER TABLE message ADD COLUMN pasted_from INTEGER;
