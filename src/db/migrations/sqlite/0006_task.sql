-- The to-do list. task.id is (owner << 32) | n like a memory's.
ALTER TABLE user ADD COLUMN task_seq INTEGER NOT NULL DEFAULT 0;   -- the last n given to a task

CREATE TABLE task (
    id         INTEGER PRIMARY KEY,
    owner      INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE CHECK (owner = id >> 32),
    text       TEXT    NOT NULL,
    due        TEXT,                              -- a day, YYYY-MM-DD, in the user's own time
    source_id  INTEGER REFERENCES message (id) ON DELETE SET NULL, -- the user's message that it comes from
    created_at INTEGER NOT NULL,
    done_at    INTEGER,
    deleted_at INTEGER                            -- can be undone until it is swept
);
CREATE INDEX task_open ON task (owner, id) WHERE done_at IS NULL AND deleted_at IS NULL;
CREATE INDEX task_done ON task (owner, done_at, id) WHERE done_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX task_source ON task (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX task_deleted ON task (deleted_at) WHERE deleted_at IS NOT NULL;

-- What a session is speaking of, so that "that task" and "the second one" mean something. It lapses.
CREATE TABLE working (
    session_id INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    intent     TEXT    NOT NULL,                  -- the last tool that was called
    tasks      TEXT    NOT NULL,                  -- ids in the order in which they were shown, one blank between
    memories   TEXT    NOT NULL,
    task       INTEGER NOT NULL DEFAULT 0,        -- the one spoken of last, 0: none by itself
    memory     INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL
);

-- What the model wants in the next turn's context, for that turn only.
CREATE TABLE context_preference (
    session_id INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    memories   TEXT,                              -- ids, one blank between; null: those that matter
    first_id   INTEGER NOT NULL,                  -- messages from here to there besides the newest; 0, 0: none
    last_id    INTEGER NOT NULL,
    recent     INTEGER,                           -- how many of the newest messages; null: as configured
    summaries  INTEGER NOT NULL,                  -- 1: the summaries of the session go in
    created_at INTEGER NOT NULL
);

-- Sessions that belong together.
ALTER TABLE session ADD COLUMN workspace TEXT;
CREATE INDEX session_workspace ON session (owner, workspace, active_at, id) WHERE workspace IS NOT NULL;
